/* Walls of a scenario: every key arrives as the number the kernels read, every mistake is named, and a changed wall
 * changes the digest. */
#include "data/scenario/walls.h"
#include "walls_sample.h"

/* Every shape as a wall of its own, its position, and the shape as kernels/shapes/shapes.h wants it. */
static const struct {
  const char *text;
  double position[3], shape[CAIRN_SHAPE_DOUBLES], axis[3];
} shapes[] = {
    {"plane: {point: [1, 2, 3], normal: [0, 0, 4]", {1, 2, 3}, {CAIRN_SHAPE_PLANE, 0, 0, 0, 0, 0, 1}, {0, 0, 1}},
    {"disk: {center: [1, 2, 3], normal: [0, 3, 4], radius: 2, hole: 0.5",
     {1, 2, 3},
     {CAIRN_SHAPE_DISK, 0, 0, 0, 0, 0.6, 0.8, 2, 0.5},
     {0, 0.6, 0.8}},
    {"disk: {normal: [1e300, 0, 0], radius: 2", {0, 0, 0}, {CAIRN_SHAPE_DISK, 0, 0, 0, 1, 0, 0, 2}, {1, 0, 0}},
    {"rectangle: {corner: [1, 0, 0], edge1: [0, 2, 0], edge2: [0, 0, 3]",
     {1, 0, 0},
     {CAIRN_SHAPE_RECTANGLE, 0, 0, 0, 0, 2, 0, 0, 0, 3},
     {1, 0, 0}},
    {"triangle: {corner: [0, 1, 0], edge1: [1, 0, 0], edge2: [-1, 2, 0]",
     {0, 1, 0},
     {CAIRN_SHAPE_TRIANGLE, 0, 0, 0, 1, 0, 0, -1, 2, 0},
     {0, 0, 1}},
    {"cylinder: {center: [5, 0, 0], axis: [0, -2, 0], radius: 3",
     {5, 0, 0},
     {CAIRN_SHAPE_CYLINDER, 0, 0, 0, 0, -1, 0, 3},
     {0, -1, 0}},
    {"cylinder: {axis: [0, 0, 2], radius: 3, length: 7",
     {0, 0, 0},
     {CAIRN_SHAPE_CONE, 0, 0, 0, 0, 0, 1, 3, 7, 3},
     {0, 0, 1}},
    {"cylinder: {axis: [0, 0, 2], radius: 4, length: 7, taper: 0.75",
     {0, 0, 0},
     {CAIRN_SHAPE_CONE, 0, 0, 0, 0, 0, 1, 4, 7, 1},
     {0, 0, 1}},
    {"sphere: {center: [0, 0, 7], radius: 2", {0, 0, 7}, {CAIRN_SHAPE_SPHERE, 0, 0, 0, 0, 0, 0, 2}, {0, 0, 1}},
    {"ring: {center: [0, 0, 7], normal: [1, 0, 0], radius: 2",
     {0, 0, 7},
     {CAIRN_SHAPE_RING, 0, 0, 0, 1, 0, 0, 2},
     {1, 0, 0}},
    {"line: {center: [0, 0, 7], axis: [1, 0, 0], length: 2",
     {0, 0, 7},
     {CAIRN_SHAPE_LINE, 0, 0, 0, 1, 0, 0, 0, 2},
     {1, 0, 0}},
    {"line: {axis: [1, 0, 0]", {0, 0, 0}, {CAIRN_SHAPE_LINE, 0, 0, 0, 1, 0, 0, 0, -1}, {1, 0, 0}},
    {"point: {position: [3, 2, 1]", {3, 2, 1}, {CAIRN_SHAPE_POINT}, {0, 0, 1}},
    {"mesh: {file: t.stl, scale: 2, shift: [0, 0, 4]", {0, 0, 4}, {CAIRN_SHAPE_MESH}, {0, 0, 1}},
};

