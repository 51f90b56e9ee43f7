"""Scenarios with a figure that can be checked: Newton's cradle, the bouncing ball, one knock on a layer of balls, with
fewer of them than the scenario has, and the front of an explosion."""
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


def run(name, **sets):
    command = [os.environ["CAIRN"], "run", os.path.join(os.environ["CAIRN_SOURCE_DIR"], "scenarios", name + ".yaml")]
    for key, value in sets.items():
        command += ["--set", f"{key.replace('__', '.')}={value}"]
    subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    with Dataset(name + ".nc") as file:
        return {key: numpy.array(v[:]) for key, v in file.variables.items() if v[:].dtype.kind in "fi"}


def test_cradle():
    v = -run("cradle")["velocities"][-1, :, 0] / 10
    # the values of the law, integrated with a method of fourth order by t_method_hertz: 0.7015 and 0.2448
    ok(abs(v[1] - 0.7015) < 1e-3 and abs(v[2] - 0.2448) < 1e-3, f"the last ball has {v[1]:.4f}, the next {v[2]:.4f}")
    ok(abs(1 - numpy.sum(v**2) - 0.45) < 0.01, f"{100 * (1 - numpy.sum(v**2)):.0f} % of the energy are lost")
    ok(abs(numpy.sum(v) - 1) < 1e-12, "no momentum is")


def test_bounce():
    f = run("bouncing_ball")
    z, t = f["coordinates"][:, 1, 2] - 3, f["time"]
    low = numpy.argmin(z[t < 1])
    top = z[low:][t[low:] < 1.5].max()
    # 0.7479 of the speed of a fall by 2.75 m (t_method_hertz), seen in frames 0.02 s apart: up to g/2 0.01^2 below; with
    # a fiftieth of the collision as step the leapfrog misses the height by 0.2 %, with a fifth of that by 0.01 %
    ok(abs(top - 0.7479**2 * 2.75) < 7e-3, f"a ball that fell 2.75 m comes back to {top:.3f} m")
    ok(numpy.max(numpy.abs(f["coordinates"][:, 0, 2] - 1)) < 1e-6, "the glued one stays where it was caught, in its first step")


def test_lifting():
    sets = {"bodies__1__cloud__count": 400, "stages__0__until": "{speed: 0.1, after: 0.5, time: 2}",
            "bodies__1__cloud__in__box__upper": "[3.75, 3.75, 2.8]", "stages__1__until__time": 0.12}
    f = run("lifting", **sets)
    fast = numpy.sort(f["velocities"][-1, 225:, 2])[-40:]
    # between the floor's speed and twice that, of which an elastic ball on a moving floor would be thrown up
    ok(10 < fast.mean() < 20, f"one knock with 10 m/s throws the fastest tenth up with {fast.mean():.1f} m/s")


def test_explosion():
    f = run("explosion", time__end=4)
    x, v, mass = f["coordinates"], f["velocities"], f["mass"]
    speed = numpy.linalg.norm(v, axis=2)
    inside = numpy.linalg.norm(x[0] - 32, axis=1) <= 8
    ok(inside.any() and numpy.all((speed[0] > 0) == inside), f"{inside.sum()} bodies near a point of the surface move")
    toward = -10 * x[0][inside] / numpy.linalg.norm(x[0][inside], axis=1)[:, None]
    ok(numpy.allclose(v[0][inside], toward, atol=1e-12), "towards the centre with 10 m/s")
    before, after = mass @ v[0], mass @ v[-1]
    ok(numpy.linalg.norm(after - before) < 1e-9 * numpy.linalg.norm(before), "momentum is kept")
    away = numpy.linalg.norm(x[0] - 34.6, axis=1)
    reached = numpy.where((speed > 0.01).any(axis=0), f["time"][numpy.argmax(speed > 0.01, axis=0)], numpy.inf)
    arrival = [numpy.median(reached[(away >= near) & (away < near + 25)]) for near in (0, 25, 50, 75)]
    ok(numpy.all(numpy.diff(arrival) > 0) and arrival[3] < 4,
       "a front goes through the pile: it is at 12, 37, 62, 87 m after " + ", ".join(f"{t:.1f}" for t in arrival) + " s")


REST = """
time: {end: 2}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 1e4, restitution: 0.3}]
bodies:
  - cloud:
      count: 100
      in: {box: {lower: [-0.1, -0.1, 0.02], upper: [0.1, 0.1, 0.2]}}
      radius: {uniform: [0.013, 0.017]}
      material: rock
walls:
  - plane: {normal: [0, 0, 1], material: rock}
  - plane: {point: [-0.1, 0, 0], normal: [1, 0, 0], material: rock}
  - plane: {point: [0.1, 0, 0], normal: [-1, 0, 0], material: rock}
  - plane: {point: [0, -0.1, 0], normal: [0, 1, 0], material: rock}
  - plane: {point: [0, 0.1, 0], normal: [0, -1, 0], material: rock}
overlap: {limit: 0.3}
"""


def test_rest():
    """Tangential springs are damped by default: a bed comes to rest. Without damping they go on swinging."""
    energy = []
    with open("rest.yaml", "w", encoding="utf-8") as file:
        file.write(REST)
    for word in ("auto", "1"):
        subprocess.run([os.environ["CAIRN"], "run", "rest.yaml", "--quiet", "--overwrite", "--set",
                        f"interactions.0.tangential_restitution={word}"], check=True, stdout=subprocess.DEVNULL)
        with Dataset("rest.series.nc") as file:
            energy.append(file.variables["kinetic_energy"][-1] + file.variables["rotational_energy"][-1])
    ok(energy[0] < 0.05 * energy[1], f"after 2 s a bed has {energy[0]:.1e} J left, undamped {energy[1]:.1e} J")


def main():
    folder = tempfile.mkdtemp(prefix="cairn_scenarios")
    os.chdir(folder)
    try:
        test_cradle()
        test_bounce()
        test_lifting()
        test_explosion()
        test_rest()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    return done()


if __name__ == "__main__":
    sys.exit(main())
