#include "data/state/fields.h"

#include <stdlib.h>

#include <netcdf.h>
#include <string.h>

enum {
  STATIC = CAIRN_FIELD_STATIC | CAIRN_FIELD_CHECKPOINT,
  GROWING = STATIC | CAIRN_FIELD_GROWING,
  FRAME = CAIRN_FIELD_FRAME | CAIRN_FIELD_CHECKPOINT,
  SAVED = CAIRN_FIELD_CHECKPOINT,
  CAPTURE = CAIRN_FIELD_FRAME | CAIRN_FIELD_CHECKPOINT | CAIRN_FIELD_CAPTURE,
  STRESS = CAIRN_FIELD_FRAME | CAIRN_FIELD_STRESS,
  INDEX = CAIRN_FIELD_STATIC | CAIRN_FIELD_INDEX,
  HEAD = CAIRN_FIELD_CHECKPOINT | CAIRN_FIELD_HEAD,
  MEMORY = CAIRN_FIELD_CHECKPOINT | CAIRN_FIELD_MEMORY
};

#define BODY(type, components, member) CAIRN_FIELD_##type, components, CAIRN_FIELD_BODIES, AT(member)
#define PAIR(type, member) CAIRN_FIELD_##type, 1, CAIRN_FIELD_CONTACTS, offsetof(struct cairn_contact, member)
#define WALL(type, member) CAIRN_FIELD_##type, 1, CAIRN_FIELD_WALL_CONTACTS, offsetof(struct cairn_contact, member)
#define CONTACT_MEMORY(name, numbers, unit, meaning)                                                                   \
  {NULL,  "contact_" #name, CAIRN_FIELD_DOUBLE, numbers, CAIRN_FIELD_CONTACTS, CAIRN_CONTACT_##name, unit, meaning,    \
   MEMORY},
#define WALL_MEMORY(name, numbers, unit, meaning)                                                                      \
  {NULL,                                                                                                               \
   "wall_contact_" #name,                                                                                              \
   CAIRN_FIELD_DOUBLE,                                                                                                 \
   numbers,                                                                                                            \
   CAIRN_FIELD_WALL_CONTACTS,                                                                                          \
   CAIRN_CONTACT_##name,                                                                                               \
   unit,                                                                                                               \
   meaning,                                                                                                            \
   MEMORY},
#define ASSEMBLY(components, member) CAIRN_FIELD_DOUBLE, components, CAIRN_FIELD_ASSEMBLIES, AT(member)
#define PER_BODY(components, member)                                                                                   \
  CAIRN_FIELD_DOUBLE, components, CAIRN_FIELD_BODIES, offsetof(struct cairn_body_stress, member)
#define AT(member) offsetof(struct cairn_state, member)

/* The names in trajectories are those that AMBER and OVITO give a meaning to. The digest reads the arrays in this
 * order: a new field goes to the end of its list. */
const struct cairn_field cairn_fields[] = {
    {"id", NULL, CAIRN_FIELD_INT32, 1, CAIRN_FIELD_BODIES, 0, "1", "index of the body", INDEX},
    {"coordinates", "position", BODY(DOUBLE, 3, position), "m", "position of the center", FRAME},
    {"velocities", "velocity", BODY(DOUBLE, 3, velocity), "m s-1", "velocity of the center", FRAME},
    {"angular_velocity", "spin", BODY(DOUBLE, 3, spin), "rad s-1", "angular velocity", FRAME},
    {NULL, "acceleration", BODY(DOUBLE, 3, acceleration), "m s-2", "acceleration at this step", SAVED},
    {NULL, "angular_acceleration", BODY(DOUBLE, 3, angular_acceleration), "rad s-2",
     "angular acceleration at this step", SAVED},
    {"radius", "radius", BODY(DOUBLE, 1, radius), "m", "radius", GROWING},
    {"mass", "mass", BODY(DOUBLE, 1, mass), "kg", "mass", GROWING},
    {"type", "material", BODY(INT32, 1, material), "1", "index of the material in the scenario", STATIC},
    {"captor", "captor", BODY(INT32, 1, captor), "1",
     "0 free, 1 + w captured by wall w, -1 - w removed by wall w; with W walls, -1 - W - i merged into body i",
     CAPTURE},
    {"capture_time", "capture_time", BODY(DOUBLE, 1, capture_time), "s", "time when it was captured or removed",
     CAPTURE},
    {NULL, "capture_place", BODY(DOUBLE, 3, capture_place), "m", "place of a captured body in the assembly of its wall",
     SAVED},
    {NULL, "gravity", BODY(DOUBLE, 3, gravity), "m s-2", "self-gravity as last evaluated", SAVED},
    {NULL, "reference", BODY(DOUBLE, 3, reference), "m", "position by which it was assigned to its cell", SAVED},
    {"pressure", NULL, PER_BODY(1, pressure), "Pa", "a third of the trace of stress", STRESS},
    {"stress", NULL, PER_BODY(6, stress), "Pa", "mean stress in the body, pressure positive: xx yy zz yz xz xy",
     STRESS},
    {NULL, "contact_a", PAIR(INT32, a), "1", "touching pair, lower index", HEAD},
    {NULL, "contact_b", PAIR(INT32, b), "1", "touching pair, higher index", HEAD},
    {NULL, "contact_feature", PAIR(UINT32, feature), "1", "which contact of the pair", HEAD},
    {NULL, "contact_age", PAIR(UINT32, age), "1", "steps since the pair touched", HEAD},
    CAIRN_CONTACT_PAIR_MEMORIES(CONTACT_MEMORY){NULL, "wall_contact_body", WALL(INT32, a), "1",
                                                "body that touches a wall", HEAD},
    {NULL, "wall_contact_wall", WALL(INT32, b), "1", "index of the wall in the scenario", HEAD},
    {NULL, "wall_contact_feature", WALL(UINT32, feature), "1", "which contact of body and wall", HEAD},
    {NULL, "wall_contact_age", WALL(UINT32, age), "1", "steps since body and wall touched", HEAD},
    CAIRN_CONTACT_MEMORIES(WALL_MEMORY){NULL, "assembly_position", ASSEMBLY(3, assembly_position), "m",
                                        "position of the assembly", SAVED},
    {NULL, "assembly_orientation", ASSEMBLY(4, assembly_orientation), "1", "orientation, unit quaternion x y z w",
     SAVED},
    {NULL, "assembly_velocity", ASSEMBLY(3, assembly_velocity), "m s-1", "velocity of the position", SAVED},
    {NULL, "assembly_spin", ASSEMBLY(3, assembly_spin), "rad s-1", "angular velocity of the assembly", SAVED},
    {NULL, "assembly_acceleration", ASSEMBLY(3, assembly_acceleration), "m s-2", "acceleration of the position", SAVED},
    {NULL, "assembly_angular_acceleration", ASSEMBLY(3, assembly_angular_acceleration), "rad s-2",
     "angular acceleration of the assembly", SAVED},
};
/* Files of earlier versions have the former names. */
static const struct {
  const char *name, *former;
} renamed[] = {{"captor", "fate"}, {"capture_time", "fate_time"}, {"capture_place", "fate_place"}};

