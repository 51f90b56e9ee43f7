"""`cairn run --live`: the page of a run that goes on is there for this machine and its token alone, and the run's bits do
not depend on it. `cairn watch` shows the same run on a terminal."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
from tap import done, ok, skip

CAIRN = os.environ["CAIRN"]
SCENARIO = """
title: live & <well>
time: {end: END, step: 1.0e-5}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock], stiffness: 1.0e+5, restitution: 0.9}]
walls: [{plane: {name: floor, point: [0, 0, 0], normal: [0, 0, 1], material: rock}}]
bodies: [{lattice: {origin: [0, 0, 1], counts: [3, 3, 3], spacing: 0.5, radius: 0.2, material: rock}}]
output: {frames: 0.05, series: 0.01}
"""


def ask(port, raw):
    """The first line of the answer to these bytes; empty if the connection was closed without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(raw)
        answer = b""
        try:
            while b"\r\n" not in answer:
                piece = connection.recv(4096)
                if not piece:
                    break
                answer += piece
        except ConnectionResetError:
            pass
    return answer.split(b"\r\n")[0].decode()


def start():
    log = open("log", "w+")
    process = subprocess.Popen([CAIRN, "run", "long.yaml", "--live", "--workers", "1"], stderr=log, stdout=subprocess.PIPE,
                               text=True, stdin=subprocess.DEVNULL)
    for _ in range(600):
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", open("log").read())
        if found and os.path.exists("long.series.nc") and os.path.exists("long.nc"):
            return process, int(found.group(1)), found.group(2)
        time.sleep(0.1)
    print("# " + open("log").read()[-1500:].replace("\n", "\n# "))
    process.kill()
    return process, 0, ""


def get(port, path, host=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), dict(answer.getheaders())


def test_answers(port, token):
    status, page, headers = get(port, f"/{token}/")
    ok(status == 200 and "live &#38; &#60;well&#62;" in page and '"live":true' in page, "the page of the run")
    ok("connect-src &#39;self&#39;" in page and "default-src &#39;none&#39;" in page and headers["Cache-Control"] == "no-store"
       and headers["X-Frame-Options"] == "DENY", "with a policy that lets it ask this server alone")
    status, text, _ = get(port, f"/{token}/state")
    ok(status == 200 and json.loads(text)["frames"] > 0, "and how far it is")
    rows, end = [], time.time() + 60
    while len(rows) <= 2 and time.time() < end:
        time.sleep(0.5)
        status, page, _ = get(port, f"/{token}/", f"localhost:{port}")
        data = re.search(r'id="cairn-data">(.*?)</script>', page, re.S).group(1)
        rows = json.loads(data)["runs"][0]["columns"][0]["values"]
    ok(len(rows) > 2, f"rows arrive while it goes on: {len(rows)}")


def test_refusals(port, token):
    wrong = "0" * 32 if token[0] != "0" else "1" * 32
    here = f"Host: 127.0.0.1:{port}\r\n\r\n"
    for name, raw, want in (
        ("no token", f"GET / HTTP/1.1\r\n{here}", "403"),
        ("a wrong token", f"GET /{wrong}/ HTTP/1.1\r\n{here}", "403"),
        ("a token cut short", f"GET /{token[:-1]}/ HTTP/1.1\r\n{here}", "403"),
        ("another host", f"GET /{token}/ HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n", "403"),
        ("no host", f"GET /{token}/ HTTP/1.1\r\n\r\n", "403"),
        ("two hosts", f"GET /{token}/ HTTP/1.1\r\nHost: evil\r\n{here}", "403"),
        ("a path out of it", f"GET /{token}/../../etc/passwd HTTP/1.1\r\n{here}", "404"),
        ("an encoded path", f"GET /{token}/%2e%2e/long.yaml HTTP/1.1\r\n{here}", "404"),
        ("a file of the run", f"GET /{token}/long.nc HTTP/1.1\r\n{here}", "404"),
        ("to write", f"POST /{token}/ HTTP/1.1\r\n{here}", "405"),
        ("no HTTP", f"GET /{token}/\r\n\r\n", "400"),
        ("bytes", "\0\1\2 \3\r\n\r\n", "400"),
        ("a head of 100 kB", f"GET /{token}/ HTTP/1.1\r\nX: {'x' * 100000}\r\n{here}", "431"),
    ):
        answer = ask(port, raw.encode())
        ok(f" {want} " in answer + " " or (want == "431" and answer == ""), f"{name} is refused: {answer or 'closed'}")
    open_ones = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(30)]
    time.sleep(0.5)
    for connection in open_ones:
        connection.close()
    time.sleep(0.5)
    ok(get(port, f"/{token}/state")[0] == 200, "thirty open connections later it still answers")
    try:
        mine = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    except socket.gaierror:  # a machine whose own name is not known
        mine = set()
    others = mine - {"127.0.0.1", "127.0.1.1"}
    refused = 0
    for address in others:
        try:
            socket.create_connection((address, port), timeout=5).close()
        except OSError:
            refused += 1
    ok(refused == len(others), f"no other address of the machine listens ({len(others)} tried)")


