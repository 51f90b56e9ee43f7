"""The dense bed for other programs than dense_bed.c: tiled and mirrored as it does it, and the pairs that touch.

  python3 bench/tiled_bed.py BED NX NY DATA [bonds]      a data file for LAMMPS, with bonds between all that touch"""
import collections
import sys


def spheres(bed, nx, ny):
    """The edges of the box, and x, y, z, r of all spheres."""
    with open(bed) as file:
        _, edge, height = (float(v) for v in file.readline().split())
        rows = [[float(v) for v in line.split()] for line in file]
    tiled = [(edge * a + (edge - x if a % 2 else x), edge * b + (edge - y if b % 2 else y), z, r)
             for a in range(nx) for b in range(ny) for x, y, z, r in rows]
    return (edge * nx, edge * ny, 1.5 * height), tiled


def touching(rows):
    """Pairs of numbers of spheres that touch, by cells of the largest diameter."""
    width = 2 * max(r for _, _, _, r in rows)
    cells = {}
    for i, (x, y, z, _) in enumerate(rows):
        cells.setdefault((int(x // width), int(y // width), int(z // width)), []).append(i)
    near = [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
    for (cx, cy, cz), members in cells.items():
        others = [j for a, b, c in near for j in cells.get((cx + a, cy + b, cz + c), ())]
        for i in members:
            x, y, z, r = rows[i]
            for j in others:
                u, v, w, s = rows[j]
                if i < j and (x - u)**2 + (y - v)**2 + (z - w)**2 < (r + s)**2:
                    yield i, j


def write_data(path, box, rows, bonds):
    """A data file for LAMMPS, for dense_bed.lmp without bonds and for dense_bed_bonds.lmp with them."""
    head = f"bed\n\n{len(rows)} atoms\n1 atom types\n"
    style, molecule = "sphere", ""
    if bonds:
        most = collections.Counter(k for pair in bonds for k in pair).most_common(1)[0][1]
        head += f"{len(bonds)} bonds\n1 bond types\n{most} extra bond per atom\n"
        style, molecule = "bpm/sphere", "1 "
    with open(path, "w") as file:
        file.write(head + "".join(f"0 {edge:.9g} {name}lo {name}hi\n" for name, edge in zip("xyz", box)))
        file.write(f"\nAtoms # {style}\n\n")
        file.writelines(f"{k + 1} {molecule}1 {2 * r:.12g} 1.909859317 {x:.12g} {y:.12g} {z:.12g}\n"
                        for k, (x, y, z, r) in enumerate(rows))
        if bonds:
            file.write("\nBonds\n\n")
            file.writelines(f"{k + 1} 1 {i + 1} {j + 1}\n" for k, (i, j) in enumerate(bonds))


def main():
    box, rows = spheres(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    write_data(sys.argv[4], box, rows, list(touching(rows)) if sys.argv[5:] == ["bonds"] else [])


if __name__ == "__main__":
    main()
