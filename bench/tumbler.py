#!/usr/bin/env python3
"""The tumbler of Richardson et al. (2011, section 3.2): slope of the surface against the Froude number.

    bench/tumbler.py [CAIRN] [--froude FR ...] [--end SECONDS]

runs scenarios/tumbler.yaml (fill, capture of the lining, rotation with a ramp) for each Froude number Fr = Ω² R/g and
prints the slope of the surface in its uphill half, from straight lines fitted to the last frames, and how many loose
grains touch the lining all around, which tells tumbling from centrifuging."""
import argparse
import math
import os
import subprocess
import tempfile

import netCDF4
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
RADIUS, GRAIN = 0.030, 0.00053


def slope_of(x, y):
    """Degrees. The surface of a bin is its highest grain that has others within a grain's diameter below it."""
    points = []
    for low in numpy.linspace(0.0, 0.6 * RADIUS, 10):
        inside = (x >= low) & (x < low + 0.06 * RADIUS)
        heights = numpy.sort(y[inside])[::-1]
        for k, top in enumerate(heights):
            if numpy.sum((heights[k + 1:] > top - 4 * GRAIN)) >= 8:
                points.append((low + 0.03 * RADIUS, top))
                break
    if len(points) < 5:
        return math.nan
    px, py = numpy.array(points).T
    return math.degrees(math.atan(numpy.polyfit(px, py, 1)[0]))


def report(name, froude):
    with netCDF4.Dataset(name + ".nc") as frames:
        n = frames["coordinates"].shape[0]
        captor = numpy.array(frames["captor"][n - 1])
        loose = captor == 0
        slopes, sectors = [], []
        for k in range(max(0, n - 10), n):
            x, y = numpy.array(frames["coordinates"][k, :, 0])[loose], numpy.array(frames["coordinates"][k, :, 1])[loose]
            slopes.append(slope_of(x, y))
            near = numpy.hypot(x, y) > RADIUS - 3.5 * GRAIN
            counts, _ = numpy.histogram(numpy.arctan2(y[near], x[near]), bins=24, range=(-math.pi, math.pi))
            sectors.append(numpy.sum(counts >= 5))
    with netCDF4.Dataset(name + ".series.nc") as series:
        collisions = float(series["n_collisions"][-1])
    print(f"Fr {froude:5.3g}: slope {numpy.nanmean(slopes):5.1f} ± {numpy.nanstd(slopes):4.1f} degrees, grains at the lining "
          f"in {numpy.mean(sectors):4.1f} of 24 sectors, {numpy.sum(~loose)} captured of {len(captor)}, "
          f"{collisions:.2e} collisions", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cairn", nargs="?", default=os.path.join(HERE, "..", "build", "release", "cairn"))
    parser.add_argument("--froude", type=float, nargs="+", default=[0.05, 0.3, 0.5, 1.0, 1.5])
    parser.add_argument("--end", type=float, default=0.8)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for froude in arguments.froude:
            name = os.path.join(folder, f"tumbler_{froude:g}")
            subprocess.run(
                [arguments.cairn, "run", os.path.join(HERE, "..", "scenarios", "tumbler.yaml"), "--quiet", "--output", name,
                 "--workers", str(arguments.workers), "--set", f"time.end={arguments.end}",
                 "--set", f"walls.0.cylinder.motion.spin={math.sqrt(froude * 9.81 / RADIUS)}"],
                check=True, stdout=subprocess.DEVNULL)
            report(name, froude)


if __name__ == "__main__":
    main()
