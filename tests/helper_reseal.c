/* Give a checkpoint another version with a valid seal: the file a future cairn might write.
 * usage: helper_reseal FILE VERSION, or helper_reseal version for that of this cairn */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/checkpoint/checkpoint.h"
#include "data/storage/seal.h"

int main(int argc, char **argv) {
  struct stat info;
  struct cairn_error error;
  if (argc == 2 && !strcmp(argv[1], "version"))
    return printf("%d\n", CAIRN_CHECKPOINT_VERSION) < 0;
  if (argc != 3 || stat(argv[1], &info) || info.st_size <= CAIRN_SEAL_SIZE ||
      truncate(argv[1], info.st_size - CAIRN_SEAL_SIZE))
    return 2;
  int status = cairn_seal_append(argv[1], (uint32_t)strtoul(argv[2], NULL, 10), &error);
  if (status)
    fprintf(stderr, "%s\n", error.message);
  return -status;
}