static void test_shapes(void) {
  char text[512];
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    snprintf(text, sizeof text, "walls: [{%s, material: wood, motion: {spin: 2}}}]\n", shapes[i].text);
    struct cairn_scenario *s = need(text, NULL);
    const struct cairn_assembly *assembly = s->assemblies;
    ok(s->n_walls == 1 && s->n_assemblies == 1 && s->walls->assembly == 0 && s->walls->material == 1, "%s",
       shapes[i].text);
    ok(near(s->walls->shape, shapes[i].shape, CAIRN_SHAPE_DOUBLES), "its shape, relative to where it is");
    ok(near(s->walls->reference, shapes[i].position, 3) && near(assembly->position, shapes[i].position, 3) &&
           near(assembly->rules.start, shapes[i].position, 3),
       "where it is");
    ok(assembly->rules.kind == CAIRN_ASSEMBLY_DRIVEN && assembly->rules.motion.spin == 2 &&
           near(assembly->rules.motion.axis, shapes[i].axis, 3) &&
           near(assembly->rules.motion.pivot, (double[]){0, 0, 0}, 3),
       "turns about its own axis");
    ok((s->walls->mesh != NULL) == (shapes[i].shape[0] == CAIRN_SHAPE_MESH), "a mesh only if it is one");
    cairn_scenario_free(s);
    /* The same wall in an assembly elsewhere: only its origin is told from there. */
    snprintf(text, sizeof text, "assemblies: [{center: [1, 1, 1], walls: [{%s, material: wood}}]}]\n", shapes[i].text);
    s = need(text, NULL);
    double moved[CAIRN_SHAPE_DOUBLES];
    memcpy(moved, shapes[i].shape, sizeof moved);
    for (int k = 0; k < 3 && moved[0] != CAIRN_SHAPE_MESH; k++)
      moved[1 + k] = shapes[i].position[k] - 1;
    ok(near(s->walls->shape, moved, CAIRN_SHAPE_DOUBLES) && near(s->walls->reference, shapes[i].position, 3) &&
           near(s->assemblies->position, (double[]){1, 1, 1}, 3),
       "in an assembly the shape is told from its centre");
    if (s->walls->mesh)
      ok(near(s->walls->mesh->lower, (double[]){-1, -1, 3}, 3) && near(s->walls->mesh->upper, (double[]){1, 1, 3}, 3),
         "so is a mesh, scaled and shifted");
    cairn_scenario_free(s);
  }
}

static void test_order(void) {
  struct cairn_scenario *s =
      need("walls:\n"
           "  - plane: {normal: [0, 0, 1], material: rock, behavior: sticky}\n"
           "  - point: {name: tip, position: [1, 0, 0], material: rock, behavior: absorbing, appears: 1, vanishes: 2}\n"
           "assemblies:\n"
           "  - {center: [0, 0, 0], walls: [{point: {position: [0, 1, 0], material: rock, behavior: frictionless}},\n"
           "                                {point: {position: [0, 2, 0], material: rock}}]}\n"
           "  - {name: last, center: [0, 0, 3], appears: 0.5, walls: [{sphere: {radius: 1, material: rock}}]}\n",
           NULL);
  ok(s->n_walls == 5 && s->n_assemblies == 4, "walls of both lists");
  static const char *const names[] = {"wall 0", "tip", "wall 2", "wall 3", "wall 4"};
  static const char *const assemblies[] = {"wall 0", "tip", "assembly 0", "last"};
  static const int32_t of[] = {0, 1, 2, 2, 3}, behavior[] = {2, 3, 1, 0, 0};
  for (int w = 0; w < 5; w++) {
    is(s->walls[w].name, names[w], "name of wall %d", w);
    ok(s->walls[w].assembly == of[w] && (int32_t)s->walls[w].behavior == behavior[w], "its assembly and behavior");
  }
  for (int a = 0; a < 4; a++) {
    is(s->assemblies[a].name, assemblies[a], "name of assembly %d", a);
    ok(s->assemblies[a].rules.kind == CAIRN_ASSEMBLY_FIXED && s->assemblies[a].symmetric, "at rest");
  }
  ok(s->assemblies[0].rules.appears == 0 && isinf(s->assemblies[0].rules.vanishes), "there for ever");
  ok(s->assemblies[1].rules.appears == 1 && s->assemblies[1].rules.vanishes == 2, "there for a while");
  ok(s->assemblies[3].rules.appears == 0.5, "an assembly appears");
  cairn_scenario_free(s);
}

static void test_motion(void) {
  struct cairn_scenario *s = need(
      "walls:\n"
      "  - disk:\n"
      "      center: [1, 2, 3]\n"
      "      normal: [0, 0, 1]\n"
      "      radius: 1\n"
      "      material: rock\n"
      "      motion: {from: 1, until: 2, velocity: [1, 2, 3], spin: 5, axis: [0, 2, 0], pivot: [1, 1, 1],\n"
      "               oscillation: {amplitude: [4, 5, 6], frequency: 0.5, phase: 0.25},\n"
      "               knocks: {velocity: [7, 8, 9], duration: 0.125, period: 0.5, ramp: 3}, table: {file: path.txt}}\n"
      "  - point: {position: [0, 0, 0], material: rock, motion: {}}\n",
      NULL);
  const struct cairn_motion *m = &s->assemblies[0].rules.motion;
  ok(m->from == 1 && m->until == 2 && m->spin == 5, "times and spin");
  ok(near(m->velocity, (double[]){1, 2, 3}, 3), "velocity");
  ok(near(m->axis, (double[]){0, 1, 0}, 3) && near(m->pivot, (double[]){0, -1, -2}, 3), "axis, pivot from the wall");
  ok(near(m->amplitude, (double[]){4, 5, 6}, 3) && m->phase == 0.25, "oscillation");
  tap_near(m->frequency, 3.14159265358979323846, 0, 1e-15, "half a turn per second in rad/s");
  ok(near(m->knock_velocity, (double[]){7, 8, 9}, 3) && m->knock_duration == 0.125 && m->knock_period == 0.5 &&
         m->knock_ramp == 3,
     "knocks");
  ok(m->n_points == 3 && near(m->time, (double[]){0, 1, 1.5}, 3), "times of the table");
  ok(near(m->displacement, (double[]){0, 0, 0, 1, 2, 3, -4, 5, 6e-3}, 9), "its displacements");
  ok(m->slope[3] == 0 && m->slope[4] > 0 && m->slope[5] == 0, "its slopes: flat where it turns back");
  m = &s->assemblies[1].rules.motion;
  ok(isinf(m->until) && m->n_points == 0 && m->knock_period == 0 && near(m->amplitude, (double[]){0, 0, 0}, 3),
     "a motion of nothing");
  cairn_scenario_free(s);
}

