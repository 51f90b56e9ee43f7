#!/usr/bin/env python3
"""Restitution of a head-on pair, integrated with and without the weight of decision 0003.

Prints the smallest and largest error of the restitution over 40 phases of the first touch. With exactly 50 steps per
contact the errors of the plain leapfrog at first and last touch cancel; with 50.5 they do not. Stands alone: one dimension, unit mass and stiffness, the leapfrog and the law as in docs/physics.md."""
import math


def rebound(restitution, steps, phase, weighted):
    log = math.log(restitution)
    damping = -2 * log / math.sqrt(math.pi**2 + log**2)
    h = math.pi / math.sqrt(1 - (damping / 2) ** 2) / steps
    x, v, a = -(3 + phase) * h, 1.0, 0.0
    for _ in range(int(4 * steps)):
        half = v + a * h / 2
        x += half * h
        predicted = half + a * h / 2
        way = abs(predicted) * h
        weight = min(1.0, max(0.0, 0.5 + x / way)) if weighted else float(x > 0)
        overlap = weight * weight * way / 2 if weighted and weight < 1 else max(x, 0.0)
        a = -overlap - weight * damping * predicted
        v = half + a * h / 2
    return -v


def errors(restitution, steps, weighted):
    all_errors = [rebound(restitution, steps, (k + 0.5) / 40, weighted) - restitution for k in range(40)]
    return f"{min(all_errors):+.1e} … {max(all_errors):+.1e}"


cases = ((50, False), (50.5, False), (50, True), (50.5, True), (101, True))
print("restitution", *(f"{'weighted' if weighted else 'plain'}, {steps} steps" for steps, weighted in cases), sep=" | ")
for value in (0.2, 0.5, 0.8, 0.95, 1 - 1e-12):
    print(f"{value:.2f}", *(errors(value, steps, weighted) for steps, weighted in cases), sep=" | ")
