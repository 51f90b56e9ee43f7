#!/usr/bin/env python3
"""Hard spheres: cost of a collision, beside REBOUND's on the same gas.

    bench/hard_spheres.py [CAIRN] [--peer PYTHON] [--bodies N ...] [--packing FRACTION ...] [--step FACTOR ...]

runs an elastic gas of N spheres in a box of 1 m and prints, for one and two workers, processor time and wall time per
collision, without the start of the program, how many times as fast two workers are, and the collisions counted over those
of Enskog's theory. --step tries multiples of the automatic step. REBOUND (`pip install rebound` for the interpreter
--peer) does the same gas in a periodic box with its `line` (a twentieth of the time) and `linetree` collisions, one thread;
without it that part is left out with a sentence. The peer's count over Enskog's shows the collisions that it misses or
counts twice. --crowd is the gas of scenarios/granular_gas.yaml with 12 000 bodies and steps in which everything meets
everything."""
import argparse
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WALLS = "\n".join(f"  - plane: {{point: {p}, normal: {n}, material: rock}}" for p, n in (
    ("[0, 0, 0]", "[1, 0, 0]"), ("[0, 0, 0]", "[0, 1, 0]"), ("[0, 0, 0]", "[0, 0, 1]"),
    ("[1, 1, 1]", "[-1, 0, 0]"), ("[1, 1, 1]", "[0, -1, 0]"), ("[1, 1, 1]", "[0, 0, -1]")))


def enskog(n, radius, room=1.0):
    """Collisions per second of all bodies, of speed 1 m/s at the start: T = 1/3."""
    eta = n * 4 / 3 * math.pi * radius**3 / room
    chi = (1 - eta / 2) / (1 - eta) ** 3
    return 0.5 * n * 4 * math.sqrt(math.pi) * n / room * (2 * radius) ** 2 * chi * math.sqrt(1 / 3)


def timed(command):
    """Wall and processor time of a run, s, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return (time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, result.stdout)


def ours(cairn, n, radius, workers, span, factor, folder):
    """Wall and processor time without the start of the program, s; collisions; the end, s."""
    import netCDF4
    scenario, name = os.path.join(folder, "gas.yaml"), os.path.join(folder, "gas")
    with open(scenario, "w", encoding="utf-8") as file:
        file.write(f"method: hard_spheres\ntime: {{end: {span}}}\nmaterials:\n  - {{name: rock, density: 1000}}\n"
                   "interactions:\n  - {between: [rock, rock], restitution: 1}\nbodies:\n"
                   f"  - cloud: {{count: {n}, in: {{box: {{lower: [0, 0, 0], upper: [1, 1, 1]}}}}, radius: {radius}, "
                   f"speed: 1, material: rock}}\nwalls:\n{WALLS}\noutput: {{frames: 0, series: {span / 4}}}\n")
    sets = []
    if factor != 1:
        text = subprocess.run([cairn, "check", scenario], check=True, capture_output=True, text=True).stdout
        step = factor * float(re.search(r"^step: +(\S+) s", text, re.M).group(1))
        sets = ["--set", f"time.step={step:.8g}"]
    took = []
    for part in (0.001, 1):  # the first is the start of the program
        end = part * span if part == 1 or not sets else min(span, 1.001 * step)
        took.append(timed([cairn, "run", scenario, "--output", name, "--overwrite", "--workers", str(workers), "--set",
                           f"time.end={end}", "--set", f"output.series={end}"] + sets))
    with netCDF4.Dataset(name + ".series.nc") as series:
        return (took[1][0] - took[0][0], took[1][1] - took[0][1], float(series["n_collisions"][-1]),
                float(series["time"][-1]))


def crowd(cairn, folder):
    scenario = os.path.join(HERE, "..", "scenarios", "granular_gas.yaml")
    for step in (0.02, 0.05):
        wall, used, text = timed([cairn, "run", scenario, "--output", os.path.join(folder, "crowd"), "--overwrite",
                                  "--workers", "1"] + [a for setting in (
                                      "bodies.0.cloud.count=12000", "bodies.0.cloud.radius=0.016", f"time.step={step}",
                                      "time.end=0.1", "output.frames=0", "output.series=0", "cells.bodies=1500")
                                      for a in ("--set", setting)])
        print(f"crowd, step {step} s: {used:.2f} s of processor time, {wall:.2f} s, "
              f"{re.search(r'collisions: +([0-9]+)', text).group(1)} collisions", flush=True)


PEER = r"""
import json, math, random, sys, time
import rebound
n, radius, span, dt, kind = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
random.seed(1)
sim = rebound.Simulation()
sim.integrator = "leapfrog"
sim.gravity = "none"
sim.collision = kind
sim.collision_resolve = "hardsphere"
sim.boundary = "periodic"
if hasattr(sim, "configure_box"):
    sim.configure_box(1.0)
