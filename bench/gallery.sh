#!/usr/bin/env bash
# The pictures of docs/gallery.md, from scratch: runs every scenario of it. A few minutes on two cores for
# all but the knocked and shaken beds, the last six, which take up to half an hour each.
#
#   bench/gallery.sh PROGRAMS [FOLDER]
set -eu
build=$(cd "$1/.." && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
target=${2:-$source/docs/pictures}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$target"
target=$(cd "$target" && pwd)
cd "$work"
end=
picture() { # SCENARIO OPTIONS…: the whole run, or up to $end
  local name=$1
  shift
  "$build/cairn" run "$source/scenarios/$name.yaml" --quiet --set output.report=false ${end:+--set time.end=$end} >/dev/null
  "$build/cairn" render "$name" --size 640x360 --overwrite --output "$target/$name.png" "$@"
}
picture accretion --color stone --follow largest
picture collision --color speed
picture flyby --color stone --follow largest --zoom 2.5
picture impact --color speed
picture rubble --color height
picture collapse --color speed
picture hopper --color speed --frame 40
picture drum --color speed
picture shaker --color radius
picture projectile --color speed --frame 36
picture heap --color height
picture bed --color pressure
picture bounce --color material --frame 60
picture atmosphere --color material --view front
picture granular_gas --color speed --frame 5
picture planetesimals --color radius --zoom 1.5
end=0.06 picture tumbler --color speed --view top
picture cradle --color speed --frame 8
picture bouncing_ball --color material
picture brazilian_disk --color speed --view top
picture cohesive_impact --color speed --follow largest --frame 10
picture explosion --color speed --frame 10
picture ejecta --color speed
picture lifting --color speed --frame 10
picture tilted_bed --color speed
picture shaken_cylinder --color radius
end=126 picture brazil_nut --color material --frame 40 --follow largest --zoom 0.8
end=126 picture density_segregation --color material --follow largest
