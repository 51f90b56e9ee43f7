/* The table itself, apart from the code that walks it. */
#ifndef CAIRN_DATA_SCHEMA_TABLE_H
#define CAIRN_DATA_SCHEMA_TABLE_H

#include "data/schema.h"

/* The keys at the top level of a scenario; ends with a name NULL. */
extern const struct cairn_schema_key cairn_schema_table_keys[];

#endif
