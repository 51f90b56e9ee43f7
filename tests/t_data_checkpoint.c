/* Checkpoints: every bit comes back; cuts, flipped bits, other versions and other files are refused with a sentence;
 * whatever fails or dies while one is written, the one before is in place. */
#include "data_sample.h"

#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "checkpoint_parts.h"
#include "data/storage/seal.h"

static void sample_checkpoint(struct cairn_checkpoint *checkpoint, int64_t n, uint64_t seed) {
  memset(checkpoint, 0, sizeof *checkpoint);
  sample_state(&checkpoint->state, n, seed);
  checkpoint->step_size = 1e-5 / 3;
  checkpoint->state.time = (double)checkpoint->state.step * checkpoint->step_size;
  checkpoint->n_frames = checkpoint->state.step;
  checkpoint->state.n_unsolved = checkpoint->state.step;
  checkpoint->state.dissipated_energy = -0.1; /* rounding may make it so */
  checkpoint->n_rows = checkpoint->state.step + 1;
  checkpoint->file = strdup("dir/some name.yaml");
  checkpoint->scenario = strdup("title: \"Größe\"\n");
  checkpoint->text = strdup("# a comment\ntitle: Größe\n");
  checkpoint->walls = strdup("0123456789abcdef");
  sample_captures(&checkpoint->state);
}

static void write_sample(const char *path, int64_t n, uint64_t seed) {
  struct cairn_error error = {0};
  struct cairn_checkpoint checkpoint;
  sample_checkpoint(&checkpoint, n, seed);
  if (cairn_checkpoint_write(path, &checkpoint, NULL, &error))
    BAIL_OUT("%s", error.message);
  cairn_checkpoint_fini(&checkpoint);
}

/* The step of the checkpoint at `path`, which sample_checkpoint makes the seed; -1 if it is not valid. */
static int64_t step_of(const char *path) {
  struct cairn_error error = {0};
  struct cairn_checkpoint checkpoint;
  if (cairn_checkpoint_read(path, &checkpoint, &error)) {
    diag("%s", error.message);
    return -1;
  }
  int64_t step = checkpoint.state.step;
  cairn_checkpoint_fini(&checkpoint);
  return step;
}

static int read_status(const char *path, struct cairn_error *error) {
  struct cairn_checkpoint checkpoint;
  int status = cairn_checkpoint_read(path, &checkpoint, error);
  if (!status)
    cairn_checkpoint_fini(&checkpoint);
  return status;
}

static void test_round_trip(void) {
  const char *path = sample_path("a.ckpt.nc");
  struct cairn_error error = {0};
  struct cairn_checkpoint want, got;
  struct cairn_provenance provenance = {0};
  char digest[CAIRN_DIGEST_LENGTH + 1];
  const int64_t step = (INT64_C(1) << 40) + 5;
  sample_checkpoint(&want, 40, (uint64_t)step);
  cairn_provenance_set(&provenance, "command_line", "cairn run", &error);
  ok(!cairn_checkpoint_write(path, &want, &provenance, &error), "write");
  cmp_ok(sample_n_files(), "==", 1, "no temporary file is left");
  ok(!cairn_checkpoint_read(path, &got, &error), "read: %s", error.message);
  ok(sample_same(&got.state, &want.state, CAIRN_FIELD_CHECKPOINT), "every field has the same bits");
  cmp_ok(got.state.step, "==", want.state.step, "step");
  ok(!memcmp(&got.state.time, &want.state.time, 8) && !memcmp(&got.step_size, &want.step_size, 8),
     "times, bit for bit");
  ok(got.n_frames == step && got.n_rows == step + 1, "counters");
  ok(got.state.n_unsolved == step && got.state.dissipated_energy == -0.1, "sums since the start");
  is(got.file, want.file, "file name");
  is(got.scenario, want.scenario, "effective parameters");
  is(got.text, want.text, "scenario text");
  is(got.walls, want.walls, "digest of the walls");
  ok(got.state.n_assemblies == 2 && got.state.captor[2] == -2 && got.state.wall_contacts.n == 3,
     "assemblies, captures and repeated touches of a wall");
  cairn_state_digest(&want.state, digest);
  is(got.digest, digest, "digest");
  cairn_checkpoint_fini(&got);
  cairn_provenance_fini(&provenance);

  cairn_state_resize_contacts(&want.state, 0, 0, &error);
  cairn_state_resize_assemblies(&want.state, 0, &error);
  free(want.text);
  want.text = strdup("");
  ok(!cairn_checkpoint_write(path, &want, NULL, &error) && !cairn_checkpoint_read(path, &got, &error),
     "without contacts and assemblies and with an empty text: %s", error.message);
  ok(got.state.contacts.n == 0 && got.state.wall_contacts.n == 0 && got.state.n_assemblies == 0 && got.state.n == 40,
     "there are none");
  is(got.text, "", "the empty text comes back empty");
  cairn_checkpoint_fini(&got);
  size_t long_text = 300000;
  free(want.text);
  want.text = calloc(long_text + 1, 1);
  if (!want.text)
    BAIL_OUT("out of memory");
  memset(want.text, 'y', long_text);
  ok(!cairn_checkpoint_write(path, &want, NULL, &error) && !cairn_checkpoint_read(path, &got, &error), "a long text");
  is(got.text, want.text, "comes back whole");
  cairn_checkpoint_fini(&got);
  cairn_checkpoint_fini(&want);
  unlink(path);
  unlink(sample_path("a.ckpt.prev.nc"));
}

