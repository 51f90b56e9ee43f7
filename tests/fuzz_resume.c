/* Checkpoints from strangers who know how to seal them, resumed: what is read is simulated for a few steps. The first
 * byte of an input chooses the run that was interrupted, by its remainder of 4: soft spheres among walls and a free
 * assembly (d), contact dynamics (a), self-gravity (b), hard spheres (c); B are bonded spheres, J those with necks.
 * Then follow edits of its state, 12 bytes each: which number, how it changes, which element (2 bytes), 8 bytes. Digest
 * and seal of the file are those of the changed state. Whatever comes: refused with a message, stopped with a message,
 * or simulated to a state that passes cairn_state_check. */
#define _GNU_SOURCE
#include "data_sample.h"

#include <stdbool.h>
#include <stddef.h>

#include "cairn/engine.h"
#include "data/checkpoint/checkpoint.h"
#include "data/scenario/scenario.h"
#include "data/storage/nc.h"
#include "data/storage/seal.h"
#include "solvers/simulation/simulation.h"
#include "solvers/start/stretch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_BASES = 6, N_PLAIN = 4, EDIT = 12, N_STEPS = 4 };

/* Nothing here must survive a power cut (--wrap=fsync). */
int __wrap_fsync(int file);
int __wrap_fsync(int file) {
  (void)file;
  return 0;
}

static const char *const texts[N_BASES] = {
    "time: {step: 1e-4, end: 100}\n"
    "gravity: {uniform: [0, 0, -9.81]}\n"
    "materials: [{name: g, density: 2500}]\n"
    "interactions: [{between: [g, g], stiffness: 2e4, restitution: 0.6, friction: 0.4, rolling_friction: 0.05}]\n"
    "bodies: [{lattice: {counts: [3, 2, 2], spacing: 0.0201, origin: [0, 0, 0.0101], radius: 0.01, material: g,\n"
    "                    velocity: [0.2, 0, -1]}}]\n"
    "walls:\n"
    "  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: g}\n"
    "  - plane: {point: [-0.0101, 0, 0], normal: [1, 0, 0], material: g, behavior: sticky}\n"
    "  - plane: {point: [0.0503, 0, 0], normal: [-1, 0, 0], material: g, behavior: absorbing}\n"
    "assemblies:\n"
    "  - {center: [0.02, 0.01, 0.08], mass: 0.05, inertia: [2e-5, 3e-5, 4e-5], velocity: [0, 0, -3],\n"
    "     spin: [10, 5, -20], free: [x, y, z, turn_x, turn_y, turn_z],\n"
    "     walls: [{sphere: {center: [0.02, 0.01, 0.08], radius: 0.03, material: g}}]}\n",
    "time: {step: 1e-3, end: 100}\n"
    "method: contact_dynamics\n"
    "gravity: {uniform: [0, 0, -9.81]}\n"
    "materials: [{name: g, density: 2500}]\n"
    "interactions: [{between: [g, g], restitution: 0, friction: 0.4}]\n"
    "bodies: [{lattice: {counts: [2, 2, 2], spacing: 0.0201, origin: [0, 0, 0.0101], radius: 0.01, material: g,\n"
    "                    velocity: [0.2, 0, -1]}}]\n"
    "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1], material: g}}]\n",
    "time: {step: 1, end: 1e6}\n"
    "gravity: {self: {}}\n"
    "materials: [{name: g, density: 2500}]\n"
    "interactions: [{between: [g, g], stiffness: 1e6, restitution: 0.5, friction: 0.4}]\n"
    "bodies: [{lattice: {counts: [2, 2, 2], spacing: 2.1, origin: [0, 0, 0], radius: 1, material: g,\n"
    "                    velocity: [0, 0, 0.001]}}]\n",
    "time: {step: 1e-3, end: 100}\n"
    "method: hard_spheres\n"
    "gravity: {uniform: [0, 0, -9.81]}\n"
    "materials: [{name: g, density: 2500}]\n"
    "interactions: [{between: [g, g], restitution: 0.5, transverse_restitution: 0.5}]\n"
    "bodies: [{lattice: {counts: [3, 2, 2], spacing: 0.021, origin: [0, 0, 0.011], radius: 0.01, material: g,\n"
    "                    velocity: [0.2, 0.1, -1]}}]\n"
    "walls:\n"
    "  - plane: {point: [0, 0, 0], normal: [0, 0, 1], material: g}\n"
    "  - plane: {point: [-0.011, 0, 0], normal: [1, 0, 0], material: g, behavior: sticky}\n"
    "  - cylinder: {center: [0.02, 0.01, 0], axis: [0, 0, 1], radius: 0.06, material: g, motion: {spin: 3, ramp: 1}}\n"
    "  - ring: {center: [0.02, 0.01, 0.06], normal: [0, 0, 1], radius: 0.05, material: g}\n",
    "time: {step: 1e-5, end: 100}\n"
    "materials: [{name: g, density: 2500}]\n"
    "interactions: [{between: [g, g], stiffness: 2e4, restitution: 0.6, friction: 0.4, rolling_friction: 0.05}]\n"
    "overlap: {initial: 0.1}\n"
    "bodies: [{lattice: {counts: [3, 2, 2], spacing: 0.0199, origin: [0, 0, 0.00995], radius: 0.01, material: g,\n"
    "                    velocity: [0.2, 0, 1]}}]\n"
    "bonds:\n"
    "  - {wall: floor, law: beam, modulus: 1e6, strain: 0.02, creep_time: 1}\n"
    "  - {modulus: 1e6, modulus_scatter: 2e5, strength: 1e4, damping: 0.1, rate_time: 1e-3}\n"
    "walls: [{plane: {name: floor, normal: [0, 0, 1], material: g}}]\n",
    "time: {step: 1e-5, end: 100}\n"
    "law: hertz\n"
    "materials: [{name: g, density: 2500, young_modulus: 1e7}]\n"
    "interactions: [{between: [g, g], friction: 0.4, work_of_adhesion: 1, adhesion_law: jkr}]\n"
    "overlap: {initial: 0.1}\n"
    "bodies: [{lattice: {counts: [3, 2, 2], spacing: 0.0199, origin: [0, 0, 0.00995], radius: 0.01, material: g,\n"
    "                    velocity: [0.2, 0, 1]}}]\n"
    "walls: [{plane: {normal: [0, 0, 1], material: g}}]\n"};

