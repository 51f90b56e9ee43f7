/* Checkpoints from strangers. The first byte of an input chooses what the rest is: even, a file as it is; odd, a list
 * of edits (3 bytes offset, 1 byte to be put there) on a valid checkpoint, which then gets a valid seal again, so that
 * the reader behind the checksum is tried and not just the checksum. Whatever comes: a status, no crash, and what is
 * accepted passes cairn_state_check. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checkpoint_parts.h"
#include "data/storage/seal.h"
#include "fence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 5, MAX_BASE = 1 << 16 };

/* A valid checkpoint without its seal, made once; its size. */
static size_t make_base(uint8_t *bytes) {
  char path[4096];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/cairn-fuzz-XXXXXX", folder && *folder ? folder : "/tmp");
  struct cairn_error error;
  struct cairn_checkpoint checkpoint = {
      .step_size = 0.5, .text = strdup("title: x\n"), .scenario = strdup("title: x\n")};
  struct cairn_state *state = &checkpoint.state;
  int file = mkstemp(path);
  if (file < 0 || cairn_state_resize(state, N, &error) ||
      cairn_state_remember(state, CAIRN_CONTACT_REMEMBERS(spring) | CAIRN_CONTACT_REMEMBERS(rest), &error) ||
      cairn_state_resize_contacts(state, N - 1, 1, &error))
    abort();
  for (int i = 0; i < N; i++) {
    state->radius[i] = state->mass[i] = 1 + i;
    state->position[3 * i] = 2 * i;
    if (i < N - 1) {
      *cairn_contact_at(&state->contacts, i) = (struct cairn_contact){i, i + 1, 0, 1};
    }
  }
  cairn_contact_at(&state->wall_contacts, 0)->age = 1;
  close(file);
  unlink(path);
  if (cairn_checkpoint_write(path, &checkpoint, NULL, &error))
    abort();
  cairn_checkpoint_fini(&checkpoint);
  FILE *stream = fopen(path, "rb");
  size_t size = stream ? fread(bytes, 1, MAX_BASE, stream) : 0;
  if (size <= CAIRN_SEAL_SIZE || size == MAX_BASE)
    abort();
  fclose(stream);
  unlink(path);
  return size - CAIRN_SEAL_SIZE;
}

static void try_file(const uint8_t *data, size_t size, int is_sealed) {
  struct cairn_error error;
  struct cairn_checkpoint checkpoint;
  char path[64];
  int file = memfd_create("checkpoint", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (is_sealed && cairn_seal_append(path, CAIRN_CHECKPOINT_VERSION, &error))
    abort();
  fence_begin();
  int status = cairn_checkpoint_read(path, &checkpoint, &error);
  if (!status) {
    if (cairn_state_check(&checkpoint.state, INT32_MAX, INT32_MAX, -1, &error))
      abort();
    cairn_checkpoint_fini(&checkpoint);
  } else if (status != error.status || !error.message[0] || checkpoint.state.position || checkpoint.text)
    abort();
  /* Ranks that read parts accept what one process accepts, and nothing else but radii, which they compare later. One
   * input in four takes this way too, for its time. */
  int64_t n[3];
  unsigned sum = 0;
  struct cairn_error refused;
  for (size_t i = 0; i < size; i++)
    sum += data[i];
  if ((!status || sum % 4 == 0) && !read_parts(path, 3, n, &refused) != !status &&
      !(status && strstr(error.message, "by a factor of")))
    abort();
  fence_end();
  close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t base[MAX_BASE];
  static size_t base_size;
  uint8_t edited[MAX_BASE];
  if (base_size == 0)
    base_size = make_base(base);
  if (size == 0 || data[0] % 2 == 0) {
    try_file(size ? data + 1 : data, size ? size - 1 : 0, 0);
    return 0;
  }
  memcpy(edited, base, base_size);
  for (size_t i = 1; i + 4 <= size; i += 4) {
    size_t at = (size_t)data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
    edited[at % base_size] = data[i + 3];
  }
  try_file(edited, base_size, 1);
  return 0;
}
