"""The Python package: the tutorial runs, a run driven from Python has the bits of `cairn run`, misuse raises and never
crashes, pip installs it from the checkout."""
import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

SOURCE = os.environ["CAIRN_SOURCE_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "tap"))
sys.path.insert(0, os.path.join(SOURCE, "python"))
sys.dont_write_bytecode = True
os.environ["CAIRN_PYTHON_LIBRARY"] = os.path.join(os.environ["CAIRN_BINARY_DIR"], "python", "libcairn.so")
if os.environ.get("CAIRN_SANITIZE"):
    print("1..0 # SKIP a library with sanitizers cannot be loaded into Python")
    sys.exit(0)
try:
    import numpy
except ImportError:
    print("1..0 # SKIP python3-numpy is not installed")
    sys.exit(0)
from tap import done, ok, skip

import cairn

SCENARIO = {
    "time": {"end": 0.05},
    "gravity": {"uniform": [0, 0, -9.81]},
    "materials": [{"name": "glass", "density": 2500}],
    "interactions": [{"between": ["glass", "glass"], "restitution": 0.7, "friction": 0.4}],
    "walls": [{"plane": {"name": "floor", "normal": [0, 0, 1], "material": "glass"}}],
    "bodies": [{"lattice": {"origin": [0, 0, 0.0501], "counts": [3, 3, 3], "spacing": 0.101, "radius": 0.05,
                            "material": "glass"}}],
    "output": {"name": "driven", "frames": 0.025, "series": 0.01},
}


def raises(kind, function, name):
    try:
        function()
    except kind as problem:
        return ok(str(problem) != "", f"{name}: {type(problem).__name__}")
    except BaseException as problem:
        return ok(False, f"{name}: {type(problem).__name__} {problem}")
    return ok(False, f"{name}: nothing was raised")


def test_bits():
    import json

    with open("driven.yaml", "w") as file:
        json.dump(SCENARIO, file)
    told = subprocess.run([os.environ["CAIRN"], "run", "driven.yaml", "-q", "--output", "typed"], capture_output=True, text=True)
    digest = told.stdout.split("digest: ")[1].strip()
    with cairn.Simulation(SCENARIO, workers=2) as sim:
        sim.run()
        ok(sim.digest == digest and sim.step_count == sim.end_step, "a simulation run from Python has the bits of cairn run")
    with cairn.Simulation("driven.yaml", workers=2) as sim:
        for _ in zip(range(3), sim):
            pass
        sim.step(7)
        sim.save("part.ckpt.nc")
        sim.run(until=0.04, every=13)
        ok(abs(sim.time - 0.04) < sim.step_size, "run(until) ends there")
    with cairn.Simulation.load("part.ckpt.nc") as sim:
        ok(sim.step_count == 10, "a checkpoint is loaded where it was saved")
        sim.run()
        ok(sim.digest == digest, "in pieces, by a checkpoint: the same bits")
    calls = []
    result = cairn.run(SCENARIO, workers=2, callback=lambda *where: calls.append(where))
    ok(result.digest == digest and os.path.exists("driven.nc"), "cairn.run too, with its files")
    raises(cairn.InputError, lambda: cairn.run(SCENARIO, workers=2), "an earlier run is not replaced")


def test_files():
    """By hand at the moments of the scenario: the numbers of `cairn run`, and `cairn resume` goes on from there."""
    with cairn.Simulation(SCENARIO, workers=2) as sim:
        with sim.write("hand") as files:
            raises(cairn.CairnError, lambda: sim.write("hand"), "two writers of one name")
            # 0.025 and 0.01 s are the moments of frames and rows; those of `cairn run` are the nearest steps
            for time in (0.01, 0.02, 0.025):
                sim.step(round(time / sim.step_size) - sim.step_count)
                (files.frame if time == 0.025 else files.row)()
            files.frame()
            files.checkpoint()
        raises(cairn.CairnError, files.row, "a row after the end")
        raises(cairn.InputError, lambda: sim.write("hand"), "files that are there")
        left = sim.write("left")
    raises(cairn.CairnError, left.frame, "a frame of a closed simulation")
    raises(cairn.InputError, lambda: cairn.Simulation(SCENARIO, workers=2).write("nowhere/hand"), "no such folder")
    ok(not os.path.exists("hand.lock") and not os.path.exists("left.lock"), "no lock is left")
    told = subprocess.run([os.environ["CAIRN"], "resume", "hand.ckpt.nc", "-q"], capture_output=True, text=True)
    ok(told.returncode == 0, "cairn resume goes on in the same files" + told.stderr[-200:])
    try:
        import xarray  # noqa: F401
        import netCDF4  # noqa: F401
    except ImportError:
        return skip(2, "python3-xarray or python3-netcdf4 is not installed")
    hand, whole = cairn.Result("hand"), cairn.Result("typed")
    ok((hand.frames.coordinates.values == whole.frames.coordinates.values).all()
       and hand.frames.sizes["time"] == 3, "the frames are those of a whole run")
    ok((hand.series.kinetic_energy.values == whole.series.kinetic_energy.values).all()
       and (hand.series.wall_force.values == whole.series.wall_force.values).all(), "and so are the rows")


def test_arrays():
    with cairn.Simulation(SCENARIO, workers=2) as sim:
        sim.step(5)
        state = sim.state()
        position = state.position
        before = position.copy()
        address = position.__array_interface__["data"][0]
        ok(position.shape == (27, 3) and state.array("position").__array_interface__["data"][0] == address,
           "arrays are those of C, without a copy")
        sim.step(50)
        ok((position == before).all(), "a snapshot stays as it is")
        digest = state.digest
        del state
        ok(position.sum() == before.sum(), "an array keeps its memory alive")
        velocity = numpy.zeros((27, 3))
        velocity[:, 0] = 1.5
        sim.set_velocities(velocity, numpy.ones((27, 3)))
        now = sim.state()
        ok((now.velocity == velocity).all() and (now.spin == 1).all() and now.digest != digest, "velocities are set")
        ok(abs(sim.observe()["momentum"][0] / now.mass.sum() - 1.5) < 1e-12, "and observed")
        sim.set_velocities(None, numpy.full((27, 3), 2.0))
        now = sim.state()
        ok((now.velocity == velocity).all() and (now.spin == 2).all(), "spins alone, too")
        x = now.position[:, 0].copy()
        sim.step(10)
        # nothing pushes sideways but friction, for ten steps
        ok(abs((sim.state().position[:, 0] - x).mean() / (10 * sim.step_size * 1.5) - 1) < 0.05, "bodies move with them")
        floor = sim.walls()["floor"]
        ok(floor["force"].shape == (3,) and floor["active"] == 1, "walls have forces")
    ok(position[0, 0] == before[0, 0], "arrays outlive their simulation")


def test_misuse():
    sim = cairn.Simulation(SCENARIO, workers=2)
    raises(TypeError, lambda: sim.set_velocities(numpy.zeros((27, 3), dtype="f4")), "single precision")
    raises(TypeError, lambda: sim.set_velocities([[0, 0, 0]] * 27), "a list")
    raises(ValueError, lambda: sim.set_velocities(numpy.zeros((3, 27))), "a wrong shape")
    raises(ValueError, lambda: sim.set_velocities(numpy.full((27, 3), numpy.nan)), "not a number")
    raises(ValueError, lambda: sim.step(-1), "steps back")
    raises(ValueError, lambda: sim.step(2**70), "more steps than can be counted")
    raises(TypeError, lambda: sim.step(1.5), "half a step")
    raises(ValueError, lambda: sim.run(every=0, callback=print), "a callback every 0 steps")
    raises(TypeError, lambda: sim.run(every=5, callback=5), "a callback that is none")
    raises(cairn.InputError, lambda: cairn.Simulation(sim.scenario, {"seed": 2}), "changes of a validated scenario")
    raises(cairn.InputError, lambda: cairn.run(sim.scenario, "other"), "nor is its name")
    raises(AttributeError, lambda: sim.state().taste, "an unknown array")
    raises(cairn.InputError, lambda: sim.state().array("taste"), "by its name")
    raises(ZeroDivisionError, lambda: sim.run(every=5, callback=lambda s: 1 / 0), "an exception in a callback")
    raises(cairn.CairnError, lambda: sim.run(every=5, callback=lambda s: s.step()), "a callback that advances")
    raises(cairn.CairnError, lambda: sim.run(every=5, callback=lambda s: s.close()), "a callback that closes")
    ok(sim.step_count == 15, "and the simulation goes on from there")
    failed = []

    def elsewhere():
        try:
            sim.step()
        except cairn.CairnError as problem:
            failed.append(problem)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    ok(len(failed) == 1, "another thread is refused")
    raises(cairn.CairnError, lambda: cairn.stop(), "the engine cannot stop under a simulation")
    sim.close()
    sim.close()
    for name, use in (("step", sim.step), ("observe", sim.observe), ("state", sim.state), ("walls", sim.walls),
                      ("save", lambda: sim.save("x")), ("time", lambda: sim.time)):
        raises(cairn.CairnError, use, f"{name} of a closed simulation")
    raises(cairn.CairnError, lambda: cairn.run(SCENARIO, "under", callback=lambda *unused: cairn.stop()),
           "the engine cannot stop under a run")
    raises(cairn.CairnError, lambda: cairn.run(SCENARIO, "twice", callback=lambda *unused: cairn.run(SCENARIO, "inner")),
           "a run in the callback of a run")
    raises(cairn.InputError, lambda: cairn.Simulation(SCENARIO, workers=-1), "fewer workers than none")
    raises(cairn.InputError, lambda: cairn.Simulation({**SCENARIO, "tyme": 1}), "an unknown key")
    raises(cairn.InputError, lambda: cairn.Simulation(SCENARIO, {"time.end": "soon"}), "a wrong override")
    raises(OSError, lambda: cairn.Simulation.load("nothing.ckpt.nc"), "a checkpoint that is not there")
    raises(KeyboardInterrupt, lambda: cairn.run({**SCENARIO, "time": {"end": 50}}, "stopped", workers=2, callback=interrupt),
           "Ctrl-C in a run with files")
    ok(os.path.exists("stopped.ckpt.nc"), "which leaves a checkpoint")


def interrupt(*unused):
    raise KeyboardInterrupt("as if typed")


def test_tutorial():
    for module in ("xarray", "netCDF4", "pandas"):
        try:
            __import__(module)
        except ImportError:
            return skip(2, f"{module} is not installed")
    text = open(os.path.join(SOURCE, "docs", "python.md"), encoding="utf-8").read()
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.S | re.M))
    try:
        import matplotlib
        matplotlib.use("Agg")
    except ImportError:
        code = re.sub(r"^axes.*$", "", code, flags=re.M)
    scope = {}
    try:
        exec(compile(code, "docs/python.md", "exec"), scope)
    except BaseException as problem:
        print("#", type(problem).__name__, problem)
    ok("table" in scope, "the tutorial runs")
    ok("table" in scope and len(scope["table"]) == 8 and scope["table"].digest.nunique() == 8, "with a sweep of eight runs")


