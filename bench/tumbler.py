#!/usr/bin/env python3
"""The tumbler of Richardson et al. (2011, section 3.2): slope of the surface against the Froude number.

    bench/tumbler.py [CAIRN] [--froude FR ...] [--end SECONDS] [--grain METRES] [--soft]

runs scenarios/tumbler.yaml (fill, capture of the lining, rotation with a ramp) for each Froude number Fr = Ω² R/g and
prints the slope of the surface in its uphill half, from straight lines fitted to the frames of the last third, and in how
many of 24 sectors loose grains lie against the lining, which tells tumbling from centrifuging. Grains larger than the
source's 0.53 mm make a smaller problem in the same drum: its radius inside of the lining, its length and the part of it
that is filled stay as they are. --soft runs the same drum by soft spheres, with a stiffness of 1000 N/m and a friction of
0.3 between grains, where hard spheres have a transverse restitution."""
import argparse
import math
import os
import subprocess
import tempfile

import netCDF4
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
SCENARIO = os.path.join(HERE, "..", "scenarios", "tumbler.yaml")
RADIUS, LENGTH, GRAIN, COUNT, START = 0.030, 0.005, 0.00053, 6513, 0.1


def slope_of(x, y, grain):
    """Degrees. The surface of a bin is its highest grain that has others close below it. The drum turns against the clock:
    uphill is where x > 0."""
    points = []
    width = max(0.06 * RADIUS, 2 * grain)
    for low in numpy.arange(0.0, 0.6 * RADIUS, width):
        heights = numpy.sort(y[(x >= low) & (x < low + width)])[::-1]
        for k, top in enumerate(heights):
            if numpy.sum((heights[k + 1:] > top - 4 * grain)) >= 4 * LENGTH / (2 * grain) * 0.4:
                points.append((low + 0.5 * width, top))
                break
    if len(points) < 4:
        return math.nan
    px, py = numpy.array(points).T
    return math.degrees(math.atan(numpy.polyfit(px, py, 1)[0]))


def report(name, froude, grain, label):
    with netCDF4.Dataset(name + ".nc") as frames:
        n = frames["coordinates"].shape[0]
        captor = numpy.array(frames["captor"][n - 1])
        loose = captor == 0
        slopes, sectors = [], []
        for k in range(2 * n // 3, n):
            x, y = numpy.array(frames["coordinates"][k, :, 0])[loose], numpy.array(frames["coordinates"][k, :, 1])[loose]
            slopes.append(slope_of(x, y, grain))
            near = numpy.hypot(x, y) > RADIUS - 3 * grain
            counts, _ = numpy.histogram(numpy.arctan2(y[near], x[near]), bins=24, range=(-math.pi, math.pi))
            full = 2 * math.pi * RADIUS / 24 / (2 * grain) * LENGTH / (2 * grain)  # grains of a layer, side by side
            sectors.append(numpy.sum(counts >= 0.3 * full))
    with netCDF4.Dataset(name + ".series.nc") as series:
        collisions = float(numpy.nan_to_num(series["n_collisions"][-1]))
    print(f"{label}Fr {froude:5.3g}: slope {numpy.nanmean(slopes):5.1f} ± {numpy.nanstd(slopes):4.1f} degrees, grains at the "
          f"lining in {numpy.mean(sectors):4.1f} of 24 sectors, {numpy.sum(~loose)} captured of {len(captor)}, "
          f"{collisions:.2e} collisions", flush=True)


def run(cairn, name, sets, workers):
    command = [cairn, "run", SCENARIO, "--quiet", "--overwrite", "--output", name, "--workers", str(workers)]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cairn", nargs="?", default=os.path.join(HERE, "..", "build", "release", "cairn"))
    parser.add_argument("--froude", type=float, nargs="+", default=[0.05, 0.3, 0.5, 1.0, 1.5])
    parser.add_argument("--end", type=float, default=0.8)
    parser.add_argument("--grain", type=float, default=GRAIN, help="radius of the grains, m")
    parser.add_argument("--soft", action="store_true", help="by soft spheres")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    grain, outer = arguments.grain, RADIUS + 2 * arguments.grain
    count = round(COUNT * (GRAIN / grain) ** 3 * (outer / (RADIUS + 2 * GRAIN)) ** 2)
    with tempfile.TemporaryDirectory() as folder:
        for froude in arguments.froude:
            name = os.path.join(folder, f"tumbler_{froude:g}")
            soft = {"method": "soft_spheres", "time.step": "auto", "interactions.0.stiffness": 1000,
                    "interactions.0.friction": 0.3, "interactions.1.stiffness": 1000, "interactions.1.friction": 0}
            run(arguments.cairn, name, {
                "time.end": arguments.end, "walls.0.cylinder.motion.spin": math.sqrt(froude * 9.81 / RADIUS),
                "walls.0.cylinder.radius": outer, "bodies.0.cloud.in.cylinder.radius": outer,
                "bodies.0.cloud.radius": grain, "bodies.0.cloud.count": count,
                **(soft if arguments.soft else {})}, arguments.workers)
            report(name, froude, grain, "soft spheres, " if arguments.soft else "")


if __name__ == "__main__":
    main()
