#define _GNU_SOURCE
#include "fence.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The linker (--wrap) sends the calls of cairn's own objects to __wrap_, and __real_ to the C library. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
int __real_fsync(int file);
int __wrap_fsync(int file);

enum { MAX_BLOCKS = 4096, ALIGNMENT = 16, FILL = 0xa5 };
static const size_t MOST = (size_t)1 << 28, MOST_KEPT = (size_t)1 << 16;

/* Those in use, then some whose pages are kept for the next request of their size: mapping is what takes the time. */
static struct block {
  unsigned char *start, *map; /* what the caller has, and the pages around it */
  size_t size, map_size;      /* the last page is the fence */
} blocks[MAX_BLOCKS];
static int n_blocks, n_mapped;
static bool is_on;

static size_t page_size(void) {
  static size_t size;
  if (size == 0)
    size = (size_t)sysconf(_SC_PAGESIZE);
  return size;
}

static struct block *find(const void *start) {
  for (int i = n_blocks - 1; i >= 0; i--)
    if (blocks[i].start == start)
      return &blocks[i];
  return NULL;
}

static void swap(struct block *a, struct block *b) {
  const struct block kept = *a;
  *a = *b;
  *b = kept;
}

/* The next block, with pages of its own. */
static struct block *take(size_t map_size) {
  struct block *block = &blocks[n_blocks];
  if (n_blocks == MAX_BLOCKS)
    abort();
  for (int i = n_blocks++; i < n_mapped; i++)
    if (blocks[i].map_size == map_size) {
      swap(block, &blocks[i]);
      return block;
    }
  if (n_mapped == MAX_BLOCKS)
    munmap(block->map, block->map_size);
  else
    swap(block, &blocks[n_mapped++]);
  block->map_size = map_size;
  block->map = mmap(NULL, map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block->map == MAP_FAILED || mprotect(block->map + map_size - page_size(), page_size(), PROT_NONE))
    abort();
  return block;
}

static void give_back(struct block *block) {
  struct block *last = &blocks[--n_blocks];
  swap(block, last);
  if (last->map_size <= MOST_KEPT)
    return;
  munmap(last->map, last->map_size);
  *last = blocks[--n_mapped];
}

void *__wrap_malloc(size_t size) {
  if (!is_on)
    return __real_malloc(size);
  if (size > MOST)
    abort();
  const size_t page = page_size(), room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  struct block *block = take((room + page - 1) / page * page + page);
  block->size = size;
  block->start = block->map + block->map_size - page - room;
  memset(block->start, FILL, room); /* nobody may count on zeros */
  return block->start;
}

void *__wrap_calloc(size_t n, size_t size) {
  size_t bytes;
  if (!is_on)
    return __real_calloc(n, size);
  if (__builtin_mul_overflow(n, size, &bytes))
    return NULL;
  void *start = __wrap_malloc(bytes);
  memset(start, 0, bytes);
  return start;
}

void __wrap_free(void *start) {
  struct block *block = start ? find(start) : NULL;
  if (!block) {
    __real_free(start);
    return;
  }
  const unsigned char *end = block->map + block->map_size - page_size();
  for (const unsigned char *byte = block->start + block->size; byte < end; byte++)
    if (*byte != FILL)
      abort();
  give_back(block);
}

void *__wrap_realloc(void *old, size_t size) {
  const struct block *block = old ? find(old) : NULL;
  if (old && !block)
    return __real_realloc(old, size);
  void *start = __wrap_malloc(size);
  block = old ? find(old) : NULL;
  if (block && start)
    memcpy(start, old, block->size < size ? block->size : size);
  __wrap_free(old);
  return start;
}

void fence_begin(void) {
  is_on = true;
  /* Is the fence up at all? Without the linker's help it would never see anything. */
  char *probe = malloc(ALIGNMENT);
  if (!find(probe) || (uintptr_t)(probe + ALIGNMENT) % page_size() != 0)
    abort();
  free(probe);
}

void fence_end(void) {
  is_on = false;
  if (n_blocks != 0)
    abort();
}

/* Nothing that a fuzzer writes must survive a power cut, and the disk is slow. */
int __wrap_fsync(int file) { return is_on ? 0 : __real_fsync(file); }
