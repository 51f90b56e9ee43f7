#!/usr/bin/env python3
"""A settled bed as one frictional contact problem, solved from zero by cairn and by Siconos side by side.

  friction_siconos.py CAIRN BED [TOLERANCE]

BED: a line "N L H" and "x y z r" per body, in a box 0..L with a floor (bench/make_bed). Contacts are pairs and walls
with a gap below 1e-4; density 6/pi, friction 0.5, free velocity (0, 0, -0.01), no rebound. cairn goes on until its
W-scaled residual is below TOLERANCE (default 1e-4), Siconos until its own is; both residuals of both solutions are
worked out here, from r alone (formulas: docs/solve.md). Needs numpy, scipy and h5py; Siconos if it is to be compared
with."""
import os
import re
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
    import scipy.sparse as sparse
    from scipy.spatial import cKDTree
except ImportError as error:
    sys.exit(f"friction_siconos: {error.name} is missing: apt-get install python3-numpy python3-scipy python3-h5py")
try:
    import siconos.numerics as numerics
except ImportError:
    numerics = None

GAP, FRICTION = 1e-4, 0.5


def read_bed(path):
    with open(path) as file:
        edge = float(file.readline().split()[1])
        table = np.loadtxt(file)
    return edge, table[:, :3], table[:, 3]


def find_contacts(edge, x, r):
    """First body (-1: a wall), second body, unit normal towards the second; ordered by the lower body."""
    pairs = cKDTree(x).query_pairs(2 * r.max() + GAP, output_type="ndarray")
    pairs.sort(axis=1)
    d = x[pairs[:, 1]] - x[pairs[:, 0]]
    distance = np.linalg.norm(d, axis=1)
    near = distance - r[pairs[:, 0]] - r[pairs[:, 1]] < GAP
    first, second, normal = [pairs[near, 0]], [pairs[near, 1]], [d[near] / distance[near, None]]
    for axis, place, sign in ((2, 0, 1), (0, 0, 1), (1, 0, 1), (0, edge, -1), (1, edge, -1)):
        bodies = np.nonzero((x[:, axis] - place) * sign - r < GAP)[0]
        n = np.zeros((len(bodies), 3))
        n[:, axis] = sign
        first.append(np.full(len(bodies), -1))
        second.append(bodies)
        normal.append(n)
    first, second, normal = (np.concatenate(part) for part in (first, second, normal))
    order = np.lexsort((second, np.where(first < 0, second, first)))
    return first[order], second[order], normal[order]


def form_problem(edge, x, r):
    """W = H^T M^-1 H and q = H^T v for spheres."""
    first, second, normal = find_contacts(edge, x, r)
    n = len(first)
    other = np.where(np.abs(normal[:, :1]) < 0.6, [[1.0, 0, 0]], [[0, 1.0, 0]])
    tangent = np.cross(normal, other)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    frame = (normal, tangent, np.cross(normal, tangent))
    rows, columns, values = [], [], []
    for body, sign in ((first, -1.0), (second, 1.0)):
        there = body >= 0
        arm = -sign * r[body][:, None] * normal
        for k, direction in enumerate(frame):
            wrench = np.hstack((sign * direction, np.cross(arm, sign * direction)))[there]
            rows.append((6 * body[there][:, None] + np.arange(6)).ravel())
            columns.append(np.repeat(3 * np.nonzero(there)[0] + k, 6))
            values.append(wrench.ravel())
    h = sparse.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
                          shape=(6 * len(r), 3 * n))
    mass = (2 * r) ** 3
    inertia = 0.4 * mass * r**2
    inverse = sparse.diags(np.stack([1 / mass] * 3 + [1 / inertia] * 3, axis=1).ravel())
    velocity = np.zeros((len(r), 6))
    velocity[:, 2] = -0.01
    return (h.T @ inverse @ h).tocsc(), h.T @ velocity.ravel(), np.full(n, FRICTION)


