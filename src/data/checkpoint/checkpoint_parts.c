#include "data/checkpoint/checkpoint_parts.h"

#include <netcdf.h>
#include <string.h>

const struct cairn_checkpoint_scalar cairn_checkpoint_parts_scalars[CAIRN_CHECKPOINT_SCALARS] = {
    {"step", NC_INT64, offsetof(struct cairn_checkpoint, state.step), "1", "steps done"},
    {"time", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.time), "s", "simulated time"},
    {"refresh_step", NC_INT64, offsetof(struct cairn_checkpoint, state.refresh_step), "1",
     "step at which self-gravity is evaluated again"},
    {"n_refreshes", NC_INT64, offsetof(struct cairn_checkpoint, state.n_refreshes), "1",
     "how often self-gravity was evaluated"},
    {"skin", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.skin), "m", "skin of the cells; 0: none"},
    {"momentum_limit", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.momentum_limit), "1",
     "limit of the momentum of contact dynamics, learned; 0: none"},
    {"pair_sweeps", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.pair_sweeps), "1",
     "sweeps of the first step of a pair that learns it; -1: the next step is the first"},
    {"step_size", NC_DOUBLE, offsetof(struct cairn_checkpoint, step_size), "s", "size of the time step"},
    {"n_unsolved", NC_INT64, offsetof(struct cairn_checkpoint, state.n_unsolved), "1",
     "steps that did not reach the tolerance so far"},
    {"dissipated_energy", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.dissipated_energy), "J",
     "energy lost in contacts so far"},
    {"n_collisions", NC_INT64, offsetof(struct cairn_checkpoint, state.n_collisions), "1",
     "collisions of two bodies so far"},
    {"n_wall_collisions", NC_INT64, offsetof(struct cairn_checkpoint, state.n_wall_collisions), "1",
     "collisions with walls so far"},
    {"n_slow_collisions", NC_INT64, offsetof(struct cairn_checkpoint, state.n_slow_collisions), "1",
     "collisions made elastic because they were slow"},
    {"collision_virial", NC_DOUBLE, offsetof(struct cairn_checkpoint, state.collision_virial), "J",
     "impulse times distance over all collisions of bodies so far"},
    {"n_broken", NC_INT64, offsetof(struct cairn_checkpoint, state.n_broken), "1", "bonds that broke so far"},
    {"n_frames", NC_INT64, offsetof(struct cairn_checkpoint, n_frames), "1", "frames in the trajectory"},
    {"n_rows", NC_INT64, offsetof(struct cairn_checkpoint, n_rows), "1", "rows in the series"},
};

const struct cairn_checkpoint_text cairn_checkpoint_parts_texts[CAIRN_CHECKPOINT_TEXTS] = {
    {"scenario_file", offsetof(struct cairn_checkpoint, file), "name of the scenario file"},
    {"scenario", offsetof(struct cairn_checkpoint, scenario), "effective parameters, YAML"},
    {"scenario_text", offsetof(struct cairn_checkpoint, text), "scenario as the user wrote it"},
    {"walls", offsetof(struct cairn_checkpoint, walls), "digest of the geometry of the walls"},
};

char *cairn_checkpoint_parts_text(const struct cairn_checkpoint *checkpoint, const struct cairn_checkpoint_text *text) {
  char *value;
  memcpy(&value, (const char *)checkpoint + text->offset, sizeof value);
  return value;
}

void cairn_checkpoint_parts_set_text(struct cairn_checkpoint *checkpoint, const struct cairn_checkpoint_text *text,
                                     char *value) {
  memcpy((char *)checkpoint + text->offset, &value, sizeof value);
}

int cairn_checkpoint_parts_check(const struct cairn_checkpoint *checkpoint, struct cairn_error *error) {
  const int64_t step = checkpoint->state.step;
  int status = cairn_state_check_stretch(&checkpoint->state, &checkpoint->stretch, INT32_MAX, INT32_MAX, -1, error);
  if (!status)
    status = cairn_state_check_step(&checkpoint->state, checkpoint->step_size, error);
  /* at most one in each step, and one at the start */
  if (!status && (checkpoint->n_frames < 0 || checkpoint->n_frames - 1 > step || checkpoint->n_rows < 0 ||
                  checkpoint->n_rows - 1 > step))
    status = cairn_error_set(error, CAIRN_ERR_INPUT, "impossible numbers of frames, %lld, or rows, %lld",
                             (long long)checkpoint->n_frames, (long long)checkpoint->n_rows);
  return status;
}
