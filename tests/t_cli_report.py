"""`cairn report` and output.report: one page that holds what the files hold, fetches nothing and runs no script but its
own, whatever a scenario says. In a real browser, where one is installed, it draws all bodies and curves without errors."""
import base64
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
from tap import done, ok, skip

CAIRN = os.environ["CAIRN"]
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&{{data}}\u2028</title>"
SCENARIO = """
title: TITLE
method: contact_dynamics
time: {end: 0.3, step: 0.002}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}, {name: "<b>ice</b>", density: 900}]
interactions:
  - {between: [rock, rock], friction: 0.5}
  - {between: [rock, "<b>ice</b>"], friction: 0.5}
  - {between: ["<b>ice</b>", "<b>ice</b>"], friction: 0.5}
walls:
  - plane: {name: "<i>floor", point: [0, 0, 0], normal: [0, 0, 1], material: rock}
  - mesh: {name: ramp, file: ramp.obj, material: rock}
  - ring: {name: ring, center: [0, 0, 3], normal: [0, 0, 1], radius: 2, material: rock}
bodies:
  - lattice: {origin: [-0.6, -0.6, 0.22], counts: [4, 4, 3], spacing: 0.41, radius: 0.2, material: rock}
  - single: {position: [3, 0, 0.3], radius: 0.3, material: "<b>ice</b>"}
output: {frames: 0.05, series: 0.01, report: true}
"""


