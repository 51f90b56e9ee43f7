#!/usr/bin/env python3
"""Does it matter how often self-gravity is found? The accretion of scenarios/accretion.yaml, again and again.

  python3 bench/refresh.py [--count 10] [--seeds 5] [--end 9000] [--step auto] [--method contact_dynamics] [--accuracy 1e-3]

Options: --cairn PROGRAM, --workers N. With `soft_spheres` they are 10⁵ N/m stiff and bounce a little. A cube of count³
bodies falls together, with gravity found at every step and as `refresh: auto` has it. Per run:
  found     steps in which gravity was found, over all steps
  peak      time of the largest kinetic energy, s
  kinetic   that energy, over the energy of gravity at the start
  bound     energy of gravity at the end, over the same, with its sign changed
  lost      energy at the end that is neither there nor dissipated, over the same (contact dynamics; else without what
            was dissipated)
  long, short  largest and smallest semi-axis of the equivalent ellipsoid at the end, m
  packing   part of that ellipsoid that bodies fill
  touching  contacts per body
The last eight rows of the series are averaged for what is there at the end. Then mean ± standard deviation over the
seeds and the difference of the means over that deviation."""
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
WAYS = ("1", "auto")
LAST = 8
METHODS = {"contact_dynamics": [], "soft_spheres": ["method=soft_spheres", "interactions.0.restitution=0.1",
                                                    "interactions.0.stiffness=1e5", "overlap.limit=1"]}


def accrete(cairn, workers, folder, method, refresh, count, seed, end, step="auto", accuracy=1e-3):
    """Run the scenario; returns its series."""
    stem = os.path.join(folder, f"{method}_{refresh}_{count}_{seed}")
    corner = -5 * (count - 1)
    keys = [*METHODS[method], f"seed={seed}", f"time.step={step}", f"time.end={end}",
            f"gravity.self.refresh={refresh}", f"gravity.self.accuracy={accuracy}", "output.frames=0", "output.series=15",
            f"bodies.0.lattice.origin=[{corner}, {corner}, {corner}]",
            f"bodies.0.lattice.counts=[{count}, {count}, {count}]"]
    options = [option for key in keys for option in ("--set", key)]
    subprocess.run([cairn, "run", os.path.join(ROOT, "scenarios", "accretion.yaml"), "--quiet", "--overwrite",
                    "--workers", str(workers), "--output", stem, *options], check=True, stdout=subprocess.DEVNULL)
    return stem + ".series.nc"


def figures(series):
    """What the head of this file lists."""
    with netCDF4.Dataset(series) as file:
        file.set_auto_mask(False)
        get = {name: file[name][:] for name in ("time", "step", "n_refreshes", "kinetic_energy", "rotational_energy",
                                                "potential_energy", "dissipated_energy", "semi_axes",
                                                "packing_fraction_ellipsoid", "coordination")}
    kinetic = get["kinetic_energy"] + get["rotational_energy"]
    total = kinetic + get["potential_energy"] + numpy.nan_to_num(get["dissipated_energy"])
    start = -get["potential_energy"][0]
    top = int(numpy.argmax(kinetic))
    last = {name: values[-LAST:].mean(axis=0) for name, values in get.items()}
    return {"found": float(get["n_refreshes"][-1] / get["step"][-1]), "peak": float(get["time"][top]),
            "kinetic": float(kinetic[top] / start), "bound": float(-last["potential_energy"] / start),
            "lost": float((total[0] - total[-1]) / start),
            "long": float(last["semi_axes"][0]), "short": float(last["semi_axes"][2]),
            "packing": float(last["packing_fraction_ellipsoid"]), "touching": float(last["coordination"])}


def compare(runs):
    """Mean and standard deviation over the runs of both ways, and the difference of the means over the deviation of
    single runs."""
    table = {}
    for key in runs["1"][0]:
        each, auto = (numpy.array([run[key] for run in runs[way]]) for way in WAYS)
        noise = math.sqrt((each.var(ddof=1) + auto.var(ddof=1)) / 2)
        table[key] = (each.mean(), each.std(ddof=1), auto.mean(), auto.std(ddof=1),
                      (auto.mean() - each.mean()) / noise if noise > 0 else 0.)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default=os.path.join(ROOT, "build", "release", "cairn"))
    parser.add_argument("--workers", default=2)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--end", type=float, default=9000)
    parser.add_argument("--step", default="auto")
    parser.add_argument("--accuracy", type=float, default=1e-3)
    parser.add_argument("--method", choices=METHODS, default="contact_dynamics")
    o = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="cairn_refresh")
    runs = {way: [] for way in WAYS}
    try:
        for seed in range(1, o.seeds + 1):
            for way in WAYS:
                series = accrete(o.cairn, o.workers, folder, o.method, way, o.count, seed, o.end, o.step,
                                 o.accuracy)
                runs[way].append(figures(series))
                print(f"refresh {way}, seed {seed}: " + ", ".join(f"{k} {v:.5g}" for k, v in runs[way][-1].items()),
                      flush=True)
    finally:
        shutil.rmtree(folder)
    for key, (each, each_noise, auto, auto_noise, ratio) in compare(runs).items() if o.seeds > 1 else ():
        print(f"{key}: refresh 1 {each:.5g} ± {each_noise:.2g}, auto {auto:.5g} ± {auto_noise:.2g}, "
              f"difference {ratio:+.2f} deviations")


if __name__ == "__main__":
    sys.exit(main())
