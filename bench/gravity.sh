#!/usr/bin/env bash
# Self-gravity with one worker and two; on one core: time per body and errors for 10^3 to 10^6 bodies and accuracies from 1e-2 to 1e-6; errors by
# accuracy, order and theta; then pytreegrav and REBOUND on the same bodies at the same RMS error, if they are installed.
#
#   bench/gravity.sh PROGRAMS
#
# PROGRAMS is the folder of the built benchmarks. PEERS_PYTHON names a Python that has the peers (default python3);
# bench/gravity_peers.py says how to install them.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1/gravity_workers"
"$1/gravity"
"$1/gravity" accuracy
"$1/gravity" orders
python=${PEERS_PYTHON:-python3}
if ! "$python" -c 'import numpy' 2> /dev/null; then
  echo "gravity: peers left out, $python has no numpy; bench/gravity_peers.py says how to install them"
  exit 0
fi
for n in 1000 10000 100000; do
  "$1/gravity" write 0 "$n" "$folder/bodies"
  echo "uniform sphere, $n bodies, RMS error 5e-4:"
  "$1/gravity" one 0 "$n" 5e-4 0 2000
  "$python" "$(dirname "$0")/gravity_peers.py" "$folder/bodies" 5e-4
done
