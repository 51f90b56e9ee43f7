#!/usr/bin/env python3
"""The same material by contact dynamics and by soft spheres: columns that collapse, heaps, drums, silos.

  python3 bench/collapse.py [column] [heap] [drum] [silo] [--count 2000] [--aspects 0.5 1 2 4 8] [--seeds 1]

Options: --cairn PROGRAM, --workers N, --methods NAMES, --rolling μ_r. Both methods get the same text but for method,
step and solver. Spheres of 5 mm ± 10 %, friction 0.5, rolling friction 0.1, restitution 0.1, the same at walls.

column  Spheres settle in a tube of radius r0, which then vanishes (Lube et al. 2004). a is the measured height over r0.
          h0     height of the column: twice the mean height of the centres
          r∞     where the deposit ends: outermost radius at which spheres cover 15 % of the ground, in a ring two
                 diameters wide. Fewer are single spheres that rolled away.
        Run-out: (r∞ - r0)/r0, also with 10 % and 25 %; the law is 1.24 a up to a = 1.7 and 1.6 √a above.
heap    Spheres fall on a plane from a cloud; angle of the cone with the same mean height and mean square radius. Soft
        spheres have tangential damping, ε_t* = 0.1: without it impacts throw them farther.
drum    scenarios/drum.yaml: angle of the centre of mass about the axis, from the vertical, mean over the last second.
silo    Fillings of three heights in a tube with friction. Then the floor goes down slowly; the mean force on it while
        it does, over the weight of a filling as high as the tube is wide, saturates (Janssen)."""
import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

import netCDF4
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RADIUS, GRAVITY, DENSITY = 0.005, 9.81, 2500.
FILLED = 0.58  # of a settled column, to choose its number of spheres
METHODS = ("contact_dynamics", "soft_spheres")


class Bench:
    """A program, a folder for its files, and how each method is run."""

    def __init__(self, cairn, workers, folder, rolling=0.1):
        self.cairn, self.workers, self.folder, self.rolling, self.seconds = cairn, workers, folder, rolling, 0.

    def head(self, method, end, seed, step):
        """The part of a scenario that all cases share; `step` is that of contact dynamics, s."""
        rigid = method == "contact_dynamics"
        return (f"method: {method}\nseed: {seed}\ntime: {{end: {end:g}" + (f", step: {step:g}" if rigid else "") + "}\n"
                + ("solver: {tolerance: 1.0e-3, sweeps: 200}\n" if rigid else "")
                + f"gravity: {{uniform: [0, 0, {-GRAVITY}]}}\noverlap: {{limit: 0.1}}\n"
                f"materials: [{{name: grain, density: {DENSITY:g}}}]\n"
                "interactions:\n  - {between: [grain, grain], stiffness: 5e4, restitution: 0.1, friction: 0.5, "
                f"rolling_friction: {self.rolling:g}, twisting_friction: 0.05}}\n")

    def run(self, name, text, options=()):
        """Run a scenario; returns the stem of its files."""
        stem = os.path.join(self.folder, name)
        with open(stem + ".yaml", "w") as file:
            file.write(text)
        before = time.monotonic()
        subprocess.run([self.cairn, "run", stem + ".yaml", "--quiet", "--overwrite", "--workers", str(self.workers),
                        "--output", stem, *options], check=True, stdout=subprocess.DEVNULL)
        self.seconds = time.monotonic() - before
        return stem


def cloud(count, radius, height):
    return (f"bodies:\n  - cloud: {{count: {count}, in: {{cylinder: {{base: [0, 0, 0], radius: {radius:.6g}, "
            f"height: {height:.6g}}}}}, radius: {{uniform: [{0.9 * RADIUS}, {1.1 * RADIUS}]}}, material: grain}}\n")


def places(stem, frame):
    """Positions and radii of a frame, and the time of it."""
    with netCDF4.Dataset(stem + ".nc") as file:
        file.set_auto_mask(False)
        return file["coordinates"][frame], file["radius"][frame if file["radius"].ndim > 1 else slice(None)], \
            float(file["time"][frame])


