/* NAME.ckpt.nc: everything a run needs to go on with the same bits. NetCDF (CDF-5) followed by a 32-byte trailer that
 * holds a checksum of every byte before it (data/storage/seal.h), so that damage is found before any library parses the
 * file.
 */
#ifndef CAIRN_DATA_CHECKPOINT_CHECKPOINT_H
#define CAIRN_DATA_CHECKPOINT_CHECKPOINT_H

#include "data/files/provenance.h"
#include "data/state/state_check.h"

enum { CAIRN_CHECKPOINT_VERSION = 6 };

struct cairn_checkpoint {
  struct cairn_state state;
  double step_size;                     /* s */
  int64_t n_frames;                     /* frames in the trajectory up to this step */
  int64_t n_rows;                       /* rows in the series up to this step */
  char *file;                           /* name of the scenario file, for messages and relative paths */
  char *scenario;                       /* effective parameters, YAML */
  char *text;                           /* the scenario as the user wrote it */
  char *walls;                          /* digest of the walls' geometry; may be empty */
  char digest[CAIRN_DIGEST_LENGTH + 1]; /* as the file has it */

  /* As read: */
  bool is_shared;                           /* `state` has the bodies of a part alone */
  struct cairn_state_stretch stretch;       /* which these are; all if it is not shared */
  struct cairn_state_sum sum;               /* of it, for the digest */
  char run_id[CAIRN_PROVENANCE_RUN_ID + 1]; /* as read; written with the provenance. Empty in files of older versions */
};

/* Write under a temporary name, sync, keep the file that was at `path` as NAME.ckpt.prev.nc, rename. When this fails,
 * the checkpoint before it is still in place and valid, and the temporary file is gone. A state that reading would
 * refuse is not written: CAIRN_ERR_NUMERIC. */
int cairn_checkpoint_write(const char *path, const struct cairn_checkpoint *checkpoint,
                           const struct cairn_provenance *provenance, struct cairn_error *error);

/* The same in parts, where the bodies come in slabs by id: of checkpoint->state the numbers of bodies and contacts,
 * what contacts remember, and all that is not of bodies are read; `digest` is that of all. Then each slab, with the
 * contacts of its bodies; then the end, `status` being that of all before. If the beginning fails there is no end. */
struct cairn_checkpoint_writer;
int cairn_checkpoint_begin(const char *path, const struct cairn_checkpoint *checkpoint, const char *digest,
                           const struct cairn_provenance *provenance, struct cairn_checkpoint_writer **writer,
                           struct cairn_error *error);
int cairn_checkpoint_put(struct cairn_checkpoint_writer *writer, const struct cairn_state *slab,
                         struct cairn_error *error);
int cairn_checkpoint_end(struct cairn_checkpoint_writer *writer, int status, struct cairn_error *error);

/* Read and validate everything: trailer, version, sizes, ranges, digest. On failure nothing is allocated. */
int cairn_checkpoint_read(const char *path, struct cairn_checkpoint *checkpoint, struct cairn_error *error);

/* The same of one of n_parts that are read by different processes: about as many bodies each, in the order of ids, with
 * the contacts that have one of them as the lower body; all of the rest. Where bonds need both of their bodies each
 * part is all. The seal is checked with part 0. The parts of all are the whole file if each of them could be read and
 * their sums, joined, are verified. */
int cairn_checkpoint_read_part(const char *path, int part, int n_parts, struct cairn_checkpoint *checkpoint,
                               struct cairn_error *error);
int cairn_checkpoint_verify(const char *path, const struct cairn_checkpoint *checkpoint,
                            const struct cairn_state_sum *sum, struct cairn_error *error);

void cairn_checkpoint_fini(struct cairn_checkpoint *checkpoint);

#endif
