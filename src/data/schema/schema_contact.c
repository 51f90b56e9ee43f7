/* The keys of materials and interactions, with those of every contact law. */
#include "data/schema/schema_rows.h"
#include "kernels/soft/laws.h"

/* The keys of every contact law, from its header. */
#define LAW_KEY(law_, key, flags_, minimum, maximum, unit_, fallback_, description_)                                   \
  {.name = #key,                                                                                                       \
   .type = CAIRN_SCHEMA_NUMBER,                                                                                        \
   .flags = ((flags_)&CAIRN_LAW_OR_AUTO ? CAIRN_SCHEMA_OR_AUTO : 0) |                                                  \
            ((flags_)&CAIRN_LAW_ABOVE ? CAIRN_SCHEMA_OPEN_MIN : 0) |                                                   \
            ((flags_)&CAIRN_LAW_REQUIRED ? CAIRN_SCHEMA_REQUIRED : 0),                                                 \
   .min = (minimum),                                                                                                   \
   .max = (maximum),                                                                                                   \
   .unit = unit_,                                                                                                      \
   .fallback = fallback_,                                                                                              \
   .law = #law_,                                                                                                       \
   .description = description_},

#define MATERIAL_KEYS(law) CAIRN_LAW_MATERIAL_KEYS_##law(LAW_KEY)

#define PAIR_KEYS(law) CAIRN_LAW_PAIR_KEYS_##law(LAW_KEY)

const struct cairn_schema_key cairn_schema_contact_material_keys[] = {
    {.name = "name",
     .type = CAIRN_SCHEMA_TEXT,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .description = "what bodies, walls and interactions call it; each name once"},
    {.name = "density",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = CAIRN_SCHEMA_REQUIRED | ABOVE_ZERO,
     POSITIVE,
     .unit = "kg/m³",
     .description = "gives the mass of a body from its radius"},
    CAIRN_LAWS(MATERIAL_KEYS) END};

const struct cairn_schema_key cairn_schema_contact_interaction_keys[] = {
    {.name = "between",
     .type = CAIRN_SCHEMA_TEXTS,
     .flags = CAIRN_SCHEMA_REQUIRED,
     .length = 2,
     .description = "the two materials, in any order; the same one twice for contacts within it"},
    CAIRN_LAWS(PAIR_KEYS){
        .name = "tangential_rebound",
        .type = CAIRN_SCHEMA_NUMBER,
        .min = 0,
        .max = 1,
        .fallback = "0",
        .description =
            "contact dynamics: part of the tangential velocity that comes back after an impact that does not slip"},
    {.name = "friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0.5",
     .description = "μ_s: largest tangential over normal force"},
    {.name = "slip",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = 0,
     .max = 1,
     .fallback = "0",
     .description = "b: part of the tangential spring that survives a slip"},
    {.name = "rolling_friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0",
     .description = "μ_r: torque against rolling over normal force times lever arm"},
    {.name = "twisting_friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0",
     .description = "μ_t: torque against twisting over normal force times contact radius"},
    {.name = "rolling_length",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: torque against rolling over normal force, in place of `rolling_friction`"},
    {.name = "twisting_length",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: torque against twisting over normal force, in place of `twisting_friction`"},
    {.name = "cohesion",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "N",
     .fallback = "0",
     .description = "contact dynamics: tension that a contact bears; how far it acts, `cohesion_range` or "
                    "`cohesion_energy` says"},
    {.name = "cohesion_range",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: gap up to which the cohesion acts and draws the bodies together"},
    {.name = "cohesion_energy",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "J",
     .fallback = "0",
     .description = "contact dynamics: work that parts a contact, in place of `cohesion_range`; 0 is the law with a "
                    "range"},
    END};