/* Checkpoints that cairn wrote: what is in them, and the files without their seals. */
static struct cairn_checkpoint bases[N_BASES];
static unsigned char *base_bytes[N_BASES];
static size_t base_sizes[N_BASES];

static void check(bool good) {
  if (!good)
    abort();
}

/* Run a scenario until its bodies touch. */
static void make_base(const char *text, struct cairn_checkpoint *base) {
  struct cairn_error error = {0};
  struct cairn_scenario *scenario = NULL;
  struct cairn_simulation *simulation = NULL;
  struct cairn_plan plan;
  int status = cairn_scenario_parse(text, strlen(text), "fuzz.yaml", 0, NULL, 0, &scenario, &error);
  if (!status)
    status = cairn_simulation_plan(scenario, &plan, &error);
  if (!status)
    status = cairn_simulation_create(scenario, NULL, &simulation, &error);
  if (!status)
    status = cairn_simulation_advance(simulation, 20, &error);
  const struct cairn_state *state = status ? NULL : cairn_simulation_capture(simulation, &error);
  if (!state || cairn_state_copy(&base->state, state, &error))
    fprintf(stderr, "%s\n", error.message);
  check(base->state.n > 0);
  base->step_size = cairn_simulation_step_size(simulation);
  base->file = strdup("fuzz.yaml");
  base->text = strdup(text);
  base->scenario = cairn_scenario_effective(scenario);
  check(base->file && base->text && base->scenario);
  cairn_simulation_free(simulation);
  cairn_scenario_free(scenario);
}

