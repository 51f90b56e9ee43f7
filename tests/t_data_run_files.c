/* The files of a run: names, the lock, who may go on with which file, and the moment at which old ones give way. */
#include "tap/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "data/storage/durable.h"
#include "data/storage/run_files.h"
#include "data_sample.h"

static struct cairn_error error;

static bool is_there(const char *name) {
  struct stat about;
  return !lstat(sample_path(name), &about);
}

static bool has_text(const char *name, const char *text) {
  char got[64] = "";
  FILE *file = fopen(sample_path(name), "r");
  const bool is_same = file && fgets(got, sizeof got, file) && !strcmp(got, text);
  if (file)
    fclose(file);
  return is_same;
}

static void put_text(const char *name, const char *text) { sample_write(sample_path(name), text, strlen(text)); }

static void test_names(void) {
  struct cairn_run_files files;
  static const char *const bad[] = {"", "a\nb", "\x7f", "folder/", "tab\t"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cmp_ok(cairn_run_files_claim(&files, bad[i], &error), "==", CAIRN_ERR_INPUT, "name %zu is refused", i);
  char longer[5000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  cmp_ok(cairn_run_files_claim(&files, longer, &error), "==", CAIRN_ERR_INPUT, "and so is one that is too long");
  cmp_ok(cairn_run_files_claim(&files, sample_path("no/such"), &error), "==", CAIRN_ERR_INPUT, "no such folder");
  like(error.message, "folder '.*/no' .*does not exist", "it is named");
  put_text("file", "x");
  cmp_ok(cairn_run_files_claim(&files, sample_path("file/run"), &error), "!=", 0, "a file in the place of the folder");
  unlink(sample_path("file"));
  cmp_ok(sample_n_files(), "==", 0, "nothing was made");

  static const struct {
    const char *name, *base;
    bool is_temporary;
  } names[] = {{"a.nc.0123456789ab.tmp", "a.nc", true},     {"a.nc.0123456789ab.tmp", "b.nc", false},
               {"a.nc.0123456789ab.tmp", "a", false},       {"a.nc.0123456789abc.tmp", "a.nc", false},
               {"a.nc.0123456789aB.tmp", "a.nc", false},    {"a.nc.tmp", "a.nc", false},
               {"a.nc.0123456789ab.tmp.nc", "a.nc", false}, {"a.nc", "a.nc", false}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    ok(cairn_durable_is_temporary(names[i].name, names[i].base) == names[i].is_temporary, "'%s' of '%s'", names[i].name,
       names[i].base);
  char *made = cairn_durable_temporary_name("folder/a.nc", &error);
  ok(made && cairn_durable_is_temporary(made + strlen("folder/"), "a.nc"), "'%s' is recognised", made);
  free(made);
}

static void test_lock(void) {
  struct cairn_run_files files, second;
  put_text("run.lock", "a text of somebody else\n");
  put_text("run.ckpt.nc.0123456789ab.tmp", "left by a kill");
  put_text("run.ckpt.nc.tmp", "somebody's own");
  ok(!cairn_run_files_claim(&files, sample_path("run"), &error), "a lock that nobody holds: %s", error.message);
  ok(!is_there("run.ckpt.nc.0123456789ab.tmp"), "what a kill left is gone");
  ok(is_there("run.ckpt.nc.tmp"), "a file of another name is not");
  cmp_ok(cairn_run_files_claim(&second, sample_path("run"), &error), "==", CAIRN_ERR_IO, "a second claim is refused");
  char expected[64];
  snprintf(expected, sizeof expected, "run is being written by another run .pid %ld on host ", (long)getpid());
  like(error.message, expected, "with the process");
  ok(!cairn_run_files_claim(&second, sample_path("ran"), &error), "another name is free");
  cairn_run_files_release(&second);
  ok(is_there("run.lock"), "the lock is there while the run goes on");
  cairn_run_files_release(&files);
  ok(!is_there("run.lock"), "and gone after it");
  unlink(sample_path("run.ckpt.nc.tmp"));
  cmp_ok(sample_n_files(), "==", 0, "nothing is left");
}

/* Claim and release again and again; how often somebody else was found inside. */
static int contend(const char *name, const char *inside) {
  int n_shared = 0;
  for (int i = 0; i < 100; i++) {
    struct cairn_run_files files;
    if (cairn_run_files_claim(&files, name, NULL))
      continue;
    const int file = open(inside, O_CREAT | O_EXCL | O_WRONLY, 0600);
    n_shared += file < 0;
    if (file >= 0)
      close(file);
    unlink(inside);
    cairn_run_files_release(&files);
  }
  return n_shared;
}

/* Removing a lock file must not let two in: one on the removed file, one on a new one. */
static void test_contention(void) {
  enum { N = 4 };
  int n_bad = 0;
  for (int i = 0; i < N; i++)
    if (fork() == 0)
      _exit(contend(sample_path("busy"), sample_path("inside")) != 0);
  for (int i = 0; i < N; i++) {
    int how;
    wait(&how);
    n_bad += !WIFEXITED(how) || WEXITSTATUS(how) != 0;
  }
  cmp_ok(n_bad, "==", 0, "%d processes: never two at once", N);
  cmp_ok(sample_n_files(), "==", 0, "nothing is left");
}

static void make_new(struct cairn_run_files *files, struct cairn_trajectory **trajectory,
                     struct cairn_series **series) {
  static const double box[2][3] = {{0, 0, 0}, {1, 1, 1}};
  struct cairn_provenance provenance = {0};
  struct cairn_state state;
  sample_state(&state, 3, 1);
  if (cairn_provenance_set(&provenance, "run_id", files->run_id, &error) ||
      !cairn_run_files_reserve(files, CAIRN_RUN_TRAJECTORY, &error) ||
      !cairn_run_files_reserve(files, CAIRN_RUN_SERIES, &error) ||
      cairn_trajectory_create(files->temporary[CAIRN_RUN_TRAJECTORY], &state, box, NULL, false, &provenance, trajectory,
                              &error) ||
      cairn_series_create(files->temporary[CAIRN_RUN_SERIES], "t", NULL, &provenance, series, &error))
    BAIL_OUT("%s", error.message);
  cairn_provenance_fini(&provenance);
  cairn_state_fini(&state);
}

static void close_new(struct cairn_trajectory *trajectory, struct cairn_series *series) {
  cairn_trajectory_close(trajectory, NULL);
  cairn_series_close(series, NULL);
}

static void claim_and_start(struct cairn_run_files *files, bool may_replace) {
  if (cairn_run_files_claim(files, sample_path("run"), &error) || cairn_run_files_start(files, may_replace, &error))
    BAIL_OUT("%s", error.message);
}

static void test_replacing(void) {
  static const char *const names[] = {"run.nc", "run.series.nc", "run.ckpt.nc", "run.ckpt.prev.nc"};
  struct cairn_run_files files;
  struct cairn_trajectory *trajectory;
  struct cairn_series *series;
  for (int i = 0; i < 4; i++)
    put_text(names[i], names[i]);
  claim_and_start(&files, true);
  ok(!strcmp(cairn_run_files_earlier(&files), sample_path("run.ckpt.nc")), "an earlier run is found");
  make_new(&files, &trajectory, &series);
  int n_kept = 0;
  for (int i = 0; i < 4; i++)
    n_kept += has_text(names[i], names[i]);
  cmp_ok(n_kept, "==", 4, "while new files are made the earlier run is complete");
  close_new(trajectory, series);
  cairn_run_files_release(&files);
  cmp_ok(sample_n_files(), "==", 4, "a run that does not begin leaves nothing");

  claim_and_start(&files, true);
  make_new(&files, &trajectory, &series);
  ok(!cairn_run_files_begin(&files, trajectory, series, NULL, &error), "a run begins: %s", error.message);
  ok(!is_there("run.ckpt.nc") && !is_there("run.ckpt.prev.nc"), "checkpoints of the earlier one are gone");
  ok(!has_text("run.nc", "run.nc") && !has_text("run.series.nc", "run.series.nc"), "its other files are replaced");
  cmp_ok(sample_n_files(), "==", 3, "two files and the lock");
  close_new(trajectory, series);
  cairn_run_files_release(&files);

  /* the name of a file appears, as without locks it could, when a run that may replace nothing has started */
  claim_and_start(&files, false);
  unlink(sample_path("run.nc"));
  unlink(sample_path("run.series.nc"));
  make_new(&files, &trajectory, &series);
  put_text("run.ckpt.nc", "somebody's own");
  cmp_ok(cairn_run_files_begin(&files, trajectory, series, NULL, &error), "==", CAIRN_ERR_IO, "somebody else was here");
  ok(has_text("run.ckpt.nc", "somebody's own"), "and keeps the file");
  close_new(trajectory, series);
  cairn_run_files_release(&files);
  unlink(sample_path("run.ckpt.nc"));
  cmp_ok(sample_n_files(), "==", 0, "nothing is left");
}

static int resume(struct cairn_run_files *files, const char *run_id) {
  if (cairn_run_files_claim(files, sample_path("run"), &error))
    BAIL_OUT("%s", error.message);
  return cairn_run_files_resume(files, "parent", run_id, &error);
}

static void test_owners(void) {
  struct cairn_run_files files;
  struct cairn_trajectory *trajectory;
  struct cairn_series *series;
  char id[CAIRN_PROVENANCE_RUN_ID + 1];
  claim_and_start(&files, false);
  make_new(&files, &trajectory, &series);
  ok(!cairn_run_files_begin(&files, trajectory, series, NULL, &error), "a run: %s", error.message);
  strcpy(id, files.run_id);
  like(id, "^[0-9a-f]{32}$", "has an id");
  close_new(trajectory, series);
  cairn_run_files_release(&files);
  ok(!resume(&files, id) && !strcmp(files.run_id, id) && !files.is_new, "it goes on with its files and its id");
  cairn_run_files_release(&files);
  id[0] = id[0] == '0' ? '1' : '0';
  cmp_ok(resume(&files, id), "==", CAIRN_ERR_INPUT, "another one does not");
  like(error.message, "run.nc' belongs to another run", "and is told why");
  cairn_run_files_release(&files);
  cmp_ok(resume(&files, ""), "==", CAIRN_ERR_INPUT, "nor does one without an id");
  like(error.message, "older version", "and is told why");
  cairn_run_files_release(&files);
  put_text("run.series.nc", "no NetCDF");
  id[0] = id[0] == '0' ? '1' : '0';
  cmp_ok(resume(&files, id), "==", CAIRN_ERR_INPUT, "a file that cannot be read is left alone");
  cairn_run_files_release(&files);
  unlink(sample_path("run.nc"));
  unlink(sample_path("run.series.nc"));
  ok(!resume(&files, id) && files.is_new && strcmp(files.run_id, id), "without files it is a run of its own");
  cairn_run_files_release(&files);
  cmp_ok(sample_n_files(), "==", 0, "nothing is left");
}

int main(void) {
  plan(NO_PLAN);
  sample_make_folder();
  test_names();
  test_lock();
  test_contention();
  test_replacing();
  test_owners();
  done_testing();
}
