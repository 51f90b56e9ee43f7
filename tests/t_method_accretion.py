"""Spheres on a grid fall together under their own gravity (bench/accretion.py with 125 of them).

Tolerances. Free fall: gravity has a relative error of 1e-3 (gravity.self.accuracy), so an energy may have twice that.
The peak: a fluid without pressure that starts at rest is compressed everywhere at least as fast as a uniform sphere of
its density (Raychaudhuri's equation: shear only helps), so the spheres must have pushed each other back before that
sphere is as dense as the densest packing, 0.74. Rest: |U| = 3 P V up to twice the kinetic energy (virial theorem), 1 % is
for the means over a finite time. Without friction at most 3 n − 6 contacts bear load, as many as ways to move."""
import math
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "bench"))
sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
import accretion
from tap import done, ok

COUNT = 125


def main():
    folder = tempfile.mkdtemp(prefix="cairn_accretion")
    program = os.environ["CAIRN"], os.environ.get("STARPU_NCPU", 2), folder
    try:
        time, contacts, energy, direct = accretion.free_fall(*program, COUNT, 15., 550.)
        f = accretion.figures(accretion.fall(*program, COUNT, end=6000.))
    finally:
        shutil.rmtree(folder)
    ok(contacts[-1] == 0 and abs(energy / direct - 1).max() < 2e-3,
       f"free fall for {time[-1]:.0f} s: kinetic energy as by direct sums, {energy[-1]:.1f} J, {direct[-1]:.1f} J")
    latest = accretion.collapse_time(10.) * accretion.contraction((accretion.grid_fraction(10.) / 0.74) ** (1 / 3))
    ok(0 < f["peak"] < latest, f"the kinetic energy is largest at {f['peak']:.0f} s, before {latest:.0f} s")
    ok(f["energy"] < 0.05 * f["peak_energy"], f"then it goes: {f['energy']:.2g} J of {f['peak_energy']:.3g} J a sphere")
    ok(abs(f["virial"] - 1) < 0.01, f"the pressure is what the virial theorem asks: {f['virial']:.4f} of it")
    ok(3 < f["z"] < 6 - 12 / COUNT, f"{f['z']:.2f} contacts a sphere, not more than without friction can be")
    ok(math.pi / 6 < f["ellipsoid"] < 0.74, f"packing {f['ellipsoid']:.3f}: denser than the grid can be, below 0.74")
    return done()


if __name__ == "__main__":
    sys.exit(main())
