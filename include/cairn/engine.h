/* The task engine under every simulation: StarPU, started once per process. */
#ifndef CAIRN_ENGINE_H
#define CAIRN_ENGINE_H

#include "cairn/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_engine_options;

/* Start StarPU before the first simulation is created; NULL takes every default. Its environment variables stay in
 * force, its signal handlers are not installed. */
int cairn_engine_start(const struct cairn_engine_options *options, struct cairn_error *error);

/* End it after the last simulation was freed. */
void cairn_engine_stop(void);

#ifdef __cplusplus
}
#endif
#endif