static void test_freedom(void) {
  static const char one[] = "assemblies:\n"
                            "  - center: [0, 0, 5]\n"
                            "    mass: 3\n"
                            "    inertia: [1, 2, 3]\n"
                            "    velocity: [0, 2, 0]\n"
                            "    spin: [0, 0, 7]\n"
                            "    free: [y, turn_z, turn_x]\n"
                            "    force: [1, 2, 3]\n"
                            "    walls: [{sphere: {center: [0, 0, 5], radius: 1, material: rock}}]\n";
  struct cairn_scenario *s = need(one, NULL);
  const struct cairn_assembly *a = s->assemblies;
  const struct cairn_assembly_rules *r = &a->rules;
  ok(r->kind == CAIRN_ASSEMBLY_FREE && r->mass == 3 && near(r->inertia, (double[]){1, 2, 3}, 3), "mass and inertia");
  ok(r->n_slides == 1 && near(r->slide[0], (double[]){0, 1, 0}, 3), "one direction");
  ok(r->n_turns == 2 && near(r->turn[0], (double[]){1, 0, 0, 0, 0, 1}, 6), "two turns");
  ok(near(a->velocity, (double[]){0, 2, 0}, 3) && near(a->spin, (double[]){0, 0, 7}, 3), "velocity and spin");
  ok(near(r->force, (double[]){1, 2, 3}, 3) && r->servo_force == 0, "force, no servo");
  ok(a->symmetric, "a sphere about its centre looks the same however it turns");
  cairn_scenario_free(s);
  s = need(one, "assemblies.0.walls.0.sphere.center=[0, 0, 5.5]");
  ok(!s->assemblies->symmetric, "not about another point");
  cairn_scenario_free(s);
  s = need(one, "assemblies.0.walls.0={disk: {center: [0, 0, 5], normal: [0, 0, 1], radius: 1, material: rock}}");
  ok(!s->assemblies->symmetric, "nor does a disk that can turn about two axes");
  cairn_scenario_free(s);
  s = need("assemblies:\n"
           "  - {center: [0, 0, 5], mass: 3, inertia: 2, velocity: [0, 6, 8], spin: [0, -3, -4], free: [turn, along],\n"
           "     axis: [0, 3, 4], servo: {force: 9, speed: 0.5},\n"
           "     walls: [{disk: {center: [0, 0, 5], normal: [0, 3, 4], radius: 1, material: rock}}]}\n",
           NULL);
  a = s->assemblies;
  r = &a->rules;
  ok(r->n_slides == 1 && r->n_turns == 1 && near(r->slide[0], (double[]){0, 0.6, 0.8}, 3) &&
         near(r->turn[0], (double[]){0, 0.6, 0.8}, 3),
     "along and turn refer to the axis");
  ok(near(r->inertia, (double[]){2, 2, 2}, 3), "one number is three moments");
  ok(r->servo_force == 9 && r->servo_speed == 0.5 && near(r->servo_axis, (double[]){0, 0.6, 0.8}, 3), "a servo");
  ok(near(a->velocity, (double[]){0, 6, 8}, 3) && near(a->spin, (double[]){0, -3, -4}, 3), "velocities along the axis");
  ok(a->symmetric, "a disk about its normal");
  cairn_scenario_free(s);
}

