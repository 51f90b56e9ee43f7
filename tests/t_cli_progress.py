"""The progress line as a terminal sees it: one line, rewritten in place, never wider than the terminal."""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

sys.path.insert(0, os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "tap"))
sys.dont_write_bytecode = True
from tap import done, ok

# Simulated seconds: long enough for several lines, also where sanitizers slow the program down.
LENGTH = 0.1 if os.environ.get("CAIRN_SANITIZE") else 0.5


def on_terminal(command, columns, cwd):
    """Run the command with a terminal of so many columns as its standard error; returns exit code and what it got."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = dict(os.environ, TERM="xterm")
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=follower, env=environment)
    os.close(follower)
    received = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        received += piece
    os.close(leader)
    return process.wait(), received.decode()


def write_scenario(folder):
    script = os.path.join(os.environ["CAIRN_SOURCE_DIR"], "tests", "scenario.sh")
    subprocess.run(["bash", "-c", '. "$1" && write_scenario pile.yaml', "-", script], cwd=folder, check=True)


def test_terminal(cairn, folder):
    for columns in (60, 120):
        command = [cairn, "run", "pile.yaml", "--overwrite", "--set", f"time.end={LENGTH}"]
        code, text = on_terminal(command, columns, folder)
        ok(code == 0, f"a run on a terminal of {columns} columns")
        lines = re.findall(r"\r([^\r\n]*)", text)
        shown = [line for line in lines if "%" in line and "[" in line]
        ok(len(shown) > 1, f"rewrites its line ({len(shown)} times)") or print("# " + repr(text[-300:]))
        ok(all(len(line.rstrip()) < columns for line in shown), "never reaches the last column")
        ok(any(re.search(r"\[#*\.*\] +\d+ %", line) for line in shown), "with a bar and a percentage")
        ok(any("left" in line for line in shown), "and the remaining time")
        if columns == 120:
            ok(any("step" in line and " J" in line for line in shown), "and step and energy where there is room")
        ok(not re.search(r"%[^\r\n]*$", text), "the line is gone at the end")
    code, text = on_terminal([cairn, "run", "pile.yaml", "--overwrite", "--quiet"], 80, folder)
    ok(code == 0 and text == "", "--quiet shows nothing")


def test_log(cairn, folder):
    command = [cairn, "run", "pile.yaml", "--overwrite", "--set", f"time.end={LENGTH}", "--log-every", "0.05"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "body-steps/s" in line]
    ok(done.returncode == 0 and len(lines) > 1, f"a log has lines ({len(lines)})")
    ok("\r" not in done.stderr and "[#" not in done.stderr, "without a bar, nothing rewritten")
    command = command[:-2]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    ok("% " not in done.stderr.replace("body-steps/s", ""), "a run shorter than a minute logs no progress")


def main():
    folder = tempfile.mkdtemp()
    try:
        write_scenario(folder)
        test_terminal(os.environ["CAIRN"], folder)
        test_log(os.environ["CAIRN"], folder)
    finally:
        shutil.rmtree(folder)
    sys.exit(done())


main()
