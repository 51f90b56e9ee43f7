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
    CAIRN_LAWS(PAIR_KEYS){.name = "tangential_rebound",
                          .type = CAIRN_SCHEMA_NUMBER,
                          .min = 0,
                          .max = 1,
                          .fallback = "0",
                          .description = "contact dynamics: tangential restitution of impacts without slip"},
    {.name = "transverse_restitution",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = -1,
     .max = 1,
     .fallback = "1",
     .description = "hard spheres, ε_t: tangential velocity after over before a collision; 1 is smooth, 0 stops slip, "
                    "-1 reverses it"},
    {.name = "restitution_law",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "constant power bridges",
     .fallback = "constant",
     .description = "hard spheres: ε_n is `restitution`, or `restitution` (v/v₀)^-p of the impact speed v, at most 1; "
                    "`bridges` is ice with 0.32, 0.01 m/s and 0.234 (Bridges et al. 1984)"},
    {.name = "restitution_speed",
     .type = CAIRN_SCHEMA_NUMBER,
     .flags = ABOVE_ZERO,
     POSITIVE,
     .unit = "m/s",
     .fallback = "0.01",
     .description = "hard spheres, v₀ of `restitution_law: power`"},
    {.name = "restitution_exponent",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = 0,
     .max = 1,
     .fallback = "0.234",
     .description = "hard spheres, p of `restitution_law: power`"},
    {.name = "friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0.5",
     .description = "μ_s: Coulomb friction, largest tangential over normal force"},
    {.name = "slip",
     .type = CAIRN_SCHEMA_NUMBER,
     .min = 0,
     .max = 1,
     .fallback = "1",
     .description =
         "soft spheres, b: fraction of the tangential spring kept when the contact slips; less than 1 lessens "
         "the friction of slow sliding"},
    {.name = "rolling_friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0",
     .description =
         "μ_r: largest rolling torque over normal force times reduced radius r₁ r₂/(r₁ + r₂), or radius at a wall"},
    {.name = "twisting_friction",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .fallback = "0",
     .description = "μ_t: largest twisting torque over the same"},
    {.name = "rolling_length",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: rolling friction torque over normal force, in place of `rolling_friction`"},
    {.name = "twisting_length",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "contact dynamics: twisting friction torque over normal force, in place of `twisting_friction`"},
    {.name = "cohesion",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "N",
     .fallback = "0",
     .description = "soft spheres and contact dynamics: tensile force that a contact bears; `cohesion_range` or "
                    "`cohesion_energy` sets how far it acts"},
    {.name = "cohesion_range",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "soft spheres and contact dynamics: gap up to which cohesion attracts the bodies"},
    {.name = "work_of_adhesion",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "J/m²",
     .fallback = "0",
     .description =
         "soft spheres, w of `adhesion_law`: a pull that depends on the reduced radius R, in place of `cohesion`"},
    {.name = "adhesion_law",
     .type = CAIRN_SCHEMA_CHOICE,
     .choices = "dmt jkr",
     .fallback = "dmt",
     .description =
         "soft spheres with `work_of_adhesion`: `dmt` pulls with 2π w R within `cohesion_range`; `jkr`, with "
         "`law: hertz`, by a neck that forms at contact, bears 3/2 π w R and is drawn out until it snaps"},
    {.name = "hamaker_constant",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "J",
     .fallback = "0",
     .description =
         "soft spheres, A of van der Waals forces: a pull of A R/(6 X²) at the gap X, in place of `cohesion`"},
    {.name = "hamaker_separation",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "m",
     .fallback = "0",
     .description = "soft spheres: smallest X in this force, for smaller gaps and in contact"},
    {.name = "cohesion_energy",
     .type = CAIRN_SCHEMA_NUMBER,
     POSITIVE,
     .unit = "J",
     .fallback = "0",
     .description = "contact dynamics: work that breaks a contact, in place of `cohesion_range`; 0 is the law with a "
                    "range"},
    END};
