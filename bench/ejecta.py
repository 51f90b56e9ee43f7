#!/usr/bin/env python3
"""Which projectile throws most beads out of a container: section 4.4 of Schwartz (2013). Seven projectiles, a sphere,
three disks and three cones, hit a bed of 5 mm beads with 11 m/s.

  python3 bench/ejecta.py [--set PS4] [--places 1] [--shots sphere,cone15 …] [--depth 0.075] [--radius 0.1] [--end S]
                          [--cairn PROGRAM] [--workers N] [--folder DIR]

The container is filled to its rim, as the source's: radius 100 mm, depth 150 mm there. Projectiles are assemblies of
walls without thickness that move along their path only, as in the source. The source gives the bases of the cones and
the angles 90 and 150 degrees; 60 degrees for the narrow one is a guess. --set: the material, PS1 to PS5 of table 4.1.

A bead is ejected if it is outside of the container, or flies on a parabola that ends outside of the rim: so a run may
end when the beads that go far have left the bed, and not when they have landed. Both, the end of the run and three
quarters of it, are printed: if they differ, the run was too short."""
import argparse
import math
import os
import shutil
import sys
import tempfile

import netCDF4
import numpy

from hopper import Program, loose_lattice
from penetration import SETS

BEAD, BEAD_MASS = 2.5e-3, 1.63e-4
SPEED = 11.0
EARTH = 9.81
STIFFNESS = 1e5  # v sqrt(m/k): beads overlap by up to 0.18 of their radius where they are hit first
# shape, diameter (of the base), mass, full angle of a cone
SHOTS = {"sphere15": ("sphere", 0.015, 4.7e-3, 0), "disk10": ("disk", 0.010, 4.5e-3, 0),
         "disk15": ("disk", 0.015, 4.7e-3, 0), "disk20": ("disk", 0.020, 4.7e-3, 0),
         "cone10": ("cone", 0.010, 4.7e-3, 60), "cone15": ("cone", 0.015, 4.7e-3, 90),
         "cone20": ("cone", 0.020, 4.7e-3, 150)}


def scenario(title, end, law, bodies, walls, frames, more=""):
    return f"""title: {title}
time: {{end: {end:g}}}
gravity: {{uniform: [0, 0, {-EARTH}]}}
materials:
  - {{name: bead, density: {BEAD_MASS / (4 / 3 * math.pi * BEAD**3):.9g}}}
interactions:
  - {{between: [bead, bead], {law}, slip: 0}}
bodies:
{bodies}
overlap: {{limit: 0.5, initial: 0.3}}
walls:
{walls}
{more}output: {{frames: {frames:g}, series: {end / 10:g}, checkpoint: 0}}
"""


def container(radius, height):
    return (f"  - cylinder: {{name: side, center: [0, 0, {height / 2:.9g}], axis: [0, 0, 1], radius: {radius:g}, "
            f"length: {height:.9g}, material: bead}}\n"
            f"  - disk: {{name: floor, normal: [0, 0, 1], radius: {radius:g}, material: bead}}")


def bed(program, friction, radius, depth):
    """A settled bed, first soft, then stiffer and still damped, so that overlaps adapt (see penetration.py)."""
    count = int(0.6 * math.pi * radius**2 * depth / (4 / 3 * math.pi * BEAD**3))
    high = 2 * loose_lattice(os.path.join(program.folder, "beads.txt"), count, radius, BEAD, 0.05)
    table = f"  - table: {{file: beads.txt, columns: [x, y, z, vx, vy, vz], radius: {BEAD}, material: bead}}"
    damped = f"restitution: 0.3, tangential_restitution: 0.3, friction: {friction}"
    program.run("settle", scenario("beads settle", 0.25, f"stiffness: 2e3, {damped}", table, container(radius, high), 0.25))
    return program.run("bed", scenario("beads adapt", 0.03, f"stiffness: 2e4, {damped}", "  - run: {file: settle.nc}",
                                       container(radius, high), 0.03))[0]


def surface_of(trajectory, radius):
    """Height of the surface: the mean upper end of the beads that no bead covers, seen on a grid of bead diameters."""
    with netCDF4.Dataset(trajectory) as file:
        x = numpy.asarray(file["coordinates"][-1])
    cells = {}
    for place in x[numpy.hypot(x[:, 0], x[:, 1]) < 0.9 * radius]:
        key = tuple(numpy.floor(place[:2] / (2 * BEAD)).astype(int))
        cells[key] = max(cells.get(key, -1), place[2] + BEAD)
    return float(numpy.mean(list(cells.values()))), len(x)