else:
    sim.root_size = 1.0
sim.N_ghost_x = sim.N_ghost_y = sim.N_ghost_z = 1
sim.dt = dt
grid = {}
cell = 2 * radius
m = int(1 / cell)
placed = 0
points = []
while placed < n:
    p = [random.random() - 0.5 for _ in range(3)]
    key = tuple(int((q + 0.5) * m) % m for q in p)
    ok = True
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            for c in (-1, 0, 1):
                for q in grid.get(((key[0] + a) % m, (key[1] + b) % m, (key[2] + c) % m), ()):
                    d2 = sum(min(abs(u - w), 1 - abs(u - w)) ** 2 for u, w in zip(p, q))
                    ok = ok and d2 > 4 * radius * radius
    if ok:
        grid.setdefault(key, []).append(p)
        points.append(p)
        placed += 1
for p in points:
    z = 2 * random.random() - 1
    f = 2 * math.pi * random.random()
    s = math.sqrt(1 - z * z)
    sim.add(m=1.0, r=radius, x=p[0], y=p[1], z=p[2], vx=s * math.cos(f), vy=s * math.sin(f), vz=z)
start = time.process_time()
sim.integrate(span, exact_finish_time=0)
seconds = time.process_time() - start
count = sim.collisions_log_n if hasattr(sim, "collisions_log_n") else sim.collisions_Nlog
print(json.dumps({"seconds": seconds, "collisions": count, "end": sim.t}))
"""


def peer(python, n, radius, span, dt, kind):
    result = subprocess.run([python, "-c", PEER, str(n), str(radius), str(span), str(dt), kind], capture_output=True,
                            text=True)
    if result.returncode:
        print(f"  REBOUND is left out: {result.stderr.strip().splitlines()[-1] if result.stderr.strip() else 'failed'}")
        return
    out = json.loads(result.stdout.strip().splitlines()[-1])
    print(f"  REBOUND {kind:9s} dt {dt:.2g} s: {1e6 * out['seconds'] / max(out['collisions'], 1):8.2f} us per collision, "
          f"{out['collisions'] / (enskog(n, radius) * out['end']):5.3f} of Enskog's", flush=True)


def gas(arguments, n, radius, span, factor, folder):
    """One gas by each number of workers."""
    room, alone = (1 - 2 * radius) ** 3, None
    for workers in arguments.workers:
        wall, used, collisions, end = ours(arguments.cairn, n, radius, workers, span, factor, folder)
        theory = enskog(n, radius, room) * (1 - 3 * radius / (1 - 2 * radius)) * end
        alone = wall if workers == 1 else alone
        print(f"  cairn, {workers} worker{'s' if workers > 1 else ' '}, step x {factor:g}: {1e6 * used / collisions:8.2f} us "
              f"per collision, {1e6 * wall / collisions:8.2f} us wall, {collisions / theory:5.3f} of Enskog's"
              + (f", {alone / wall:.2f} times as fast as 1" if alone and workers > 1 else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cairn", nargs="?", default=os.path.join(HERE, "..", "build", "release", "cairn"))
    parser.add_argument("--peer", default=sys.executable)
    parser.add_argument("--bodies", type=int, nargs="+", default=[1000, 10000, 100000])
    parser.add_argument("--peer-most", type=int, default=10000, help="largest gas for the peer")
    parser.add_argument("--collisions", type=float, default=10.0, help="of each body")
    parser.add_argument("--packing", type=float, nargs="+", default=[0.02, 0.25])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--step", type=float, nargs="+", default=[1.0], help="multiples of the automatic step")
    parser.add_argument("--crowd", action="store_true", help="the crowd alone")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.crowd:
            return crowd(arguments.cairn, folder)
        for eta in arguments.packing:
            for n in arguments.bodies:
                radius = (eta / n / (4 / 3 * math.pi)) ** (1 / 3)
                span = arguments.collisions * n / 2 / enskog(n, radius)
                print(f"{n} bodies, packing fraction {eta}:", flush=True)
                for factor in arguments.step:
                    gas(arguments, n, radius, span, factor, folder)
                if n <= arguments.peer_most:
                    for kind in ("line", "linetree") if n <= 1000 else ("linetree",):
                        for part in (0.25, 0.05):
                            peer(arguments.peer, n, radius, span / 20 if kind == "line" else span, part * radius, kind)


if __name__ == "__main__":
    main()
