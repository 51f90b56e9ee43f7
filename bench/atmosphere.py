#!/usr/bin/env python3
"""The model atmosphere of Richardson et al. (2011, section 3.1), H1 and H1b, held against the isothermal atmosphere.

    bench/atmosphere.py [CAIRN] [--end SECONDS] [--step SECONDS]

runs scenarios/atmosphere.yaml in cylinders of radius 1 and 0.5 and prints, for each mass, the scale height expected from
the energy, the mean and scatter of those measured at 50, 60, ... 100 % of the run, the paper's, and the mean
Kolmogorov-Smirnov probability of the heights beside the paper's; and the change of the total energy."""
import argparse
import math
import os
import subprocess
import tempfile

import netCDF4
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
PAPER = {
    1.0: ((1.89, 0.06, 0.77, 0.27), (0.628, 0.045, 0.40, 0.33), (0.185, 0.007, 0.72, 0.16)),
    0.5: ((1.89, 0.15, 0.22, 0.31), (0.720, 0.034, 0.05, 0.06), (0.204, 0.011, 0.62, 0.35)),
}


def ks_probability(z, h):
    """Of heights against 1 - exp(-z/h), normalised at the largest one, as the paper does."""
    z = numpy.sort(z)
    n = len(z)
    model = (1 - numpy.exp(-z / h)) / (1 - math.exp(-z[-1] / h))
    steps = numpy.arange(n + 1) / n
    d = max(numpy.max(steps[1:] - model), numpy.max(model - steps[:-1]))
    x = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * d
    return min(1.0, max(0.0, 2 * sum((-1) ** (j - 1) * math.exp(-2 * (j * x) ** 2) for j in range(1, 101))))


def run(cairn, radius, end, step, folder):
    name = os.path.join(folder, f"atmosphere_{radius:g}")
    subprocess.run(
        [cairn, "run", os.path.join(HERE, "..", "scenarios", "atmosphere.yaml"), "--quiet", "--output", name,
         "--set", f"time.end={end}", "--set", f"time.step={step}", "--set", f"walls.1.cylinder.radius={radius}",
         "--set", f"output.frames={end / 20}", "--set", f"output.series={end / 100}"],
        check=True, stdout=subprocess.DEVNULL)
    return name


def report(name, radius):
    with netCDF4.Dataset(name + ".series.nc") as series:
        energy = series["kinetic_energy"][:] + series["potential_energy"][:]
        collisions = series["n_collisions"][-1]
    with netCDF4.Dataset(name + ".nc") as frames:
        mass = numpy.array(frames["mass"][:])
        r = float(numpy.array(frames["radius"][:])[0])
        height = numpy.array(frames["coordinates"][:, :, 2]) - r
        n_frames = height.shape[0]
    masses = numpy.sort(numpy.unique(numpy.round(mass, 6)))
    # 5/2 k T for each body; the paper counts heights from where a body touches the plane
    thermal = (energy[0] - 2.5e9 * r * mass.sum()) / len(mass) / 2.5
    print(f"cylinder of radius {radius:g}: {collisions:.0f} collisions, largest change of energy "
          f"{numpy.max(numpy.abs(energy / energy[0] - 1)):.1e}")
    print("  mass  expected  measured           paper             K-S           paper")
    for m, (h, dh, p, dp) in zip(masses, PAPER[radius]):
        which = numpy.abs(mass - m) < 1e-3 * m
        at = [round((n_frames - 1) * part) for part in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]
        heights = numpy.array([height[k, which].mean() for k in at])
        probability = numpy.array([ks_probability(height[k, which], height[k, which].mean()) for k in at])
        print(f"  {m:4.0f}  {thermal / (m * 2.5e9):7.3f}  {heights.mean():6.3f} ± {heights.std(ddof=1):5.3f}  "
              f"{h:6.3f} ± {dh:5.3f}  {probability.mean():5.2f} ± {probability.std(ddof=1):4.2f}  {p:4.2f} ± {dp:4.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cairn", nargs="?", default=os.path.join(HERE, "..", "build", "release", "cairn"))
    parser.add_argument("--end", type=float, default=1e-3)
    parser.add_argument("--step", type=float, default=1e-8)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for radius in (1.0, 0.5):
            report(run(arguments.cairn, radius, arguments.end, arguments.step, folder), radius)


if __name__ == "__main__":
    main()