/* Several ranks read a part each: together they have all of it, each body and contact once. */
static void test_parts(void) {
  const char *path = sample_path("parts.ckpt.nc");
  struct cairn_error error = {0};
  struct cairn_checkpoint whole, part;
  int64_t n[3];
  write_sample(path, 40, 7);
  if (cairn_checkpoint_read(path, &whole, &error))
    BAIL_OUT("%s", error.message);
  for (int n_parts = 1; n_parts < 50; n_parts += 1 + n_parts / 2)
    ok(!read_parts(path, n_parts, n, &error) && n[0] == whole.state.n && n[1] == whole.state.contacts.n &&
           n[2] == whole.state.wall_contacts.n,
       "%d parts: all bodies and contacts, and their digest: %s", n_parts, error.message);
  ok(!cairn_checkpoint_read_part(path, 1, 3, &part, &error), "the second of three: %s", error.message);
  ok(part.is_shared && part.stretch.first == 13 && part.stretch.n_all == 40 && part.state.n == 13, "has its stretch");
  ok(!memcmp(part.state.position, whole.state.position + 3 * 13, 3 * 13 * sizeof(double)), "of the bodies");
  bool fits = part.state.contacts.n > 0;
  for (int64_t k = 0; k < part.state.contacts.n; k++)
    fits &= cairn_contact_at(&part.state.contacts, k)->a >= 13 && cairn_contact_at(&part.state.contacts, k)->a < 26;
  ok(fits, "and the contacts that have them as the lower body");
  ok(cairn_checkpoint_verify(path, &part, &part.sum, &error) != 0, "one part is not all");
  cairn_checkpoint_fini(&part);
  cairn_checkpoint_fini(&whole);
  unlink(path);
}

static void test_previous(void) {
  const char *path = sample_path("b.ckpt.nc"), *previous = sample_path("b.ckpt.prev.nc");
  write_sample(path, 10, 1);
  ok(access(previous, F_OK), "the first checkpoint has no previous one");
  write_sample(path, 10, 2);
  ok(step_of(path) == 2 && step_of(previous) == 1, "the second keeps the first");
  write_sample(path, 10, 3);
  ok(step_of(path) == 3 && step_of(previous) == 2, "the third keeps the second");
  cmp_ok(sample_n_files(), "==", 2, "and nothing else");
  write_sample(sample_path("plain"), 4, 4);
  write_sample(sample_path("plain"), 4, 5);
  ok(step_of(sample_path("plain.prev")) == 4, "names that do not end in .nc work alike");
  unlink(sample_path("plain"));
  unlink(sample_path("plain.prev"));
}

static void test_damage(void) {
  const char *path = sample_path("c.ckpt.nc"), *copy = sample_path("copy.ckpt.nc");
  struct cairn_error error;
  size_t size;
  write_sample(path, 6, 9);
  unsigned char *bytes = sample_read(path, &size);
  int n_refused = 0, n_named = 0, n_tried = 0;
  for (size_t length = 0; length < size; length += 13, n_tried++) {
    sample_write(copy, bytes, length);
    n_refused += read_status(copy, &error) == CAIRN_ERR_INPUT;
    n_named += strstr(error.message, length > 3 ? "truncated" : "checkpoint") != NULL;
  }
  cmp_ok(n_refused, "==", n_tried, "cut at %d lengths: refused every time", n_tried);
  cmp_ok(n_named, "==", n_tried, "and named truncated");
  n_refused = n_named = n_tried = 0;
  for (size_t bit = 0; bit < 8 * size; bit += 11, n_tried++) {
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    sample_write(copy, bytes, size);
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    n_refused += read_status(copy, &error) == CAIRN_ERR_INPUT;
    n_named += strstr(error.message, "damaged") != NULL;
  }
  cmp_ok(n_refused, "==", n_tried, "each of %d flipped bits is found", n_tried);
  cmp_ok(n_named, "==", n_tried, "and named damage");
  unsigned char *longer = calloc(size + 1, 1);
  if (!longer)
    BAIL_OUT("out of memory");
  memcpy(longer, bytes, size);
  sample_write(copy, longer, size + 1);
  cmp_ok(read_status(copy, &error), "==", CAIRN_ERR_INPUT, "a byte too many is found");
  free(longer);
  free(bytes);
}