def column(bench, method, aspect, count=2000, seed=1):
    """Collapse of a column; returns what the head of this file lists."""
    tube = (count * 4 / 3 * RADIUS**3 / (FILLED * aspect)) ** (1 / 3)
    height = aspect * tube
    loose = 4 / 3 * count * RADIUS**3 / (0.25 * (tube - RADIUS) ** 2) + 2 * RADIUS  # of the cloud, a quarter filled
    free = 0.25 + 1.6 * math.sqrt(2 * loose / GRAVITY)  # settled by then
    end = free + 0.35 + 4 * math.sqrt(2 * height / GRAVITY)
    text = (bench.head(method, end, seed, 5e-4) + cloud(count, tube - RADIUS, loose)
            + "walls:\n  - plane: {name: floor, normal: [0, 0, 1], material: grain}\n"
            f"  - cylinder: {{name: tube, center: [0, 0, {loose / 2:.6g}], axis: [0, 0, 1], radius: {tube:.6g}, "
            f"length: {loose + 4 * RADIUS:.6g}, material: grain, behavior: frictionless, vanishes: {free:.6g}}}\n"
            f"output: {{frames: {free - 1e-3:.6g}, series: 0.02, checkpoint: 0}}\n")
    stem = bench.run(f"column_{method}_{aspect:g}_{seed}", text)
    x, _, _ = places(stem, 1)
    h0 = 2 * float(numpy.mean(x[:, 2]))
    y, r, _ = places(stem, -1)
    return {"a": h0 / tube, "tube": tube, **deposit(y, r, tube), "speed": residual_speed(stem),
            "seconds": bench.seconds}


def residual_speed(stem):
    """Root mean square of the speeds at the end, m/s."""
    with netCDF4.Dataset(stem + ".series.nc") as file:
        return math.sqrt(2 * float(file["kinetic_energy"][-1]) / float(file["total_mass"][-1]))


def edge(d, r, part):
    """Outermost radius at which spheres cover this part of the ground."""
    half = 2 * RADIUS
    places = numpy.arange(half, d.max() + 2 * half, RADIUS)
    covered = numpy.array([(r[abs(d - s) <= half] ** 2).sum() / ((s + half) ** 2 - (s - half) ** 2) for s in places])
    k = numpy.nonzero(covered >= part)[0].max()
    return places[k] + (covered[k] - part) / (covered[k] - covered[k + 1]) * RADIUS


def deposit(x, r, tube):
    """Run-out with three thresholds, and the height of the deposit."""
    d = numpy.hypot(x[:, 0], x[:, 1])
    return {"runout": edge(d, r, 0.15) / tube - 1, "far": edge(d, r, 0.1) / tube - 1,
            "near": edge(d, r, 0.25) / tube - 1, "height": float(numpy.quantile(x[:, 2], 0.999)) / tube}


def law(a):
    return 1.24 * a if a < 1.7 else 1.6 * math.sqrt(a)


def heap(bench, method, count=1000, seed=1):
    """Angle of a heap that fell from a cloud, degrees."""
    scale = (count / 1000) ** (1 / 3)
    head = bench.head(method, 1., seed, 5e-4).replace("restitution: 0.1,", "restitution: 0.1, tangential_restitution: 0.1,")
    text = (head + cloud(count, 0.064 * scale, 0.15 * scale)
            + "walls:\n  - plane: {name: floor, normal: [0, 0, 1], material: grain}\n"
            "output: {frames: 0.5, series: 0.02, checkpoint: 0}\n")
    stem = bench.run(f"heap_{method}_{seed}", text)
    x, _, _ = places(stem, -1)
    spread = math.sqrt(numpy.mean(x[:, 0] ** 2 + x[:, 1] ** 2))
    height = max(0, float(numpy.mean(x[:, 2])) - RADIUS)
    return {"angle": math.degrees(math.atan(4 * height / (math.sqrt(10 / 3) * spread))),
            "speed": residual_speed(stem), "seconds": bench.seconds}


def drum(bench, method, seed=12):
    """Angle of the bed in scenarios/drum.yaml, degrees."""
    with open(os.path.join(ROOT, "scenarios", "drum.yaml")) as file:
        text = file.read()
    options = [f"seed={seed}", "time.end=3.5", f"method={method}"]
    if method == "contact_dynamics":
        options += ["time.step=5e-4", "solver.tolerance=1e-3", "solver.sweeps=200"]
    for k in (0, 1):
        options += [f"interactions.{k}.rolling_friction={bench.rolling:g}", f"interactions.{k}.restitution=0.1",
                    f"interactions.{k}.stiffness=2e4"]
    stem = bench.run(f"drum_{method}_{seed}", text, [o for key in options for o in ("--set", key)])
    with netCDF4.Dataset(stem + ".series.nc") as file:
        file.set_auto_mask(False)
        late = file["time"][:] > 2.5
        c = file["center_of_mass"][:][late]
    angle = numpy.degrees(numpy.arctan2(numpy.abs(c[:, 0]), -c[:, 2]))
    return {"angle": float(angle.mean()), "scatter": float(angle.std()), "seconds": bench.seconds}


