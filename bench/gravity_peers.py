#!/usr/bin/env python3
"""Self-gravity by others on the bodies of `gravity write`: pytreegrav (with quadrupoles, and without) and REBOUND's tree,
on one core, with the largest opening angle that keeps the RMS error of the acceleration below a limit.

  python3 bench/gravity_peers.py FILE [LIMIT]

Neither is in Debian: python3 -m venv DIR && DIR/bin/pip install pytreegrav rebound, then DIR/bin/python instead of
python3. A peer that is missing is left out."""
import ctypes
import sys
import time

import numpy as np


def read(path):
    n, n_sample = np.fromfile(path, dtype=np.int64, count=2)
    raw = np.fromfile(path, dtype=np.float64, offset=16)
    position, mass, sample, acceleration = np.split(raw, [3 * n, 4 * n, 4 * n + n_sample])
    return position.reshape(n, 3), mass, sample.view(np.int64), acceleration.reshape(n_sample, 3)


def pytreegrav(quadrupole):
    import pytreegrav

    def prepare(position, mass):
        def accelerate(theta):
            return pytreegrav.Accel(position, mass, G=1.0, theta=theta, method="tree", quadrupole=quadrupole)

        accelerate(1.0)  # compiles
        return accelerate

    return prepare


def rebound():
    import rebound

    def prepare(position, mass):
        simulation = rebound.Simulation()
        simulation.G = 1.0
        simulation.root_size = 4.0 * float(np.abs(position).max())
        simulation.gravity = "tree"
        for m, (x, y, z) in zip(mass, position):
            simulation.add(m=m, x=x, y=y, z=z)

        def accelerate(theta):
            simulation.opening_angle2 = theta * theta
            rebound.clibrebound.reb_simulation_update_acceleration(ctypes.byref(simulation))
            return simulation

        return accelerate

    return prepare


def as_array(result):
    return result if isinstance(result, np.ndarray) else np.array([[p.ax, p.ay, p.az] for p in result.particles])


def measure(name, peer, bodies, limit):
    position, mass, sample, want = bodies
    try:
        accelerate = peer()(position, mass)
    except ImportError as missing:
        print(f"{name}: left out, {missing}; see bench/gravity_peers.py")
        return
    scale = np.sqrt((want**2).sum(axis=1).mean())
    theta = 1.0
    while theta > 0.05:
        start = time.process_time()
        result = accelerate(theta)
        seconds = time.process_time() - start
        error = np.sqrt(((as_array(result)[sample] - want) ** 2).sum(axis=1)) / scale
        rms = np.sqrt((error**2).mean())
        if rms <= limit:
            break
        theta *= 0.9
    print(f"{name:24} {len(mass):8d} {limit:9.0e} {1e6 * seconds / len(mass):10.2f} us/body  "
          f"RMS {rms:.1e}  max {error.max():.1e}  theta {theta:.2f}", flush=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    bodies = read(sys.argv[1])
    limit = float(sys.argv[2]) if len(sys.argv) == 3 else 5e-4
    measure("pytreegrav, quadrupoles", lambda: pytreegrav(True), bodies, limit)
    measure("pytreegrav, monopoles", lambda: pytreegrav(False), bodies, limit)
    measure("REBOUND, tree", rebound, bodies, limit)


main()