def test_install():
    """What `pip install ./python` does, with the library that this build has made already: compiling it again would take a minute."""
    if any(importlib.util.find_spec(name) is None for name in ("pip", "setuptools", "wheel")):
        return skip(3, "python3-pip, python3-setuptools or python3-wheel is not installed")
    shutil.copytree(os.path.join(SOURCE, "python"), "checkout/python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    shutil.copytree(os.path.join(SOURCE, "include"), "checkout/include")
    made = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--no-index",
                           "--no-cache-dir", "--target", os.path.abspath("installed"), "./checkout/python"],
                          capture_output=True, text=True, env={**os.environ, "CAIRN_PREBUILT": os.environ["CAIRN_PYTHON_LIBRARY"]})
    if not ok(made.returncode == 0, "pip installs the package from a checkout"):
        print("# " + made.stderr[-800:].replace("\n", "\n# "))
    ok([open(name).read().count("Root-Is-Purelib: false") for name in glob.glob("installed/cairn-*.dist-info/WHEEL")] == [1],
       "its wheel is for this platform")
    clean = {k: v for k, v in os.environ.items() if k != "CAIRN_PYTHON_LIBRARY"} | {"PYTHONPATH": os.path.abspath("installed")}
    used = subprocess.run([sys.executable, "-c", "import cairn; print(cairn.__version__, cairn._library._find())"],
                          capture_output=True, text=True, env=clean)
    ok(used.returncode == 0 and "installed" in used.stdout, "and brings its own library")


folder = tempfile.mkdtemp()
os.chdir(folder)
try:
    test_bits()
    test_files()
    test_arrays()
    test_misuse()
    test_tutorial()
    cairn.stop()
    test_install()
finally:
    os.chdir("/")
    shutil.rmtree(folder)
sys.exit(done())
