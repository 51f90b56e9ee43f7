/* The impulses of all cells in one task, from the warm start to the last residual: sweeps of small systems are too
 * short for tasks of their own. Workers without other work assist, colour by colour; the result is that of a task for
 * each sweep of each cell. */
#include <math.h>
#include <stdlib.h>

#include "kernels/contact_dynamics/cd_control.h"
#include "tasks/cd_part.h"
#include "tasks/engine/team.h"

struct cairn_solve_args {
  const struct cairn_cells *cells;
  struct cairn_cd_step step;
  struct cairn_cd_outcome *outcome; /* safe to read when the reports of the cells are */
};

enum { VELOCITIES, GROUPS, MEASURE, BUFFERS }; /* of each cell */

/* What the workers share. */
struct solving {
  struct cairn_cd_part *part; /* [n], colour by colour */
  struct cairn_cd_measure **measure;
  struct cairn_team *team;
  int32_t n, first; /* first: of the present colour */
  struct cairn_task_momentum momentum;
};

static void warm_start(void *arg, int32_t i) {
  const struct solving *s = arg;
  cairn_cd_part_warm_start(s->part + s->first + i);
}

static void sweep(void *arg, int32_t i) {
  const struct solving *s = arg;
  cairn_cd_part_sweep(s->part + s->first + i, s->momentum);
}

static void extrapolate(void *arg, int32_t i) {
  const struct solving *s = arg;
  cairn_kernel_cd_extrapolate(s->part[i].cell->size, s->part[i].velocities, s->momentum.beta);
}

static void residual(void *arg, int32_t i) {
  const struct solving *s = arg;
  s->measure[i]->residual = cairn_cd_part_residual(s->part + i);
}

static void by_color(struct solving *s, void (*work)(void *, int32_t)) {
  for (int32_t end = 0; end < s->n;) {
    s->first = end;
    for (; end < s->n && s->part[end].cell->color == s->part[s->first].cell->color; end++)
      continue;
    cairn_team_run(s->team, end - s->first, work, s);
  }
}

/* Sweeps up to the next residual; as in solvers/contact_dynamics.c. */
static void sweeps(struct solving *s, int64_t n, struct cairn_cd_control *control) {
  double next = cairn_cd_control_momentum(control);
  s->momentum.beta = next;
  cairn_team_run(s->team, s->n, extrapolate, s);
  for (int64_t k = 0; k < n; k++) {
    s->momentum.beta = next;
    next = s->momentum.next = k + 1 < n ? cairn_cd_control_momentum(control) : -1.;
    by_color(s, sweep);
  }
  cairn_team_run(s->team, s->n, residual, s);
}

/* Sums in the order of the cells. */
static struct cairn_cd_measure sum_up(const struct cairn_cells *cells, const struct solving *s) {
  struct cairn_cd_measure sum = {0., 0., 0.};
  for (cairn_cell_t c = 0; c < cells->n_cells; c++)
    for (int32_t i = 0; i < s->n; i++)
      if (s->part[i].cell == cells->cell + c) {
        sum.scale += s->measure[i]->scale;
        sum.residual += s->measure[i]->residual;
        sum.contacts += s->measure[i]->contacts;
      }
  return sum;
}

static void solve(struct solving *s, const struct cairn_solve_args *args) {
  struct cairn_cd_outcome *outcome = args->outcome;
  struct cairn_cd_control control = cairn_cd_control_start(args->step.solver, &outcome->tuning);
  outcome->sweeps = 0;
  by_color(s, warm_start);
  do {
    const int64_t n = cairn_cd_control_sweeps(outcome->sweeps, args->step.most_sweeps);
    sweeps(s, n, &control);
    outcome->sweeps += n;
    const struct cairn_cd_measure all = sum_up(args->cells, s);
    outcome->contacts = all.contacts;
    outcome->residual = all.residual == 0. ? 0. : sqrt(all.residual / all.scale);
    cairn_cd_control_residual(&control, outcome->residual);
  } while (outcome->residual > args->step.tolerance && outcome->sweeps < args->step.most_sweeps);
  cairn_cd_outcome_end(outcome, &args->step, &control);
}

