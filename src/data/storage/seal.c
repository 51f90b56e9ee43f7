#include "data/storage/seal.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "data/storage/durable.h"

/* Line ends and a byte above 127 show transfers that meddle with text, as in the signature of PNG and HDF5. */
static const unsigned char magic[12] = {'c', 'a', 'i', 'r', 'n', ' ', 'c', 'k', 0x89, '\r', '\n', 0x1a};
enum { HEAD_SIZE = 16, CHUNK = 1 << 20 };
_Static_assert(HEAD_SIZE + sizeof(XXH128_canonical_t) == CAIRN_SEAL_SIZE, "a seal is a head and a hash");

static void make_head(unsigned char head[HEAD_SIZE], uint32_t version) {
  uint32_t word = htole32(version);
  memcpy(head, magic, sizeof magic);
  memcpy(head + sizeof magic, &word, sizeof word);
}

/* Hash the first n bytes of the file and then the head of its seal. */
static int hash_file(int file, int64_t n, const unsigned char head[HEAD_SIZE], XXH128_canonical_t *hash,
                     const char *path, struct cairn_error *error) {
  XXH3_state_t *state = XXH3_createState();
  unsigned char *chunk = malloc(CHUNK);
  int status = 0;
  if (!state || !chunk)
    status = cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the checksum of '%s'", path);
  else
    XXH3_128bits_reset(state);
  for (int64_t at = 0; at < n && !status;) {
    size_t wanted = n - at < CHUNK ? (size_t)(n - at) : CHUNK;
    ssize_t got = pread(file, chunk, wanted, at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      status = cairn_durable_fail(error, "read", path, got < 0 ? errno : EIO);
    else
      XXH3_128bits_update(state, chunk, (size_t)got);
    at += got;
  }
  if (!status) {
    XXH3_128bits_update(state, head, HEAD_SIZE);
    XXH128_canonicalFromHash(hash, XXH3_128bits_digest(state));
  }
  free(chunk);
  XXH3_freeState(state);
  return status;
}

static int append(int file, const char *path, uint32_t version, struct cairn_error *error) {
  unsigned char seal[CAIRN_SEAL_SIZE];
  XXH128_canonical_t hash;
  struct stat about;
  if (fstat(file, &about))
    return cairn_durable_fail(error, "write", path, errno);
  make_head(seal, version);
  int status = hash_file(file, about.st_size, seal, &hash, path, error);
  if (status)
    return status;
  memcpy(seal + HEAD_SIZE, &hash, sizeof hash);
  for (ssize_t done = 0; done < CAIRN_SEAL_SIZE;) {
    ssize_t n = pwrite(file, seal + done, (size_t)(CAIRN_SEAL_SIZE - done), about.st_size + done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return cairn_durable_fail(error, "write", path, n < 0 ? errno : EIO);
    done += n;
  }
  return fsync(file) ? cairn_durable_fail(error, "write", path, errno) : 0;
}

int cairn_seal_append(const char *path, uint32_t version, struct cairn_error *error) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return cairn_durable_fail(error, "write", path, errno);
  int status = append(file, path, version, error);
  if (close(file) && !status)
    status = cairn_durable_fail(error, "write", path, errno);
  return status;
}

/* What a file without a seal most likely is. */
static int judge_unsealed(int file, const char *path, int64_t size, struct cairn_error *error) {
  static const unsigned char cdf5[4] = {'C', 'D', 'F', 5};
  unsigned char start[sizeof cdf5];
  if (size == 0)
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is truncated: it is empty", path);
  if (pread(file, start, sizeof start, 0) == (ssize_t)sizeof start && !memcmp(start, cdf5, sizeof cdf5))
    return cairn_error_set(error, CAIRN_ERR_INPUT,
                           "checkpoint '%s' is truncated or damaged: the checksum at its end is missing", path);
  return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a checkpoint of cairn", path);
}

static int check(int file, const char *path, uint32_t *version, struct cairn_error *error) {
  unsigned char seal[CAIRN_SEAL_SIZE];
  XXH128_canonical_t hash;
  struct stat about;
  if (fstat(file, &about))
    return cairn_durable_fail(error, "read", path, errno);
  if (!S_ISREG(about.st_mode))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "'%s' is not a checkpoint of cairn: it is not a regular file", path);
  int64_t n = about.st_size - CAIRN_SEAL_SIZE;
  if (n < 0 || pread(file, seal, sizeof seal, n) != (ssize_t)sizeof seal || memcmp(seal, magic, sizeof magic))
    return judge_unsealed(file, path, about.st_size, error);
  int status = hash_file(file, n, seal, &hash, path, error);
  if (status)
    return status;
  if (memcmp(&hash, seal + HEAD_SIZE, sizeof hash))
    return cairn_error_set(error, CAIRN_ERR_INPUT, "checkpoint '%s' is damaged: its checksum does not match", path);
  memcpy(version, seal + sizeof magic, sizeof *version);
  *version = le32toh(*version);
  return 0;
}

int cairn_seal_check(const char *path, uint32_t *version, struct cairn_error *error) {
  /* Not blocking: a name that turns out to be a pipe must not hang the program. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return cairn_durable_fail(error, "open", path, errno);
  int status = check(file, path, version, error);
  close(file);
  return status;
}
