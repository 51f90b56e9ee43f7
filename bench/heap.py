#!/usr/bin/env python3
"""A heap of rigid spheres (scenarios/heap.yaml): does it stand, and how steep?

  python3 bench/heap.py [--count 5000] [--seeds 1]

Options: --cairn PROGRAM, --workers N. Three laws: with friction of sliding and rolling, without that of rolling, and
without any. With fewer spheres the cloud that falls shrinks in all directions. Per run and at 1 s and 2 s:
  angle     of the cone with the same mean height above the lowest layer, H/4, and mean square radius, 3/10 R²
  top       highest centre, in radii
and from 1 s to 2 s:
  moved     root mean square of the displacements, in radii
  energy    kinetic energy of a sphere at the end, in units of m g r"""
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
RADIUS, GRAVITY = 0.01, 9.81  # mean radius
COUNT, WIDTH, HEIGHT = 5000, 0.22, 0.5  # of the cloud
LAWS = {"rolling friction": [], "no rolling friction": ["interactions.0.rolling_friction=0"],
        "no friction": ["interactions.0.rolling_friction=0", "interactions.0.friction=0"]}


def pour(cairn, workers, folder, law, count=COUNT, seed=5):
    """Run the scenario; returns its trajectory."""
    scale = (count / COUNT) ** (1 / 3)
    stem = os.path.join(folder, f"{law}_{count}_{seed}".replace(" ", "_"))
    keys = [f"seed={seed}", f"bodies.0.cloud.count={count}", f"bodies.0.cloud.in.cylinder.radius={WIDTH * scale:.4g}",
            f"bodies.0.cloud.in.cylinder.height={HEIGHT * scale:.4g}", *LAWS[law]]
    options = [option for key in keys for option in ("--set", key)]
    subprocess.run([cairn, "run", os.path.join(ROOT, "scenarios", "heap.yaml"), "--quiet", "--overwrite", "--workers",
                    str(workers), "--output", stem, *options], check=True, stdout=subprocess.DEVNULL)
    return stem + ".nc"


def figures(trajectory):
    """What the head of this file lists; `angle`, `top` and `spread` (mean square radius's root, m) at 1 s and 2 s."""
    with netCDF4.Dataset(trajectory) as file:
        file.set_auto_mask(False)
        times = file["time"][:]
        frames = [int(numpy.argmin(abs(times - t))) for t in (1, 2)]
        places = [file["coordinates"][f] for f in frames]
        speed2 = numpy.mean(numpy.sum(file["velocities"][frames[1]] ** 2, axis=1))
    spread = [math.sqrt(numpy.mean(x[:, 0] ** 2 + x[:, 1] ** 2)) for x in places]
    height = [max(0, float(numpy.mean(x[:, 2])) - RADIUS) for x in places]
    return {"angle": [math.degrees(math.atan(4 * h / (math.sqrt(10 / 3) * s))) for h, s in zip(height, spread)],
            "top": [float(x[:, 2].max()) / RADIUS for x in places], "spread": spread,
            "moved": math.sqrt(numpy.mean(numpy.sum((places[1] - places[0]) ** 2, axis=1))) / RADIUS,
            "energy": float(speed2) / 2 / (GRAVITY * RADIUS)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default=os.path.join(ROOT, "build", "release", "cairn"))
    parser.add_argument("--workers", default=2)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="cairn_heap")
    try:
        for law in LAWS:
            for seed in range(5, 5 + options.seeds):
                f = figures(pour(options.cairn, options.workers, folder, law, options.count, seed))
                print(f"{law}, {options.count} spheres, seed {seed}: angle {f['angle'][0]:.2f} {f['angle'][1]:.2f}°, "
                      f"top {f['top'][0]:.1f} {f['top'][1]:.1f} r, moved {f['moved']:.3g} r, "
                      f"energy {f['energy']:.1e} m g r", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
