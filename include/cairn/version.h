/* The version of cairn: these three numbers are the only place where it is written down. */
#ifndef CAIRN_VERSION_H
#define CAIRN_VERSION_H

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0

/* For the preprocessor: #if CAIRN_VERSION_AT_LEAST(0, 2, 0) */
#define CAIRN_VERSION_NUMBER (CAIRN_VERSION_MAJOR * 1000000 + CAIRN_VERSION_MINOR * 1000 + CAIRN_VERSION_PATCH)
#define CAIRN_VERSION_AT_LEAST(major, minor, patch) (CAIRN_VERSION_NUMBER >= (major)*1000000 + (minor)*1000 + (patch))

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that is linked, "MAJOR.MINOR.PATCH"; compare with the macros to find a mismatched header. */
const char *cairn_version_string(void);

/* The commit the library was built from, "unknown" outside a git checkout; "+" at the end marks local changes. */
const char *cairn_version_commit(void);

#ifdef __cplusplus
}
#endif
#endif
