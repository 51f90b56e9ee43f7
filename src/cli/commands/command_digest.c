#include <stdio.h>

#include "cli/command.h"
#include "data/checkpoint/checkpoint.h"

static int execute(const struct cairn_options *options, struct cairn_error *error) {
  for (int i = 0; i < options->n_operands; i++) {
    struct cairn_checkpoint checkpoint;
    int status = cairn_checkpoint_read(options->operands[i], &checkpoint, error);
    if (status)
      return status;
    printf("digest: %s", checkpoint.digest);
    printf(options->n_operands > 1 ? "  %s\n" : "\n", options->operands[i]);
    cairn_checkpoint_fini(&checkpoint);
  }
  return 0;
}

const struct cairn_command cairn_command_digest = {
    .name = "digest",
    .operands = "CHECKPOINT…",
    .summary = "verify a checkpoint and print the digest of its state",
    .help = "Two states have the same digest exactly if every bit of bodies, contacts, step and time agrees.",
    .options = 0,
    .min_operands = 1,
    .max_operands = 1 << 20,
    .takes = CAIRN_FILE_CHECKPOINT,
    .execute = execute,
};