/* Which turnings leave a wall as it is. */
static const struct {
  const char *wall, *motion;
  bool symmetric;
} turnings[] = {
    {"plane: {normal: [0, 0, 1]", "{spin: 1}", true},
    {"plane: {normal: [0, 0, 1]", "{spin: 1, pivot: [5, 6, 7]}", true},
    {"plane: {normal: [0, 0, 1]", "{spin: 1, axis: [0, 1e-6, 1]}", false},
    {"plane: {normal: [0, 0, 1]", "{axis: [1, 0, 0]}", true}, /* it does not turn */
    {"disk: {radius: 1, center: [0.1, 0.2, 0.3], normal: [1, 2, 3]", "{spin: 1}", true},
    {"disk: {radius: 1, center: [0.1, 0.2, 0.3], normal: [1, 2, 3]", "{spin: 1, axis: [-1, -2, -3]}", true},
    {"disk: {radius: 1, center: [0.1, 0.2, 0.3], normal: [1, 2, 3]", "{spin: 1, pivot: [0.2, 0.4, 0.6]}", true},
    {"disk: {radius: 1, center: [0.1, 0.2, 0.3], normal: [1, 2, 3]", "{spin: 1, pivot: [0.2, 0.4, 0.7]}", false},
    {"cylinder: {radius: 1, axis: [0, 1, 0]", "{spin: 1}", true},
    {"cylinder: {radius: 1, axis: [0, 1, 0], length: 3, taper: 1", "{spin: 1}", true},
    {"cylinder: {radius: 1, axis: [0, 1, 0], length: 3", "{spin: 1, axis: [1, 0, 0]}", false},
    {"ring: {radius: 1, normal: [0, 1, 0]", "{spin: 1, pivot: [0, 9, 0]}", true},
    {"ring: {radius: 1, normal: [0, 1, 0]", "{spin: 1, pivot: [1, 0, 0]}", false},
    {"line: {axis: [0, 1, 0]", "{spin: 1}", true},
    {"line: {axis: [0, 1, 0]", "{spin: 1, pivot: [1, 0, 0]}", false},
    {"sphere: {radius: 1", "{spin: 1, axis: [1, 1, 0], pivot: [2, 2, 0]}", true},
    {"sphere: {radius: 1", "{spin: 1, axis: [1, 1, 0], pivot: [2, 0, 0]}", false},
    {"point: {position: [1, 0, 0]", "{spin: 1}", true},
    {"point: {position: [1, 0, 0]", "{spin: 1, pivot: [0, 0, 0]}", false},
    {"rectangle: {corner: [0, 0, 0], edge1: [1, 0, 0], edge2: [0, 1, 0]", "{spin: 1}", false},
    {"triangle: {corner: [0, 0, 0], edge1: [1, 0, 0], edge2: [0, 1, 0]", "{spin: 1}", false},
    {"mesh: {file: t.stl", "{spin: 1}", false},
    {"mesh: {file: t.stl", "{velocity: [1, 0, 0]}", true},
};

static void test_symmetry(void) {
  char text[1024];
  for (size_t i = 0; i < sizeof turnings / sizeof *turnings; i++) {
    snprintf(text, sizeof text, "walls: [{%s, material: rock, motion: %s}}]\n", turnings[i].wall, turnings[i].motion);
    struct cairn_scenario *s = need(text, NULL);
    ok(s->assemblies->symmetric == turnings[i].symmetric, "%s %s: %s", turnings[i].wall, turnings[i].motion,
       turnings[i].symmetric ? "the same" : "changed");
    cairn_scenario_free(s);
  }
  static const char drum[] =
      "assemblies:\n"
      "  - {center: [0, 0, 1], axis: [0, 1, 0], motion: {spin: 1},\n"
      "     walls: [{cylinder: {center: [0, 0, 1], axis: [0, 1, 0], radius: 1, length: 1, material: rock}},\n"
      "             {disk: {center: [0, 0.5, 1], normal: [0, 1, 0], radius: 1, material: rock}}]}\n";
  struct cairn_scenario *s = need(drum, NULL);
  ok(s->assemblies->symmetric, "a drum");
  cairn_scenario_free(s);
  s = need(drum, "assemblies.0.walls.2={point: {position: [0, 0, 0], material: rock}}");
  ok(!s->assemblies->symmetric, "with a lifter it is none");
  cairn_scenario_free(s);
  s = need(drum, "assemblies.0.motion.pivot=[0, 0, 2]");
  ok(!s->assemblies->symmetric, "nor off its axis");
  cairn_scenario_free(s);
}