def run(*words, code=0):
    process = subprocess.run([CAIRN, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if process.returncode != code:
        print("# " + process.stderr[-1500:].replace("\n", "\n# "))
    return process


def pixels(path):
    """Width, height and rows of bytes of a PNG of 8 bits without interlace."""
    data, at, body = open(path, "rb").read(), 8, b""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        body += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    each = {2: 3, 6: 4}[kind]
    raw, rows, above = zlib.decompress(body), [], bytes(each * width)
    for y in range(height):
        line = bytearray(raw[y * (each * width + 1):(y + 1) * (each * width + 1)])
        kind, row = line[0], line[1:]
        for i in range(len(row)):
            a, b, c = (row[i - each] if i >= each else 0), above[i], (above[i - each] if i >= each else 0)
            guess = (0, a, b, (a + b) // 2, min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2])[kind]
            row[i] = (row[i] + guess) & 255
        rows.append(bytes(row))
        above = row
    return width, height, rows


class Page(html.parser.HTMLParser):
    """What is in a page: tags, scripts by id or kind, attributes that lead elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.inside, self.events, self.policy, self.text = {}, [], None, [], "", ""
        self.title = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        about = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.inside = tag
        if tag == "script":
            self.scripts.append([about, ""])
        if about.get("http-equiv") == "Content-Security-Policy":
            self.policy = about["content"]
        self.events += [k for k in about if k.startswith("on") or k in ("src", "href", "srcset", "action")]

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1][1] += data
        elif self.inside == "h1" and self.title is None:
            self.title = data
        self.text += data if self.inside not in ("script", "style") else ""

    def handle_endtag(self, tag):
        self.inside = None

    def script(self, name):
        return next(text for about, text in self.scripts if about.get("id") == name)

    def data(self):
        return json.loads(self.script("cairn-data"))


def test_page():
    with open("ramp.obj", "w") as file:
        file.write("v 5 -1 0\nv 6 -1 1\nv 6 1 1\nv 5 1 0\nf 1 2 3 4\n")
    with open("one.yaml", "w") as file:
        file.write(SCENARIO.replace("TITLE", json.dumps(HOSTILE)))
    process = run("run", "one.yaml")
    ok(process.returncode == 0, "a run with output.report")
    ok(re.search(r"^report: +one\.html: open it in a browser$", process.stdout, re.M), "ends by naming the page")
    text = open("one.html", encoding="utf-8").read()
    page = Page(text)
    ok(page.title == HOSTILE, "the title is text, whatever it holds")
    kinds = [about.get("type") for about, _ in page.scripts]
    ok(kinds.count(None) == 1 and "img" not in page.tags and not page.events, "one script of its own, nothing injected")
    nonce = next(about["nonce"] for about, _ in page.scripts if "nonce" in about)
    ok("default-src 'none'" in page.policy and f"'nonce-{nonce}'" in page.policy and len(nonce) == 32,
       "a policy lets nothing else run or be fetched")
    ok(not re.search(r"(https?:)?//[a-z]", text.replace("http://www.w3.org/2000/svg", "").split("<script")[0]),
       "no address in the page")
    ok("<i>floor" not in text.replace("&#60;i&#62;", "") and "<b>ice" not in text, "names of walls and materials are text")
    ok("rock" in page.text and "git_hash" in page.text and "contact dynamics" in page.text, "scenario, provenance, method")
    digest = process.stdout.split("digest: ")[1].strip()
    ok(digest in page.text, "and the digest")
    return page


def test_content(page):
    try:
        import netCDF4
        import numpy
    except ImportError:
        skip(6, "python3-netcdf4 is not installed")
        return
    run_data = page.data()["runs"][0]
    view, columns = run_data["view"], {c["name"]: c["values"] for c in run_data["columns"]}
    series, frames = netCDF4.Dataset("one.series.nc"), netCDF4.Dataset("one.nc")
    ok(numpy.allclose(columns["kinetic_energy"], series["kinetic_energy"][:], rtol=1e-8), "columns are those of the series")
    ok(numpy.allclose(columns["wall_force_z[<i>floor]"], series["wall_force"][:, 0, 2], rtol=1e-8, atol=1e-300),
       "of walls too")
    ok(view["n"] == view["shown"] == 49 and len(view["times"]) == frames.dimensions["frame"].size, "all bodies and frames")
    good = True
    for k in range(len(view["times"])):
        block = numpy.frombuffer(base64.b64decode(page.script(f"frame-0-{k}")), dtype="<f4", count=4 * 49)
        good &= numpy.allclose(block[:147], frames["coordinates"][k].ravel(), rtol=1e-6, atol=1e-6)
        good &= numpy.allclose(block[147:], numpy.linalg.norm(frames["velocities"][k], axis=1), rtol=1e-5, atol=1e-9)
    ok(good, "positions and speeds of every frame are those of the trajectory")
    owners = numpy.frombuffer(base64.b64decode(view["owners"]), dtype="<u2")
    # a plane is two triangles, the mesh two; a ring is a tube of 64 pieces with six sides
    ok([int((owners == w).sum()) for w in range(3)] == [2, 2, 64 * 12], "walls are triangles")
    ok(view["materials"] == ["rock", "<b>ice</b>"], "materials have their names")
    series.close()
    frames.close()


def test_plots(page, text):
    figures = re.findall(r"<figure.*?</figure>", text, re.S)
    curves = sum(len(json.loads(re.search(r"data-curves='(.*?)'", f, re.S).group(1))) for f in figures)
    drawn = sum(len(re.findall(r'<path class="i(?:[4-9]|1[01])" stroke-width="1\.8"', f)) for f in figures)
    titles = re.findall(r"<title>(.*?)</title>", "".join(figures))
    ok(curves > 15 and drawn >= curves, f"{curves} curves in {len(figures)} plots are drawn")
    ok(re.search(r"<title>Contacts</title>.*?>contacts</text>", text, re.S), "a single curve of a group has its name")
    missing = {"Energies", "Contacts", "Residual of the solver", "Momentum", "Force on the walls, z"} - set(titles)
    ok(not missing, f"energies, contacts, residuals, momentum and forces on walls; missing: {missing or 'none'}")
    return curves


def test_several():
    ok(run("run", "one.yaml", "--output", "two", "--set", "seed=2", "--set", "output.report=false", "-q").returncode == 0
       and not os.path.exists("two.html"), "no page where none is asked for")
    ok(run("report", "one", "two.series.nc", "--output", "both.html").returncode == 0, "a report of two runs")
    text = open("both.html", encoding="utf-8").read()
    page = Page(text)
    curves = [json.loads(c) for c in re.findall(r"data-curves='(.*?)'", text, re.S)]
    ok(curves and all([c["run"] for c in plot] == [0, 1] for plot in curves), "every plot has a curve for each run")
    ok(len(page.data()["runs"]) == 2 and "frame-1-0" in text, "with the frames of both")
    ok("<title>Force along z on &#60;i&#62;floor</title>" in text, "and the forces on each wall")


def test_thinning():
    """A little more than 10^5 bodies: 10^5 of them are drawn, spread over all ids, and the page says so."""
    if os.environ.get("CAIRN_SANITIZE"):
        return skip(2, "a build with sanitizers")
    with open("many.yaml", "w") as file:
        file.write("time: {end: 0.001, step: 0.001}\nmaterials: [{name: rock, density: 2500}]\n"
                   "interactions: [{between: [rock, rock], stiffness: 1.0e+6, restitution: 0.5}]\n"
                   "bodies: [{lattice: {origin: [0, 0, 0], counts: [47, 47, 47], spacing: 3, radius: 1, material: rock}}]\n"
                   "output: {frames: 0.001}\n")
    run("run", "many.yaml", "-q")
    run("report", "many")
    text = open("many.html", encoding="utf-8").read()
    page = Page(text)
    view = page.data()["runs"][0]["view"]
    ok(view["n"] == 103823 and view["shown"] == 100000 and "bodies are drawn" in text, f"{view['shown']} of {view['n']} bodies")
    block = base64.b64decode(page.script("frame-0-0"))
    x = struct.unpack("<300000f", block[:1200000])
    places = set(zip(x[0::3], x[1::3], x[2::3]))
    ok(len(places) == 100000 and max(x) == 138, "each of them once, from all over")


def test_fragments():
    """Four touching bodies fly apart in two pairs: one fragment, then two of half the mass."""
    pairs = "\n".join(f"  - single: {{position: [{x}, {y}, 0], radius: 5, velocity: [{x / 5 - 1}, 0, 0], material: rock}}"
                      for x in (0, 10) for y in (0, 10))
    with open("apart.yaml", "w") as file:
        file.write("method: contact_dynamics\ntime: {end: 5, step: 0.1}\ngravity: {self: {}}\n"
                   "materials: [{name: rock, density: 2500}]\ninteractions: [{between: [rock, rock], restitution: 0}]\n"
                   f"bodies:\n{pairs}\noutput: {{frames: 1, series: 1}}\n")
    run("run", "apart.yaml", "-q")
    run("report", "apart")
    text = open("apart.html", encoding="utf-8").read()
    columns = {c["name"]: c["values"] for c in Page(text).data()["runs"][0]["columns"]}
    # 0.5 m, a tenth of the mean radius, part them: after 0.25 s
    ok(columns["n_fragments"] == [1, 2, 2, 2, 2, 2] and columns["largest_fragment"] == [1] + 5 * [0.5],
       f"the series counts fragments: {columns['n_fragments']}")
    ok("<title>Fragments</title>" in text and "<title>Largest fragments</title>" in text, "and the page plots them")
    columns = {c["name"]: c["values"] for c in Page(open("one.html", encoding="utf-8").read()).data()["runs"][0]["columns"]}
    ok(not any(columns.get("n_fragments", [])), "there are none without self-gravity")


def test_growth():
    """Two bodies become one: the page has the radii of each frame, and only where they change."""
    with open("grow.yaml", "w") as file:
        file.write("method: hard_spheres\ntime: {end: 4, step: 0.1}\nmaterials: [{name: rock, density: 2500}]\n"
                   "interactions: [{between: [rock, rock], restitution: 0}]\ncollisions: {outcome: merge}\nbodies:\n"
                   "  - single: {position: [0, 0, 0], radius: 1, material: rock}\n"
                   "  - single: {position: [4, 0, 0], radius: 1, velocity: [-1, 0, 0], material: rock}\n"
                   "output: {frames: 1, series: 1}\n")
    run("run", "grow.yaml", "-q")
    run("report", "grow")
    page = Page(open("grow.html", encoding="utf-8").read())
    view = page.data()["runs"][0]["view"]
    radii = [struct.unpack_from("<f", base64.b64decode(page.script(f"frame-0-{k}")), 4 * 8)[0] for k in range(5)]
    ok(view["grows"] and radii[0] == radii[1] == 1 and all(abs(r - 2 ** (1 / 3)) < 1e-6 for r in radii[3:]),
       f"radii of the frames: {radii}")
    ok(not Page(open("one.html", encoding="utf-8").read()).data()["runs"][0]["view"]["grows"], "once where they are constant")


def test_axis():
    """A residual of 1e-18 in one step of many does not stretch the axis, and the plot tells of it."""
    try:
        import netCDF4
    except ImportError:
        return skip(4, "python3-netcdf4 is not installed")
    shutil.copy("one.series.nc", "low.series.nc")
    with netCDF4.Dataset("low.series.nc", "a") as series:
        n = series.dimensions["time"].size
        series["solver_residual"][:] = 1e-5
        series["solver_residual"][3] = 1e-18
    run("plot", "low", "solver_residual", "--log")
    text = open("low_solver_residual.svg", encoding="utf-8").read()
    ok(n > 8 and ">1 value below 10⁻⁵<" in text and ">10⁻⁶<" not in text, "one outlier is told of, not drawn")
    with netCDF4.Dataset("low.series.nc", "a") as series:
        series["solver_residual"][:] = [10.0 ** (-i / 2) for i in range(n)]
    run("plot", "low", "solver_residual", "--log", "--output", "steep.svg")
    text = open("steep.svg", encoding="utf-8").read()
    ok(" below " not in text and "10⁻¹²" in text, "a steep decay is drawn to its end")
    with netCDF4.Dataset("low.series.nc", "a") as series:
        series["solver_residual"][:] = [1e-18 if i % 2 else 1e-5 for i in range(n)]
    run("plot", "low", "solver_residual", "--log", "--output", "often.svg")
    ok(" below " not in open("often.svg", encoding="utf-8").read(), "and so is what is small again and again")
    with netCDF4.Dataset("low.series.nc", "a") as series:
        series["solver_residual"][:] = [1.2e-5 + 0.6e-5 * i / n for i in range(n)]
    run("plot", "low", "solver_residual", "--log", "--output", "flat.svg")
    text = open("flat.svg", encoding="utf-8").read()
    ok(all(f">{label}<" in text for label in ("10⁻⁵", "2·10⁻⁵", "5·10⁻⁵", "10⁻⁴")), "one decade has labels within it")


def test_hard_spheres():
    """Collisions and the granular temperature instead of contacts that there are none."""
    with open("gas.yaml", "w") as file:
        file.write("method: hard_spheres\ntime: {end: 1, step: 0.01}\nmaterials: [{name: rock, density: 2500}]\n"
                   "interactions: [{between: [rock, rock], restitution: 0.8}]\n"
                   "walls: [{sphere: {center: [0, 0, 0], radius: 1, material: rock}}]\n"
                   "bodies: [{cloud: {count: 100, in: {sphere: {center: [0, 0, 0], radius: 0.9}}, radius: 0.05,"
                   " material: rock, speed: 1}}]\noutput: {series: 0.1}\n")
    run("run", "gas.yaml", "-q")
    run("report", "gas")
    text = open("gas.html", encoding="utf-8").read()
    ok("<title>Collisions</title>" in text and "<title>Granular temperature</title>" in text
       and "<span>collisions</span>" in text and "<span>contacts</span>" not in text, "hard spheres collide")


def test_refusals():
    process = run("report", *["one"] * 9, code=2)
    ok(process.returncode == 2 and "expected RUN… (at most 8), found 9 operands" in process.stderr, "nine runs")
    process = run("run", "one.yaml", "--output", "bare", "--set", "output.frames=0", "--set", "output.series=0")
    ok(re.search(r"^report: +none: the run wrote neither frames nor rows", process.stdout, re.M)
       and not os.path.exists("bare.html"), "a run without frames and rows says why there is no report")
    process = run("report", "nothing", code=2)
    ok(process.returncode == 2 and "neither nothing.nc nor nothing.series.nc exists" in process.stderr, "no such run")
    process = run("report", "one.yaml", code=2)
    ok(process.returncode == 2 and "cairn run one.yaml" in process.stderr, "a scenario is no run")
    with open("mine.html", "w") as file:
        file.write("mine")
    process = run("report", "one", "--output", "mine.html", code=2)
    ok(process.returncode == 2 and open("mine.html").read() == "mine", "a page of somebody else is not replaced")
    ok(run("report", "one").returncode == 0, "an earlier report is")
    ok(run("report", "one", "--output", "gone/x.html", code=3).returncode == 3, "a folder that is not there")
    data = bytearray(open("one.series.nc", "rb").read())
    data[200:260] = b"\xff" * 60
    open("bad.series.nc", "wb").write(data)
    process = run("report", "bad", code=2)
    ok(process.returncode == 2 and not os.path.exists("bad.html"), "a damaged series is refused")
    os.rename("one.series.nc", "kept.series.nc")
    ok(run("report", "one", "--output", "frames.html").returncode == 0, "frames alone make a page")
    ok("There is no series" in open("frames.html").read(), "which says so")
    os.rename("one.nc", "kept.nc")
    ok(run("report", "kept.series.nc", "--output", "rows.html").returncode == 0, "and so does a series alone")


def browse(page, *options):
    return subprocess.run(
        [BROWSER, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu-sandbox", "--use-gl=angle",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=900,900", "--virtual-time-budget=9000",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", f"--user-data-dir={os.getcwd()}/profile",
         f"--log-net-log={os.getcwd()}/net.json", *options, f"file://{os.getcwd()}/{page}"],
        capture_output=True, text=True, timeout=240)


def asked():
    """Addresses that the page of the last `browse` asked for; what the browser asks for itself has no page behind it."""
    text = open("net.json").read().rstrip().rstrip(",")
    try:
        log = json.loads(text)
    except ValueError:  # a browser that did not end the list
        log = json.loads(text + "]}")
    about = [event.get("params") or {} for event in log["events"]]
    return {p["url"] for p in about if re.match("(https?|wss?|ftp):", str(p.get("url", "")))
            and p.get("initiator", "not an origin") != "not an origin"}


def blobs(path):
    """Connected regions of a screenshot that stand out of the dark stage of the 3-D view."""
    width, height, rows = pixels(path)
    step = len(rows[0]) // width
    dark = [[max(row[step * x:step * x + 3]) < 90 for x in range(width)] for row in rows]
    # the stage: rows whose middle part is mostly dark
    inside = [y for y in range(height) if sum(dark[y][100:800]) > 350]
    top, bottom = min(inside), max(inside)
    seen, n = set(), 0
    for y in range(top, bottom - 60):  # the bar of lengths is at the lower end
        for x in range(60, width - 60):
            if dark[y][x] or (x, y) in seen:
                continue
            size, todo = 0, [(x, y)]
            while todo:
                i, j = todo.pop()
                if (i, j) in seen or not (top <= j < bottom and 0 <= i < width) or dark[j][i]:
                    continue
                seen.add((i, j))
                size += 1
                todo += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
            n += size > 20
    return n


def test_pictures():
    """Twelve bodies far from each other are twelve spots on the screenshot."""
    with open("spots.yaml", "w") as file:
        file.write("time: {end: 0.002, step: 0.001}\nmaterials: [{name: rock, density: 2500}]\n"
                   "interactions: [{between: [rock, rock], stiffness: 1.0e+6, restitution: 0.5}]\n"
                   "bodies: [{lattice: {origin: [0, 0, 0], counts: [4, 3, 1], spacing: 12, radius: 1, material: rock}}]\n"
                   "output: {frames: 0.002}\n")
    run("run", "spots.yaml", "-q")
    run("report", "spots")
    browse("spots.html", "--screenshot=spots.png")
    found = blobs("spots.png")
    ok(found == 12, f"twelve bodies are {found} spots on the screen")


def test_browser(curves):
    shown = browse("one.html", "--dump-dom")
    root = re.search(r"<html[^>]*>", shown.stdout)
    root = root.group(0) if root else ""
    if not root:
        skip(8, "the browser does not start here")
        return
    consoles = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
    ok('data-ready="yes"' in root and not consoles, "the page runs in a browser without errors: " + " ".join(consoles)[:300])
    ok(not asked(), f"no request leaves it {asked() or ''}")
    ok(f'data-curves="{curves}"' in root, f"{curves} curves are drawn")
    shown = browse("both.html", "--dump-dom")
    ok(shown.stdout.count('aria-label="3-D view of') == 2 or 'class="error"' in shown.stdout, "two views side by side")
    with open("open.html", "w") as file:
        file.write("<img src='http://elsewhere.invalid/x.png'>")
    browse("open.html", "--dump-dom")
    ok(asked() == {"http://elsewhere.invalid/x.png"}, "a page that asks for something is found out")
    browse("one.html", "--screenshot=shot.png")
    ok(os.path.exists("shot.png") and os.path.getsize("shot.png") > 20000, "a picture of it is not empty")
    if 'class="error"' in shown.stdout:
        return skip(2, "the browser has no WebGL 2")
    ok('data-bodies="49"' in root, "49 bodies are drawn")
    test_pictures()


folder = tempfile.mkdtemp()
os.chdir(folder)
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    page = test_page()
    test_content(page)
    curves = test_plots(page, open("one.html", encoding="utf-8").read())
    test_several()
    if BROWSER and not os.environ.get("CAIRN_SANITIZE"):
        test_browser(curves)
    else:
        skip(8, "chromium is not installed, or a build with sanitizers")
    test_thinning()
    test_fragments()
    test_growth()
    test_axis()
    test_hard_spheres()
    test_refusals()
finally:
    os.chdir("/")
    shutil.rmtree(folder)
sys.exit(done())
