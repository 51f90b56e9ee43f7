"""Stages: bodies settle until their kinetic energy is small, then gravity tilts, then one wall goes and another pushes.
Each stage ends when it should, walls and output obey it, and a run that is interrupted in any of them ends with the
same bits and the same files, whatever the method."""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy
from netCDF4 import Dataset

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
from tap import done, ok

SCENARIO = """
time: {end: 6, step: 2e-4}
gravity: {uniform: [0, 0, -9.81]}
stages:
  - {name: settle, until: {kinetic_energy: 1e-2, after: 0.1, time: 3, every: 0.01}, output: {frames: 0.1, series: 0.01}}
  - {name: tilt, gravity: [3, 0, -9], until: {time: 0.1}, output: {frames: 0.03, series: 0.02}}
  - {name: push, until: {time: 0.2}, output: {frames: 0}}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 2e4, restitution: 0.3, friction: 0.5, tangential_restitution: 0.3}]
bodies:
  - cloud:
      count: 40
      in: {box: {lower: [-0.2, -0.2, 0.05], upper: [0.2, 0.2, 0.35]}}
      radius: {uniform: [0.03, 0.04]}
      material: rock
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: rock}
  - plane: {name: east, point: [0.25, 0, 0], normal: [-1, 0, 0], material: rock, vanishes_with: push}
  - plane: {point: [-0.25, 0, 0], normal: [1, 0, 0], material: rock, motion: {with: push, from: 0.05, velocity: [1, 0, 0]}}
  - plane: {point: [0, -0.25, 0], normal: [0, 1, 0], material: rock}
  - plane: {point: [0, 0.25, 0], normal: [0, -1, 0], material: rock}
  - plane: {name: lid, point: [0, 0, 2], normal: [0, 0, -1], material: rock, appears_with: tilt}
output: {series: 0.02}
overlap: {limit: 0.5}
"""


def cairn(*arguments, code=0):
    done_ = subprocess.run([os.environ["CAIRN"], *arguments], capture_output=True, text=True)
    if done_.returncode != code:
        sys.stderr.write(done_.stderr)
    return done_.returncode == code, done_.stdout + done_.stderr


def digest(text):
    return [line.split()[1] for line in text.splitlines() if line.startswith("digest:")][-1]


def series(name):
    with Dataset(f"{name}.series.nc") as file:
        return {key: numpy.array(v[:]) for key, v in file.variables.items() if v.shape and v[:].dtype.kind == "f"}


def frames(name):
    with Dataset(f"{name}.nc") as file:
        return numpy.array(file.variables["time"][:]), numpy.array(file.variables["coordinates"][:])


def test_order():
    good, text = cairn("run", "s.yaml", "--output", "whole", "--log-every", "0.01")
    ok(good and "stage 1/3 settle" in text and "stage 3/3 push" in text, "all stages run, and the progress tells which")
    s = series("whole")
    energy, t = s["kinetic_energy"] + s["rotational_energy"], s["time"]
    last = numpy.flatnonzero(s["wall_active"][:, 5] == 0)[-1]  # the lid appears with the second stage
    tilt = t[last]
    ok(energy[last] < 1e-2, f"the first ends at t = {tilt:.2f} s with {energy[last]:.1e} J")
    ok(numpy.all(energy[(t > 0.1) & (t < tilt - 0.005)] >= 1e-2), "and not before")
    push = tilt + 0.1
    ok(abs(t[-1] - push - 0.2) < 1e-6, f"the second and the third last as long as they say: end at {t[-1]:.2f} s")
    east = s["wall_active"][:, 1]
    ok(numpy.all(east[t < push + 1e-6] == 1) and numpy.all(east[t > push + 1e-6] == 0), "a wall vanishes with the third")
    x = s["wall_position"][:, 2, 0]
    # the leapfrog of a driven wall is exact; rows come at steps, half of one early at most
    ok(numpy.max(numpy.abs(x + 0.25 - numpy.maximum(0, t - push - 0.05))) < 2e-4, "and another moves 0.05 s later")
    momentum = s["momentum"][:, 0]
    ok(abs(momentum[last]) < 0.1 < momentum[(t > tilt + 0.02) & (t < tilt + 0.04)].max(), "gravity tilts in between")
    times = frames("whole")[0]
    wanted = numpy.concatenate([numpy.arange(0, tilt, 0.1), tilt + numpy.array([0, 0.03, 0.06, 0.09, 0.1])])
    ok(len(times) == len(wanted) and numpy.allclose(times, wanted, atol=2e-4), "each writes frames as it says")
    return digest(text), tilt