/* One of everything, for mistakes and digests. */
static const char all[] =
    "walls:\n"
    "  - plane: {normal: [0, 0, 1], material: rock}\n"
    "  - disk: {normal: [0, 0, 1], radius: 1, hole: 0.5, material: rock}\n"
    "  - rectangle: {corner: [0, 0, 0], edge1: [1, 0, 0], edge2: [0, 1, 0], material: rock}\n"
    "  - triangle: {corner: [0, 0, 0], edge1: [1, 0, 0], edge2: [0, 1, 0], material: rock}\n"
    "  - cylinder: {axis: [0, 0, 1], radius: 1, length: 2, taper: 0.5, material: rock}\n"
    "  - sphere: {radius: 1, material: rock}\n"
    "  - ring: {normal: [0, 0, 1], radius: 1, material: rock}\n"
    "  - line: {axis: [0, 0, 1], length: 1, material: rock}\n"
    "  - point: {position: [0, 0, 0], material: rock}\n"
    "  - mesh: {file: t.stl, material: rock}\n"
    "  - plane:\n"
    "      normal: [0, 0, 1]\n"
    "      material: rock\n"
    "      motion:\n"
    "        until: 5\n"
    "        spin: 1\n"
    "        oscillation: {amplitude: [1, 0, 0], frequency: 1}\n"
    "        knocks: {velocity: [1, 0, 0], duration: 1, period: 2, ramp: 2}\n"
    "        table: {file: path.txt}\n"
    "assemblies:\n"
    "  - {center: [0, 0, 0], mass: 1, inertia: [1, 1, 1], free: [z, turn_z],\n"
    "     walls: [{sphere: {radius: 2, material: rock}}, {sphere: {radius: 3, material: rock}}]}\n"
    "  - {center: [0, 0, 0], motion: {}, walls: [{sphere: {radius: 4, material: rock}}]}\n"
    "  - {center: [0, 0, 0], mass: 1, free: [along], servo: {force: 1, speed: 1},\n"
    "     walls: [{sphere: {radius: 5, material: rock}}]}\n";