static void refuse(const char *path, int status, const char *message) {
  struct cairn_error error = {0};
  int64_t n[3];
  cmp_ok(read_status(path, &error), "==", status, "refused: %s", message);
  like(error.message, message, "and says so");
  cmp_ok(read_parts(path, 2, n, &error), "==", status, "in two parts: %s", error.message);
  cmp_ok(read_parts(path, 7, n, &error), "==", status, "in more parts than bodies: %s", error.message);
}

static void test_other_files(void) {
  const char *path = sample_path("other");
  sample_write(path, "title: a scenario\nbodies: []\nand some more text to be longer than a seal", 70);
  refuse(path, CAIRN_ERR_INPUT, "'.*other' is not a checkpoint of cairn");
  sample_write(path, "", 0);
  refuse(path, CAIRN_ERR_INPUT, "'.*other' is truncated: it is empty");
  refuse(sample_path("none"), CAIRN_ERR_IO, "cannot open '.*none': No such file");
  refuse(sample_folder, CAIRN_ERR_INPUT, "not a regular file");
  int nc;
  if (nc_create(path, NC_CLOBBER | NC_64BIT_DATA, &nc) || nc_close(nc))
    BAIL_OUT("cannot make a NetCDF file");
  refuse(path, CAIRN_ERR_INPUT, "truncated or damaged: the checksum at its end is missing");
  if (cairn_seal_append(path, CAIRN_CHECKPOINT_VERSION, NULL))
    BAIL_OUT("cannot seal");
  refuse(path, CAIRN_ERR_INPUT, "'.*other' is not a checkpoint of cairn");
  unlink(path);
}

/* A checkpoint with one thing changed by the NetCDF library or by hand and a fresh, valid seal: what a writer with a
 * mistake or a forger would produce. */
static void forge(const char *name, double value, size_t element, const char *message) {
  const char *path = sample_path("forged.ckpt.nc");
  size_t size, at[2] = {element, 0};
  int nc, variable;
  write_sample(path, 6, 9);
  unsigned char *bytes = sample_read(path, &size);
  sample_write(path, bytes, size - CAIRN_SEAL_SIZE);
  free(bytes);
  if (nc_open(path, NC_WRITE, &nc) || nc_inq_varid(nc, name, &variable) ||
      nc_put_var1_double(nc, variable, at, &value) || nc_close(nc) ||
      cairn_seal_append(path, CAIRN_CHECKPOINT_VERSION, NULL))
    BAIL_OUT("cannot forge %s", name);
  refuse(path, CAIRN_ERR_INPUT, message);
}

static void forge_bytes(const char *from, const char *to, size_t length, const char *message) {
  const char *path = sample_path("forged.ckpt.nc");
  size_t size;
  write_sample(path, 6, 9);
  unsigned char *bytes = sample_read(path, &size);
  memcpy(bytes + sample_find(bytes, size, from, length), to, length);
  sample_write(path, bytes, size - CAIRN_SEAL_SIZE);
  free(bytes);
  if (cairn_seal_append(path, CAIRN_CHECKPOINT_VERSION, NULL))
    BAIL_OUT("cannot seal");
  refuse(path, CAIRN_ERR_INPUT, message);
}

/* A text that has more dimensions than texts have. */
static void forge_rank(void) {
  const char *path = sample_path("forged.ckpt.nc");
  size_t size;
  int nc, variable, dimension[3];
  write_sample(path, 6, 9);
  unsigned char *bytes = sample_read(path, &size);
  sample_write(path, bytes, size - CAIRN_SEAL_SIZE);
  free(bytes);
  if (nc_open(path, NC_WRITE, &nc) || nc_redef(nc) || nc_inq_varid(nc, "walls", &variable) ||
      nc_rename_var(nc, variable, "fences") || nc_inq_dimid(nc, "body", &dimension[0]) ||
      nc_inq_dimid(nc, "spatial", &dimension[1]) || nc_inq_dimid(nc, "assembly", &dimension[2]) ||
      nc_def_var(nc, "walls", NC_CHAR, 3, dimension, &variable) || nc_close(nc) ||
      cairn_seal_append(path, CAIRN_CHECKPOINT_VERSION, NULL))
    BAIL_OUT("cannot forge a text");
  refuse(path, CAIRN_ERR_INPUT, "damaged: 'walls' has the wrong type or shape");
}

