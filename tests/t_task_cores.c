/* The time that control groups grant, from files as the kernel writes them. */
#include "tap/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasks/engine/cores.h"

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file))
    BAIL_OUT("cannot write %s", path);
}

static int quota_of(const char *membership) {
  write_file("membership", membership);
  return cairn_cores_quota("membership", "root");
}

int main(void) {
  char folder[] = "cores_XXXXXX";
  plan(NO_PLAN);
  if (!mkdtemp(folder) || chdir(folder))
    BAIL_OUT("no folder");
  static const char *const folders[] = {"root", "root/job", "root/job/step", "root/cpu,cpuacct",
                                        "root/cpu,cpuacct/job"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    mkdir(folders[i], 0700);

  cmp_ok(cairn_cores_quota("nothing", "root"), "==", 0, "no control groups");
  cmp_ok(quota_of("0::/job/step\n"), "==", 0, "version 2 without a limit");
  write_file("root/job/step/cpu.max", "max 100000\n");
  cmp_ok(quota_of("0::/job/step\n"), "==", 0, "'max' is none");
  write_file("root/job/cpu.max", "250000 100000\n");
  cmp_ok(quota_of("0::/job/step\n"), "==", 3, "2.5 cores of the group above are 3 workers");
  write_file("root/job/step/cpu.max", "50000 100000\n");
  cmp_ok(quota_of("0::/job/step\n"), "==", 1, "half a core is one");
  cmp_ok(quota_of("0::/job\n"), "==", 3, "what groups below have does not matter");
  write_file("root/job/cpu.max", "nonsense\n");
  cmp_ok(quota_of("0::/job\n"), "==", 0, "a file without a number is no limit");

  write_file("root/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  write_file("root/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  cmp_ok(quota_of("4:cpu,cpuacct:/job\n1:cpuset:/\n"), "==", 0, "version 1 without a limit");
  write_file("root/cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
  cmp_ok(quota_of("4:cpu,cpuacct:/job\n1:cpuset:/\n"), "==", 4, "version 1 with one");
  cmp_ok(quota_of("4:cpuacct,cpuset:/job\nrubbish\n\n"), "==", 0, "other controllers have none");

  struct cairn_cores cores;
  struct cairn_error error = {0};
  unsetenv("SLURM_CPUS_PER_TASK");
  unsetenv("SLURM_CPUS_ON_NODE");
  unsetenv("SLURM_NTASKS");
  ok(!cairn_cores_find(&cores, &error), "this machine: %s", error.message);
  ok(cores.n_default >= 1 && cores.n_default <= cores.n_allowed && cores.n_allowed <= cores.n_machine, "%d of %d cores",
     cores.n_default, cores.n_machine);
  const int whole = cores.n_default;
  setenv("SLURM_CPUS_ON_NODE", "1", 1);
  ok(!cairn_cores_find(&cores, &error) && cores.n_default == 1, "Slurm's job of one task has what its node grants");
  setenv("SLURM_NTASKS", "4", 1);
  ok(!cairn_cores_find(&cores, &error) && cores.n_default == whole, "that of four tasks does not tell what each has");
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  ok(!cairn_cores_find(&cores, &error) && cores.n_default == 1, "unless the job says so");
  setenv("SLURM_CPUS_PER_TASK", "1000000", 1);
  ok(!cairn_cores_find(&cores, &error) && cores.n_default == whole, "more than the mask allows is no use");
  setenv("SLURM_CPUS_PER_TASK", "2(x3)", 1);
  ok(cairn_cores_find(&cores, &error) == CAIRN_ERR_INPUT && strstr(error.message, "SLURM_CPUS_PER_TASK"),
     "no number: %s", error.message);
  if (chdir("..") == 0) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ok(!system(command), "nothing is left behind");
  }
  done_testing();
}
