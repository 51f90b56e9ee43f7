#!/usr/bin/env bash
# Contact dynamics on the dense bed: contact updates per second, one worker against two, and the time of a step to a
# given residual, cold and warm, by solver and number of bodies, with the exponent of growth.
#
#   bench/contact_bed.sh PROGRAMS [FOLDER]
#
# PROGRAMS is the folder of the built benchmarks. FOLDER (default: PROGRAMS) keeps the beds for the next time.
# CAIRN_BED=FILE takes a given bed of 10 000 bodies. CAIRN_BENCH_SIZES and CAIRN_BENCH_SOLVERS choose.
set -euo pipefail

programs=$1
folder=${2:-$1}
bed=${CAIRN_BED:-$folder/bed_10000.txt}
small=$folder/bed_1000.txt
sizes=${CAIRN_BENCH_SIZES:-"small 1x1 5x2"}
solvers=${CAIRN_BENCH_SOLVERS:-"nesterov nsgs"}

[ -f "$bed" ] || "$programs/make_bed" 10000 "$bed"
[ -f "$small" ] || "$programs/make_bed" 1000 "$small"

# run SIZE WORKERS SOLVER TOLERANCE STEPS
run() {
  case $1 in
    small) "$programs/contact_bed" "$small" 1 1 "$2" "$3" "$4" "$5" ;;
    *) "$programs/contact_bed" "$bed" "${1%x*}" "${1#*x}" "$2" "$3" "$4" "$5" ;;
  esac
}
value() { sed -n "s/.*\\b$1 \\([^ ]*\\).*/\\1/p" <<< "$2"; }
best() { sort -g | tail -n 1; }

echo "contact updates per second, 100 sweeps, best of 5 runs of 5 steps, one and two workers in turn:"
for size in $sizes; do
  : > "$folder/one" && : > "$folder/two"
  for _ in 1 2 3 4 5; do
    one=$(run "$size" 1 nesterov 0 5)
    two=$(run "$size" 2 nesterov 0 5)
    value warm_updates "$one" >> "$folder/one"
    value warm_updates "$two" >> "$folder/two"
  done
  awk -v n="$(value bodies "$one")" -v cells="$(value cells "$one")" -v contacts="$(value contacts "$one")" \
    -v a="$(best < "$folder/one")" -v b="$(best < "$folder/two")" \
    'BEGIN { printf "  bodies %d slices %d contacts %d: %.1f million, two workers %.1f million, ratio %.2f\n", n, cells, contacts, a / 1e6, b / 1e6, b / a }'
  rm -f "$folder/one" "$folder/two"
done

for tolerance in 1e-4 1e-6; do
  echo "to a residual of $tolerance, one worker: sweeps and milliseconds of a cold step, mean of 5 warm ones"
  for solver in $solvers; do
    first="" last=""
    for size in $sizes; do
      line=$(run "$size" 1 "$solver" "$tolerance" 5)
      last="$(value bodies "$line") $(value cold_ms "$line") $(value warm_ms "$line")"
      [ -n "$first" ] || first=$last
      awk -v s="$solver" -v n="$(value bodies "$line")" -v cs="$(value cold_sweeps "$line")" -v ct="$(value cold_ms "$line")" \
        -v ws="$(value warm_sweeps "$line")" -v wt="$(value warm_ms "$line")" -v u="$(value unsolved "$line")" \
        'BEGIN { printf "  %-8s bodies %7d cold %6.0f sweeps %9.1f ms, warm %6.1f sweeps %8.2f ms%s\n", s, n, cs, ct, ws, wt, (u > 0 ? ", " u " steps unsolved" : "") }'
    done
    awk -v a="$first" -v b="$last" 'BEGIN { split(a, x); split(b, y); if (y[1] > x[1])
      printf "  %-8s time grows as N^%.2f cold, N^%.2f warm\n", "", log(y[2] / x[2]) / log(y[1] / x[1]), log(y[3] / x[3]) / log(y[1] / x[1]) }'
  done
done
