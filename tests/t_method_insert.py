"""Bodies are poured into an empty box: batch after batch, where they touch nothing, with the velocity they are given.
Any method, any number of workers and any interruption ends with the same bits."""
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
time: {end: 0.7, step: 2e-4}
gravity: {uniform: [0, 0, -9.81]}
stages:
  - {name: wait, until: {time: 0.1}}
  - {name: pour}
materials: [{name: rock, density: 2500}, {name: ice, density: 900}]
interactions:
  - {between: [rock, rock], stiffness: 2e5, restitution: 0.3, tangential_restitution: 0.3}
  - {between: [rock, ice], stiffness: 2e5, restitution: 0.3, tangential_restitution: 0.3}
  - {between: [ice, ice], stiffness: 2e5, restitution: 0.3, tangential_restitution: 0.3}
bodies: []
insert:
  - count: 40
    batch: 4
    every: 0.05
    with: pour
    in: {box: {lower: [-0.2, -0.2, 0.4], upper: [0.2, 0.2, 0.5]}}
    radius: {uniform: [0.03, 0.04]}
    material: rock
    velocity: [0, 0, -0.5]
    speed: 0.1
  - count: 5
    batch: 5
    every: 0.1
    from: 0.34
    in: {sphere: {center: [0, 0, 0.9], radius: 0.05}}
    radius: 0.03
    material: ice
walls:
  - plane: {name: floor, normal: [0, 0, 1], material: rock}
  - plane: {point: [0.25, 0, 0], normal: [-1, 0, 0], material: rock}
  - plane: {point: [-0.25, 0, 0], normal: [1, 0, 0], material: rock}
  - plane: {point: [0, -0.25, 0], normal: [0, 1, 0], material: rock}
  - plane: {point: [0, 0.25, 0], normal: [0, -1, 0], material: rock, motion: {velocity: [0, -0.05, 0]}}
output: {frames: 0.05, series: 0.05}
overlap: {limit: 0.5}
"""
METHODS = ("soft_spheres", "contact_dynamics", "hard_spheres")


def cairn(*arguments):
    result = subprocess.run([os.environ["CAIRN"], *arguments], capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def digest(text):
    return [line.split()[1] for line in text.splitlines() if line.startswith("digest:")][-1]


def read(name):
    with Dataset(name) as file:
        return {key: numpy.array(v[:]) for key, v in file.variables.items() if v[:].dtype.kind in "fi"}


def test_batches(name):
    t, n = read(f"{name}.series.nc")["time"], read(f"{name}.series.nc")["n_bodies"]
    # a row shows a step before its batch; bodies of the second entry are one or two at a time, as there is room
    poured = numpy.minimum(40, 4 * numpy.maximum(0, numpy.ceil((t - 0.1) / 0.05 - 1e-6)))
    ok(numpy.all(n[t < 0.34] == poured[t < 0.34]), f"{name}: four more every 0.05 s from the second stage on")
    ok(numpy.all(n >= poured) and n[-1] > 41 and n[-1] < 45, f"those of the narrow region one by one: {n[-1]:.0f}")
    f = read(f"{name}.nc")
    inside = f["captor"] == 0
    first = numpy.argmax(inside, axis=0)  # the frame after it was inserted, 0.05 s later
    height = f["coordinates"][first[:40], numpy.arange(40), 2]
    fall = 0.05 * 0.5 + 9.81 / 2 * 0.05**2  # with up to 0.1 m/s more or less; the first ones meet nothing
    ok(numpy.all(height[:4] < 0.5 - 0.03 - fall + 0.006) and numpy.all(height[:4] > 0.4 + 0.03 - fall - 0.006),
       "they fall from the region with their velocity")
    ok(numpy.all(read(f"{name}.series.nc")["n_absorbed"] == 0), "nobody counts as lost")


def test_report(name):
    n = read(f"{name}.series.nc")["n_bodies"]
    code, _ = cairn("report", name)
    with open(f"{name}.html", encoding="utf-8") as file:
        ok(code == 0 and f"<b>{n[-1]:.0f}</b><span>bodies" in file.read(), f"the report counts those poured: {n[-1]:.0f}")


def test_method(method):
    options = ["--set", f"method={method}"]
    code, text = cairn("run", "i.yaml", "--output", method, *options)
    ok(code == 0 and "bodies were never inserted" in text, f"{method} pours, and tells how many are left")
    whole = digest(text)
    code, text = cairn("run", "i.yaml", "--output", "one", "--workers", "1", *options)
    ok(code == 0 and digest(text) == whole, "one worker: same bits")
    cairn("run", "i.yaml", "--output", "parts", "--set", "time.end=0.05", "--overwrite", *options)
    for end in (0.1, 0.23, 0.3, 0.44, 0.7):
        code, text = cairn("resume", "parts.ckpt.nc", "--set", f"time.end={end}")
    ok(code == 0 and digest(text) == whole, "interrupted between and at batches: same bits")
    frames = zip(read(f"{method}.nc").values(), read("parts.nc").values())
    ok(all(numpy.array_equal(a, b, equal_nan=True) for a, b in frames), "and the same frames")


def test_streams():
    """Each batch has random numbers of its own, whatever came before: in wide empty space the first body of batch n is
    at the same place however many bodies a batch has, and no two batches are alike."""
    places = []
    for batch in (1, 3):
        wide = (f"insert=[{{count: {4 * batch}, batch: {batch}, every: 0.01, radius: 1e-6, material: rock, "
                "in: {box: {lower: [0, 0, 1], upper: [100, 100, 101]}}}]")
        cairn("run", "i.yaml", "--quiet", "--force", "--overwrite", "--output", "wide", "--set", wide, "--set", "stages=[]", "--set",
              "walls=[]", "--set", "gravity.uniform=[0, 0, 0]", "--set", "time.end=0.05", "--set", "time.step=1e-3")
        places.append(read("wide.nc")["coordinates"][-1, ::batch])
    ok(places[0].shape == (4, 3) and numpy.array_equal(*places), "a batch has its own random numbers")
    ok(len(numpy.unique(places[0], axis=0)) == 4, "and no other has the same")


def test_refused():
    for change, message in (("insert.0.radius=0.3", "a body with a radius of 0.3 m does not fit in"),
                            ("insert.0.with=pur", "found pur, which is not in stages; allowed: wait, pour"),
                            ("insert.0.every=0", "insert.0.every=0: found 0"),
                            ("insert=[]", "bodies: found none; needed: at least one, here or in insert")):
        code, text = cairn("check", "i.yaml", "--trial", "0", "--set", change)
        ok(code == 2 and message in text, f"refused: {change}")


def main():
    folder = tempfile.mkdtemp(prefix="cairn_insert")
    os.chdir(folder)
    try:
        with open("i.yaml", "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        for method in METHODS:
            test_method(method)
            for leftover in os.listdir("."):
                if leftover.startswith("one"):
                    os.remove(leftover)
        test_batches("soft_spheres")
        test_batches("contact_dynamics")
        test_report("soft_spheres")
        test_streams()
        test_refused()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
