/* NAME.nc: frames in the AMBER trajectory layout, classic 64-bit-offset NetCDF. */
#ifndef CAIRN_DATA_FILES_TRAJECTORY_H
#define CAIRN_DATA_FILES_TRAJECTORY_H

#include "data/files/provenance.h"
#include "data/files/wall_record.h"
#include "data/state/fields.h"
#include "data/state/observables.h"
#include "data/state/state.h"

struct cairn_trajectory;
struct cairn_record_file;

/* Make the file, synced, with the static fields of `state`; no frame yet. What was at `path` is lost at once: for a
 * file that shall stay until the new one is good, give a name of cairn_durable_temporary and rename. `box` holds the
 * lower and upper corner of what a viewer should show; `walls` may be NULL; has_stress: frames tell the stress in
 * bodies. */
int cairn_trajectory_create(const char *path, const struct cairn_state *state, const double box[2][3],
                            const struct cairn_wall_labels *walls, bool has_stress,
                            const struct cairn_provenance *provenance, struct cairn_trajectory **trajectory,
                            struct cairn_error *error);

/* The same in parts, where the bodies come in slabs by id: make the file for n bodies, put the static fields of all
 * slabs, begin. A file that was never begun goes when it is closed. */
int cairn_trajectory_make(const char *path, int64_t n, const double box[2][3], const struct cairn_wall_labels *walls,
                          bool has_stress, const struct cairn_provenance *provenance,
                          struct cairn_trajectory **trajectory, struct cairn_error *error);
int cairn_trajectory_put_static(struct cairn_trajectory *trajectory, const struct cairn_state *slab, int64_t first,
                                struct cairn_error *error);
int cairn_trajectory_begin(struct cairn_trajectory *trajectory, struct cairn_error *error);

/* Open an existing file of the same run to go on after its first n_frames frames; later ones go with the next append.
 * Refused if the file is not a trajectory of cairn, holds another number of bodies or walls or fewer frames. */
int cairn_trajectory_open(const char *path, int64_t n, int32_t n_walls, int64_t n_frames,
                          struct cairn_trajectory **trajectory, struct cairn_error *error);

/* Write one frame and make it visible to readers; a kill leaves all earlier frames readable. `walls` has as many
 * entries as the trajectory has walls; `stress` is NULL if it has none. */
int cairn_trajectory_append(struct cairn_trajectory *trajectory, const struct cairn_state *state,
                            const struct cairn_observables *observables, const struct cairn_wall_sample *walls,
                            const struct cairn_body_stress *stress, struct cairn_error *error);

/* The same in parts: what is not of bodies, all slabs by id (`stress` of their bodies), the end. A frame that has not
 * ended is overwritten by the next. */
int cairn_trajectory_frame(struct cairn_trajectory *trajectory, const struct cairn_observables *observables,
                           const struct cairn_wall_sample *walls, struct cairn_error *error);
int cairn_trajectory_put(struct cairn_trajectory *trajectory, const struct cairn_state *slab, int64_t first,
                         const struct cairn_body_stress *stress, struct cairn_error *error);
int cairn_trajectory_end(struct cairn_trajectory *trajectory, struct cairn_error *error);

/* Give the file, open as it is, another name, replacing what has that name. */
int cairn_trajectory_rename(struct cairn_trajectory *trajectory, const char *to, struct cairn_error *error);

int64_t cairn_trajectory_n_frames(const struct cairn_trajectory *trajectory);

/* How many frames were there after those it goes on from. */
int64_t cairn_trajectory_n_dropped(const struct cairn_trajectory *trajectory);

/* Bring all frames so far onto the disk. To be called before a checkpoint that counts them is written: otherwise a
 * power cut could leave a checkpoint whose frames are gone. */
int cairn_trajectory_persist(struct cairn_trajectory *trajectory, struct cairn_error *error);

/* Close and free; NULL is allowed. */
int cairn_trajectory_close(struct cairn_trajectory *trajectory, struct cairn_error *error);

/* Some of the bodies of a frame by their ids. */
struct cairn_trajectory_part {
  int64_t frame;    /* negative: counted from the end; then: from the front */
  int64_t first, n; /* n: at most so many; then: how many there are */
  int64_t n_all;    /* then: of the frame */
};

/* Read a part of a frame of an earlier run into `state` (its bodies only, with acceleration zero, no contacts, step and
 * time 0; a state that held something else is freed first). Bodies that a wall had taken out are left out, those that a
 * wall held are free. The file is hostile until checked; on failure `state` is unchanged. */
int cairn_trajectory_read(const char *path, struct cairn_trajectory_part *part, struct cairn_state *state,
                          struct cairn_error *error);

/* A frame as it is in the file. */
struct cairn_trajectory_frame {
  struct cairn_state state; /* its bodies only, those taken out among them */
  bool has_captures;        /* or else they are zero because the file has none */
  double box[2][3];         /* m, what a viewer should show */
  int32_t n_walls;
  double (*shape)[CAIRN_SHAPE_DOUBLES];  /* [n_walls] relative to the wall's reference point */
  struct cairn_wall_sample *walls;       /* [n_walls] place and motion only */
  struct cairn_wall_triangles triangles; /* of mesh walls; none in files of earlier versions */
  struct cairn_body_stress stress;       /* NULL if the file has none */
};

/* Read it, as cairn_trajectory_read does; on failure nothing is allocated. */
int cairn_trajectory_read_frame(const char *path, int64_t frame, struct cairn_trajectory_frame *out,
                                struct cairn_error *error);

void cairn_trajectory_frame_fini(struct cairn_trajectory_frame *frame);

/* The times of all frames (s) of a trajectory; the caller frees them. */
int cairn_trajectory_times(const char *path, int64_t *n_frames, double **times, struct cairn_error *error);

/* ---- what trajectory.c and trajectory_read.c share ---- */

/* What the header of a file tells. */
struct cairn_trajectory_layout {
  size_t n; /* bodies */
  int32_t n_walls;
  bool has_captures, has_stress;
  bool has_merging;      /* mass and radius are there for each frame */
  bool has_former_names; /* of fields that were renamed */
  double box[2][3];      /* lower and upper corner of what a viewer should show, m */
};

enum { CAIRN_TRAJECTORY_CHUNK = 1 << 14 }; /* indices of bodies that are written or read at once */

/* The name of a field in a file with this layout. */
const char *cairn_trajectory_name(const struct cairn_field *field, const struct cairn_trajectory_layout *layout);

/* Is this a field of that kind which a trajectory with this layout holds? */
bool cairn_trajectory_has(const struct cairn_field *field, unsigned kind, const struct cairn_trajectory_layout *layout);

/* Open for reading with everything checked that the header can tell. */
int cairn_trajectory_look(const char *path, struct cairn_record_file **records, int *nc,
                          struct cairn_trajectory_layout *layout, struct cairn_error *error);

#endif
