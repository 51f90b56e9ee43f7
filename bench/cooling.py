#!/usr/bin/env python3
"""A cooling granular gas beside Haff's law: where the difference comes from.

    bench/cooling.py [CAIRN]

runs 2000 and 16 000 inelastic hard spheres of the same packing fraction in a box of 1 m from 0.4 s on and prints, each over
its theoretical value, the collisions (Enskog), the energy lost in a collision, (1 - e²) m T, and the growth of 1/√T
(Haff)."""
import math
import os
import subprocess
import sys
import tempfile

import netCDF4
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
E, START, END = 0.95, 0.4, 5.2
FACES = (("[0, 0, 0]", "[1, 0, 0]"), ("[0, 0, 0]", "[0, 1, 0]"), ("[0, 0, 0]", "[0, 0, 1]"),
         ("[1, 1, 1]", "[-1, 0, 0]"), ("[1, 1, 1]", "[0, -1, 0]"), ("[1, 1, 1]", "[0, 0, -1]"))


def report(n, radius, series):
    with netCDF4.Dataset(series) as rows:
        t, temperature, collisions, lost = (numpy.array(rows[key][:]) for key in (
            "time", "granular_temperature", "n_collisions", "dissipated_energy"))
    first = int(numpy.argmax(t >= START - 1e-9))
    t, temperature, collisions, lost = t[first:], temperature[first:], collisions[first:], lost[first:]
    d, mass = 2 * radius, 1000 * 4 / 3 * math.pi * radius**3
    density = n / (1 - d) ** 3
    eta = density * 4 / 3 * math.pi * radius**3
    # less what a body near a wall misses behind it
    rate = (1 - 1.5 * d / (1 - d)) * 4 * math.sqrt(math.pi) * density * d * d * (1 - eta / 2) / (1 - eta) ** 3
    middle, span = (temperature[1:] + temperature[:-1]) / 2, numpy.diff(t)
    enskog = 0.5 * n * rate * numpy.sum(numpy.sqrt(middle) * span)
    each = (1 - E * E) * mass * numpy.sum(numpy.diff(collisions) * middle)
    haff = (1 - E * E) * rate / 6 * (t[-1] - t[0])
    growth = 1 / math.sqrt(temperature[-1]) - 1 / math.sqrt(temperature[0])
    print(f"{n} bodies: collisions {(collisions[-1] - collisions[0]) / enskog:.3f}, loss of one "
          f"{(lost[-1] - lost[0]) / each:.3f}, growth of 1/sqrt(T) {growth / haff:.3f} of theory", flush=True)


def main():
    cairn = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build", "release", "cairn")
    walls = "\n".join(f"  - plane: {{point: {p}, normal: {q}, material: wall}}" for p, q in FACES)
    with tempfile.TemporaryDirectory() as folder:
        for n, radius in ((2000, 0.02), (16000, 0.01)):
            scenario, name = os.path.join(folder, "gas.yaml"), os.path.join(folder, f"gas{n}")
            with open(scenario, "w", encoding="utf-8") as file:
                file.write(f"method: hard_spheres\ntime: {{step: 0.004, end: {END}}}\nmaterials:\n"
                           "  - {name: rock, density: 1000}\n  - {name: wall, density: 1000}\ninteractions:\n"
                           f"  - {{between: [rock, rock], restitution: {E}}}\n  - {{between: [rock, wall], restitution: 1}}\n"
                           f"bodies:\n  - cloud: {{count: {n}, in: {{box: {{lower: [0, 0, 0], upper: [1, 1, 1]}}}}, radius: "
                           f"{radius}, speed: 1, material: rock}}\nwalls:\n{walls}\noutput: {{frames: 0, series: 0.1}}\n")
            subprocess.run([cairn, "run", scenario, "--quiet", "--output", name], check=True, stdout=subprocess.DEVNULL)
            report(n, radius, name + ".series.nc")


if __name__ == "__main__":
    main()