def test_interrupted(name, whole, ends, options=()):
    good, text = cairn("run", "s.yaml", "--output", name, "--set", f"time.end={ends[0]}", *options)
    for end in ends[1:] + [6]:
        good, text = cairn("resume", f"{name}.ckpt.nc", "--set", f"time.end={end}", "--workers", "1")
    ok(good and digest(text) == whole, f"interrupted at {', '.join(f'{e:.3g} s' for e in ends)}: same bits")
    return text


def test_files():
    for key, values in series("whole").items():
        if not numpy.array_equal(values, series("parts")[key], equal_nan=True):
            ok(False, f"the series differ in {key}")
    ok(len(series("whole")["time"]) == len(series("parts")["time"]), "the series has the same rows")
    ok(all(numpy.array_equal(a, b) for a, b in zip(frames("whole"), frames("parts"))), "the trajectory the same frames")
    good, text = cairn("resume", "parts.ckpt.nc")
    ok(good and text.startswith("finished"), "and there is nothing left to do")


def test_methods():
    for method in ("contact_dynamics", "hard_spheres"):
        options = ["--set", f"method={method}", "--set", "time.step=5e-4", "--set", "stages.0.until={time: 0.2}",
                   "--set", "interactions.0={between: [rock, rock], restitution: 0.3, friction: 0.5}"]
        if method == "hard_spheres":
            options[-1] = "interactions.0={between: [rock, rock], restitution: 0.3}"
        good, text = cairn("run", "s.yaml", "--output", method, *options)
        ok(good, f"{method} has stages too")
        test_interrupted(f"{method}-parts", digest(text), [0.1, 0.2, 0.25, 0.4], options)


def test_endings():
    _, text = cairn("run", "s.yaml", "--output", "short", "--set", "time.end=0.2")
    ok("in stage settle: stage tilt never began" in text, "a run that ends in its first stage says so")
    _, text = cairn("run", "s.yaml", "--output", "late", "--set", "stages.0.until.time=0.12", "--set", "time.end=0.2")
    ok("stage settle ends after its longest time" in text, "a stage that did not come to rest says so")
    good, text = cairn("run", "s.yaml", "--output", "flight", "--set", "stages.0.until={escaped: 5}", "--set",
                       "stages.0.gravity=[0, 0, 5]", "--set", "world={upper: [9, 9, 0.6]}", "--set", "time.end=2")
    s = series("flight")
    first = numpy.flatnonzero(s["wall_active"][:, 5] == 0)[-1]  # the row of the last step of the first stage
    ok(good and s["n_outside"][first] >= 5 > s["n_outside"][first - 1], "a stage ends with escaped bodies")
    _, text = cairn("check", "s.yaml", "--trial", "0")
    ok("settle: until a kinetic energy below 0.01 J, or 3 s" in text, "check tells the ends")
    _, text = cairn("check", "s.yaml", "--trial", "0", "--set", "time.end=0.2", "--set", "stages.0.until={time: 0.3}")
    ok("tilt: never: the stages before it last 0.3 s or more" in text, "and which stage never begins")


def main():
    folder = tempfile.mkdtemp(prefix="cairn_stages")
    os.chdir(folder)
    try:
        with open("s.yaml", "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        whole, tilt = test_order()
        test_interrupted("parts", whole, [0.05, 0.123, tilt, tilt + 0.05, tilt + 0.1, tilt + 0.15])
        test_files()
        test_methods()
        test_endings()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
