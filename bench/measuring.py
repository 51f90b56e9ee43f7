#!/usr/bin/env python3
"""What measuring costs: the dense bed run by `cairn run` with nothing written, with frames every so many steps, with the
contact network of each frame, and with series alone, in turns.

  python3 bench/measuring.py BED [--tiles NX NY] [--every 100] [--steps 1000] [--repeats 3] [--law hooke]
                             [--cairn PROGRAM] [--other PROGRAM] [--workers N] [--cases NAME,NAME]

Each case is run for --steps steps and for twice as many; the difference is the time of --steps steps without the start
of the program, but with the time that its files need to reach the disk in the end. --other is a second program, run
in turns with the first. Prints the least time of the repeats and its ratio to the run that writes nothing; a second run that
writes nothing tells the noise. BED is a file of make_bed (bench/README.md)."""
import argparse
import os
import subprocess
import sys
import tempfile
import time

from tiled_bed import spheres

LAWS = {"hooke": ("", "stiffness: 2e5, restitution: 0.7, tangential_restitution: 0.7165"),
        "hertz": (", young_modulus: 6.825e7, poisson_ratio: 0.3", "viscous_time: 2e-5, shear_ratio: 0.4")}


def scenario(law, box, steps, output):
    material, interaction = LAWS[law]
    planes = (("floor", [0, 0, 0], [0, 0, 1]), ("left", [0, 0, 0], [1, 0, 0]), ("front", [0, 0, 0], [0, 1, 0]),
              ("right", [box[0], 0, 0], [-1, 0, 0]), ("back", [0, box[1], 0], [0, -1, 0]))
    walls = "".join(f"  - plane: {{name: {n}, point: {p}, normal: {d}, material: grain}}\n" for n, p, d in planes)
    return f"""title: dense bed
law: {law}
time: {{step: 1e-4, end: {1e-4 * steps:g}}}
gravity: {{uniform: [0, 0, -1]}}
materials: [{{name: grain, density: 1.909859317{material}}}]
interactions:
  - {{between: [grain, grain], {interaction}, friction: 0.5, slip: 1}}
bodies:
  - table: {{file: bed.txt, columns: [x, y, z, radius], material: grain}}
walls:
{walls}overlap: {{limit: 0.5, initial: 0.5}}
output: {{{output}}}
"""


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bed")
    parser.add_argument("--tiles", type=int, nargs=2, default=(1, 1))
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--law", default="hooke", choices=LAWS)
    parser.add_argument("--cairn", default=os.path.join(root, "build", "release", "cairn"))
    parser.add_argument("--other")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cases")
    options = parser.parse_args()
    every = 1e-4 * options.every
    cases = {"nothing": "frames: 0, series: 0, checkpoint: 0", "series": f"frames: 0, series: {every:g}, checkpoint: 0",
             "frames": f"frames: {every:g}, series: 0, checkpoint: 0",
             "frames with contacts": f"frames: {every:g}, series: 0, checkpoint: 0, contacts: true",
             "nothing again": "frames: 0, series: 0, checkpoint: 0"}
    if options.cases:
        cases = {name: cases[name] for name in ["nothing"] + options.cases.split(",")}
    programs = {"": options.cairn, "other: ": options.other} if options.other else {"": options.cairn}
    runs = {which + name: (program, output) for name, output in cases.items() for which, program in programs.items()}
    best = {}
    with tempfile.TemporaryDirectory(prefix="cairn_measuring") as folder:
        box, rows = spheres(options.bed, *options.tiles)
        with open(os.path.join(folder, "bed.txt"), "w") as file:
            file.writelines(f"{x:.9g} {y:.9g} {z:.9g} {r:.9g}\n" for x, y, z, r in rows)
        for _ in range(options.repeats):
            for name, (program, output) in runs.items():
                for factor in (1, 2):
                    for old in os.listdir(folder):
                        if old.startswith("run."):
                            os.remove(os.path.join(folder, old))
                    with open(os.path.join(folder, "run.yaml"), "w") as file:
                        file.write(scenario(options.law, box, factor * options.steps, output))
                    begin = time.perf_counter()
                    subprocess.run([os.path.abspath(program), "run", "--quiet", "--workers", str(options.workers),
                                    "run.yaml"], cwd=folder, check=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    taken = time.perf_counter() - begin
                    best[name, factor] = min(best.get((name, factor), taken), taken)
    times = {name: best[name, 2] - best[name, 1] for name in runs}
    for name, taken in times.items():
        nothing = times["other: nothing" if name.startswith("other: ") else "nothing"]
        print(f"{name}: {1e3 * taken / options.steps:.4f} ms per step, {taken / nothing:.3f}")


if __name__ == "__main__":
    sys.exit(main())
