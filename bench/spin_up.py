#!/usr/bin/env python3
"""Spin-up of a rubble pile until it flattens (case of Sánchez et al. 2021, section 3.3).

  python3 bench/spin_up.py [--side 15] [--forces 1 10 100 1000] [--minutes 450]

Options: --cairn PROGRAM, --workers N, --step SECONDS (0: automatic), --seed N, --range METRES. side³ spheres of the
accretion of scenarios/accretion.yaml fall together for 150 minutes. The pile gets a spin of 2.7e-4 rad/s about z, and
9e-5 rad/s more every 50 minutes, without friction, with a cohesion of the given force, N, within a gap of --range. Per
force:
  parts      minutes after which the semi-axes of the equivalent ellipsoid differ by more than 3 mean diameters
  spin       rad/s given until then
  axes       the semi-axes at the end, m, and half the mean diameter they are compared with
  c/a        the shortest over the longest, at 200, 250, … minutes
  loose      bodies farther than 1.5 times the longest semi-axis from the centre of mass at the end"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import netCDF4
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENARIO = """
title: spin-up of a rubble pile
method: contact_dynamics
time: {{step: {step}, end: {end}}}
gravity: {{self: {{}}}}
materials: [{{name: rock, density: 5164}}]
interactions: [{{between: [rock, rock], restitution: 0, friction: 0, cohesion: {force}, cohesion_range: {range}}}]
bodies: [{{run: {{file: {file}, at: [0, 0, 0], rotation: {{spin: [0, 0, 2.7e-4]}}}}}}]
spin_up: [{{increments: {{spin: [0, 0, 9.0e-5], from: 3000, every: 3000}}}}]
output: {{frames: 3000, series: 60}}
"""


def run(args, scenario, stem, settings=()):
    options = [option for key in settings for option in ("--set", key)]
    subprocess.run([args.cairn, "run", scenario, "--quiet", "--overwrite", "--workers", str(args.workers), "--output",
                    stem, *options], check=True, stdout=subprocess.DEVNULL)


def accrete(args, folder):
    """The trajectory of the pile before it spins."""
    stem, half = os.path.join(folder, "pile"), 5 * (args.side - 1)
    run(args, os.path.join(ROOT, "scenarios", "accretion.yaml"), stem,
        [f"seed={args.seed}", f"bodies.0.lattice.counts=[{args.side}, {args.side}, {args.side}]",
         f"bodies.0.lattice.origin=[{-half}, {-half}, {-half}]", "output.frames=9000"])
    return stem + ".nc"


def spin_up(args, folder, pile, force):
    """The stem of the files of a run."""
    stem = os.path.join(folder, f"spin_{force:g}")
    with open(stem + ".yaml", "w", encoding="utf-8") as file:
        file.write(SCENARIO.format(step=args.step or "auto", end=60 * args.minutes, force=force, range=args.range,
                                   file=os.path.basename(pile)))
    run(args, stem + ".yaml", stem)
    return stem


def read(stem):
    """Times in minutes, semi-axes in ascending order, places in the last frame, and radii."""
    with netCDF4.Dataset(stem + ".series.nc") as file:
        file.set_auto_mask(False)
        minutes, axes = file["time"][:] / 60, numpy.sort(file["semi_axes"][:], axis=1)
    with netCDF4.Dataset(stem + ".nc") as file:
        file.set_auto_mask(False)
        places, radius = file["coordinates"][-1], numpy.ravel(file["radius"][:])
    return minutes, axes, places, radius


def report(force, minutes, axes, places, radius):
    diameter = 2 * radius.mean()
    apart = numpy.flatnonzero(axes[:, 2] - axes[:, 0] > 3 * diameter)
    parts = f"{minutes[apart[0]]:5.0f}" if apart.size else "never"
    spin = f"{2.7e-4 + 9e-5 * (minutes[apart[0]] // 50):.2e}" if apart.size else "       -"
    flat = " ".join(f"{t:g}: {axes[numpy.argmin(abs(minutes - t)), 0] / axes[numpy.argmin(abs(minutes - t)), 2]:.2f}"
                    for t in range(0, int(minutes[-1]) + 1, 50) if t >= 200)
    away = numpy.linalg.norm(places - places.mean(axis=0), axis=1) > 1.5 * axes[-1, 2]
    print(f"{force:6g} N   parts {parts}   spin {spin}   axes {axes[-1, 2]:.0f} {axes[-1, 1]:.0f} {axes[-1, 0]:.0f}, "
          f"radius {diameter / 2:.2f}   loose {int(away.sum())}   c/a at {flat}", flush=True)


def options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default=os.path.join(ROOT, "build", "release", "cairn"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--side", type=int, default=15)
    parser.add_argument("--forces", type=float, nargs="+", default=[1., 10., 100., 1000.])
    parser.add_argument("--minutes", type=float, default=450)
    parser.add_argument("--step", type=float, default=0.)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--range", type=float, default=0.01)
    return parser.parse_args(arguments)


def main():
    args = options()
    folder = tempfile.mkdtemp(prefix="cairn_spin_up")
    try:
        pile = accrete(args, folder)
        print(f"{args.side ** 3} spheres, seed {args.seed}, cohesion within {args.range:g} m")
        for force in args.forces:
            report(force, *read(spin_up(args, folder, pile, force)))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
