/* Requests from outside to stop: Ctrl-C, a batch system's warning, a closed terminal. */
#ifndef CAIRN_CLI_SIGNALS_H
#define CAIRN_CLI_SIGNALS_H

#include <signal.h>

/* From now on SIGINT, SIGTERM, SIGUSR1 and SIGHUP (unless it is ignored, as under nohup) only raise the flag below. A
 * second SIGINT ends the process at once with exit code 130. */
void cairn_signals_install(void);

/* Zero, or the number of the first signal that came. */
const volatile sig_atomic_t *cairn_signals_flag(void);

#endif
