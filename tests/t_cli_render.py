"""`cairn render` and `cairn plot` as a user types them: what the pictures show, the same bytes whatever the workers."""
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zlib

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
from tap import done, ok, skip

CAIRN = os.environ["CAIRN"]
SCENARIO = """
method: contact_dynamics
time: {end: 0.2, step: 0.002}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}, {name: ice, density: 900}]
interactions:
  - {between: [rock, rock], friction: 0.5}
  - {between: [rock, ice], friction: 0.5}
  - {between: [ice, ice], friction: 0.5}
walls:
  - plane: {name: floor, point: [0, 0, 0], normal: [0, 0, 1], material: rock}
  - mesh: {name: ramp, file: ramp.obj, material: rock}
bodies:
  - lattice: {origin: [-0.6, -0.6, 0.22], counts: [4, 4, 3], spacing: 0.41, radius: 0.2, material: rock}
  - single: {position: [3, 0, 0.3], radius: 0.3, material: ice}
output: {frames: 0.1, series: 0.01}
"""


def run(*words, code=0):
    process = subprocess.run([CAIRN, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if process.returncode != code:
        print("# " + process.stderr[-1500:].replace("\n", "\n# "))
    return process


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def pixels(path):
    """Width, height and rows of bytes of an RGB picture, filters None and Up alone."""
    data, at, body = open(path, "rb").read(), 8, b""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and (depth, kind) == (8, 2)
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        body += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw, rows, above = zlib.decompress(body), [], bytes(3 * width)
    for y in range(height):
        line = raw[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        assert line[0] in (0, 2)
        above = line[1:] if line[0] == 0 else bytes((a + b) & 255 for a, b in zip(line[1:], above))
        rows.append(above)
    return width, height, rows


def test_pictures():
    process = run("render", "one", "--size", "320x180", "--color", "material", "--workers", "2")
    ok(process.returncode == 0 and re.search(r"^written: +one\.png$", process.stdout, re.M), "a picture of the last frame")
    width, height, rows = pixels("one.png")
    ok((width, height) == (320, 180), "of the size asked for")
    colors = {bytes(row[3 * x:3 * x + 3]) for row in rows for x in range(width)}
    ok(len(colors) > 500, f"with {len(colors)} colors: light and shade")
    first = digest("one.png")
    same = True
    for workers in ("1", "3"):
        same &= run("render", "one", "--size", "320x180", "--color", "material", "--workers", workers, "-f").returncode == 0
        same &= digest("one.png") == first
    ok(same, "the same bytes for one, two and three workers")
    ok(run("render", "one", "--size", "64x64", code=2).returncode == 2 and digest("one.png") == first,
       "a picture that is there is not replaced without --overwrite")
    ok(run("render", "one.nc", "--frame", "all", "--size", "64x64", "--output", "all.png").returncode == 0
       and os.path.exists("all_000002.png"), "all frames")
    for name, words in (("x.jpg", []), ("x.mp4", []), ("x.png", ["--movie"])):
        process = run("render", "one", "--size", "64x64", "--output", name, *words, code=2)
        ok(process.returncode == 2 and f"--output: found '{name}', expected the ending" in process.stderr
           and not [left for left in os.listdir() if left.startswith("x.")], " ".join([name, *words]) + " is refused")
    ok(run("render", "one", "--size", "64x64", "--output", "run_0.5").returncode == 0 and os.path.exists("run_0.5.png"),
       "a number is no ending")


def test_views():
    digests = set()
    for view in ("iso", "top", "bottom", "front", "back", "left", "right", "30,20"):
        run("render", "one", "--size", "192x108", "--view", view, "-f", "-o", "v.png")
        digests.add(digest("v.png"))
    ok(len(digests) == 8, "eight views are eight pictures")
    digests = set()
    for color in ("stone", "speed", "pressure", "fragment", "material", "radius", "height"):
        run("render", "one", "--size", "192x108", "--color", color, "-f", "-o", "v.png")
        digests.add(digest("v.png"))
    for word in ("--follow=largest", "--zoom=2", "--map=ember", "--background=white", "--frame=0"):
        run("render", "one", "--size", "192x108", word, "-f", "-o", "v.png")
        digests.add(digest("v.png"))
    ok(len(digests) == 12, "colors and other options change them")


def test_sphere():
    """One sphere alone, seen from the front on white: its disk has the radius that the tangents from the eye give."""
    with open("ball.yaml", "w") as file:
        file.write("time: {end: 0.002, step: 0.001}\nmaterials: [{name: rock, density: 2500}]\n"
                   "interactions: [{between: [rock, rock], stiffness: 1.0e+6, restitution: 0.5}]\n"
                   "bodies: [{single: {position: [1, 2, 3], radius: 0.5, material: rock}}]\noutput: {frames: 0.002}\n")
    run("run", "ball.yaml", "-q")
    run("render", "ball", "--size", "400x400", "--view", "front", "--background", "white", "--color", "stone")
    width, height, rows = pixels("ball.png")
    inside = [sum(row[3 * x] < 250 or row[3 * x + 2] < 250 for x in range(100, 300)) for row in rows[100:300]]
    row = rows[200]
    across = sum(row[3 * x] < 250 or row[3 * x + 2] < 250 for x in range(width))
    # the film fits 1.04 r into sin(0.25): d = 1.04 r / sin 0.25; the disk is f r / sqrt(d² - r²), f = 200 / tan 0.25
    import math
    d, f = 1.04 / math.sin(0.25), 200 / math.tan(0.25)
    wanted = 2 * f / math.sqrt(d * d - 1)
    ok(abs(across - wanted) <= 2, f"a sphere is {across} pixels across, geometry says {wanted:.1f}")
    ok(min(inside) == 200, "and has no holes")


def test_refusals():
    for words, text in ((("--view", "aside"), "--view"), (("--color", "taste"), "--color"), (("--map", "x"), "--map"),
                        (("--size", "3x3"), "--size"), (("--frame", "99"), "--frame"), (("--follow", "me"), "--follow"),
                        (("--zoom", "0"), "--zoom"), (("--background", "red"), "--background")):
        process = run("render", "one", "-o", "no.png", *words, code=2)
        ok(process.returncode == 2 and text in process.stderr and not os.path.exists("no.png"), f"{' '.join(words)} is refused")
    process = run("render", "ball", "--color", "pressure", "-o", "no.png", code=2)
    ok("contact dynamics writes it" in process.stderr, "a color that the run does not have")


def test_movie():
    if not shutil.which("ffmpeg"):
        process = run("render", "one", "--movie", code=2)
        ok(process.returncode == 2 and "--frame all" in process.stderr, "without ffmpeg it says what to do")
        skip(1, "ffmpeg is not installed")
        return
    ok(run("render", "one", "--movie", "--size", "64x64").returncode == 0 and os.path.getsize("one.mp4") > 500, "a movie")
    process = subprocess.run([CAIRN, "render", "one", "--movie", "-f"], capture_output=True, text=True,
                             env={**os.environ, "PATH": "/nonexistent"})
    ok(process.returncode == 2 and "--frame all" in process.stderr, "without ffmpeg it says what to do")


def test_plots():
    ok(run("plot", "one", "kinetic_energy", "potential_energy").returncode == 0, "a plot of two columns")
    text = open("one_kinetic_energy.svg").read()
    root = xml.etree.ElementTree.fromstring(text)
    curves = re.findall(r'<path class="i[45]" stroke-width="1\.8"', text)
    ok(root.tag.endswith("svg") and len(curves) == 2, "is an SVG with two curves")
    ok("kinetic energy" in text and "energy (" not in text and "time (s)" in text, "with its labels")
    ok(run("plot", "one", "solver_residual", "--log", "-o", "r.png").returncode == 0 and pixels("r.png")[0] == 1920,
       "or a PNG, with a logarithmic axis")
    ok(run("plot", "one", "two", "wall_force_z[floor]", "-o", "w.svg").returncode == 0
       and len(re.findall(r'stroke-width="1\.8"', open("w.svg").read())) >= 2, "the force on a wall in two runs")
    process = run("plot", "one", "taste", code=2)
    ok("no column 'taste'; it has step" in process.stderr, "a wrong column shows the right ones")
    process = run("plot", "one", "kinetic_energy", "n_contacts", "-o", "x.svg", code=2)
    ok("one plot each" in process.stderr, "units do not mix in one file")
    os.remove("one_kinetic_energy.svg")
    ok(run("plot", "one", "kinetic_energy", "n_contacts", "potential_energy").returncode == 0, "a plot for each unit")
    curves = [len(re.findall(r'<path class="i[45]" stroke-width="1\.8"', open(f"one_{name}.svg").read()))
              for name in ("kinetic_energy", "n_contacts")]
    ok(curves == [2, 1] and not os.path.exists("one_potential_energy.svg"), "with the columns that have it")
    ok(run("plot", "one", "kinetic_energy", code=2).returncode == 2, "nothing is replaced")
    ok(run("plot", "one", code=2).returncode == 2, "a column is needed")


folder = tempfile.mkdtemp()
os.chdir(folder)
try:
    with open("ramp.obj", "w") as file:
        file.write("v 1.5 -1 0\nv 2.5 -1 1\nv 2.5 1 1\nv 1.5 1 0\nf 1 2 3 4\n")
    with open("one.yaml", "w") as file:
        file.write(SCENARIO)
    run("run", "one.yaml", "-q")
    run("run", "one.yaml", "-q", "--output", "two", "--set", "bodies.1.single.radius=0.25")
    test_pictures()
    test_views()
    test_sphere()
    test_refusals()
    test_movie()
    test_plots()
finally:
    os.chdir("/")
    shutil.rmtree(folder)
sys.exit(done())
