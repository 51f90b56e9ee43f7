/* Every key that is told to be without use is one that scenarios may have. */
#include "data/scenario/unused_keys.h"

#include <string.h>

#include "data/schema/schema.h"
#include "tap/tap.h"

static bool found[64];

static void visit(void *context, const struct cairn_schema_row *row) {
  (void)context;
  for (int k = 0; k < cairn_unused_keys_n; k++)
    found[k] |= strcmp(row->path, cairn_unused_keys[k].path) == 0;
}

int main(void) {
  plan(NO_PLAN);
  cmp_ok(cairn_unused_keys_n, "<=", 64, "room for all");
  cairn_schema_walk(visit, NULL);
  for (int k = 0; k < cairn_unused_keys_n; k++)
    ok(found[k], "%s is in the schema", cairn_unused_keys[k].path);
  done_testing();
}