static void make_bases(void) {
  struct cairn_error error = {0};
  setenv("STARPU_SILENT", "1", 0);
  setenv("STARPU_WORKERS_NOBIND", "1", 0);
  sample_make_folder();
  const struct cairn_engine_options options = {.workers = 1, .device = CAIRN_ENGINE_CPU};
  check(!cairn_engine_start(&options, &error));
  atexit(cairn_engine_stop);
  for (int i = 0; i < N_BASES; i++) {
    make_base(texts[i], &bases[i]);
    check(!cairn_checkpoint_write(sample_path("base.nc"), &bases[i], NULL, &error));
    base_bytes[i] = sample_read(sample_path("base.nc"), &base_sizes[i]);
    base_sizes[i] -= CAIRN_SEAL_SIZE;
  }
}

/* A double that something may stumble over. */
static double odd_number(unsigned which) {
  static const double odd[] = {0,   -0.,   1,     -1,     1e-320,  2.3e-308, 1e-300,   1e-155, 1e-9,
                               1e9, 1e150, 1e155, -1e155, 1.7e308, -1.7e308, INFINITY, NAN};
  return odd[which % (sizeof odd / sizeof *odd)];
}

static double change_double(double old, const uint8_t *edit) {
  double value = old;
  memcpy(&value, edit + 4, sizeof value);
  switch (edit[1] % 4) {
  case 0:
    return value;
  case 1:
    return odd_number(edit[4]);
  case 2:
    return old * odd_number(edit[4]);
  default:
    return old + (double)(int8_t)edit[4] * 1e-3 * (old == 0 ? 1 : old);
  }
}

static int64_t change_integer(int64_t old, const uint8_t *edit) {
  static const int64_t odd[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1 << 20};
  int64_t value;
  memcpy(&value, edit + 4, sizeof value);
  switch (edit[1] % 3) {
  case 0:
    return value;
  case 1:
    return odd[edit[4] % (sizeof odd / sizeof *odd)];
  default:
    return (int64_t)((uint64_t)old + (uint64_t)(int64_t)(int8_t)edit[4]);
  }
}

/* The values of a field, those of contacts copied here. */
static double record_values[1 << 16];
static void *values_of(const struct cairn_state *state, const struct cairn_field *field) {
  const int64_t n = cairn_fields_count(state, field->list);
  if (cairn_fields_values(field, state))
    return cairn_fields_values(field, state);
  check((size_t)(n * field->components) <= sizeof record_values / sizeof *record_values);
  cairn_fields_get(field, state, 0, n, record_values);
  return record_values;
}

static void change_field(struct cairn_state *state, const struct cairn_field *field, const uint8_t *edit) {
  const int64_t n = cairn_fields_count(state, field->list) * field->components;
  if (!(field->flags & CAIRN_FIELD_CHECKPOINT) || !cairn_fields_has(field, state) || n == 0)
    return;
  const int64_t at = (edit[2] | edit[3] << 8) % n;
  void *values = values_of(state, field);
  if (field->type == CAIRN_FIELD_DOUBLE)
    ((double *)values)[at] = change_double(((double *)values)[at], edit);
  else
    ((int32_t *)values)[at] = (int32_t)change_integer(((int32_t *)values)[at], edit);
  if (values == record_values)
    cairn_fields_set(field, state, 0, cairn_fields_count(state, field->list), values);
}

static void change(struct cairn_checkpoint *checkpoint, const uint8_t *edit) {
  struct cairn_state *state = &checkpoint->state;
  double *const numbers[] = {&state->time, &state->skin, &state->dissipated_energy, &checkpoint->step_size};
  int64_t *const counters[] = {&state->step, &state->refresh_step, &state->n_refreshes, &state->n_unsolved};
  const int which = edit[0] % (cairn_fields_n + 8);
  if (which < cairn_fields_n)
    change_field(state, &cairn_fields[which], edit);
  else if (which < cairn_fields_n + 4)
    *numbers[which - cairn_fields_n] = change_double(*numbers[which - cairn_fields_n], edit);
  else
    *counters[which - cairn_fields_n - 4] = change_integer(*counters[which - cairn_fields_n - 4], edit);
}

static void put(int nc, const char *name, const void *values) {
  int variable;
  check(!nc_inq_varid(nc, name, &variable) && !nc_put_var(nc, variable, values));
}

/* The file that cairn would have written had the state been this, with its digest and seal; cairn itself writes no
 * state that it would not read. */
