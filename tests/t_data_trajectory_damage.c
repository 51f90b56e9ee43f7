/* Trajectories that meet with an accident: a kill at any byte and a full disk leave complete frames, damaged files are
 * refused. */
#include "trajectory_sample.h"

#include <errno.h>
#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "data/storage/record_file.h"

/* A child that dies at the first write beyond byte `limit`, with the bytes before it written: SIGXFSZ is a kill that
 * can be placed. */
static void die_at(const char *path, off_t limit) {
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGXFSZ, SIG_DFL);
    sample_limit_files((rlim_t)limit);
    write_frames(path, 2, 5);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void test_kill_at_byte(void) {
  const char *path = sample_path("kill.nc");
  struct stat two;
  write_frames(path, 0, 2);
  if (stat(path, &two))
    BAIL_OUT("no file");
  write_frames(path, 0, 3);
  struct stat three;
  if (stat(path, &three))
    BAIL_OUT("no file");
  off_t record = three.st_size - two.st_size;
  int n_good = 0, n_tried = 0;
  for (off_t at = two.st_size; at < two.st_size + 3 * record; at += 331) {
    write_frames(path, 0, 2);
    die_at(path, at);
    int64_t n = count_frames(path), complete = 2 + (at - two.st_size) / record;
    int good = n == complete;
    for (int64_t i = 0; i < n; i++)
      good = good && is_frame(path, i, (uint64_t)i);
    n_good += good;
    n_tried++;
    if (!good)
      diag("dead at byte %lld: %lld frames, %lld expected", (long long)at, (long long)n, (long long)complete);
  }
  cmp_ok(n_good, "==", n_tried, "death at %d places within 3 frames leaves exactly the complete ones", n_tried);
}

static void test_kill_at_random(void) {
  const char *path = sample_path("random.nc");
  int n_good = 0;
  enum { KILLS = 20 };
  for (int i = 0; i < KILLS; i++) {
    int pipes[2];
    if (pipe(pipes))
      BAIL_OUT("no pipe");
    write_frames(path, 0, 1);
    pid_t child = fork();
    if (child == 0) {
      for (int frame = 1;; frame++) {
        write_frames(path, frame, frame + 1);
        if (write(pipes[1], "x", 1) != 1)
          _exit(1);
      }
    }
    usleep((useconds_t)(1000 + 1500 * i));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(pipes[1]);
    char acknowledged[65536];
    ssize_t n_acknowledged = read(pipes[0], acknowledged, sizeof acknowledged);
    close(pipes[0]);
    int64_t n = count_frames(path);
    int good = n >= 1 + n_acknowledged && n <= 2 + n_acknowledged && is_frame(path, -1, (uint64_t)(n - 1));
    if (!good)
      diag("%lld frames, %lld acknowledged", (long long)n, (long long)n_acknowledged);
    n_good += good;
  }
  cmp_ok(n_good, "==", KILLS, "SIGKILL at %d moments: every acknowledged frame is there", KILLS);
}

static void test_full_disk(void) {
  const char *path = sample_path("full.nc");
  struct cairn_error error = {0};
  struct cairn_trajectory *trajectory;
  struct cairn_state state;
  struct cairn_observables observables;
  struct stat before, after;
  write_frames(path, 0, 2);
  sample_state(&state, N, 2);
  sample_observables(&observables, 2);
  if (stat(path, &before) || cairn_trajectory_open(path, state.n, 0, 2, &trajectory, &error))
    BAIL_OUT("%s", error.message);
  sample_limit_files((rlim_t)before.st_size + 1000);
  int status = cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error);
  sample_limit_files(RLIM_INFINITY);
  cmp_ok(status, "==", CAIRN_ERR_IO, "no room for a frame");
  like(error.message, "cannot write '.*full.nc': File too large", "the sentence names file and reason");
  ok(!stat(path, &after) && after.st_size == before.st_size, "the room is given back");
  ok(count_frames(path) == 2 && is_frame(path, 1, 1), "the frames before are intact");
  ok(!cairn_trajectory_append(trajectory, &state, &observables, NULL, NULL, &error) && is_frame(path, 2, 2),
     "later it goes on");
  cairn_trajectory_close(trajectory, NULL);
  sample_limit_files(100);
  status = cairn_trajectory_create(sample_path("no.nc"), &state, box, NULL, false, NULL, &trajectory, &error);
  sample_limit_files(RLIM_INFINITY);
  cmp_ok(status, "==", CAIRN_ERR_IO, "no room for a header");
  ok(access(sample_path("no.nc"), F_OK), "and no file is left");
  cmp_ok(cairn_trajectory_create(sample_path("no/dir.nc"), &state, box, NULL, false, NULL, &trajectory, &error),
         "==", CAIRN_ERR_IO, "no such folder");
  like(error.message, "cannot write '.*no/dir.nc': No such file or directory", "and says so");
  cairn_state_fini(&state);
}

static int read_status(const char *path, struct cairn_error *error) {
  struct cairn_state state = {0};
  int status = cairn_trajectory_read(path, &(struct cairn_trajectory_part){.frame = -1, .n = INT64_MAX}, &state, error);
  cairn_state_fini(&state);
  return status;
}

static void poke(const unsigned char *bytes, size_t size, size_t at, const void *value, size_t n, const char *message) {
  const char *path = sample_path("poked.nc");
  struct cairn_error error = {0};
  unsigned char *copy = malloc(size);
  if (!copy)
    BAIL_OUT("out of memory");
  memcpy(copy, bytes, size);
  memcpy(copy + at, value, n);
  sample_write(path, copy, size);
  free(copy);
  cmp_ok(read_status(path, &error), "==", CAIRN_ERR_INPUT, "refused: %s", message);
  like(error.message, message, "and says so");
}

