/* Trajectories for tests: frames with every field filled, and how to tell them again. */
#ifndef CAIRN_TESTS_TRAJECTORY_SAMPLE_H
#define CAIRN_TESTS_TRAJECTORY_SAMPLE_H

#include "data/files/trajectory.h"
#include "data_sample.h"

enum { N = 50 };
static const double box[2][3] = {{-1, -2, -3}, {4, 5, 6}};

static inline void write_frames(const char *path, int first, int n_frames) {
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_state state;
  struct cairn_observables observables;
  for (int i = first; i < n_frames; i++) {
    sample_state(&state, N, (uint64_t)i);
    sample_observables(&observables, (uint64_t)i);
    if (i == first && (first ? cairn_trajectory_open(path, state.n, 0, first, &trajectory, &error)
                             : cairn_trajectory_create(path, &state, box, NULL, false, NULL, &trajectory, &error)))
      BAIL_OUT("%s", error.message);
    if (cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error))
      BAIL_OUT("%s", error.message);
    cairn_state_fini(&state);
  }
  if (cairn_trajectory_close(trajectory, &error))
    BAIL_OUT("%s", error.message);
}

/* Does frame f of the file hold what write_frames put there? */
static inline int is_frame(const char *path, int64_t frame, uint64_t seed) {
  struct cairn_error error = {0};
  struct cairn_state got = {0}, want;
  if (cairn_trajectory_read(path, &(struct cairn_trajectory_part){.frame = frame, .n = INT64_MAX}, &got, &error)) {
    diag("%s", error.message);
    return 0;
  }
  sample_state(&want, N, seed);
  int same = sample_same(&got, &want, CAIRN_FIELD_STATIC) && sample_same(&got, &want, CAIRN_FIELD_FRAME);
  int bare = got.contacts.n == 0 && got.wall_contacts.n == 0;
  for (int i = 0; i < 3 * N; i++)
    bare = bare && got.acceleration[i] == 0 && got.angular_acceleration[i] == 0;
  cairn_state_fini(&got);
  cairn_state_fini(&want);
  return same && bare;
}

static inline int64_t count_frames(const char *path) {
  struct cairn_error error = {0};
  int64_t n;
  double *times;
  if (cairn_trajectory_times(path, &n, &times, &error)) {
    diag("%s", error.message);
    return -1;
  }
  free(times);
  return n;
}

/* Frames of a run whose walls hold bodies and take them out: the state and the walls of frame i have the seed i. */
static inline void write_walls(const char *path, int first, int n_frames) {
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory = NULL;
  struct cairn_observables observables;
  struct cairn_wall_sample walls[2];
  for (int i = first; i < n_frames; i++) {
    struct cairn_state state;
    sample_state(&state, N, (uint64_t)i);
    sample_captures(&state);
    sample_observables(&observables, (uint64_t)i);
    sample_walls(walls, 2, (uint64_t)i);
    if ((i == first &&
         (first ? cairn_trajectory_open(path, state.n, 2, first, &trajectory, &error)
                : cairn_trajectory_create(path, &state, box, &sample_labels, false, NULL, &trajectory, &error))) ||
        cairn_trajectory_append(trajectory, &state, &observables, walls, NULL, &error))
      BAIL_OUT("%s", error.message);
    cairn_state_fini(&state);
  }
  cairn_trajectory_close(trajectory, NULL);
}

#endif