static void forge(const char *path, int base, const struct cairn_checkpoint *changed) {
  const struct cairn_state *state = &changed->state;
  const struct {
    const char *name;
    const void *value;
  } scalars[] = {{"step", &state->step},
                 {"time", &state->time},
                 {"refresh_step", &state->refresh_step},
                 {"n_refreshes", &state->n_refreshes},
                 {"skin", &state->skin},
                 {"step_size", &changed->step_size},
                 {"n_unsolved", &state->n_unsolved},
                 {"dissipated_energy", &state->dissipated_energy}};
  char digest[CAIRN_DIGEST_LENGTH + 1];
  struct cairn_error error;
  int nc;
  sample_write(path, base_bytes[base], base_sizes[base]);
  check(!nc_open(path, NC_WRITE, &nc));
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
    put(nc, scalars[i].name, scalars[i].value);
  for (int i = 0; i < cairn_fields_n; i++)
    if (cairn_fields[i].flags & CAIRN_FIELD_CHECKPOINT && cairn_fields_count(state, cairn_fields[i].list) > 0 &&
        cairn_fields_has(&cairn_fields[i], state))
      put(nc, cairn_fields[i].checkpoint, values_of(state, &cairn_fields[i]));
  cairn_state_digest(state, digest);
  check(!cairn_nc_put_text(nc, NC_GLOBAL, "digest", digest) && !nc_close(nc));
  check(!cairn_seal_append(path, CAIRN_CHECKPOINT_VERSION, &error));
}

static void check_status(int status, const struct cairn_error *error) {
  check(status == 0 || (status == error->status && error->message[0]));
}

static void simulate(struct cairn_scenario *scenario, const struct cairn_checkpoint *checkpoint) {
  struct cairn_error error = {0};
  struct cairn_simulation *simulation = NULL;
  struct cairn_observables observables;
  struct cairn_plan plan;
  cairn_stretch_lend(scenario, checkpoint);
  int status = cairn_simulation_plan(scenario, &plan, &error);
  cairn_stretch_return(scenario);
  if (!status)
    status = cairn_simulation_create(scenario, &checkpoint->state, &simulation, &error);
  check_status(status, &error);
  if (status)
    return;
  status = cairn_simulation_advance(simulation, N_STEPS, &error);
  check_status(status, &error);
  check_status(cairn_simulation_observe(simulation, &observables, &error), &error);
  const struct cairn_state *state = cairn_simulation_capture(simulation, &error);
  check(state && !cairn_state_check(state, scenario->n_materials, scenario->n_walls, scenario->n_assemblies, &error));
  cairn_simulation_free(simulation);
}

static void resume(const char *path) {
  struct cairn_error error = {0};
  struct cairn_checkpoint checkpoint;
  struct cairn_scenario *scenario = NULL;
  int status = cairn_checkpoint_read(path, &checkpoint, &error);
  check_status(status, &error);
  if (status)
    return;
  check(!cairn_scenario_parse(checkpoint.scenario, strlen(checkpoint.scenario), checkpoint.file, 0, NULL,
                              CAIRN_SCENARIO_NO_BODIES, &scenario, &error));
  if (!cairn_state_check(&checkpoint.state, scenario->n_materials, scenario->n_walls, scenario->n_assemblies, &error))
    simulate(scenario, &checkpoint);
  cairn_scenario_free(scenario);
  cairn_checkpoint_fini(&checkpoint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cairn_error error = {0};
  if (!bases[0].text)
    make_bases();
  const int base = !size ? 0 : data[0] == 'B' ? N_PLAIN : data[0] == 'J' ? N_PLAIN + 1 : data[0] % N_PLAIN;
  struct cairn_checkpoint changed = bases[base];
  changed.state = (struct cairn_state){0};
  check(!cairn_state_copy(&changed.state, &bases[base].state, &error));
  for (size_t at = 1; at + EDIT <= size; at += EDIT)
    change(&changed, data + at);
  forge(sample_path("resume.ckpt.nc"), base, &changed);
  cairn_state_fini(&changed.state);
  resume(sample_path("resume.ckpt.nc"));
  return 0;
}