static void test_forged(void) {
  const char *path = sample_path("forged.ckpt.nc");
  size_t size;
  write_sample(path, 6, 9);
  unsigned char *bytes = sample_read(path, &size);
  sample_write(path, bytes, size - CAIRN_SEAL_SIZE);
  free(bytes);
  if (cairn_seal_append(path, 1, NULL))
    BAIL_OUT("cannot seal");
  refuse(path, CAIRN_ERR_INPUT, "has version 1; this is cairn .*, which reads version [0-9]+$");
  forge("position", 0.0 / 0.0, 0, "damaged: body 0: position .* is not finite");
  forge("velocity", 0.5, 0, "damaged: the digest of its state does not match");
  forge("mass", -1, 5, "damaged: body 5: mass -1 must be positive");
  forge("material", -1, 2, "damaged: body 2: material -1");
  forge("contact_b", 6, 4, "damaged: ");
  forge("contact_a", 3, 0, "damaged: ");
  forge("wall_contact_body", -7, 0, "damaged: ");
  forge("captor", -2147483648., 3, "damaged: body 3: its captor");
  forge("capture_time", 0.0 / 0.0, 1, "damaged: body 1: the time of its capture");
  forge("wall_contact_normal", 1.0 / 0.0, 2, "damaged: wall contact 2: its normal");
  forge("assembly_orientation", 2, 1, "damaged: assembly 1: orientation");
  forge("step", -1, 0, "damaged: impossible step -1");
  forge("time", 1.0 / 0.0, 0, "damaged: impossible step 9 or time inf");
  forge("step_size", 0, 0, "damaged: impossible size of a step: 0 s");
  forge("n_frames", -1, 0, "damaged: impossible numbers of frames, -1");
  forge("n_unsolved", -1, 0, "damaged: impossible number of unsolved steps, -1");
  forge("time", 0.25, 0, "damaged: the time is 0.25 s, but 9 steps of 3.33333e-06 s make 3e-05 s");
  forge("step_size", 1e-300, 0, "damaged: impossible size of a step: 1e-300 s");
  forge("n_rows", 11, 0, "damaged: impossible numbers of frames, 9, or rows, 11");
  forge("n_refreshes", 0x1p63, 0, "damaged: impossible numbers of self-gravity");
  forge("refresh_step", 1e18, 0, "damaged: impossible numbers of self-gravity");
  forge("position", 1.7e308, 0, "damaged: body 0: position .* too large");
  forge("contact_spring", 1e300, 2, "damaged: contact 2: its spring, 1e\\+300 .*too large");
  forge("assembly_spin", 1e155, 1, "damaged: assembly 1: spin .* too large");
  forge_bytes("\0\0\0\0\0\0\0\4body\0\0\0\0\0\0\0\6", "\0\0\0\0\0\0\0\4body\0\0\0\x7f\xff\xff\xff\xff", 20, "damaged");
  forge_bytes("\0\0\0\0\0\0\0\4body\0\0\0\0\0\0\0\6", "\0\0\0\0\0\0\0\4body\0\0\0\0\0\0\0\5", 20, "damaged");
  forge_bytes("contact_spring", "contact_sprint", 14,
              "damaged: its contacts and those with walls remember different numbers");
  forge_bytes("assembly_spin", "assembly_spit", 13, "damaged: 'assembly_spin' is missing");
  forge_bytes("\0\0\0\0\0\0\0\12quaternion\0\0\0\0\0\0\0\0\0\4", "\0\0\0\0\0\0\0\12quaternion\0\0\0\0\0\0\0\0\0\3", 28,
              "damaged");
  forge_bytes("checkpoint_version", "checkpoint_vorsion", 18, "not a checkpoint of cairn");
  forge_rank();
  forge_bytes("# a comment", "# a\0comment", 11, "damaged: 'scenario_text' is not a text");
}

