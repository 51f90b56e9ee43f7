#!/usr/bin/env python3
"""Spheres at rest on a cubic grid fall together under their own gravity (scenarios/accretion.yaml; Sánchez et al. 2021,
section 3).

  python3 bench/accretion.py [--count 125 512 1000 3375]    slow: 8000 (a quarter of an hour), 15625, 27000
          [--mesh 10] [--friction 0] [--step auto] [--sizes volume] [--seeds 1] [--end 9000]
  python3 bench/accretion.py --free-fall [--count 125 512]  kinetic energy by cairn and by a direct sum in this file

Options: --cairn PROGRAM, --workers N, --folder DIR (keeps the runs). All but --seeds and --end take several values; every
combination is run. --sizes: `volume` spreads volumes evenly between those of the smallest and the largest sphere,
`fraction` gives every interval of diameter the same total volume. Per run:
  peak      when the kinetic energy is largest, and its mean over spheres then
  Z peak    coordination at that time
  flat      from when on it stays below 1 % of the peak
and means from 125 min on, as in the article (the last sixth of a run of another length):
  energy    mean kinetic energy of a sphere
  Z         contacts per sphere that carry force in a step, rattlers counted, and how much it varies in time (standard
            deviation); and of the last state the neighbours nearer than a thousandth of the mean diameter
  packing   volume of the spheres over that of the sphere around all of them, and over the equivalent ellipsoid
  D         diameter of the sphere around all, also in mean diameters of a sphere
  P         mean pressure over that sphere's volume, over ρ0 g0 D/6 (eq. 23) with the mean density ρ0 in that sphere and
            the gravity g0 on its surface (`eq. 23`), with the density of the rock and G M/D² (`printed`), and over
            what the virial theorem asks of any heap at rest, |U|/3V with the potential energy U (`virial`)"""
import argparse
import itertools
import math
import os
import shutil
import subprocess
import sys
import tempfile

import netCDF4
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
G, DENSITY = 6.6743e-11, 5164.0
SIZES = {"volume": "{uniform_volume: [3.75, 5]}", "fraction": "{power_law: {exponent: 3, min: 3.75, max: 5}}"}


def fall(cairn, workers, folder, count=1000, mesh=10., friction=0., step="auto", sizes="volume", seed=1, end=9000.,
         keys=()):
    """Run the scenario; returns the stem of its files."""
    side = round(count ** (1 / 3))
    if side**3 != count:
        raise SystemExit(f"--count: {count} is no cube; {side**3} is")
    corner = -mesh * (side - 1) / 2
    stem = os.path.join(folder, f"{count}_{mesh:g}_{friction:g}_{step}_{sizes}_{seed}")
    keys = [f"seed={seed}", f"time.end={end:g}", f"time.step={step}", f"interactions.0.friction={friction:g}",
            f"bodies.0.lattice.counts=[{side}, {side}, {side}]", f"bodies.0.lattice.spacing={mesh:g}",
            f"bodies.0.lattice.origin=[{corner:g}, {corner:g}, {corner:g}]",
            f"bodies.0.lattice.radius={SIZES[sizes]}", "output.frames=0", "output.series=10", *keys]
    options = [option for key in keys for option in ("--set", key)]
    subprocess.run([cairn, "run", os.path.join(ROOT, "scenarios", "accretion.yaml"), "--quiet", "--overwrite",
                    "--workers", str(workers), "--output", stem, *options], check=True, stdout=subprocess.DEVNULL)
    return stem


def neighbours(position, radius):
    """Mean number of others whose gap to a sphere is below 1e-3 mean diameters."""
    n = 0
    for x, r in zip(position, radius):
        gap = numpy.sqrt(((position - x) ** 2).sum(axis=1)) - radius - r
        n += int((gap < 2e-3 * radius.mean()).sum()) - 1
    return n / len(radius)


def figures(stem):
    """What the head of this file lists."""
    with netCDF4.Dataset(stem + ".ckpt.nc") as file:
        position, radius = numpy.array(file["position"][:]), numpy.array(file["radius"][:])
        mass = float(numpy.sum(file["mass"][:]))
    with netCDF4.Dataset(stem + ".series.nc") as file:
        file.set_auto_mask(False)
        of = {name: file[name][:] for name in (
            "time", "kinetic_energy", "rotational_energy", "potential_energy", "coordination", "diameter",
            "packing_fraction", "packing_fraction_ellipsoid", "mean_pressure")}
    time, energy = of["time"], (of["kinetic_energy"] + of["rotational_energy"]) / len(radius)
    peak = int(numpy.argmax(energy))
    above = numpy.flatnonzero(energy >= 0.01 * energy[peak])
    rest = time >= (7500 if time[-1] > 8000 else time[-1] * 5 / 6)
    mean = {name: float(values[rest].mean()) for name, values in of.items()}
    volume = math.pi / 6 * of["diameter"] ** 3
    liquid = G * mass**2 / (3 * of["diameter"] / 2 * volume)  # eq. 23
    printed = DENSITY * G * mass / (6 * of["diameter"])
    virial = -of["potential_energy"] / (3 * volume)
    return {"peak": float(time[peak]), "peak_energy": float(energy[peak]), "peak_z": float(of["coordination"][peak]),
            "flat": float(time[above[-1] + 1]) if above[-1] + 1 < len(time) else math.inf,
            "energy": float(energy[rest].mean()), "z": mean["coordination"],
            "z_varies": float(of["coordination"][rest].std()), "near": neighbours(position, radius),
            "packing": mean["packing_fraction"],
            "ellipsoid": mean["packing_fraction_ellipsoid"], "diameter": mean["diameter"],
            "relative": mean["diameter"] / (2 * float(radius.mean())), "pressure": mean["mean_pressure"],
            "liquid": mean["mean_pressure"] / float(liquid[rest].mean()),
            "printed": mean["mean_pressure"] / float(printed[rest].mean()),
            "virial": mean["mean_pressure"] / float(virial[rest].mean())}