static int32_t groups_of(const struct cairn_cd_part *part) {
  return *cairn_kernel_cd_bind(part->cell->size, part->velocities, part->groups).n_groups;
}

/* Within a colour the cell with most contacts comes first: workers who share them end at about the same time. */
static void sort_parts(struct solving *s) {
  for (int32_t i = 1; i < s->n; i++) {
    const struct cairn_cd_part part = s->part[i];
    struct cairn_cd_measure *measure = s->measure[i];
    const int32_t groups = groups_of(&part);
    int32_t at = i;
    for (; at > 0 && s->part[at - 1].cell->color == part.cell->color && groups_of(s->part + at - 1) < groups; at--) {
      s->part[at] = s->part[at - 1];
      s->measure[at] = s->measure[at - 1];
    }
    s->part[at] = part;
    s->measure[at] = measure;
  }
}

static void solve_cpu(void *buffers[], void *arg) {
  const struct cairn_solve_args *args = arg;
  const struct cairn_cells *cells = args->cells;
  struct solving s = {.part = malloc((size_t)cells->n_cells * sizeof *s.part),
                      .measure = malloc((size_t)cells->n_cells * sizeof(struct cairn_cd_measure *))};
  for (int32_t color = 0; s.part && s.measure && s.n < cells->n_cells; color++)
    for (cairn_cell_t c = 0; c < cells->n_cells; c++)
      if (cells->cell[c].color == color) {
        struct cairn_cd_part *part = s.part + s.n;
        *part = cairn_cd_part_of(cells, c);
        part->velocities = (double *)STARPU_VECTOR_GET_PTR(buffers[BUFFERS * c + VELOCITIES]);
        part->groups = (void *)STARPU_VECTOR_GET_PTR(buffers[BUFFERS * c + GROUPS]);
        for (int32_t k = 0; k < part->n_near; k++)
          part->neighbor[k] = (double *)STARPU_VECTOR_GET_PTR(buffers[BUFFERS * part->cell->neighbor[k] + VELOCITIES]);
        s.measure[s.n++] = (struct cairn_cd_measure *)STARPU_VARIABLE_GET_PTR(buffers[BUFFERS * c + MEASURE]);
      }
  sort_parts(&s);
  s.team = s.n > 1 ? cairn_team_call() : NULL;
  if (s.n > 0)
    solve(&s, args);
  else
    args->outcome->unsolved++; /* no memory: bodies move without contacts, and the driver says so */
  cairn_team_dismiss(s.team);
  free(s.part);
  free(s.measure);
}

static uint32_t footprint(struct starpu_task *task) {
  const struct cairn_solve_args *args = task->cl_arg;
  return cairn_task_size_class((double)args->cells->n);
}

static struct starpu_perfmodel solve_model = {
    .type = STARPU_HISTORY_BASED, .symbol = "cairn_cd_solve", .footprint = footprint};

static struct starpu_codelet cairn_cl_cd_solve = {.cpu_funcs = {solve_cpu},
                                                  .cpu_funcs_name = {"solve_cpu"},
                                                  .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                  .model = &solve_model,
                                                  .name = "cd_solve"};

int cairn_task_cd_solve_submit(struct cairn_cells *cells, const struct cairn_task_world *world) {
  const struct cairn_solve_args args = {cells, world->cd.step, world->cd.outcome};
  struct starpu_task *task =
      cairn_task_create_variable(&cairn_cl_cd_solve, &args, sizeof args, BUFFERS * cells->n_cells);
  if (!task)
    return -1;
  for (cairn_cell_t c = 0; c < cells->n_cells; c++) {
    const struct cairn_cell_handles *handles = cells->cell[c].handles;
    cairn_task_name_buffer(task, BUFFERS * c + VELOCITIES, handles->velocities, STARPU_RW);
    cairn_task_name_buffer(task, BUFFERS * c + GROUPS, handles->groups, STARPU_RW);
    cairn_task_name_buffer(task, BUFFERS * c + MEASURE, handles->measure, STARPU_RW);
  }
  return starpu_task_submit(task);
}