/* Flipped bits may hit a comment and do no harm; what matters is a status instead of a crash. */
static void flip_header(const char *path, size_t n, size_t stride) {
  const char *copy = sample_path("copy.nc");
  static const unsigned char masks[] = {1, 128, 255};
  struct cairn_error error;
  size_t size, n_answers = 0, n_tried = 0;
  unsigned char *bytes = sample_read(path, &size);
  for (size_t at = 0; at < n && at < size; at += stride, n_tried++) {
    bytes[at] ^= masks[at % 3];
    sample_write(copy, bytes, size);
    bytes[at] ^= masks[at % 3];
    int status = read_status(copy, &error);
    n_answers += status == 0 || status == CAIRN_ERR_INPUT || status == CAIRN_ERR_IO;
  }
  cmp_ok(n_answers, "==", n_tried, "damage at %zu bytes of the header is answered", n_tried);
  free(bytes);
}

static void test_hostile(void) {
  const char *path = sample_path("hostile.nc"), *copy = sample_path("copy.nc");
  struct cairn_error error;
  size_t size;
  write_frames(path, 0, 2);
  unsigned char *bytes = sample_read(path, &size);
  int n_refused = 0, n_cut = 0;
  for (size_t length = 0; length < size; length += length < 4000 ? 7 : 101) {
    sample_write(copy, bytes, length);
    n_refused += read_status(copy, &error) == CAIRN_ERR_INPUT;
    n_cut++;
  }
  cmp_ok(n_refused, "==", n_cut, "cut at %d lengths: refused every time", n_cut);
  flip_header(path, 6000, 1);
  const char *walls = sample_path("hostile_walls.nc");
  write_walls(walls, 0, 2);
  flip_header(walls, 8000, 7);

  double last; /* the y component of the velocity of the last body, in the file's byte order */
  struct cairn_state state;
  sample_state(&state, N, 1);
  uint64_t word;
  last = state.velocity[3 * N - 2];
  memcpy(&word, &last, 8);
  word = __builtin_bswap64(word);
  size_t at = sample_find(bytes, size, &word, 8);
  poke(bytes, size, at, "\x7f\xf8\0\0\0\0\0\1", 8, "frame 1 .*body 49: velocity .* is not finite");
  memcpy(&word, &state.radius[N - 1], 8);
  word = __builtin_bswap64(word);
  poke(bytes, size, sample_find(bytes, size, &word, 8), "\x80\0\0\0\0\0\0\0", 8, "body 49: radius -0 must be positive");
  size_t atom = sample_find(bytes, size, "\0\0\0\4atom\0\0\0\x32", 12) + 8;
  poke(bytes, size, atom, "\x7f\xff\xff\xff", 4, "not a classic NetCDF file, or it is damaged");
  poke(bytes, size, atom, "\0\0\0\x31", 4, "not a classic NetCDF file, or it is damaged");
  poke(bytes, size, 4, "\0\0\0\3", 4, "is truncated: it holds 2 of 3 frames");
  poke(bytes, size, 4, "\xff\xff\xff\xff", 4, "not a classic NetCDF file, or it is damaged");
  poke(bytes, size, sample_find(bytes, size, "AMBER", 5), "AMBEr", 5, "not a trajectory of cairn");
  poke(bytes, size, sample_find(bytes, size, "radius", 6), "radios", 6, "has no variable 'radius'");
  poke(bytes, size, sample_find(bytes, size, "kg\0\0", 4), "lb\0\0", 4, "variable 'mass' of .* is not in 'kg'");
  poke(bytes, size, sample_find(bytes, size, "\0\0\0\x30\0\0\0\x31", 8), "\0\0\0\x31\0\0\0\x30", 8,
       "body 48 has the id 49");
  sample_write(copy, "just some text", 14);
  cmp_ok(read_status(copy, &error), "==", CAIRN_ERR_INPUT, "a text file is refused");
  cmp_ok(read_status(sample_folder, &error), "==", CAIRN_ERR_INPUT, "a folder is refused");
  cmp_ok(read_status(sample_path("none"), &error), "==", CAIRN_ERR_IO, "a missing file is refused");
  cairn_state_fini(&state);
  free(bytes);
}

/* A variable that the header puts beyond the end of the file. */
static void test_short_file(void) {
  const char *path = sample_path("short.nc");
  struct cairn_error error = {0};
  struct cairn_record_file *file;
  int nc, dimension, variable;
  double values[100] = {1};
  if (nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &nc) || nc_def_dim(nc, "x", 100, &dimension) ||
      nc_def_var(nc, "a", NC_DOUBLE, 1, &dimension, &variable) || nc_enddef(nc) ||
      nc_put_var_double(nc, variable, values) || nc_close(nc))
    BAIL_OUT("cannot make a NetCDF file");
  ok(!cairn_record_file_open(path, false, &file, &error), "a file without records is fine");
  cairn_record_file_close(file, NULL);
  struct stat about;
  if (stat(path, &about) || truncate(path, about.st_size - 1))
    BAIL_OUT("cannot cut the file");
  cmp_ok(cairn_record_file_open(path, false, &file, &error), "==", CAIRN_ERR_INPUT, "one byte less is not");
}

int main(void) {
  plan(NO_PLAN);
  signal(SIGXFSZ, SIG_IGN);
  sample_make_folder();
  test_kill_at_byte();
  test_kill_at_random();
  test_full_disk();
  test_hostile();
  test_short_file();
  done_testing();
}
