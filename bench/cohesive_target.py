#!/usr/bin/env python3
"""The 90-bead target of Schwartz (2013), section 3.3.1: three layers of 30 beads, 16 on the rim and 14 inside, settled
under gravity inside a ring and then moved together by 10 %. Writes x y z of each bead in m: scenarios/target.txt."""
import math
import random
import sys

RADIUS, RIM, LAYERS = 2.4e-3, 16, 3
WALL = RADIUS / math.sin(math.pi / RIM)  # the rim beads touch each other


def start():
    rng, beads = random.Random(1), []
    for layer in range(LAYERS):
        z = RADIUS + 1.75 * RADIUS * layer
        turn = (layer % 2) * math.pi / RIM
        for n, r in ((RIM, WALL), (10, 0.6 * WALL), (4, 0.24 * WALL)):
            for k in range(n):
                a = 2 * math.pi * k / n + turn
                beads.append([r * math.cos(a), r * math.sin(a), z + 1e-5 * rng.random()])
    return beads


def relax(beads, steps=6000):
    """Overlaps push, gravity pulls, every move is damped: the energy falls until nothing moves."""
    for step in range(steps):
        force = [[0.0, 0.0, -0.02 * RADIUS] for _ in beads]
        for i, p in enumerate(beads):
            for j in range(i):
                q = beads[j]
                d = [p[k] - q[k] for k in range(3)]
                if abs(d[2]) > 2 * RADIUS:
                    continue
                r = math.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
                if r < 2 * RADIUS:
                    push = (2 * RADIUS - r) / r
                    for k in range(3):
                        force[i][k] += push * d[k]
                        force[j][k] -= push * d[k]
            force[i][2] += max(0.0, RADIUS - p[2])
            r = math.hypot(p[0], p[1])
            if r > WALL:
                for k in range(2):
                    force[i][k] -= (r - WALL) / r * p[k]
        for p, f in zip(beads, force):
            for k in range(3):
                p[k] += 0.2 * f[k]
        if step % 1000 == 0:
            print(step, max(math.sqrt(sum(c * c for c in f)) for f in force) / RADIUS, file=sys.stderr)
    return beads


def main():
    beads = relax(start(), int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
    center = [sum(p[k] for p in beads) / len(beads) for k in range(3)]
    for p in beads:
        print(" ".join("%.6e" % (0.9 * (p[k] - center[k])) for k in range(3)))


main()
