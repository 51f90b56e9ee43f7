/* An allocator that sees every access past the end of a block at the moment it happens, also from libraries that no
 * sanitizer has instrumented: each block ends at a page that must not be touched. Programs linked with fence.c and
 * FENCE_OPTIONS (tests/CMakeLists.txt) use it between fence_begin and fence_end for all blocks that cairn asks for. One
 * thread only. */
#ifndef CAIRN_TESTS_FENCE_H
#define CAIRN_TESTS_FENCE_H

/* From here on blocks are fenced. A request for more than 256 MB aborts: no file that a fuzzer makes deserves that. */
void fence_begin(void);

/* No more. Aborts if a block that was fenced has not been freed, or if the few bytes between the end of a block and its
 * page were written to. */
void fence_end(void);

#endif
