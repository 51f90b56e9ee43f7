#!/usr/bin/env python3
"""Discharge of a flat-bottomed hopper: steady rate, Beverloo's law, published rates.

  python3 bench/hopper.py scaled           the small hopper: three holes, two fillings, two gravities, and the fit
  python3 bench/hopper.py sim7 [sim43 …]   the published geometry, R 50 cm, hole 10 cm, 72 000 grains; slow
  python3 bench/hopper.py rows             rows of table 2.3 in the small hopper, each over the rate of sim 7's law
  python3 bench/hopper.py wide             holes of 15 and 20 d in a hopper of R 50 cm, and the fit of 6 to 20 d
  python3 bench/hopper.py rate RUN.series.nc FROM UNTIL    the rate of a run that is already there

Options: --cairn PROGRAM, --workers N, --folder DIR (runs stay there and are not repeated; without it they are removed).

A hopper is filled by letting a loose lattice of grains fall into it, soft and strongly damped. The discharge begins
from the last frame with the law of the case; a lid under the hole vanishes after LID seconds, when the grains have
adapted to it, and an absorbing plane below counts what falls. Rates are printed in g/s, as the source has them."""
import argparse
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

import netCDF4
import numpy

GRAIN = 0.01  # radius
DENSITY = 1000.0
MASS = DENSITY * 4 / 3 * math.pi * GRAIN**3
EARTH = 9.81
BULK = 0.61  # part of space that grains fill, see bulk()
LID = 0.05  # s
BEGIN, END = 0.35, 0.85  # s; the stream is steady after three times sqrt(D/g), about 0.4 s for the largest hole
PUBLISHED = {"sim7": (0.2, 13.10), "sim43": (0.5, 11.64), "sim44": (0.8, 11.24)}  # friction, kg/s
# Table 2.3: what differs from sim 7, and the rate in kg/s; all with R 50 cm and a hole of 10 cm. k_t over k_n and not k_t
# itself: the small hopper is softer. Sim 21 has C_t = 0, which is a tangential restitution of 1 here.
ROWS = {"sim18, friction 0": ({"friction": 0.0}, 20.64), "sim43, friction 0.5": ({"friction": 0.5}, 11.64),
        "sim44, friction 0.8": ({"friction": 0.8}, 11.24), "sim19, kt = kn": ({"ratio": 1.0}, 12.81),
        "sim56, kt = kn/35": ({"ratio": 1 / 35}, 13.74), "sim21, Ct = 0": ({"damping": 1.0}, 17.85),
        "sim24, et* 0.1": ({"damping": 0.1}, 12.74), "sim22, en 0.2": ({"restitution": 0.2}, 13.30),
        "sim23, en 0.5": ({"restitution": 0.5}, 13.26), "sim26, rolling, twisting 0.5": ({"rolling": 0.5}, 11.46),
        "sim52, 2 g": ({"gravity": 2}, 18.62), "sim57, 3 g": ({"gravity": 3}, 23.25),
        "sim58, 4 g, kt = kn/14": ({"gravity": 4, "ratio": 1 / 14}, 27.67),
        "sim25, en 0.2, et* 0.1": ({"restitution": 0.2, "damping": 0.1}, 13.56),
        "sim20, 4 kn, 4 kt": ({"hardness": 4}, 13.03), "sim55, 4 kn": ({"hardness": 4, "ratio": 1 / 14}, 13.31)}


class Program:
    """How to start cairn, and where its runs go."""

    def __init__(self, cairn, workers, folder):
        self.command = [cairn, "run", "--quiet", "--workers", str(workers)]
        self.folder = folder

    def run(self, name, scenario):
        """Run a scenario unless its files are there; returns the names of its trajectory and its series."""
        stem = os.path.join(self.folder, name)
        done = stem + ".done"
        if not os.path.exists(done):
            with open(stem + ".yaml", "w") as file:
                file.write(scenario)
            subprocess.run([*self.command, "--overwrite", name + ".yaml"], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL)
            open(done, "w").close()
        return stem + ".nc", stem + ".series.nc"


def law(stiffness, tangential, restitution, damping, friction, rolling=0.0):
    return (f"{{between: [grain, grain], stiffness: {stiffness:g}, tangential_stiffness: {tangential:g}, "
            f"restitution: {restitution}, tangential_restitution: {damping}, friction: {friction}, "
            f"rolling_friction: {rolling:g}, twisting_friction: {rolling:g}, slip: 0}}")