def test_browser(port, token):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser or os.environ.get("CAIRN_SANITIZE"):
        return skip(1, "chromium is not installed, or a build with sanitizers")
    shown = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu-sandbox", "--use-gl=angle",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--virtual-time-budget=4000", "--enable-logging=stderr",
         f"--user-data-dir={os.getcwd()}/profile", "--dump-dom", f"http://127.0.0.1:{port}/{token}/"],
        capture_output=True, text=True, timeout=240)
    if "<html" not in shown.stdout:
        return skip(1, "the browser does not start here")
    root = re.search(r"<html[^>]*>", shown.stdout).group(0)
    consoles = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
    ok('data-ready="yes"' in root and ('data-bodies="27"' in root or 'class="error"' in shown.stdout) and not consoles,
       "a browser shows the page without errors: " + " ".join(consoles)[:300])


def test_watch():
    shown = subprocess.run([CAIRN, "watch", "long"], capture_output=True, text=True)
    ok(shown.returncode == 0 and re.search(r"^kinetic_energy +\S+ +[▁▂▃▄▅▆▇█]+$", shown.stdout, re.M),
       "cairn watch shows bars of the run that goes on")
    shown = subprocess.run([CAIRN, "watch", "long", "momentum_z", "--once"], capture_output=True, text=True)
    ok(len(shown.stdout.splitlines()) == 2, "of the columns that are asked for")
    shown = subprocess.run([CAIRN, "watch", "long", "taste"], capture_output=True, text=True)
    ok(shown.returncode == 2 and "no column 'taste'" in shown.stderr, "a wrong one is named")


def test_end(process, port):
    process.send_signal(signal.SIGINT)
    process.wait(timeout=120)
    ok(process.returncode == 75, "Ctrl-C stops the run, with a checkpoint")
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        ok(False, "the server has stopped with it")
    except OSError:
        ok(True, "the server has stopped with it")
    ok(not os.path.exists("long.lock"), "and no lock is left")


def test_bits():
    digests = []
    for words in (["--live", "--output", "a"], ["--output", "b"]):
        told = subprocess.run([CAIRN, "run", "short.yaml", "--quiet", *words], capture_output=True, text=True)
        digests.append(told.stdout.strip())
    ok(digests[0] == digests[1] and digests[0].startswith("digest: "), "the same bits with the page and without")
    busy = socket.socket()
    busy.bind(("127.0.0.1", 0))
    busy.listen()
    told = subprocess.run([CAIRN, "run", "short.yaml", "--live", "--port", str(busy.getsockname()[1]), "--output", "c"],
                          capture_output=True, text=True)
    ok(told.returncode == 3 and "port" in told.stderr and not os.path.exists("c.nc"), "a port that is taken")
    busy.close()


folder = tempfile.mkdtemp()
os.chdir(folder)
try:
    for name, end in (("long", "1000"), ("short", "0.05")):
        with open(name + ".yaml", "w") as file:
            file.write(SCENARIO.replace("END", end))
    process, port, token = start()
    if ok(port > 0, "a run with --live tells the address of its page"):
        test_answers(port, token)
        test_refusals(port, token)
        test_browser(port, token)
        test_watch()
        test_end(process, port)
    test_bits()
finally:
    os.chdir("/")
    shutil.rmtree(folder)
sys.exit(done())