static const struct {
  const char *mistake, *pattern;
} mistakes[] = {
    {"walls.1.disk.normal=[0, 0, 0]", "normal=\\[0, 0, 0\\]: found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.4.cylinder.axis=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.6.ring.normal=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.7.line.axis=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.2.rectangle.edge1=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.3.triangle.edge2=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.10.plane.motion.axis=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"assemblies.0.axis=[0, 0, 0]", "found \\[0, 0, 0\\]; allowed: any other vector"},
    {"walls.2.rectangle.edge2=[2e-6, 1, 0]",
     "angle with edge1 whose cosine is 2e-06; allowed: a right angle, to 1e-06"},
    {"walls.3.triangle.edge2=[-2, 0, 0]", "found an edge along edge1; allowed: another direction"},
    {"walls.2.rectangle.edge2=[0, 1e61, 0]", "found a length or distance of 1e\\+61 m; allowed: at most 1e\\+60 m"},
    {"walls.1.disk.radius=-1", "found -1; allowed: number, > 0, in m"},
    {"walls.4.cylinder.radius=0", "found 0; allowed: number, > 0, in m"},
    {"walls.5.sphere.radius=-1", "found -1; allowed: number, > 0, in m"},
    {"walls.6.ring.radius=-1", "found -1; allowed: number, > 0, in m"},
    {"walls.7.line.length=0", "found 0; allowed: number, > 0, in m"},
    {"walls.1.disk.hole=1", "found 1 m; allowed: less than radius = 1 m"},
    {"walls.1.disk.hole=-1", "found -1; allowed: number, ≥ 0, in m"},
    {"walls.4.cylinder.taper=1.1", "found 1.1; allowed: number, ≥ 0 and ≤ 1"},
    {"walls.4.cylinder.taper=-0.1", "found -0.1; allowed: number, ≥ 0 and ≤ 1"},
    {"walls.4={cylinder: {axis: [0, 0, 1], radius: 1, taper: 0.5, material: rock}}",
     "taper: found 0.5 without a length; allowed: 0, or a cylinder with the key length"},
    {"walls.9.mesh.scale=0", "found 0; allowed: number, > 0"},
    {"walls.9.mesh.file=none.stl", "cannot find the file none.stl: No such file"},
    {"walls.9.mesh.file=path.txt", "^--set walls.9.mesh.file=path.txt: "},
    {"walls.0.plane.material=glass", "found glass, which is not in materials"},
    {"walls.0.plane.behavior=soft", "found soft; allowed: word: solid, frictionless, sticky, absorbing"},
    {"walls.0.plane.appears=-1", "found -1; allowed: number, ≥ 0, in s"},
    {"walls.0.plane.vanishes=0", "found 0 s; allowed: after appears = 0 s"},
    {"walls.0.cube={}", "unknown key; .*plane, disk, rectangle, triangle, cylinder, sphere, ring, line, point, mesh"},
    {"walls.1.disk.name=wall 0", "found wall 0, the name of walls.0; allowed: each name once"},
    {"assemblies.0.name=wall 3", "found wall 3, the name of walls.3; allowed: each name once"},
    {"assemblies.1.name=assembly 0", "found assembly 0, the name of assemblies.0; allowed: each name once"},
    {"assemblies.1.name=wall 12", "found wall 12, the name of assemblies.0.walls.1; allowed: each name once"},
    {"assemblies.0.walls.1.sphere.name=assembly 0", "found assembly 0, the name of assemblies.0; allowed"},
    {"walls.10.plane.motion.until=0", "found 0 s; allowed: after from = 0 s"},
    {"walls.10.plane.motion.oscillation.frequency=0", "found 0; allowed: number, > 0, in Hz"},
    {"walls.10.plane.motion.oscillation={frequency: 1}", "the key amplitude is missing"},
    {"walls.10.plane.motion.knocks.duration=0", "found 0; allowed: number, > 0, in s"},
    {"walls.10.plane.motion.knocks.period=0.5", "found 0.5 s; allowed: at least duration = 1 s"},
    {"walls.10.plane.motion.knocks.ramp=1.5", "found 1.5; allowed: integer, ≥ 0"},
    {"walls.10.plane.motion.knocks={duration: 1, period: 1}", "the key velocity is missing"},
    {"walls.10.plane.motion.table.file=none.txt", "cannot find the file none.txt"},
    {"walls.10.plane.motion.table={}", "the key file is missing"},
    {"assemblies.0.walls.0.sphere.motion={}", "motion=\\{\\}: found on a wall of an assembly.*give it to the assembly"},
    {"assemblies.0.walls.0.sphere.appears=0", "found on a wall of an assembly.*give it to the assembly"},
    {"assemblies.0.walls.0.sphere.vanishes=3", "found on a wall of an assembly.*give it to the assembly"},
    {"assemblies.0.walls.0.sphere.behavior=sticky", "found sticky in an assembly that is free; allowed: solid"},
    {"assemblies.0.motion={}", "found a motion besides free; allowed: either motion or free"},
    {"assemblies.1.free=[x]", "found a motion besides free; allowed: either motion or free"},
    {"assemblies.1={center: [0, 0, 0], free: [x], walls: [{sphere: {radius: 4, material: rock}}]}",
     "free: found directions without the key mass; allowed: with mass"},
    {"assemblies.2.free=[along, turn]", "found a rotation without the key inertia; allowed: with inertia"},
    {"assemblies.0.free=[z, z]", "free.1: found z a second time; allowed: once"},
    {"assemblies.0.free=[along, z]", "free.0: found along besides z; allowed: either along or some of x, y, z"},
    {"assemblies.0.free=[turn_x, turn]", "free.1: found turn besides turn_x; allowed: either turn or some of turn_x"},
    {"assemblies.0.free=[up]", "found up; allowed: list of words: x, y, z, along"},
    {"assemblies.0.mass=0", "found 0; allowed: number, > 0, in kg"},
    {"assemblies.0.inertia=[1, 0, 1]", "inertia.1: found 0; allowed: number or list of 3 numbers, > 0, in kg m²"},
    {"assemblies.0.inertia=[1, 1, 2.1]", "found 2.1 about z, more than the other two together \\(2\\); allowed"},
    {"assemblies.0.velocity=[0, 1, 1]", "found \\[0, 1, 1\\], but the assembly is not free in that direction"},
    {"assemblies.0.spin=[1e-3, 0, 1]", "found \\[0.001, 0, 1\\], but the assembly is not free in that direction"},
    {"assemblies.1.velocity=[0, 0, 1]", "found \\[0, 0, 1\\], but the assembly is not free in that direction"},
    {"assemblies.1.force=[0, 0, 1]", "found a force on an assembly that nothing can move; allowed: with free"},
    {"assemblies.0.servo={force: 1, speed: 1}", "found a servo, but the assembly cannot follow it; .*along in free"},
    {"assemblies.2.servo.force=0", "found 0; allowed: number, > 0, in N"},
    {"assemblies.2.servo.speed=0", "found 0; allowed: number, > 0, in m/s"},
    {"assemblies.0.vanishes=0", "found 0 s; allowed: after appears = 0 s"},
    {"assemblies.0.walls=[]", "found an empty list; allowed: at least one entry"},
    {"assemblies.3={center: [0, 0, 0]}", "the key walls is missing"},
    {"assemblies.0.center=0", "found 0; allowed: list of 3 numbers, in m"},
};

static void test_mistakes(void) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    struct cairn_scenario *s = parse(far_body, all, mistakes[i].mistake);
    ok(!s && error.status == CAIRN_ERR_INPUT, "refused: %.60s", mistakes[i].mistake);
    like(error.message, mistakes[i].pattern, "and explained");
    cairn_scenario_free(s);
  }
  static char many[1 << 18];
  size_t length = (size_t)sprintf(many, "assemblies: [{center: [0, 0, 0], walls: [");
  for (int n = 0; n < 4096; n++)
    length += (size_t)sprintf(many + length, "{point: {position: [0, 0, 0], material: rock}},\n ");
  strcpy(many + length, "]}]\n");
  struct cairn_scenario *s = need(many, NULL);
  cmp_ok(s->n_walls, "==", 4096, "4096 walls");
  cairn_scenario_free(s);
  s = parse(far_body, many, "walls.0={plane: {normal: [0, 0, 1], material: rock}}");
  ok(!s, "not one more");
  like(error.message, "found 4097 walls in all; allowed: at most 4096", "which is said");
  cairn_scenario_free(s);
}