def scenario(title, end, gravity, interaction, bodies, walls, frames, series):
    lines = [f"title: {title}", "rolling_law: viscous", f"time: {{end: {end:g}}}", f"gravity: {{uniform: [0, 0, {-gravity:g}]}}", "materials:",
             f"  - {{name: grain, density: {DENSITY:g}}}", "interactions:", f"  - {interaction}", "bodies:",
             f"  - {bodies}", "overlap: {limit: 0.2, initial: 0.2}", "walls:", *(f"  - {wall}" for wall in walls),
             f"output: {{frames: {frames:g}, series: {series:g}, checkpoint: 0}}"]
    return "\n".join(lines) + "\n"


def tube(radius, height):
    return (f"cylinder: {{name: tube, center: [0, 0, {height / 2:g}], axis: [0, 0, 1], radius: {radius:g}, "
            f"length: {height:g}, material: grain}}")


def loose_lattice(path, count, radius, grain, speed, seed=1):
    """A simple cubic lattice, cut to the cylinder and disturbed; returns its height."""
    spacing, jitter = 2.08 * grain, 0.035 * grain
    draw = random.Random(seed)
    rows = int(radius / spacing) + 1
    columns = [(i * spacing, j * spacing) for i in range(-rows, rows + 1) for j in range(-rows, rows + 1)
               if math.hypot(i, j) * spacing < radius - grain - 2 * jitter]
    with open(path, "w") as file:
        for n in range(count):
            x, y = columns[n % len(columns)]
            place = [x, y, grain * 1.05 + spacing * (n // len(columns))]
            place = [p + draw.uniform(-jitter, jitter) for p in place]
            velocity = [draw.gauss(0, speed) for _ in range(3)]
            file.write(" ".join(f"{v:.8f}" for v in place + velocity) + "\n")
    return spacing * (count / len(columns) + 2)


def fill(program, name, count, radius, stiffness, friction, gravity=EARTH, time=0.8):
    """Fill a hopper with a closed bottom; returns the trajectory whose last frame is the filling."""
    table = f"{name}_lattice.txt"
    height = loose_lattice(os.path.join(program.folder, table), count, radius, GRAIN, 0.2)
    bodies = (f"table: {{file: {table}, columns: [x, y, z, vx, vy, vz], radius: {GRAIN}, material: grain}}")
    walls = [tube(radius, 1.2 * height),
             f"disk: {{name: floor, normal: [0, 0, 1], radius: {radius:g}, material: grain}}"]
    text = scenario("filling of a hopper", time, gravity, law(stiffness, stiffness * 2 / 7, 0.3, 0.3, friction), bodies,
                    walls, time, time / 100)
    return program.run(name, text)[0]


def top_of(trajectory):
    """Height of the filling: the highest centre but one in a hundred."""
    with netCDF4.Dataset(trajectory) as file:
        return float(numpy.quantile(numpy.asarray(file["coordinates"][-1, :, 2]), 0.99))


def bulk(trajectory, radius):
    """Part of the space that grains fill: those between 0.2 and 0.8 of the height."""
    with netCDF4.Dataset(trajectory) as file:
        z = numpy.asarray(file["coordinates"][-1, :, 2])
    low, high = 0.2 * z.max(), 0.8 * z.max()
    return float(numpy.sum((z > low) & (z < high)) * MASS / DENSITY / (math.pi * radius**2 * (high - low)))


def lower_part(program, trajectory, name, part):
    """The grains of the last frame below this part of the height, as bodies of a scenario."""
    with netCDF4.Dataset(trajectory) as file:
        x = numpy.asarray(file["coordinates"][-1])
    keep = x[x[:, 2] < part * x[:, 2].max()]
    numpy.savetxt(os.path.join(program.folder, name), keep, fmt="%.9f")
    return f"table: {{file: {name}, columns: [x, y, z], radius: {GRAIN}, material: grain}}"


def discharge(program, name, filling, radius, hole, interaction, time, gravity=EARTH, height=2.0, bodies=None,
              rows=1000):
    """Open the hopper for `time` after the lid is gone; returns the series of the run."""
    lid = LID * math.sqrt(EARTH / gravity)
    bodies = bodies or f"run: {{file: {os.path.basename(filling)}}}"
    walls = [tube(radius, height),
             f"disk: {{name: floor, normal: [0, 0, 1], radius: {radius:g}, hole: {hole:g}, material: grain}}",
             f"disk: {{name: lid, normal: [0, 0, 1], radius: {hole:g}, material: grain, vanishes: {lid:g}}}",
             f"plane: {{name: sink, point: [0, 0, {-4 * GRAIN:g}], normal: [0, 0, 1], material: grain, "
             "behavior: absorbing}"]
    return program.run(name, scenario("discharge of a hopper", time + lid, gravity, interaction, bodies, walls, 0,
                                      (time + lid) / rows))[1]


def fallen(series):
    """Times and numbers of grains that the sink has taken."""
    with netCDF4.Dataset(series) as file:
        names = [str(name).rstrip("\0 ") for name in netCDF4.chartostring(file["wall_name"][:])]
        return numpy.asarray(file["time"][:]), numpy.asarray(file["wall_absorbed"][:, names.index("sink")], dtype=float)


def rate(series, begin, end):
    """Grains per second between two times: the slope of a straight line through the counts, which unlike the counts at
    both ends does not depend on where a single grain is."""
    t, n = fallen(series)
    inside = (t >= begin) & (t <= end)
    return float(numpy.polyfit(t[inside], n[inside], 1)[0])


def rate_and_error(series, begin, end, parts=5):
    """The rate and the standard error of it, from the scatter of the rates of equal parts of the time."""
    edges = numpy.linspace(begin, end, parts + 1)
    t, n = fallen(series)
    counts = numpy.interp(edges, t, n)
    rates = numpy.diff(counts) / numpy.diff(edges)
    return rate(series, begin, end), float(numpy.std(rates, ddof=1) / math.sqrt(parts))


def beverloo(diameters, rates, gravity=EARTH):
    """C and k of W = C rho sqrt(g) (D - k d)^(5/2) by least squares of the straight line W^(2/5) over D, and the
    largest deviation of a rate from the fit. Rates in kg/s, diameters in m; rho is the density of the filling, BULK of
    that of a grain: only with it does the fit of the source, C 0.697 and k 2.32, give the rates of its table."""
    slope, offset = numpy.polyfit(diameters, numpy.asarray(rates) ** 0.4, 1)
    fit = (slope * numpy.asarray(diameters) + offset) ** 2.5
    return (slope**2.5 / (BULK * DENSITY * math.sqrt(gravity)), -offset / slope / (2 * GRAIN),
            float(numpy.max(numpy.abs(fit / rates - 1))))


class Scaled:
    """The small hopper: radius 13 d, 20 000 grains, 32 d high. At its bottom a grain carries 1.2 N: an overlap of 1.7
    per cent of its radius on average, less by the hole, where the stress is low. The filling is half as stiff."""

    def __init__(self, program, count=20000, diameters=13, stiffness=7e3, friction=0.2, name="fill"):
        self.program, self.stiffness = program, stiffness
        self.radius = diameters * 2 * GRAIN
        self.law = law(stiffness, stiffness * 2 / 7, 0.8, 0.65, friction)
        self.filling = fill(program, name, count, self.radius, stiffness / 2, friction, time=0.6)

    def vary(self, name, restitution=0.8, damping=0.65, friction=0.2, ratio=2 / 7, rolling=0.0, gravity=1,
             hardness=1):
        """A hole of 10 d with one thing changed; returns the series and the factor of all times. k_n follows gravity,
        so that overlaps and the number of steps stay."""
        scale, stiffness = math.sqrt(gravity), self.stiffness * gravity * hardness
        interaction = law(stiffness, ratio * stiffness, restitution, damping, friction, rolling)
        return discharge(self.program, name, self.filling, self.radius, 10 * GRAIN, interaction, (END - LID) / scale,
                         gravity * EARTH), 1 / scale

    def discharge(self, diameters, time, gravity=EARTH, part=1.0, rows=1000):
        """Through a hole of so many grain diameters, with this part of the filling."""
        name = f"hole{diameters:g}_g{gravity:.3g}_part{part:.2g}_r{self.radius / GRAIN / 2:g}"
        bodies = lower_part(self.program, self.filling, name + ".txt", part) if part < 1 else None
        return discharge(self.program, name, self.filling, self.radius, diameters * GRAIN, self.law, time, gravity,
                         bodies=bodies, rows=rows)


def show(name, series, begin, end):
    value, error = rate_and_error(series, begin, end)
    middle = (begin + end) / 2
    halves = rate(series, begin, middle), rate(series, middle, end)
    print(f"{name}: {value * MASS * 1000:.0f} ± {error * MASS * 1000:.0f} g/s, first half "
          f"{halves[0] * MASS * 1000:.0f}, second half {halves[1] * MASS * 1000:.0f}", flush=True)
    return value


def run_scaled(program):
    hopper = Scaled(program)
    print(f"filling: {top_of(hopper.filling) / GRAIN / 2:.1f} d high, {bulk(hopper.filling, hopper.radius):.3f} of the "
          "space", flush=True)
    holes, rates = (6, 8, 10, 12), []
    for hole in holes:
        rates.append(show(f"hole {hole} d", hopper.discharge(hole, END - LID), BEGIN, END) * MASS)
    for first in (0, 1):
        c, k, worst = beverloo([h * 2 * GRAIN for h in holes[first:]], rates[first:])
        print(f"fit from {holes[first]} d: C {c:.3f}, k {k:.2f}, rates within {100 * worst:.1f} %", flush=True)
    show("hole 8 d, two thirds of the filling", hopper.discharge(8, END - LID, part=2 / 3), BEGIN, END)
    slow = show("hole 10 d, g/4", hopper.discharge(10, 2 * (END - LID), EARTH / 4), 2 * BEGIN, 2 * END) * MASS
    print(f"exponent of gravity: {math.log(rates[holes.index(10)] / slow) / math.log(4):.3f}")


def run_rows(program):
    hopper = Scaled(program)
    base = show("as sim 7", hopper.vary("row0")[0], BEGIN, END)
    for k, (name, (changes, published)) in enumerate(ROWS.items()):
        series, scale = hopper.vary(f"row{k + 1}", **changes)
        value = show(name, series, scale * BEGIN, scale * END)
        print(f"  over sim 7: {value / base:.3f}, published {published / PUBLISHED['sim7'][1]:.3f}", flush=True)


def run_wide(program):
    """Larger holes need a wider hopper, and a later time: the stream is steady after 3 sqrt(D/g)."""
    small, wide = Scaled(program), Scaled(program, 72000, 25, name="fill_wide")
    holes = [6, 8, 10, 12, 15, 20]
    rates = [show(f"hole {hole} d", small.discharge(hole, END - LID), BEGIN, END) * MASS for hole in holes[:4]]
    rates += [show(f"hole {hole} d, R 50 cm", wide.discharge(hole, 1.0 - LID), begin, 1.0) * MASS
              for hole, begin in ((15, 0.52), (20, 0.60))]
    for part in (holes, holes[2:]):
        chosen = [rates[holes.index(hole)] for hole in part]
        c, k, worst = beverloo([hole * 2 * GRAIN for hole in part], chosen)
        print(f"fit from {part[0]} d to {part[-1]} d: C {c:.3f}, k {k:.2f}, rates within {100 * worst:.1f} %", flush=True)


def run_published(program, case):
    friction, published = PUBLISHED[case]
    count, radius, hole = 72000, 0.5, 0.1
    # The filling may be soft, its grains adapt to the stiffness of the case while the lid is there.
    filling = fill(program, "fill_" + case, count, radius, 1e4, friction, time=0.65)
    print(f"{case}: filling {100 * top_of(filling):.0f} cm high", flush=True)
    series = discharge(program, case, filling, radius, hole, law(8e4, 2.29e4, 0.8, 0.65, friction), 0.85)
    value = show(case, series, 0.4, 0.9) * MASS
    print(f"{case}: published {published * 1000:.0f} g/s, ours {100 * (value / published - 1):+.1f} %")


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+")
    parser.add_argument("--cairn", default=os.path.join(root, "build", "release", "cairn"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder")
    options = parser.parse_args()
    if options.what[0] == "rate":
        show(options.what[1], options.what[1], float(options.what[2]), float(options.what[3]))
        return
    folder = options.folder or tempfile.mkdtemp(prefix="cairn_hopper")
    os.makedirs(folder, exist_ok=True)
    try:
        program = Program(os.path.abspath(options.cairn), options.workers, folder)
        for what in options.what:
            cases = {"scaled": run_scaled, "rows": run_rows, "wide": run_wide}
            cases[what](program) if what in cases else run_published(program, what)
    finally:
        if not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