def silo(bench, method, diameters, seed=1):
    """Force on the slowly descending floor of a tube 8 grains wide, filled `diameters` of it high, over the weight of a
    filling as high as the tube is wide."""
    tube = 8 * RADIUS
    height = diameters * 2 * tube
    count = round(FILLED * 0.95 * math.pi * tube**2 * height / (4 / 3 * math.pi * RADIUS**3))
    loose = 4 / 3 * count * RADIUS**3 / (0.25 * (tube - RADIUS) ** 2) + 2 * RADIUS
    start = 0.2 + 1.5 * math.sqrt(2 * loose / GRAVITY)
    speed, way = 0.03, 1.5 * RADIUS
    end = start + way / speed
    text = (bench.head(method, end, seed, 5e-4) + cloud(count, tube - RADIUS, loose)
            + f"walls:\n  - plane: {{name: floor, normal: [0, 0, 1], material: grain, motion: {{from: {start:.6g}, "
            f"velocity: [0, 0, {-speed}]}}}}\n  - cylinder: {{name: tube, center: [0, 0, {loose / 2 - 0.02:.6g}], "
            f"axis: [0, 0, 1], radius: {tube:.6g}, length: {loose + 0.08:.6g}, material: grain}}\n"
            "output: {frames: 0, series: 2e-3, checkpoint: 0}\n")
    stem = bench.run(f"silo_{method}_{diameters:g}_{seed}", text)
    with netCDF4.Dataset(stem + ".series.nc") as file:
        file.set_auto_mask(False)
        late = file["time"][:] > start + 0.4 * way / speed
        force = -file["wall_force"][:, 0, 2][late]
        weight = GRAVITY * float(file["total_mass"][-1])
    return {"force": float(force.mean()) / (weight / diameters), "share": float(force.mean()) / weight,
            "seconds": bench.seconds}


def columns(bench, options):
    for aspect in options.aspects:
        for method in options.methods:
            for seed in range(1, 1 + options.seeds):
                f = column(bench, method, aspect, options.count, seed)
                print(f"column {method:16} {options.count} seed {seed}: a {f['a']:5.2f}, run-out {f['runout']:5.2f}, law "
                      f"{law(f['a']):5.2f} ({100 * (f['runout'] / law(f['a']) - 1):+.0f} %), with 10 and 25 % "
                      f"{f['far']:.2f} {f['near']:.2f}, height {f['height']:.2f}, {f['speed']:.1e} m/s, "
                      f"{f['seconds']:.0f} s",
                      flush=True)


def heaps(bench, options):
    for method in options.methods:
        for seed in range(1, 1 + options.seeds):
            f = heap(bench, method, min(options.count, 1000), seed)
            print(f"heap {method:16} seed {seed}: {f['angle']:.2f}°, {f['speed']:.1e} m/s, {f['seconds']:.0f} s",
                  flush=True)


def drums(bench, options):
    for method in options.methods:
        for seed in range(12, 12 + options.seeds):
            f = drum(bench, method, seed)
            print(f"drum {method:16} seed {seed}: {f['angle']:.2f}° ± {f['scatter']:.2f}°, {f['seconds']:.0f} s",
                  flush=True)


def silos(bench, options):
    for diameters in (1, 2, 3):
        for method in options.methods:
            for seed in range(1, 1 + options.seeds):
                f = silo(bench, method, diameters, seed)
                print(f"silo {method:16} seed {seed}, {diameters:g} widths high: floor {f['force']:.3f} of the weight "
                      f"of one width, {f['share']:.3f} of all, {f['seconds']:.0f} s", flush=True)


def main():
    cases = {"column": columns, "heap": heaps, "drum": drums, "silo": silos}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[[], *cases], default=[])
    parser.add_argument("--cairn", default=os.path.join(ROOT, "build", "release", "cairn"))
    parser.add_argument("--workers", default=2)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--aspects", type=float, nargs="+", default=[0.5, 1, 2, 4, 8])
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--rolling", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="cairn_collapse")
    try:
        for case in options.cases or cases:
            cases[case](Bench(options.cairn, options.workers, folder, options.rolling), options)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
