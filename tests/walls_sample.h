/* Scenarios with walls for tests: the text around them, and files that meshes and paths are read from. */
#ifndef CAIRN_TESTS_WALLS_SAMPLE_H
#define CAIRN_TESTS_WALLS_SAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/scenario/scenario.h"
#include "tap/tap.h"

static struct cairn_error error;

static const char head[] = "time: {end: 3}\n"
                           "materials: [{name: rock, density: 2500}, {name: wood, density: 500}]\n"
                           "interactions: [{between: [rock, rock]}, {between: [rock, wood]}]\n";
static const char far_body[] = "bodies: [{single: {position: [0, 0, 90], radius: 0.5, material: rock}}]\n";

static inline void write_file(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    BAIL_OUT("cannot write %s", name);
}

static inline struct cairn_scenario *parse(const char *bodies, const char *walls, const char *set) {
  static char text[1 << 19];
  struct cairn_scenario *scenario = NULL;
  error.message[0] = '\0';
  snprintf(text, sizeof text, "%s%s%s", head, bodies, walls);
  int status = cairn_scenario_parse(text, strlen(text), "s.yaml", set != NULL, &set, 0, &scenario, &error);
  if ((status == CAIRN_OK) != (scenario != NULL))
    BAIL_OUT("status and result disagree");
  return scenario;
}

static inline struct cairn_scenario *need(const char *walls, const char *set) {
  struct cairn_scenario *scenario = parse(far_body, walls, set);
  if (!scenario)
    BAIL_OUT("%s", error.message);
  return scenario;
}

static inline int near(const double *found, const double *wanted, int n) {
  for (int k = 0; k < n; k++)
    if (!(fabs(found[k] - wanted[k]) <= 1e-15 * (1 + fabs(wanted[k])))) { /* a few roundings of a unit vector */
      diag("number %d: found %.17g, wanted %.17g", k, found[k], wanted[k]);
      return 0;
    }
  return 1;
}

/* A folder of the test's own, with t.stl and u.stl, a triangle each. */
static inline void walls_enter(char *folder) {
  if (!mkdtemp(folder) || chdir(folder) != 0)
    BAIL_OUT("no temporary folder");
  write_file("t.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                      "endfacet\nendsolid\n");
  write_file("u.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\nvertex 0 1 0\nendloop\n"
                      "endfacet\nendsolid\n");
}

static inline void walls_leave(const char *folder) {
  remove("t.stl");
  remove("u.stl");
  if (chdir("..") != 0 || rmdir(folder) != 0)
    diag("the temporary folder %s stays", folder);
}

#endif
