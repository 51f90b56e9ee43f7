#include "cairn/version.h"

#include "build_info.h"

const char *cairn_version_string(void) { return CAIRN_VERSION; }

const char *cairn_version_commit(void) { return CAIRN_GIT_HASH; }
