#!/usr/bin/env bash
# Reading meshes of 10^4 and 10^6 triangles of 1 m, and the time to find where spheres of 0.1 m to 2.7 m touch them.
#
#   bench/mesh_read.sh PROGRAMS
#
# PROGRAMS is the folder of the built benchmarks.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for side in 71 708; do
  "$1/mesh_read" make "$folder/square.stl" "$side"
  "$1/mesh_read" "$folder/square.stl"
done
