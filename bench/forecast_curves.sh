#!/usr/bin/env bash
# The curves of docs/scaling.md: nodes of 128 cores, from the tasks that forecast.sh has measured.
#
#   bench/forecast_curves.sh PROGRAMS [FOLDER]      # as forecast.sh, which must have run
set -euo pipefail
cairn=$(cd "$1/.." && pwd)/cairn
cd "${2:-$1/forecast}"
# NAME TASKS RANKS [BLOCKS]: RANKS of a node share its 128 cores; BLOCKS 0: stretches of columns
curves() {
  {
    echo nodes,ranks,workers,latency,bandwidth,blocks,bodies
    for bodies in 1000000 10000000 100000000 1000000000; do
      for workers in 1 4 16; do echo "1,1,$workers,2e-6,2.5e10,${4:-1},$bodies"; done
      for nodes in 1 2 4 8 16 32 64 80; do echo "$nodes,$3,$((128 / $3)),2e-6,2.5e10,${4:-1},$bodies"; done
    done
  } >"$1.csv"
  "$cairn" forecast "$1.csv" "$2.tasks.csv" -q
}
curves soft_spheres dense 8
curves soft_spheres_one_rank dense 1
curves in_motion motion 8
curves contact_dynamics contact 2 0
curves contact_dynamics_blocks contact 8 1