def write_problem(path, w, q, mu):
    with h5py.File(path, "w") as file:
        local = file.create_group("fclib_local")
        local["spacedim"] = np.array([3], "i4")
        for name, value in (("m", w.shape[0]), ("n", w.shape[1]), ("nzmax", w.nnz), ("nz", -1)):
            local[f"W/{name}"] = np.array([value], "i4")
        local["W/p"], local["W/i"], local["W/x"] = w.indptr.astype("i4"), w.indices.astype("i4"), w.data
        local["vectors/q"], local["vectors/mu"] = q, mu


def natural_map(r, u, mu, rho):
    """|r - P_K(r - rho (u + mu |u_T| n))|² of each contact."""
    p = r - rho[:, None] * u
    p[:, 0] -= rho * mu * np.linalg.norm(u[:, 1:], axis=1)
    t = np.linalg.norm(p[:, 1:], axis=1)
    normal = np.maximum((p[:, 0] + mu * t) / (1 + mu**2), 0)
    outside = t > mu * p[:, 0]
    scale = np.where(outside, mu * normal / np.where(t > 0, t, 1), 1)
    nearest = np.column_stack((np.where(outside, normal, p[:, 0]), scale * p[:, 1], scale * p[:, 2]))
    return np.sum((r - nearest) ** 2, axis=1)


def residuals(w, q, mu, r):
    u = (w @ r + q).reshape(-1, 3)
    r, q = r.reshape(-1, 3), q.reshape(-1, 3)
    rho = 3 / w.diagonal().reshape(-1, 3).sum(axis=1)
    scaled = np.sqrt(np.sum(natural_map(r, u, mu, rho) / rho) / np.sum(rho[:, None] * q**2))
    plain = np.sqrt(np.sum(natural_map(r, u, mu, np.ones_like(rho))))
    plain /= max(np.linalg.norm(x) for x in (q, r, u))
    return scaled, plain


def run_cairn(cairn, path, solver, tolerance, problem):
    result = path + ".solved"
    run = subprocess.run([cairn, "solve", path, "--solver", solver, "--output", result, "--overwrite",
                          "--max-sweeps", "20000", "--tolerance", str(tolerance)], capture_output=True, text=True)
    if run.returncode:
        return None
    sweeps = int(re.search(r"^sweeps: *(\d+)", run.stdout, re.M).group(1))
    seconds = float(re.search(r"^time: *([^ ]+) s", run.stdout, re.M).group(1))
    with h5py.File(result) as file:
        return sweeps, seconds, residuals(*problem, file["solution/r"][:])


def run_siconos(tolerance, problem):
    w, q, mu = problem
    case = numerics.FrictionContactProblem(3, w, q, mu)
    options = numerics.SolverOptions(numerics.SICONOS_FRICTION_3D_NSGS)
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 20000
    options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    r, u = np.zeros_like(q), np.zeros_like(q)
    start = time.perf_counter()
    numerics.fc3d_driver(case, r, u, options)
    seconds = time.perf_counter() - start
    return options.iparam[numerics.SICONOS_IPARAM_ITER_DONE], seconds, residuals(w, q, mu, r)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    cairn, bed, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 1e-4
    problem = form_problem(*read_bed(bed))
    contacts = len(problem[2])
    print(f"{contacts} contacts, {problem[0].nnz / 9 / contacts:.3g} blocks per row, tolerance {tolerance:g}")
    print("solver             sweeps    seconds  updates/s   W-scaled     Siconos   time relative to Siconos")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bed.hdf5")
        write_problem(path, *problem)
        for solver in ("nesterov", "nsgs", "apgd"):
            rows.append((f"cairn {solver}", run_cairn(cairn, path, solver, tolerance, problem)))
    if numerics:
        rows.append(("siconos nsgs", run_siconos(tolerance, problem)))
    reference = rows[-1][1][1] if numerics else None
    for name, row in rows:
        if row is None:
            print(f"{name:16} did not converge in 20000 sweeps")
            continue
        sweeps, seconds, (scaled, plain) = row
        ratio = f"1/{reference / seconds:.1f}" if reference else "-"
        speed = contacts * sweeps / seconds
        print(f"{name:16} {sweeps:8d} {seconds:10.3f} {speed:10.3g} {scaled:10.2e} {plain:11.2e}   {ratio}")
    if not numerics:
        print("Siconos is not installed: nothing to compare with (apt-get install python3-siconos)")


main()
