#!/usr/bin/env python3
"""Knocked beds after Tancredi et al. (2012), sections 3 to 5, and the shaken cylinder of Schwartz (2013): which ball is
where after how many knocks, and how fast the balls of a layer leave.

  python3 bench/knocks.py nut|density|lifting|low|cylinder|tilted [--speed V] [--end S] [--gravity G --period S]
                          [--cairn PROGRAM] [--workers N] [--folder DIR]

`nut`, `density` and `lifting` are scenarios/brazil_nut.yaml, density_segregation.yaml and lifting.yaml with another
speed of the floor; `low` is the layer of lifting.yaml, settled on the Earth and then in ever weaker gravity down to
1e-4 m/s², and knocked there; `cylinder` is scenarios/shaken_cylinder.yaml,
`tilted` scenarios/tilted_bed.yaml, stage by stage. Heights are above the floor. --folder keeps
the runs, and finds them again."""
import argparse
import os
import subprocess
import tempfile

import numpy
from netCDF4 import Dataset

SCENARIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenarios")
CALM = [{"name": "lighter", "gravity": 0.1, "speed": 2e-3, "time": 6},
        {"name": "light", "gravity": 1e-3, "speed": 2e-4, "time": 10},
        {"name": "lightest", "gravity": 1e-4, "speed": 1e-4, "time": 10}]


def run(options, name, scenario, sets):
    stem = os.path.join(options.folder, name)
    if not os.path.exists(stem + ".ckpt.nc"):
        command = [options.cairn, "run", "--workers", str(options.workers), "--quiet", "--overwrite", "--output", stem,
                   os.path.join(SCENARIOS, scenario + ".yaml")]
        for key, value in sets.items():
            command += ["--set", f"{key}={value}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return stem


def frames(stem, floor=0):
    """Times, heights above the floor and upward velocities of all bodies."""
    with Dataset(stem + ".nc") as file, Dataset(stem + ".series.nc") as series:
        of, rows_of = file.variables, series.variables
        t = of["time"][:]
        under = numpy.interp(t, rows_of["time"][:], rows_of["wall_position"][:, floor, 2])
        return t, of["coordinates"][:, :, 2] - under[:, None], of["velocities"][:, :, 2]


def knocks_of(options):
    return (f"{{velocity: [0, 0, {options.speed:g}], duration: 0.1, period: {options.period:g}, ramp: 20}}")


def rows(t, *columns, every=6):
    for i in list(range(0, len(t), every)) + [len(t) - 1]:
        print(f"{t[i]:8.1f} " + " ".join(f"{column[i]:8.2f}" for column in columns))


def nut(options):
    sets = {"walls.0.plane.motion.knocks": knocks_of(options), "gravity.uniform": f"[0, 0, {-options.gravity:g}]",
            "time.end": options.end or 126, "stages.0.until.time": 6 * (9.81 / options.gravity) ** 0.5}
    t, z, _ = frames(run(options, f"nut_{options.gravity:g}_{options.speed:g}", "brazil_nut", sets))
    print("   t, s   large   median and 90 % of the small ones, m")
    rows(t, z[:, 144], numpy.median(z[:, 145:], axis=1), numpy.percentile(z[:, 145:], 90, axis=1))


def density(options):
    sets = {"walls.0.plane.motion.knocks": knocks_of(options), "time.end": options.end or 126}
    t, z, _ = frames(run(options, f"density_{options.speed:g}", "density_segregation", sets))
    print("   t, s   light   heavy: median height, m")
    rows(t, numpy.median(z[:, 144:644], axis=1), numpy.median(z[:, 644:], axis=1))


def decile(t, v, first):
    """Mean speed of the fastest decile, and the largest, for the first frames of the knock."""
    for i in range(first, len(t)):
        fast = numpy.sort(v[i, 225:])
        print(f"{t[i] - t[first]:8.3f} s: fastest decile {fast[-len(fast) // 10:].mean():.4g} m/s, "
              f"largest {fast[-1]:.4g} m/s")


def lifting(options):
    sets = {"walls.0.plane.motion.velocity": f"[0, 0, {options.speed:g}]"}
    t, _, v = frames(run(options, f"lifting_{options.speed:g}", "lifting", sets))
    decile(t, v, int(numpy.flatnonzero(numpy.diff(t) < 0.05)[0]))


def low(options):
    stages = ["{name: settle, until: {speed: 0.02, after: 1, time: 6}, output: {frames: 0}}"]
    stages += [f"{{name: {s['name']}, gravity: [0, 0, {-s['gravity']:g}], until: {{speed: {s['speed']:g}, after: 0.5, "
               f"time: {s['time']}}}, output: {{frames: 1}}}}" for s in CALM]
    bed = run(options, "low_bed", "lifting", {"stages": f"[{', '.join(stages)}]", "time.end": 60,
                                              "walls.0.plane.motion": "{until: 1e-9}"})
    sets = {"stages": "[]", "bodies": f"[{{run: {{file: {os.path.abspath(bed)}.nc, at_rest: true}}}}]",
            "walls.0.plane.motion": f"{{until: 0.1, velocity: [0, 0, {options.speed:g}]}}", "time.end": 0.5,
            "gravity.uniform": "[0, 0, -1e-4]", "output.frames": 0.1}
    t, _, v = frames(run(options, f"low_{options.speed:g}", "lifting", sets))
    decile(t, v, 0)


def cylinder(options):
    t, z, _ = frames(run(options, "cylinder", "shaken_cylinder", {"time.end": options.end or 12}))
    print("   t, s   large   median and 90 % of the small ones, cm")
    rows(t, 100 * z[:, 0], 100 * numpy.median(z[:, 1:], axis=1), 100 * numpy.percentile(z[:, 1:], 90, axis=1))


def tilted(options):
    with netcdf_file(run(options, "tilted", "tilted_bed", {}) + ".series.nc", mmap=False) as file:
        t, energy = file.variables["time"][:], file.variables["kinetic_energy"][:]
        first = t[numpy.flatnonzero(file.variables["wall_active"][:, 1] == 1)[0]]
    for k, angle in enumerate(range(10, 21, 2)):
        late = (t > first + 0.5 * k + 0.25) & (t <= first + 0.5 * (k + 1))
        print(f"{angle} degrees: mean kinetic energy of the second half {energy[late].mean():.1e} J")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=("nut", "density", "lifting", "low", "cylinder", "tilted"))
    parser.add_argument("--speed", type=float, help="of the floor, m/s; 5, 10 for lifting, 0.1 for low")
    parser.add_argument("--gravity", type=float, default=9.81)
    parser.add_argument("--period", type=float, default=2.0)
    parser.add_argument("--end", type=float)
    parser.add_argument("--cairn", default="build/release/cairn")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder")
    options = parser.parse_args()
    if options.speed is None:
        options.speed = {"lifting": 10.0, "low": 0.1}.get(options.case, 5.0)
    with tempfile.TemporaryDirectory(prefix="cairn_knocks") as folder:
        options.folder = options.folder or folder
        globals()[options.case](options)


if __name__ == "__main__":
    main()
