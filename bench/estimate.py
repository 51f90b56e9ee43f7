#!/usr/bin/env python3
"""How well cairn check foresees the time of a run.

  python3 bench/estimate.py [NAMES] [--workers N] [--trial SECONDS] [--cairn PROGRAM]

Per case: the estimate of cairn check, the time of cairn run, and their ratio. Both have the machine in turn; a machine
that does other work at the same time disturbs either."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RIGID = ["method=contact_dynamics", "solver.tolerance=1e-3", "solver.sweeps=300"]
CASES = {  # scenario and keys
    "heap": ("heap", []),
    "collapse": ("collapse", [*RIGID, "time.step=1e-3", "bodies.0.lattice.counts=[12,8,15]", "interactions.0.restitution=0",
                              "interactions.0.rolling_friction=0.2"]),
    "drum": ("drum", [*RIGID, "time.step=5e-4", "interactions.0.restitution=0", "interactions.1.restitution=0"]),
    "bed": ("bed", []),
    "accretion": ("accretion", []),
    "rubble (soft spheres)": ("rubble", []),
    "collapse (soft spheres)": ("collapse", ["bodies.0.lattice.counts=[12,8,15]"]),
}


def seconds_of(text):
    """\"1 h 02 min\", \"2 min 01 s\", \"12 s\", \"0.4 s\" in seconds."""
    units = {"d": 86400., "h": 3600., "min": 60., "s": 1., "ms": 1e-3}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([0-9.]+) (d|h|min|ms|s)\b", text))


def estimate(cairn, name, workers, trial):
    scenario, keys = CASES[name]
    options = [o for key in keys for o in ("--set", key)]
    out = subprocess.run([cairn, "check", os.path.join(ROOT, "scenarios", scenario + ".yaml"), "--workers", str(workers),
                          "--trial", str(trial), *options], check=True, capture_output=True, text=True).stdout
    line = re.search(r"^time: +(.*)$", out, re.M).group(1)
    return seconds_of(re.match(r"about (.*?) on", line).group(1)), line


def run(cairn, name, workers, folder):
    scenario, keys = CASES[name]
    options = [o for key in keys for o in ("--set", key)]
    before = time.monotonic()
    subprocess.run([cairn, "run", os.path.join(ROOT, "scenarios", scenario + ".yaml"), "--quiet", "--overwrite",
                    "--workers", str(workers), "--output", os.path.join(folder, "run"), *options], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--cairn", default=os.path.join(ROOT, "build", "release", "cairn"))
    parser.add_argument("--workers", default=2)
    parser.add_argument("--trial", type=float, default=5.)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="cairn_estimate")
    try:
        for name in options.names or CASES:
            foreseen, line = estimate(options.cairn, name, options.workers, options.trial)
            taken = run(options.cairn, name, options.workers, folder)
            print(f"{name}: foreseen {foreseen:.1f} s, taken {taken:.1f} s, ratio {foreseen / taken:.2f} ({line})",
                  flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
