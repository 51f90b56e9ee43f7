#!/usr/bin/env python3
"""An explosion at the surface of a rubble pile, after Tancredi et al. (2012), section 6 and table 2: bodies near a point
fly towards the centre, a front runs through the pile, and a part of it escapes.

  python3 bench/explosion.py [--case A] [--speed 100] [--size 1] [--end 10] [--step 1e-4]
                             [--cairn PROGRAM] [--workers N] [--folder DIR]

The pile is a packing of bodies that touch, with dN/dr ~ r^-3.1, as dense as that of the source. There is no gravity, as
in the source. The bodies nearest to the point move, as many as have the source's moving mass. --size shrinks the sphere
but not the bodies: for trials. --folder keeps the runs.

Front: the time at which bodies at a distance from the point first have a speed above a tenth of the escape speed,
and the slope of a straight line through these times; at the antipode, distance over time, as the source has it. Escaping:
bodies faster than the escape speed at the end."""
import argparse
import math
import os
import resource
import shutil
import sys
import tempfile
import time

import netCDF4
import numpy

from hopper import Program

DENSITY = 3000.0
G = 6.674e-11
# Table 2: radius of the pile, smallest and largest radius of a body, moving mass, total mass; m and kg
CASES = {"A": (250.0, 2.5, 12.5, 21e6, 0.135e12), "B": (250.0, 1.0, 10.0, 21e6, 0.152e12),
         "C": (1000.0, 10.0, 50.0, 599e6, 8.66e12), "D": (1000.0, 5.0, 25.0, 608e6, 8.63e12)}


def scenario(title, bodies, end, step, frames, more=""):
    return f"""title: {title}
law: hertz
seed: 3
time: {{step: {step:g}, end: {end:g}}}
{more}materials:
  - {{name: rock, density: {DENSITY:g}, young_modulus: 1e10, poisson_ratio: 0.3}}
interactions:
  - {{between: [rock, rock], viscous_time: 1e-3, shear_ratio: 0.4, friction: 0.6}}
bodies:
{bodies}
overlap: {{limit: 1, initial: 0.3}}
output: {{frames: {frames:g}, series: {end / 100:g}, checkpoint: 0}}
"""


def pile(program, options, radius, low, high, fraction):
    """The packing, as the first frame of a run of one step."""
    bodies = (f"  - packing: {{in: {{sphere: {{radius: {radius:g}}}}}, fraction: {fraction:.4f}, arrangement: tangent, "
              f"radius: {{power_law: {{exponent: 3.1, min: {low:g}, max: {high:g}}}}}, material: rock}}")
    return program.run("pile", scenario("pile", bodies, options.step, options.step, options.step))[0]


def moving_radius(x, mass, point, wanted):
    """Radius of a sphere about the point whose bodies have the wanted mass, as closely as whole bodies can."""
    far = numpy.linalg.norm(x - point, axis=1)
    order = numpy.argsort(far)
    n = int(numpy.argmin(numpy.abs(numpy.cumsum(mass[order]) - wanted))) + 1
    return float((far[order[n - 1]] + far[order[n]]) / 2), n


def explode(program, options, pile_file, point, reach, end):
    bodies = (f"  - run: {{file: {os.path.basename(pile_file)}, at_rest: true}}\nselect:\n"
              f"  - {{in: {{sphere: {{center: [{point[0]:.9g}, {point[1]:.9g}, {point[2]:.9g}], radius: {reach:.9g}}}}}, "
              f"outward: {-options.speed:g}, center: [0, 0, 0]}}")
    front = min(2.5, 0.9 * end)
    stages = (f"stages:\n  - {{name: front, until: {{time: {front:g}}}, output: {{frames: 0.05}}}}\n"
              f"  - {{name: after}}\n")
    name = f"explosion_{options.case}_{options.speed:g}"
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.time()
    frames = program.run(name, scenario("explosion", bodies, end, options.step, end / 5, stages))[0]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return frames, time.time() - begin, after.ru_utime - used.ru_utime + after.ru_stime - used.ru_stime


def front_of(file, x, point, escape, radius):
    """Median arrival of the front by distance from the point, in ten shells; prints them and returns the speeds."""
    t = numpy.asarray(file["time"][:])
    far = numpy.linalg.norm(x - point, axis=1)
    arrival = numpy.full(len(x), numpy.inf)
    for k in range(len(t) - 1, -1, -1):
        fast = numpy.linalg.norm(numpy.asarray(file["velocities"][k]), axis=1) > 0.1 * escape
        arrival[fast] = t[k]
    edges = numpy.linspace(0, 2 * radius, 11)
    rows = [(0.5 * (a + b), float(numpy.median(arrival[(far >= a) & (far < b)]))) for a, b in zip(edges, edges[1:])]
    for d, when in rows:
        print(f"  at {d:.0f} m: {when:.2f} s")
    reached = numpy.array([row for row in rows[2:] if math.isfinite(row[1])])
    slope = numpy.polyfit(reached[:, 1], reached[:, 0], 1)[0] if len(reached) > 2 else math.nan
    return slope, rows[-1][0] / rows[-1][1]


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="A", choices=CASES)
    parser.add_argument("--speed", type=float, default=100.0)
    parser.add_argument("--size", type=float, default=1.0)
    parser.add_argument("--end", type=float, default=10.0)
    parser.add_argument("--step", type=float, default=1e-4)
    parser.add_argument("--cairn", default=os.path.join(root, "build", "release", "cairn"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder")
    options = parser.parse_args()
    radius, low, high, moving, mass = CASES[options.case]
    fraction = mass / DENSITY / (4 / 3 * math.pi * radius**3)
    radius, moving = radius * options.size, moving * options.size**3
    folder = options.folder or tempfile.mkdtemp(prefix="cairn_explosion")
    os.makedirs(folder, exist_ok=True)
    try:
        program = Program(os.path.abspath(options.cairn), options.workers, folder)
        pile_file = pile(program, options, radius, low, high, fraction)
        with netCDF4.Dataset(pile_file) as file:
            x, mass = numpy.asarray(file["coordinates"][-1]), numpy.asarray(file["mass"][:])
        point = numpy.full(3, radius / math.sqrt(3))
        reach, n = moving_radius(x, mass, point, moving)
        escape = math.sqrt(2 * G * mass.sum() / radius)
        print(f"case {options.case}, {options.speed:g} m/s: {len(x)} bodies, {mass.sum():.4g} kg, "
              f"{mass.sum() / DENSITY / (4 / 3 * math.pi * radius**3):.3f} of the sphere, escape speed {escape:.3f} m/s, "
              f"{n} bodies move", flush=True)
        frames, clock, used = explode(program, options, pile_file, point, reach, options.end)
        with netCDF4.Dataset(frames) as file:
            slope, mean = front_of(file, x, point, escape, radius)
            speed = numpy.linalg.norm(numpy.asarray(file["velocities"][-1]), axis=1)
        print(f"front: {slope:.0f} m/s in the interior, "
              + (f"{mean:.0f} m/s on the way to the antipode" if mean > 0 else "the antipode was not reached"))
        print(f"escaping at the end: {100 * numpy.mean(speed > escape):.1f} % of the bodies, "
              f"{100 * mass[speed > escape].sum() / mass.sum():.1f} % of the mass")
        print(f"run: {clock:.0f} s, {used:.0f} s of processor time, {options.workers} workers")
    finally:
        if not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