/* What could not be read again is not written, and what was there stays. */
static void test_refused_writing(void) {
  const char *path = sample_path("refused.ckpt.nc");
  struct cairn_error error = {0};
  struct cairn_checkpoint bad;
  write_sample(path, 6, 3);
  sample_checkpoint(&bad, 6, 4);
  PAIR_MEMORY(&bad.state, 1, spring)[1] = (double)NAN;
  cmp_ok(cairn_checkpoint_write(path, &bad, NULL, &error), "==", CAIRN_ERR_NUMERIC, "a state with a NaN");
  like(error.message, "refused.ckpt.nc' is not written.* contact 1: its spring, .* is not finite",
       "is refused by name");
  cmp_ok(step_of(path), "==", 3, "the checkpoint before it is still there");
  cairn_checkpoint_fini(&bad);
  unlink(path);
}

static void limit_file_size(rlim_t size) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = size;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/* Fail (or, with `die`, be killed) at every few bytes of a checkpoint: step 1 must still be there and valid. */
static void test_full_disk(int die) {
  const char *path = sample_path("full.ckpt.nc");
  struct cairn_checkpoint next;
  struct stat about;
  sample_checkpoint(&next, 300, 2);
  write_sample(path, 300, 1);
  if (stat(path, &about))
    BAIL_OUT("no checkpoint");
  const int n_before = sample_n_files();
  int n_good = 0, n_tried = 0;
  for (off_t room = 0; room < about.st_size; room += 4099, n_tried++) {
    pid_t child = fork();
    if (child == 0) {
      struct cairn_error error = {0};
      setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
      signal(SIGXFSZ, die ? SIG_DFL : SIG_IGN);
      limit_file_size((rlim_t)room);
      int status = cairn_checkpoint_write(path, &next, NULL, &error);
      _exit(status == CAIRN_ERR_IO && strstr(error.message, "full.ckpt.nc") &&
                    strstr(error.message, "File too large") && sample_n_files() == n_before
                ? 0
                : 1);
    }
    int how;
    waitpid(child, &how, 0);
    n_good += (die ? WIFSIGNALED(how) : WIFEXITED(how) && WEXITSTATUS(how) == 0) && step_of(path) == 1;
  }
  cmp_ok(n_good, "==", n_tried, "%s at %d places: the checkpoint before is in place", die ? "killed" : "no room",
         n_tried);
  struct cairn_error error = {0};
  ok(!cairn_checkpoint_write(path, &next, NULL, &error) && step_of(path) == 2, "with room it is written");
  cmp_ok(sample_n_files(), "==", n_before + 1 + (die ? n_tried : 0), "%s",
         die ? "a kill leaves what was being written" : "nothing is left behind");
  cairn_checkpoint_fini(&next);
  unlink(path);
  unlink(sample_path("full.ckpt.prev.nc"));
}

static void test_kill(void) {
  const char *path = sample_path("kill.ckpt.nc"), *previous = sample_path("kill.ckpt.prev.nc");
  enum { KILLS = 25 };
  int n_good = 0;
  write_sample(path, 100, 1);
  write_sample(path, 100, 2);
  for (int i = 0; i < KILLS; i++) {
    pid_t child = fork();
    if (child == 0)
      for (uint64_t step = 3;; step++)
        write_sample(path, 100, step);
    usleep((useconds_t)(2000 + 1733 * i));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    n_good += step_of(path) >= 2 && step_of(previous) >= 1;
  }
  cmp_ok(n_good, "==", KILLS, "SIGKILL at %d moments: both checkpoints are valid", KILLS);
}

static void test_bad_places(void) {
  struct cairn_error error = {0};
  struct cairn_checkpoint checkpoint;
  sample_checkpoint(&checkpoint, 4, 1);
  cmp_ok(cairn_checkpoint_write(sample_path("no/dir.ckpt.nc"), &checkpoint, NULL, &error), "==", CAIRN_ERR_IO,
         "no such folder");
  like(error.message, "cannot write '.*no/dir.ckpt.nc.*': No such file or directory", "and says so");
  const char *folder = sample_path("folder");
  const int n_before = sample_n_files();
  mkdir(folder, 0755);
  cmp_ok(cairn_checkpoint_write(folder, &checkpoint, NULL, &error), "==", CAIRN_ERR_IO, "a folder in its place");
  like(error.message, "cannot write '.*folder'", "and says so");
  cmp_ok(sample_n_files(), "==", n_before + 1, "nothing is left but the folder");
  cairn_checkpoint_fini(&checkpoint);
}

int main(void) {
  plan(NO_PLAN);
  signal(SIGXFSZ, SIG_IGN);
  sample_make_folder();
  test_round_trip();
  test_parts();
  test_previous();
  test_damage();
  test_other_files();
  test_forged();
  test_refused_writing();
  test_full_disk(0);
  test_full_disk(1);
  test_kill();
  test_bad_places();
  done_testing();
}
