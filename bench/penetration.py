#!/usr/bin/env python3
"""A sphere of 15 mm and 4.7 g hits a bed of 3 mm beads with 11 m/s: as a free body, as an assembly of one sphere wall
with all six degrees of freedom, and as one that is free along its path only.

  python3 bench/penetration.py [--set PS5] [--places 1] [--cairn PROGRAM] [--workers N] [--folder DIR]

The source (section 4.3, figure 4.3) has 66.22 mm for the body and 65.31 mm for the wall, in a wider and deeper bed;
here the bed is a cylinder of radius 40 mm, 59 mm deep, of 12 000 beads. Depth is that of the lowest point of the sphere
below the surface of the bed. --set: the material, PS1 to PS5 of table 4.1. The stiffness lets beads overlap by up to
6 per cent of their radius, v sqrt(m/k), when the sphere hits the first of them."""
import argparse
import math
import os
import shutil
import sys
import tempfile

import netCDF4
import numpy

from hopper import Program, loose_lattice

BEAD, BEAD_MASS = 1.5e-3, 3.53e-5
SHOT, SHOT_MASS, SPEED = 7.5e-3, 4.7e-3, 11.0
RADIUS = 0.040
COUNT = 12000
STIFFNESS = 5e5
SETS = {"PS1": (0.0, 1.0, 0.73), "PS2": (0.09, 0.65, 0.95), "PS3": (0.1, 1.0, 0.8), "PS4": (0.18, 0.95, 0.95),
        "PS5": (0.265, 1.0, 0.95)}  # table 4.1: friction, tangential and normal restitution
KINDS = ("body", "wall", "wall_along")


def density(mass, radius):
    return mass / (4 / 3 * math.pi * radius**3)


def scenario(title, end, law, bodies, frames, series, more=""):
    return f"""title: {title}
time: {{end: {end:g}}}
gravity: {{uniform: [0, 0, -9.81]}}
materials:
  - {{name: bead, density: {density(BEAD_MASS, BEAD):.9g}}}
  - {{name: shot, density: {density(SHOT_MASS, SHOT):.9g}}}
interactions:
  - {{between: [bead, bead], {law}}}
  - {{between: [bead, shot], {law}}}
bodies:
{bodies}
overlap: {{limit: 0.3, initial: 0.3}}
walls:
  - cylinder: {{name: tube, axis: [0, 0, 1], radius: {RADIUS:g}, material: bead}}
  - plane: {{name: floor, normal: [0, 0, 1], material: bead}}
{more}output: {{frames: {frames:g}, series: {series:g}, checkpoint: 0}}
"""


def bed(program, friction, count=COUNT):
    """A settled bed. The softer the quicker; but overlaps that the weight makes at a small stiffness would throw the
    beads about at that of the impact, so a second run with a larger one and strong damping lets them adapt."""
    loose_lattice(os.path.join(program.folder, "beads.txt"), count, RADIUS, BEAD, 0.05)
    table = f"  - table: {{file: beads.txt, columns: [x, y, z, vx, vy, vz], radius: {BEAD}, material: bead}}"
    damped = f"restitution: 0.3, tangential_restitution: 0.3, friction: {friction}, slip: 0"
    program.run("settle", scenario("beads settle", 0.2, f"stiffness: 1e3, {damped}", table, 0.2, 0.01))
    settled = "  - run: {file: settle.nc}"
    return program.run("bed", scenario("beads adapt", 0.03, f"stiffness: 2e4, {damped}", settled, 0.03, 0.001))[0]


def surface_of(trajectory):
    """Height of the surface: the mean upper end of the beads that no bead covers, seen on a grid of bead diameters."""
    with netCDF4.Dataset(trajectory) as file:
        x = numpy.asarray(file["coordinates"][-1])
    cells = {}
    for place in x[numpy.hypot(x[:, 0], x[:, 1]) < 0.8 * RADIUS]:
        key = tuple(numpy.floor(place[:2] / (2 * BEAD)).astype(int))
        cells[key] = max(cells.get(key, -1), place[2] + BEAD)
    return float(numpy.mean(list(cells.values())))


def impact(program, kind, parameters, surface, place=(0.0, 0.0), end=0.03, rows=120):
    """Times and depths of the sphere that hits the bed at this place."""
    friction, tangential, normal = SETS[parameters]
    law = (f"stiffness: {STIFFNESS:g}, restitution: {normal}, tangential_restitution: {tangential}, "
           f"friction: {friction}, slip: 0")
    center = f"[{place[0]:g}, {place[1]:g}, {surface + SHOT + 3 * BEAD:.6f}]"
    bodies, more = "  - run: {file: bed.nc}", ""
    if kind == "body":
        bodies += f"\n  - single: {{position: {center}, radius: {SHOT}, material: shot, velocity: [0, 0, {-SPEED}]}}"
    else:
        free = "[x, y, z, turn_x, turn_y, turn_z]" if kind == "wall" else "[along]"
        more = (f"assemblies:\n  - name: shot\n    center: {center}\n    mass: {SHOT_MASS}\n"
                f"    inertia: {0.4 * SHOT_MASS * SHOT**2:.9g}\n    velocity: [0, 0, {-SPEED}]\n    free: {free}\n"
                f"    walls:\n      - sphere: {{name: hull, center: {center}, radius: {SHOT}, material: shot}}\n")
    name = f"{kind}_{1e6 * place[0]:.0f}_{1e6 * place[1]:.0f}"
    frames, _ = program.run(name, scenario("impact", end, law, bodies, end / rows, end / rows, more))
    with netCDF4.Dataset(frames) as file:
        if kind == "body":
            z = numpy.asarray(file["coordinates"][:, -1, 2])
        else:
            names = [str(text).rstrip("\0 ") for text in netCDF4.chartostring(file["wall_name"][:])]
            z = numpy.asarray(file["wall_position"][:, names.index("hull"), 2])
        return numpy.asarray(file["time"][:]), surface - (z - SHOT)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="PS5", choices=SETS)
    parser.add_argument("--places", type=int, default=1)
    parser.add_argument("--end", type=float, default=0.03)
    parser.add_argument("--cairn", default=os.path.join(root, "build", "release", "cairn"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder")
    options = parser.parse_args()
    folder = options.folder or tempfile.mkdtemp(prefix="cairn_penetration")
    os.makedirs(folder, exist_ok=True)
    try:
        program = Program(os.path.abspath(options.cairn), options.workers, folder)
        surface = surface_of(bed(program, SETS[options.set][0]))
        print(f"bed: {1000 * surface:.1f} mm deep", flush=True)
        for n in range(options.places):
            place = (0.0008 * n, 0.0005 * n)
            for kind in KINDS:
                t, depth = impact(program, kind, options.set, surface, place, options.end)
                print(f"place {n}, {kind}: deepest {1000 * depth.max():.2f} mm at {1000 * t[depth.argmax()]:.1f} ms, "
                      f"at the end {1000 * depth[-1]:.2f} mm", flush=True)
    finally:
        if not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
