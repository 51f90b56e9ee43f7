#!/usr/bin/env bash
# A settled bed of 10 000 spheres as one frictional contact problem: cairn's solvers and, if installed, Siconos' NSGS.
#
#   bench/friction_siconos.sh PROGRAMS [FOLDER]
#
# PROGRAMS is the folder of the built benchmarks; the program cairn lies one above. FOLDER (default: PROGRAMS) keeps the
# bed for the next time: the first time it is settled, which takes some minutes. CAIRN_BED=FILE takes a given bed
# instead.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bed=${CAIRN_BED:-${2:-$1}/bed_10000.txt}
# The distribution's Python is the one that has the distribution's modules.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if ! "$python" -c 'import numpy, scipy, h5py' 2> /dev/null; then
  echo "friction_siconos: skipped, needs python3-numpy python3-scipy python3-h5py (and python3-siconos to compare with)"
  exit 0
fi
[ -f "$bed" ] || "$1/make_bed" 10000 "$bed"
"$python" -W ignore "$here/friction_siconos.py" "$1/../cairn" "$bed"