def grid_fraction(mesh):
    """Part of the space that spheres on the grid fill, sizes by `volume`."""
    return math.pi / 12 * (7.5**3 + 10**3) / mesh**3


def collapse_time(mesh):
    """Time in which a uniform sphere as dense as the grid would fall to a point without pressure."""
    return math.sqrt(3 * math.pi / (32 * G * DENSITY * grid_fraction(mesh)))


def contraction(x):
    """Time in which such a sphere falls from rest to the part x of its size, over the time to a point."""
    return 2 / math.pi * (math.acos(math.sqrt(x)) + math.sqrt(x * (1 - x)))


def direct_energy(position, mass, times, step=2.):
    """Kinetic energies at some times of points that fall from rest: sums over all pairs, leapfrog."""
    def pull(x):
        apart = x[None] - x[:, None]
        distance2 = (apart**2).sum(axis=2)
        numpy.fill_diagonal(distance2, 1)
        return G * (apart * (mass[None] / distance2**1.5)[..., None]).sum(axis=1)

    x, v, time, energies = position.copy(), numpy.zeros_like(position), 0., []
    a = pull(x)
    for until in times:
        n = math.ceil((until - time) / step - 1e-9)
        h = (until - time) / max(n, 1)
        for _ in range(n):
            v += h / 2 * a
            x += h * v
            a = pull(x)
            v += h / 2 * a
        time = until
        energies.append(float((mass * (v**2).sum(axis=1)).sum() / 2))
    return numpy.array(energies)


def free_fall(cairn, workers, folder, count, mesh, end):
    """Rows of a run before and while the first spheres meet: time, contacts, kinetic energy by cairn and by direct sums."""
    stem = fall(cairn, workers, folder, count, mesh, end=end, keys=["output.frames=1e6", "output.series=50"])
    with netCDF4.Dataset(stem + ".nc") as file:
        position, mass = numpy.array(file["coordinates"][0], dtype=float), numpy.array(file["mass"][:])
    with netCDF4.Dataset(stem + ".series.nc") as file:
        time, energy, contacts = (numpy.array(file[k][1:]) for k in ("time", "kinetic_energy", "n_contacts"))
    return time, contacts, energy, direct_energy(position, mass, time)


def show_free_fall(options, folder):
    for count, mesh in itertools.product(options.count or [125, 512], options.mesh):
        print(f"{count} spheres, mesh {mesh:g} m: time, contacts, kinetic energy by cairn, by direct sums, ratio − 1")
        rows = zip(*free_fall(options.cairn, options.workers, folder, count, mesh, 300 * (mesh / 10) ** 1.5))
        for time, contacts, energy, direct in rows:
            print(f"  {time:6.1f} s {contacts:5.0f} {energy:12.6g} J {direct:12.6g} J {energy / direct - 1:+.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default=os.path.join(ROOT, "build", "release", "cairn"))
    parser.add_argument("--workers", default=2)
    parser.add_argument("--count", type=int, nargs="+")
    parser.add_argument("--mesh", type=float, nargs="+", default=[10.])
    parser.add_argument("--friction", type=float, nargs="+", default=[0.])
    parser.add_argument("--step", nargs="+", default=["auto"])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["volume"])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--end", type=float, default=9000.)
    parser.add_argument("--free-fall", action="store_true")
    parser.add_argument("--folder")
    options = parser.parse_args()
    folder = options.folder or tempfile.mkdtemp(prefix="cairn_accretion")
    os.makedirs(folder, exist_ok=True)
    try:
        if options.free_fall:
            return show_free_fall(options, folder)
        print("    n  mesh    μ  step    sizes seed |  peak  energy Z peak   flat |  energy   Z           near   packing"
              "          D              P      /eq. 23 /printed /virial")
        print("          m          s              |   min       J           min |       J                       sphere ell."
              "     m     /⟨d⟩     Pa")
        for count, mesh, friction, step, sizes, seed in itertools.product(
                options.count or [125, 512, 1000, 3375], options.mesh, options.friction, options.step, options.sizes,
                range(1, 1 + options.seeds)):
            f = figures(fall(options.cairn, options.workers, folder, count, mesh, friction, step, sizes, seed,
                             options.end))
            print(f"{count:5} {mesh:5g} {friction:4g} {step:>5} {sizes:>8} {seed:4} | {f['peak'] / 60:5.1f} "
                  f"{f['peak_energy']:7.4g} {f['peak_z']:6.2f} {f['flat'] / 60:6.0f} | {f['energy']:7.2g} "
                  f"{f['z']:5.2f} ± {f['z_varies']:4.2f} {f['near']:5.2f}  {f['packing']:6.3f} {f['ellipsoid']:6.3f} "
                  f"{f['diameter']:7.1f} {f['relative']:6.2f} {f['pressure']:8.3f} {f['liquid']:8.3f} {f['printed']:8.3f} "
                  f"{f['virial']:7.3f}", flush=True)
    finally:
        if not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
