#!/usr/bin/env python3
"""How densely spheres with dN/dr ∝ r^-3.1 are packed in a sphere, and how much of that is lost at its border: after
table 2 of Tancredi et al. (2012), which needs 0.69 for radii 1:5 and 0.78 for 1:10.

  python3 bench/packing.py [--ratio 5] [--radius 48] [--fraction 0.68] [--arrangement tangent|pushed]
                           [--cairn PROGRAM]

The radius of the sphere is in units of the smallest body."""
import argparse
import json
import subprocess
import tempfile
import time

SCENARIO = """
time: {{end: 1e-9, step: 1e-9}}
materials: [{{name: rock, density: 1000}}]
interactions: [{{between: [rock, rock], stiffness: 1}}]
bodies:
  - packing:
      in: {{sphere: {{radius: {radius}}}}}
      fraction: {fraction}
      arrangement: {arrangement}
      radius: {{power_law: {{exponent: 3.1, min: 1, max: {ratio}}}}}
      material: rock
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ratio", type=float, default=5)
    parser.add_argument("--radius", type=float, default=48)
    parser.add_argument("--fraction", type=float, default=0.68)
    parser.add_argument("--arrangement", default="tangent", choices=("tangent", "pushed"))
    parser.add_argument("--cairn", default="build/release/cairn")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cairn_packing") as folder:
        with open(f"{folder}/p.yaml", "w", encoding="utf-8") as file:
            file.write(SCENARIO.format(**vars(options)))
        began = time.time()
        run = subprocess.run([options.cairn, "run", f"{folder}/p.yaml", "--quiet", "--workers", "1", "--output",
                              f"{folder}/p"], capture_output=True, text=True)
        print(f"{time.time() - began:.0f} s {run.stderr.strip()}")
        for part in (1, 0.8, 0.6) if run.returncode == 0 else ():
            text = subprocess.run([options.cairn, "analyse", f"{folder}/p.nc", "--json", "--region",
                                   f"sphere: {{radius: {part * options.radius}}}"], capture_output=True, text=True,
                                  check=True).stdout
            inside = json.loads(text)["region"]
            print(f"within {part:g} of the radius: {inside['bodies']} bodies, {inside['packing_fraction']:.4f}")


if __name__ == "__main__":
    main()