def projectile(shot, place, lowest):
    """The assembly, with its lowest point at this height."""
    shape, diameter, mass, angle = SHOTS[shot]
    radius = diameter / 2
    length = radius / math.tan(math.radians(angle / 2)) if angle else 0.0
    middle = {"sphere": radius, "disk": 0.0, "cone": length / 2}[shape]
    center = f"[{place[0]:g}, {place[1]:g}, {lowest + middle:.9g}]"
    walls = {"sphere": f"sphere: {{name: hull, center: {center}, radius: {radius:g}, material: bead}}",
             "disk": f"disk: {{name: hull, center: {center}, normal: [0, 0, 1], radius: {radius:g}, material: bead}}",
             "cone": f"cylinder: {{name: hull, center: {center}, axis: [0, 0, -1], radius: {radius:g}, "
                     f"length: {length:.9g}, taper: 1, material: bead}}"}
    return (f"assemblies:\n  - name: shot\n    center: {center}\n    mass: {mass:g}\n"
            f"    inertia: {0.4 * mass * radius**2:.6g}\n    velocity: [0, 0, {-SPEED}]\n    free: [along]\n"
            f"    walls:\n      - {walls[shape]}\n")


def ejected(x, v, radius, rim):
    """Which beads leave the container, on parabolas from here on if they are above its rim or will be."""
    out = numpy.hypot(x[:, 0], x[:, 1]) > radius + BEAD
    rise = v[:, 2] ** 2 + 2 * EARTH * (x[:, 2] - rim)
    flies = (rise > 0) & ((x[:, 2] > rim) | (v[:, 2] > 0))
    time = numpy.where(flies, v[:, 2] + numpy.sqrt(numpy.maximum(rise, 0)), 0) / EARTH
    landing = x[:, :2] + v[:, :2] * time[:, None]
    return out | (flies & (numpy.hypot(landing[:, 0], landing[:, 1]) > radius))


def impact(program, shot, parameters, place, radius, rim, end):
    """Beads ejected by three quarters of the run and by its end, and how deep the projectile went."""
    friction, tangential, normal = SETS[parameters]
    law = (f"stiffness: {STIFFNESS:g}, restitution: {normal}, tangential_restitution: {tangential}, "
           f"friction: {friction}")
    text = scenario("impact", end, law, "  - run: {file: bed.nc, at_rest: true}", container(radius, rim), end / 8,
                    projectile(shot, place, rim + 3 * BEAD))
    name = f"{shot}_{1e6 * place[0]:.0f}_{1e6 * place[1]:.0f}"
    frames, _ = program.run(name, text)
    with netCDF4.Dataset(frames) as file:
        counts = [int(numpy.sum(ejected(numpy.asarray(file["coordinates"][k]), numpy.asarray(file["velocities"][k]),
                                        radius, rim))) for k in (-3, -1)]
        walls = [str(text).rstrip("\0 ") for text in netCDF4.chartostring(file["wall_name"][:])]
        z = numpy.asarray(file["wall_position"][:, walls.index("hull"), 2])
    return counts, float(z[0] - z.min()) - 3 * BEAD


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="PS4", choices=SETS)
    parser.add_argument("--shots", default=",".join(SHOTS))
    parser.add_argument("--places", type=int, default=1)
    parser.add_argument("--depth", type=float, default=0.075)
    parser.add_argument("--radius", type=float, default=0.1)
    parser.add_argument("--end", type=float, default=0.04)
    parser.add_argument("--cairn", default=os.path.join(root, "build", "release", "cairn"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder")
    options = parser.parse_args()
    folder = options.folder or tempfile.mkdtemp(prefix="cairn_ejecta")
    os.makedirs(folder, exist_ok=True)
    try:
        program = Program(os.path.abspath(options.cairn), options.workers, folder)
        rim, n = surface_of(bed(program, SETS[options.set][0], options.radius, options.depth), options.radius)
        print(f"{options.set}, {n} beads, {1000 * rim:.1f} mm deep", flush=True)
        for k in range(options.places):
            for shot in options.shots.split(","):
                counts, depth = impact(program, shot, options.set, (0.003 * k, 0.002 * k), options.radius, rim,
                                       options.end)
                print(f"place {k}, {shot}: {1000 * BEAD_MASS * counts[1]:.1f} g ejected, by three quarters of the run "
                      f"{1000 * BEAD_MASS * counts[0]:.1f} g; {1000 * depth:.0f} mm deep", flush=True)
    finally:
        if not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
