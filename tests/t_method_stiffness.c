/* `stiffness: auto` of beds that have settled, of those that fall, and under walls that shake or press: closed forms of
 * eqs. 2.4 and 2.5 of Schwartz (2013). */
#include "sim.h"

static const double RADIUS = 0.01, DENSITY = 1000., G = 9.81, LIMIT = 0.01;

static double stiffness_of(struct cairn_scenario *s) {
  struct cairn_plan plan = {0};
  struct cairn_error error;
  if (cairn_simulation_plan(s, &plan, &error))
    BAIL_OUT("%s", error.message);
  cairn_scenario_free(s);
  return plan.recommended_stiffness;
}

/* Spheres that touch, with the lowest `lift` above a floor. */
static struct cairn_scenario *block(double spacing, double lift, const char *floor, const char *more) {
  return sim_scenario("time: {end: 1}\ngravity: {uniform: [0, 0, %g]}\nmaterials: [{name: a, density: %g}]\n"
                      "interactions: [{between: [a, a]}]\n"
                      "bodies: [{lattice: {origin: [0, 0, %.17g], counts: [6, 6, 5], spacing: %.17g, radius: %g,\n"
                      "                    material: a}}%s]\n"
                      "walls: [{plane: {normal: [0, 0, 1], material: a%s}}]\n",
                      -G, DENSITY, RADIUS + lift, spacing, RADIUS, more, floor);
}

/* m (v/x)² of a fall through a height, with m/r². */
static double impact(double height, double speed) {
  const double mass = DENSITY * 4. / 3. * SIM_PI * RADIUS * RADIUS * RADIUS, v = sqrt(2. * G * height) + speed;
  return mass / (RADIUS * RADIUS) * (v / LIMIT) * (v / LIMIT);
}

int main(void) {
  plan(NO_PLAN);
  const double touching = 2. * RADIUS, high = 5 * touching;
  /* the source took 8e4 N/m for this radius and density */
  tap_near(impact(RADIUS, 0.), 8.2e4, 0., 0.01, "a fall of a radius takes the stiffness of the source's hopper");
  tap_near(stiffness_of(block(touching, 0., "", "")), impact(RADIUS, 0.), 0., 1e-12, "a settled bed falls by a radius");
  tap_near(stiffness_of(block(touching, 0.5, "", "")), impact(0.5, 0.), 0., 1e-12, "one above the floor down to it");
  tap_near(stiffness_of(block(2.2 * touching, 0., "", "")), impact(4 * 2.2 * touching + 2 * RADIUS, 0.), 0., 1e-12,
           "spheres with gaps through their height");
  tap_near(stiffness_of(block(touching, 0., "", ", {single: {position: [0, 0, 0.5], radius: 0.01, material: a}}")),
           impact(0.5 + RADIUS, 0.), 0., 1e-12, "a body above a settled bed falls through all of it");
  tap_near(stiffness_of(block(touching, 0., ", motion: {velocity: [0, 0, 2]}", "")), impact(RADIUS, 2.), 0., 1e-12,
           "a floor that pushes comes with its speed");
  /* 0.65 ρ (g + A Ω²) H r over the limit, above that of the speed A Ω */
  const double amplitude = 1e-6, frequency = 3e4;
  char text[128];
  snprintf(text, sizeof text, ", motion: {oscillation: {amplitude: [0, 0, %g], frequency: %.17g}}", amplitude,
           frequency / (2. * SIM_PI));
  tap_near(stiffness_of(block(touching, 0., text, "")),
           fmax(0.65 * DENSITY * (G + amplitude * frequency * frequency) * high * RADIUS / LIMIT,
                impact(RADIUS, amplitude * frequency)),
           0., 1e-12, "one that shakes makes the bed heavier");
  struct cairn_scenario *pressed = sim_scenario(
      "time: {end: 1}\ngravity: {uniform: [0, 0, %g]}\nmaterials: [{name: a, density: %g}]\n"
      "interactions: [{between: [a, a]}]\n"
      "bodies: [{lattice: {origin: [0, 0, %g], counts: [6, 6, 5], spacing: %g, radius: %g, material: a}}]\n"
      "walls: [{plane: {normal: [0, 0, 1], material: a}}]\n"
      "assemblies:\n  - name: lid\n    center: [0, 0, 0.1]\n    mass: 1\n    free: [along]\n    axis: [0, 0, -1]\n"
      "    servo: {force: 1e5, speed: 1e-3}\n"
      "    walls: [{plane: {point: [0, 0, 0.1], normal: [0, 0, -1], material: a}}]\n",
      -G, DENSITY, RADIUS, touching, RADIUS);
  /* 1e5 N on 0.12 m times 0.12 m */
  tap_near(stiffness_of(pressed), (0.65 * DENSITY * G * high + 1e5 / 0.0144) * RADIUS / LIMIT, 0., 1e-6,
           "the force of a servo counts");
  done_testing();
}
