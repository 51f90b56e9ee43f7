#!/usr/bin/env python3
"""The same bed (scenarios/bed.yaml) by contact dynamics and by stiff soft spheres.

  python3 bench/bed.py [--seeds 5] [--stiffness 5e5]

Options: --cairn PROGRAM, --workers N. Both settle from the same cloud of 2000 beads with the same friction. Per run:
  filled    part of the space that beads fill, between 3 and 12 cm above the floor; the bed is 17 cm high
  force     mean normal force of contacts of two beads that push each other, in N
  touching  such contacts per bead, twice their number over that of beads
  weight    push on the floor over the weight of the bed
"""
import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile

import netCDF4
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH, LOW, HIGH, GRAVITY = 0.3, 0.03, 0.12, 9.81
STIFFNESS = 5e5  # of the scenario
SOFT = ["method=soft_spheres", "time.step=auto", "interactions.0.restitution=0.1"]  # soft spheres need some


def settle(cairn, workers, folder, method, seed=1, stiffness=STIFFNESS):
    """Run the scenario; returns the stem of its files."""
    stem = os.path.join(folder, f"{method}_{seed}")
    keys = [f"seed={seed}", "output.frames=0", f"interactions.0.stiffness={stiffness:g}",
            *(SOFT if method == "soft_spheres" else [])]
    options = [option for key in keys for option in ("--set", key)]
    subprocess.run([cairn, "run", os.path.join(ROOT, "scenarios", "bed.yaml"), "--quiet", "--overwrite", "--workers",
                    str(workers), "--output", stem, *options], check=True, stdout=subprocess.DEVNULL)
    return stem


def below(z, r, level):
    """Volume of the part of spheres that is below a level."""
    h = numpy.clip(level - (z - r), 0, 2 * r)
    return math.pi * h**2 * (r - h / 3)


def figures(stem, stiffness=STIFFNESS):
    """What the head of this file lists, of the last state of a run."""
    with netCDF4.Dataset(stem + ".series.nc") as file:
        rigid = file["solver_sweeps"][-1] > 0
        floor = -float(file["wall_force"][-1, 0, 2])
    with netCDF4.Dataset(stem + ".ckpt.nc") as file:
        file.set_auto_mask(False)
        x, r, mass, step = file["position"][:], file["radius"][:], file["mass"][:], float(file["step_size"][...])
        a, b = file["contact_a"][:], file["contact_b"][:]
        impulse = file["contact_impulse"][:] if rigid else None
    n = x[b] - x[a]
    distance = numpy.linalg.norm(n, axis=1)
    force = (impulse * n).sum(axis=1) / distance / step if rigid else stiffness * (r[a] + r[b] - distance)
    force = force[force > 0]
    filled = (below(x[:, 2], r, HIGH) - below(x[:, 2], r, LOW)).sum() / (WIDTH**2 * (HIGH - LOW))
    return {"filled": float(filled), "force": float(force.mean()), "touching": 2 * len(force) / len(r),
            "weight": floor / (GRAVITY * mass.sum())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default=os.path.join(ROOT, "build", "release", "cairn"))
    parser.add_argument("--workers", default=2)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--stiffness", type=float, default=STIFFNESS)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="cairn_bed")
    try:
        for method in ("contact_dynamics", "soft_spheres"):
            runs = []
            for seed in range(1, options.seeds + 1):
                stem = settle(options.cairn, options.workers, folder, method, seed, options.stiffness)
                runs.append(figures(stem, options.stiffness))
                print(f"{method}, seed {seed}: " + ", ".join(f"{k} {v:.4f}" for k, v in runs[-1].items()), flush=True)
            if options.seeds > 1:
                of = {k: numpy.array([run[k] for run in runs]) for k in runs[0]}
                print(f"{method}: " + ", ".join(f"{k} {v.mean():.4f} ± {v.std(ddof=1):.4f}" for k, v in of.items()))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