const int cairn_fields_n = sizeof cairn_fields / sizeof *cairn_fields;

const char *const cairn_fields_dimension[CAIRN_N_FIELD_LISTS] = {"body", "contact", "wall_contact", "assembly"};

int64_t cairn_fields_count(const struct cairn_state *state, enum cairn_field_list list) {
  switch (list) {
  case CAIRN_FIELD_BODIES:
    return state->n;
  case CAIRN_FIELD_CONTACTS:
    return state->contacts.n;
  case CAIRN_FIELD_WALL_CONTACTS:
    return state->wall_contacts.n;
  case CAIRN_FIELD_ASSEMBLIES:
    return state->n_assemblies;
  default:
    return 0;
  }
}

static const struct cairn_contacts *contacts_of(const struct cairn_field *field, const struct cairn_state *state) {
  return field->list == CAIRN_FIELD_CONTACTS ? &state->contacts : &state->wall_contacts;
}

bool cairn_fields_has(const struct cairn_field *field, const struct cairn_state *state) {
  return !(field->flags & CAIRN_FIELD_MEMORY) || contacts_of(field, state)->memory >> field->offset & 1;
}

void *cairn_fields_values(const struct cairn_field *field, const struct cairn_state *state) {
  if (field->flags & (CAIRN_FIELD_INDEX | CAIRN_FIELD_STRESS | CAIRN_FIELD_HEAD | CAIRN_FIELD_MEMORY))
    return NULL;
  void *values;
  memcpy(&values, (const char *)state + field->offset, sizeof values);
  return values;
}

/* The value of a field in the first of the records, and its size. */
static char *in_record(const struct cairn_field *field, const struct cairn_contacts *contacts, size_t *bytes) {
  *bytes = (size_t)field->components * cairn_fields_size(field->type);
  const int numbers = cairn_contact_offset(contacts->memory, (int)field->offset);
  return contacts->record + (field->flags & CAIRN_FIELD_HEAD
                                 ? field->offset
                                 : sizeof(struct cairn_contact) + (size_t)numbers * sizeof(double));
}

void cairn_fields_get(const struct cairn_field *field, const struct cairn_state *state, int64_t first, int64_t n,
                      void *values) {
  const struct cairn_contacts *contacts = contacts_of(field, state);
  size_t bytes;
  const char *from = in_record(field, contacts, &bytes);
  for (int64_t i = 0; i < n; i++)
    memcpy((char *)values + (size_t)i * bytes, from + (size_t)(first + i) * contacts->size, bytes);
}

void cairn_fields_set(const struct cairn_field *field, struct cairn_state *state, int64_t first, int64_t n,
                      const void *values) {
  const struct cairn_contacts *contacts = contacts_of(field, state);
  size_t bytes;
  char *to = in_record(field, contacts, &bytes);
  for (int64_t i = 0; i < n; i++)
    memcpy(to + (size_t)(first + i) * contacts->size, (const char *)values + (size_t)i * bytes, bytes);
}

const char *cairn_fields_former(const struct cairn_field *field) {
  for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++)
    if (field->checkpoint && !strcmp(field->checkpoint, renamed[k].name))
      return renamed[k].former;
  return NULL;
}

void *cairn_fields_stress(const struct cairn_field *field, const struct cairn_body_stress *stress) {
  void *values;
  memcpy(&values, (const char *)stress + field->offset, sizeof values);
  return values;
}

size_t cairn_fields_size(enum cairn_field_type type) {
  return type == CAIRN_FIELD_DOUBLE ? sizeof(double) : sizeof(int32_t);
}

int cairn_fields_nc_type(enum cairn_field_type type) {
  static const int nc_type[] = {
      [CAIRN_FIELD_DOUBLE] = NC_DOUBLE, [CAIRN_FIELD_INT32] = NC_INT, [CAIRN_FIELD_UINT32] = NC_UINT};
  return nc_type[type];
}

void cairn_fields_stress_fini(struct cairn_body_stress *stress) {
  free(stress->pressure);
  free(stress->stress);
  *stress = (struct cairn_body_stress){0};
}
