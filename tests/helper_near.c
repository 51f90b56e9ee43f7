/* How evenly slabs of space share an aggregate when one body is far away (solvers/start/near.h). Started by a launcher;
 * rank 0 prints the most bodies that a rank gets.
 * usage: helper_near BODIES DISTANCE: so many bodies in a row of 1 m on each rank, and one at that distance, m. */
#include <stdio.h>
#include <stdlib.h>

#include "solvers/start/near.h"
#include "tasks/ranks/ranks.h"

int main(int argc, char **argv) {
  struct cairn_error error;
  if (argc != 3 || cairn_ranks_start(&error))
    return 2;
  const int64_t n = atoll(argv[1]);
  struct cairn_bodies_sphere *sphere = calloc((size_t)n + 1, sizeof *sphere);
  if (!sphere)
    return 2;
  for (int64_t i = 0; i < n; i++)
    sphere[i].position[0] = (double)i / (double)n;
  sphere[n].position[0] = strtod(argv[2], NULL);
  struct cairn_near near = cairn_near_gather_spheres(sphere, n + (cairn_ranks_me() == 0), 0.);
  const double most = cairn_ranks_max((double)near.n_own);
  if (cairn_ranks_me() == 0)
    printf("%g\n", most);
  free(near.sphere);
  free(sphere);
  cairn_ranks_stop();
  return 0;
}
