#include "data/files/break_log.h"

#include "kernels/soft/bond.h"

#define AT(member) offsetof(struct cairn_break, member)

static const struct cairn_step_column columns[] = {
    {"step", "1", "steps done", 0, 1, AT(step)},
    {"time", "s", "simulated time", 0, 1, AT(time)},
    {"body_a", "1", "body of lower id", 1, 1, AT(a)},
    {"body_b", "1", "body of higher id; -1 - w for the wall w", 1, 1, AT(b)},
    {"cause", "1", "1 strain, 2 shear, 3 bending, 4 torsion, 5 removal of a body", 1, 1, AT(cause)},
    {"place", "m", "point of contact", 0, 3, AT(place)},
    {"strain", "1", "strain of the bond", 0, 1, AT(strain)},
};

const struct cairn_step_kind cairn_break_log_kind = {
    .name = "breaks",
    .dimension = "break",
    .summary = "Bonds of a simulation of granular matter that broke: when, where, between which bodies and why.",
    .column = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .row_size = sizeof(struct cairn_break),
};

const char *cairn_break_log_cause(int cause) {
  static const char *const names[CAIRN_BOND_N_CAUSES] = {"?", "strain", "shear", "bending", "torsion", "removal"};
  return cause > 0 && cause < CAIRN_BOND_N_CAUSES ? names[cause] : "?";
}
