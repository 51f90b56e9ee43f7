"""A rubble pile of 125 spheres is spun up (bench/spin_up.py): it flattens, and strong cohesion holds it together. What an
increment gives is the moment of inertia times the spin, and between two of them nothing turns the pile."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "bench"))
sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
import netCDF4
import numpy
import spin_up
from tap import done, ok

INCREMENT, MINUTES = 9e-5, 50


def turning(stem):
    """Angular momentum about z through the centre of mass, and the moment of inertia, if z is a principal axis."""
    with netCDF4.Dataset(stem + ".series.nc") as file:
        file.set_auto_mask(False)
        x, p = file["center_of_mass"][:], file["momentum"][:]
        spin = file["angular_momentum"][:, 2] - (x[:, 0] * p[:, 1] - x[:, 1] * p[:, 0])
        axes = numpy.sort(file["semi_axes"][:], axis=1)
        return spin, file["total_mass"][0] * (axes[:, 1] ** 2 + axes[:, 2] ** 2) / 5


def main():
    folder = tempfile.mkdtemp(prefix="cairn_spin_up")
    try:
        args = spin_up.options(["--cairn", os.environ["CAIRN"], "--side", "5", "--workers", "1", "--minutes", "400"])
        pile = spin_up.accrete(args, folder)
        flat = {}
        for force in (1., 1000.):
            stem = spin_up.spin_up(args, folder, pile, force)
            minutes, axes, _, _ = spin_up.read(stem)
            flat[force] = axes[:, 0] / axes[:, 2]
        at = {t: int(numpy.argmin(abs(minutes - t))) for t in (0, 200, 300, 400)}
        # A fluid of this density (3000 kg/m³ with its pores) at the spins of 300 and 400 min, 8.1e-4 and 9e-4 rad/s if it
        # stayed round, has c/a of 0.5 and less (Maclaurin); spheres without friction are not quite a fluid.
        ok(flat[1.][at[200]] > flat[1.][at[300]] > flat[1.][at[400]], "the pile flattens more and more")
        ok(flat[1.][at[400]] < 0.55, f"to c/a = {flat[1.][at[400]]:.2f}")
        # 1000 N are eight times the weight of a sphere in so small a pile
        ok(flat[1000.][at[400]] > 0.85, f"cohesion keeps it round, c/a = {flat[1000.][at[400]]:.2f}")
        spin, inertia = turning(stem)  # of the last one, which stays as it is
        steps = [int(numpy.searchsorted(minutes, MINUTES * k)) for k in range(1, 8)]
        given = [spin[i] - spin[i - 1] for i in steps]
        wanted = [INCREMENT * inertia[i] for i in steps]
        # the shortest axis of a nearly round pile is off z: moments differ by up to 1 - (c/a)², 17 %, halved
        worst = max(abs(g / w - 1) for g, w in zip(given, wanted))
        ok(worst < 0.09, f"increments give I Δω, within {worst:.3f}")
        # contacts pass on what they take; so few bodies are summed directly, and their pulls are mutual to rounding
        drift = max(abs(spin[steps[k + 1] - 1] / spin[steps[k]] - 1) for k in range(6))
        ok(drift < 1e-12, f"and nothing else turns it, within {drift:.1e}")
    finally:
        shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