/* Files of displacements and what is wrong with them. */
static const struct {
  const char *text, *pattern;
} tables[] = {
    {"0 0 0 0\n1 2 3\n", "^bad.txt:2: found fewer than 4 columns; allowed: t x y z$"},
    {"0 0 0 0\n1 2 3 4 5\n", "^bad.txt:2: found more than 4 columns; allowed: t x y z$"},
    {"# only\n0 0 0 0\n\n", "^bad.txt: found 1 rows; allowed: at least 2 rows"},
    {"", "^bad.txt: found 0 rows"},
    {"0 0 0 0\n\n1 0 0 x\n", "^bad.txt:3: found x; allowed: a finite number$"},
    {"0 0 0 0\n1 0 0 inf\n", "^bad.txt:2: found inf; allowed: a finite number$"},
    {"0 0 0 0\n1 0 0 1e999\n", "^bad.txt:2: found 1e999; allowed: a finite number$"},
    {"0 0 0 0\n1 0 0 1\n1 0 0 2\n", "^bad.txt:3: found the time 1; allowed: a time after that of the row before, 1$"},
    {"-1 0 0 0\n1 0 0 1\n", "^bad.txt:1: found the time -1; allowed: a first time of 0 or later$"},
    {"0 0 1 0\n1 0 0 1\n", "^bad.txt:1: found the displacement 0 1 0; allowed: 0 0 0 in the first row"},
};

static void test_tables(void) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    write_file("bad.txt", tables[i].text);
    struct cairn_scenario *s = parse(far_body, all, "walls.10.plane.motion.table.file=bad.txt");
    ok(!s && error.status == CAIRN_ERR_INPUT, "refused: table %zu", i);
    like(error.message, tables[i].pattern, "and explained");
    cairn_scenario_free(s);
  }
  static char line[4000];
  memset(line, '1', sizeof line - 1);
  write_file("bad.txt", line);
  ok(!parse(far_body, all, "walls.10.plane.motion.table.file=bad.txt"), "refused: an endless line");
  like(error.message, "^bad.txt:1: found a line that does not end; allowed: at most 1023 characters", "and explained");
  FILE *file = fopen("bad.txt", "w");
  fwrite("0 0\0 0 0\n", 1, 9, file);
  fclose(file);
  ok(!parse(far_body, all, "walls.10.plane.motion.table.file=bad.txt"), "refused: bytes that are no text");
  like(error.message, "^bad.txt:1: found a NUL character", "and explained");
  ok(!parse(far_body, all, "walls.10.plane.motion.table.file=/dev/zero"), "refused: a device");
  like(error.message, "^/dev/zero: cannot be read: not a regular file", "and explained");
  write_file("bad.txt", "\t0 0 0 0 # start\r\n# nothing\r\n 1e-1\t1 2 3\r\n");
  struct cairn_scenario *s = parse(far_body, all, "walls.10.plane.motion.table.file=bad.txt");
  ok(s && s->assemblies[10].rules.motion.n_points == 2 && s->assemblies[10].rules.motion.time[1] == 0.1,
     "tabs, comments and returns are fine: %s", error.message);
  cairn_scenario_free(s);
  remove("bad.txt");
}

