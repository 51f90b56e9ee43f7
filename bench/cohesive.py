#!/usr/bin/env python3
"""Strength and impacts of the bonded target of Schwartz (2013), chapter 3.

usage: bench/cohesive.py CAIRN

Brazilian test: the force on a plate until it first falls by 30 %, as stress 2 F/(π D L), for three seeds and speeds of
the plates. Impacts: fragments over bonds for ten of the source's points of impact (table 3.1), with the stiffness of
the scenario and with a softer one. Uses ncdump; writes into a temporary folder."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenarios")
POINTS = [(0.506856, 3.54584), (4.04949, -0.611243), (-6.05097, -0.0956444), (0.906545, 3.16675), (5.57488, -5.02434),
          (-6.75735, -2.75084), (4.67133, -3.78316), (-1.28281, 0.0986582), (1.51821, 1.8634), (-0.347942, -4.32904)]


def run(cairn, scenario, name, *keys):
    sets = [part for key in keys for part in ("--set", key)]
    subprocess.run([cairn, "run", os.path.join(FOLDER, scenario), "--quiet", "--workers", "1", "--overwrite", "--output",
                    name, *sets], check=True, capture_output=True)


def series(name, *variables):
    text = subprocess.run(["ncdump", "-v", ",".join(variables), name + ".series.nc"], check=True, capture_output=True,
                          text=True).stdout.split("data:")[1]
    return [[float(x) for x in re.search(r"\n " + v + r" =\s*(.*?);", text, re.S).group(1).split(",")]
            for v in variables]


def size():
    with open(os.path.join(FOLDER, "target.txt"), encoding="utf8") as file:
        beads = [tuple(map(float, line.split())) for line in file]
    radius = 2.4e-3
    across = max(p[0] for p in beads) - min(p[0] for p in beads) + 2 * radius
    return across, max(p[2] for p in beads) - min(p[2] for p in beads) + 2 * radius


def first_peak(name):
    time, broken, force = series(name, "time", "n_broken", "wall_force")
    push = [abs(f) for f in force[::6]]
    best = 0
    for i, f in enumerate(push):
        if f > push[best]:
            best = i
        elif push[best] > 20 and f < 0.7 * push[best]:
            break
    return push[best], broken[best]


def brazilian(cairn, name):
    across, thick = size()
    print("Brazilian test: D %.3g mm, L %.3g mm" % (1e3 * across, 1e3 * thick))
    for speed in (0.01, 0.03):
        for seed in (1, 2, 3):
            run(cairn, "brazilian_disk.yaml", name, "seed=%d" % seed, "time.end=%g" % (0.003 / speed),
                "walls.0.plane.motion.velocity=[%g, 0, 0]" % speed, "walls.1.plane.motion.velocity=[%g, 0, 0]" % -speed,
                "output.series=%g" % (5e-6 / speed), "output.frames=0")
            force, broken = first_peak(name)
            print("  plates at %2.0f mm/s, seed %d: %.3g N with %d bonds broken, %.3g MPa" %
                  (1e3 * speed, seed, force, broken, 2e-6 * force / (math.pi * across * thick)))


def impacts(cairn, name):
    for stiffness in (3.9e4, 1e4):
        print("impacts at 78 m/s, stiffness %.2g N/m: fragments, of these of several beads, largest part" % stiffness)
        for x, y in POINTS:
            run(cairn, "cohesive_impact.yaml", name, "interactions.0.stiffness=%g" % stiffness,
                "bodies.1.single.position=[%ge-3, %ge-3, 9e-3]" % (x, y))
            found = json.loads(subprocess.run([cairn, "analyse", name + ".nc", "--links", "bonds", "--json"], check=True,
                                              capture_output=True, text=True).stdout)
            beads = [f["bodies"] for f in found["fragments"] if f["mass"] > 1e-4]
            print("  (%6.3f, %6.3f) mm: %2d %2d %.3f" % (x, y, len(beads), sum(n > 1 for n in beads), beads[0] / 90.0))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "run")
        brazilian(sys.argv[1], name)
        impacts(sys.argv[1], name)


main()
