#include "solvers/simulation/bonds.h"

#include <math.h>
#include <stdlib.h>

#include "solvers/simulation/simulation_parts.h"
#include "solvers/start/bonding.h"
#include "tasks/ranks/ranks.h"

/* Numbers that no bond of this scenario has. */
static bool is_sound(const struct cairn_contacts *list, int64_t k, int32_t n_laws) {
  const double length = *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_length);
  const double stiffness = *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_stiffness);
  const double strain = *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_strain);
  const double law = *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_law);
  const bool has_law = law >= 0. && law < (double)n_laws && law == floor(law);
  return has_law && (length > 0. ? stiffness > 0. && strain > 0. : true);
}

/* m, that a bond of the state spans. A body glued to a wall: at most what its length and strain allow. */
static double gap_of(const struct cairn_state *state, int64_t first, const struct cairn_bonds_others *others,
                     const struct cairn_contacts *list, int64_t k) {
  const struct cairn_contact *contact = cairn_contact_at(list, k);
  const struct cairn_bonds_body a = cairn_bonds_body_of(state, first, others, contact->a);
  if (list == &state->wall_contacts)
    return *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_length) *
               (1. + *cairn_contact_recall(list, k, CAIRN_CONTACT_bond_strain)) -
           a.radius;
  const struct cairn_bonds_body b = cairn_bonds_body_of(state, first, others, contact->b);
  return cairn_bonds_gap(&a, &b);
}

int cairn_sim_bonds_begin(struct cairn_simulation *sim, const struct cairn_state_stretch *stretch,
                          struct cairn_error *error) {
  const struct cairn_state *state = &sim->state;
  const struct cairn_contacts *lists[2] = {&state->contacts, &state->wall_contacts};
  const int64_t first = stretch ? stretch->first : 0;
  const bool asks = stretch && sim->scenario->n_bonds > 0;
  const struct cairn_bonds_others others = asks ? cairn_bonding_partners(state, first) : (struct cairn_bonds_others){0};
  int status = 0;
  sim->bonds = (struct cairn_sim_bonds){.n_broken = state->n_broken, .noted = state->step};
  for (int l = 0; l < 2; l++)
    for (int64_t k = 0; k < lists[l]->n && lists[l]->memory & CAIRN_CONTACT_REMEMBERS(bond_length) && !status; k++) {
      const struct cairn_contact *contact = cairn_contact_at(lists[l], k);
      if (!is_sound(lists[l], k, sim->scenario->n_bonds))
        status = cairn_error_set(error, CAIRN_ERR_INPUT,
                                 "the bond of body %d and %s %d has impossible numbers, or a law that the scenario "
                                 "does not have",
                                 contact->a, l ? "wall" : "body", contact->b);
      else if (*cairn_contact_recall(lists[l], k, CAIRN_CONTACT_bond_length) > 0.)
        sim->bonds.gap = fmax(sim->bonds.gap, gap_of(state, first, &others, lists[l], k));
    }
  sim->bonds.kept_gap = sim->bonds.gap;
  free(others.body);
  return status;
}

/* Room for n more. */
static int reserve(struct cairn_sim_bonds *bonds, int64_t n) {
  if (bonds->n + n <= bonds->capacity)
    return 0;
  const int64_t capacity = 2 * bonds->capacity + n;
  void *grown = realloc(bonds->list, (size_t)capacity * sizeof *bonds->list);
  if (!grown)
    return -1;
  bonds->list = grown;
  bonds->capacity = capacity;
  return 0;
}

/* Those of one cell since `before`, behind the n that are there; the history must be acquired. */
static void take(const struct cairn_simulation *sim, const struct cairn_cell *cell, int64_t before,
                 struct cairn_break *broken, int64_t *n) {
  const char *history = cell->history;
  const struct cairn_bond_breaks *breaks = (const void *)(history + cairn_history_offsets(cell->size).breaks);
  const struct cairn_bond_break *list = (const void *)(breaks + 1);
  for (int64_t k = 0; k < (int64_t)breaks->n; k++) {
    if ((int64_t)list[k].step <= before)
      continue;
    broken[(*n)++] = (struct cairn_break){
        .step = list[k].step,
        .time = list[k].step * sim->step_size,
        .a = cairn_cells_body(cell, (int32_t)list[k].a),
        .b = list[k].b < 0. ? (int32_t)list[k].b : cairn_cells_body(cell, (int32_t)list[k].b),
        .cause = (int32_t)list[k].cause,
        .place = {list[k].place[0], list[k].place[1], list[k].place[2]},
        .strain = list[k].strain,
    };
  }
}

/* Steps that were repeated have their breaks in the list already. */
static int add(struct cairn_sim_bonds *bonds, const struct cairn_break *broken, int64_t n) {
  if (reserve(bonds, n))
    return -1;
  for (int64_t k = 0; k < n; k++)
    if (broken[k].step > (double)bonds->noted)
      bonds->list[bonds->n++] = broken[k];
  bonds->n_broken += n;
  return 0;
}

/* All that broke since `before`, those of other ranks too. */
static int collect(struct cairn_simulation *sim, int64_t before, int32_t n_reported) {
  struct cairn_break *mine = calloc((size_t)n_reported + 1, sizeof *mine); /* more than this rank has */
  int64_t n = 0;
  int failed = !mine;
  for (cairn_cell_t c = 0; c < sim->cells.n_cells && mine; c++) {
    struct cairn_cell *cell = sim->cells.cell + c;
    if (cell->size.n_bonds == 0)
      continue;
    starpu_data_acquire(cell->handles->history, STARPU_R);
    take(sim, cell, before, mine, &n);
    starpu_data_release(cell->handles->history);
  }
  if (cairn_ranks_n() > 1) {
    struct cairn_ranks_mail *mail = cairn_ranks_gather(mine, n * (int64_t)sizeof *mine);
    for (int q = 0; q < cairn_ranks_n() && !failed; q++)
      failed = add(&sim->bonds, mail[q].data, mail[q].bytes / (int64_t)sizeof *mine);
    cairn_ranks_mail_free(mail);
  } else if (!failed) {
    failed = add(&sim->bonds, mine, n);
  }
  free(mine);
  return failed;
}

int cairn_sim_bonds_note(struct cairn_simulation *sim, const struct cairn_report *report, struct cairn_error *error) {
  sim->bonds.gap = report->bond_gap;
  const int failed = report->breaks > 0 && collect(sim, sim->step - report->steps, report->breaks);
  sim->bonds.noted = sim->step > sim->bonds.noted ? sim->step : sim->bonds.noted;
  return failed ? cairn_error_set(error, CAIRN_ERR_NUMERIC, "out of memory for the bonds that broke") : 0;
}

void cairn_sim_bonds_fini(struct cairn_sim_bonds *bonds) {
  free(bonds->list);
  *bonds = (struct cairn_sim_bonds){0};
}

/* Cells may differ from run to run: the order of a file may not. */
static int compare(const void *p, const void *q) {
  const struct cairn_break *x = p, *y = q;
  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  return (x->b > y->b) - (x->b < y->b);
}

const struct cairn_break *cairn_sim_bonds_take(struct cairn_simulation *sim, int64_t *n) {
  struct cairn_sim_bonds *bonds = &sim->bonds;
  *n = bonds->n;
  bonds->n = 0;
  if (*n > 0)
    qsort(bonds->list, (size_t)*n, sizeof *bonds->list, compare);
  return bonds->list;
}