/* Every key of walls and assemblies changed, one at a time. */
static const char *const changes[] = {
    "walls.0.plane.point=[0, 0, 1]",
    "walls.0.plane.normal=[0, 1, 1]",
    "walls.0.plane.name=other",
    "walls.0.plane.material=wood",
    "walls.0.plane.behavior=sticky",
    "walls.0.plane.appears=1",
    "walls.0.plane.vanishes=1",
    "walls.0.plane.motion={}",
    "walls.1.disk.center=[0, 0, 1]",
    "walls.1.disk.normal=[0, 1, 1]",
    "walls.1.disk.radius=2",
    "walls.1.disk.hole=0.25",
    "walls.2.rectangle.corner=[0, 0, 1]",
    "walls.2.rectangle.edge1=[2, 0, 0]",
    "walls.2.rectangle.edge2=[0, 2, 0]",
    "walls.3.triangle.corner=[0, 0, 1]",
    "walls.3.triangle.edge1=[2, 0, 0]",
    "walls.3.triangle.edge2=[0, 2, 0]",
    "walls.4.cylinder.center=[0, 0, 1]",
    "walls.4.cylinder.axis=[0, 1, 1]",
    "walls.4.cylinder.radius=2",
    "walls.4.cylinder.length=1",
    "walls.4.cylinder.taper=0",
    "walls.5.sphere.center=[0, 0, 1]",
    "walls.5.sphere.radius=1.5",
    "walls.6.ring.center=[0, 0, 1]",
    "walls.6.ring.normal=[0, 1, 1]",
    "walls.6.ring.radius=2",
    "walls.7.line.center=[0, 0, 1]",
    "walls.7.line.axis=[0, 1, 1]",
    "walls.7.line.length=2",
    "walls.8.point.position=[0, 0, 1]",
    "walls.9.mesh.file=u.stl",
    "walls.9.mesh.scale=2",
    "walls.9.mesh.shift=[0, 0, 1]",
    "walls.10.plane.motion.from=1",
    "walls.10.plane.motion.until=6",
    "walls.10.plane.motion.velocity=[0, 0, 1]",
    "walls.10.plane.motion.spin=2",
    "walls.10.plane.motion.axis=[0, 1, 1]",
    "walls.10.plane.motion.pivot=[0, 0, 1]",
    "walls.10.plane.motion.oscillation.amplitude=[2, 0, 0]",
    "walls.10.plane.motion.oscillation.frequency=2",
    "walls.10.plane.motion.oscillation.phase=2",
    "walls.10.plane.motion.knocks.velocity=[2, 0, 0]",
    "walls.10.plane.motion.knocks.duration=2",
    "walls.10.plane.motion.knocks.period=3",
    "walls.10.plane.motion.knocks.ramp=3",
    "walls.10.plane.motion.table.file=other.txt",
    "walls.11={point: {position: [0, 0, 0], material: rock}}",
    "assemblies.0.name=other",
    "assemblies.0.center=[0, 0, 1]",
    "assemblies.0.mass=2",
    "assemblies.0.inertia=[1, 1, 1.5]",
    "assemblies.0.velocity=[0, 0, 1]",
    "assemblies.0.spin=[0, 0, 1]",
    "assemblies.0.free=[x, turn_z]",
    "assemblies.0.free=[z, turn_x]",
    "assemblies.0.free=[z]",
    "assemblies.0.force=[0, 0, 1]",
    "assemblies.0.appears=1",
    "assemblies.0.vanishes=1",
    "assemblies.0.walls.0.sphere.radius=2.5",
    "assemblies.0.walls.2={sphere: {name: more, radius: 9, material: rock}}",
    "assemblies.1.motion.spin=1",
    "assemblies.2.axis=[0, 1, 1]",
    "assemblies.2.servo.force=2",
    "assemblies.2.servo.speed=2",
};

static void test_digest(void) {
  enum { N = sizeof changes / sizeof *changes };
  char digest[N + 1][CAIRN_WALLS_DIGEST + 1], again[CAIRN_WALLS_DIGEST + 1];
  write_file("other.txt", "0 0 0 0\n1 1 2 3\n1.5 -4 5 6.1e-3\n");
  struct cairn_scenario *s = need(all, NULL);
  cairn_walls_digest(s, digest[N]);
  cairn_scenario_free(s);
  like(digest[N], "^[0-9a-f]{32}$", "a digest");
  for (int i = 0; i < N; i++) {
    s = parse(far_body, all, changes[i]);
    if (!s)
      BAIL_OUT("%s", error.message);
    cairn_walls_digest(s, digest[i]);
    cairn_scenario_free(s);
    int equal = 0;
    for (int k = 0; k < i; k++)
      equal += strcmp(digest[k], digest[i]) == 0;
    ok(!equal && strcmp(digest[i], digest[N]) != 0, "it changes with %s", changes[i]);
  }
  s = need(all, "seed=5");
  cairn_walls_digest(s, again);
  is(again, digest[N], "but not with the seed");
  char *text = cairn_scenario_effective(s);
  cairn_scenario_free(s);
  s = NULL;
  cairn_scenario_parse(text, strlen(text), "elsewhere/x.yaml", 0, NULL, 0, &s, &error);
  if (!ok(s != NULL, "the effective parameters are valid"))
    BAIL_OUT("%s", error.message);
  cairn_walls_digest(s, again);
  is(again, digest[N], "and give the same walls");
  free(text);
  cairn_scenario_free(s);
  write_file("t.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1e-9\n"
                      "endloop\nendfacet\nendsolid\n");
  s = need(all, NULL);
  cairn_walls_digest(s, again);
  ok(strcmp(again, digest[N]) != 0, "it changes with the content of a mesh file");
  cairn_scenario_free(s);
  remove("other.txt");
}
int main(void) {
  char folder[] = "walls-XXXXXX";
  plan(NO_PLAN);
  walls_enter(folder);
  write_file("path.txt", "# t x y z\n0 0 0 0\n1 1 2 3\n1.5 -4 5 6e-3\n");
  test_shapes();
  test_order();
  test_motion();
  test_freedom();
  test_symmetry();
  test_mistakes();
  test_tables();
  test_digest();
  remove("path.txt");
  walls_leave(folder);
  done_testing();
}
