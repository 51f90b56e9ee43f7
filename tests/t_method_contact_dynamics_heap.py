"""Rigid spheres fall on a plane (bench/heap.py with 1000 of them). With friction of sliding and rolling they stand as a
heap; without that of rolling the heap melts; without any it is flat at once.

Tolerances. Two runs with other seeds differ by less than a degree in the angle (docs/validation.md); a heap of 15° is
none that only spread more slowly, as after one second those without friction of rolling are flatter than 3°. A step
leaves a part of its impulses open (solver.sweeps), which shakes the spheres by up to 1e-3 of g h each step and lets a
heap settle: it may move by a quarter of a radius in a second, a hundredth of what it moves when it melts."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "bench"))
sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
import heap
from tap import done, ok


def main():
    folder = tempfile.mkdtemp(prefix="cairn_heap")
    try:
        stands, melts, flat = (
            heap.figures(heap.pour(os.environ["CAIRN"], os.environ.get("STARPU_NCPU", 2), folder, law, count=1000))
            for law in heap.LAWS)
    finally:
        shutil.rmtree(folder)
    ok(stands["angle"][1] > 15, f"with rolling friction: a heap of {stands['angle'][1]:.1f}°")
    ok(abs(stands["angle"][1] - stands["angle"][0]) < 0.5, f"as steep as a second before, {stands['angle'][0]:.1f}°")
    ok(stands["moved"] < 0.25, f"no sphere went far: {stands['moved']:.3f} r")
    ok(stands["energy"] < 1e-2, f"and their energy is gone: {stands['energy']:.1e} m g r")
    ok(melts["angle"][0] < 3 and melts["angle"][1] < melts["angle"][0],
       f"without rolling friction it melts: {melts['angle'][0]:.2f}°, {melts['angle'][1]:.2f}°")
    ok(melts["spread"][1] > 1.3 * melts["spread"][0] and melts["moved"] > 10 * stands["moved"],
       f"and goes on: {melts['spread'][0]:.2f} m, {melts['spread'][1]:.2f} m")
    ok(flat["top"][0] < 1.2, f"without friction it is a single layer: {flat['top'][0]:.2f} r")
    return done()


if __name__ == "__main__":
    sys.exit(main())
