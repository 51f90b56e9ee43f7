# `cairn export` as a user types it: what ParaView gets of a run with contact dynamics and a mesh, and that nothing is
# overwritten or left behind.
. "$(dirname "$0")/tap/tap.sh"
cat >ramp.obj <<'OBJ'
v 0 0 0
v 2 0 0
v 2 2 0
v 0 2 0
f 1 2 3 4
OBJ
cat >ramp.yaml <<'YAML'
method: contact_dynamics
time: {end: 0.01, step: 0.001}
gravity: {uniform: [0, 0, -9.81]}
materials: [{name: rock, density: 2500}]
interactions: [{between: [rock, rock]}]
walls:
  - mesh: {name: ramp, file: ramp.obj, shift: [-1, -1, 0.5], material: rock, motion: {velocity: [0, 0, 100]}}
bodies:
  - lattice: {origin: [0, 0, 5], counts: [2, 1, 1], spacing: 0.5, radius: 0.2, material: rock}
output: {frames: 0.005}
YAML
run "$CAIRN" run ramp.yaml --quiet
exits 0 "a run with a mesh and contact dynamics"
like <(ncdump -h ramp.nc) '^.triangle = 2 ;' "the trajectory has the triangles of the mesh"
run "$CAIRN" export ramp.nc --vtk frames/ramp
exits 3 "a folder that is not there"
like err "frames/ramp_000000" "is named"
run "$CAIRN" export ramp.nc --vtk ramp --amber ramp.amber.nc
exits 0 "export"
like out '^written: +ramp.amber.nc$' "tells what it has written"
like out '^ +ramp.vtk.series and ramp_walls.vtk.series; open in ParaView$' "and what to open"
check "bodies have a pressure" grep -qa '^SCALARS pressure double 1$' ramp_000002.vtk
check "and a stress" grep -qa '^TENSORS stress double$' ramp_000002.vtk
check "the mesh is drawn" grep -qa '^POLYGONS 2 8$' ramp_walls_000002.vtk
# 1 m after 10 ms at 100 m/s, and half a metre at the start
heights=$("$CAIRN_PYTHON" - <<'PY'
import struct
data = open("ramp_walls_000002.vtk", "rb").read()
start = data.index(b"\nPOINTS 6 double\n") + len(b"\nPOINTS 6 double\n")
points = struct.unpack(">18d", data[start:start + 144])
print(*sorted({round(z, 9) for z in points[2::3]}), min(points[0::3]), max(points[1::3]))
PY
)
is "$heights" "1.5 -1.0 1.0" "where it is in that frame"

before=$(cat ramp_*.vtk ramp*.vtk.series ramp.amber.nc | cksum)
run "$CAIRN" export ramp.nc --vtk ramp
exits 2 "exporting again under the same name"
like err 'ramp_000000.vtk exists: choose another name, or replace it with --overwrite' "is refused"
run "$CAIRN" export ramp.nc --amber ramp.amber.nc
exits 2 "so is it in AMBER's units"
is "$(cat ramp_*.vtk ramp*.vtk.series ramp.amber.nc | cksum)" "$before" "and nothing has changed"
run "$CAIRN" export ramp.nc --vtk other --amber ramp.amber.nc
exits 2 "if one of two is refused"
check "the other is not written" test ! -e other.vtk.series -a ! -e other_000000.vtk
run "$CAIRN" export ramp.nc --vtk ramp --amber other.amber.nc
exits 2 "either way"
check "the other is not written" test ! -e other.amber.nc
run "$CAIRN" export ramp.nc --vtk ramp --amber ramp.amber.nc --overwrite
exits 0 "with --overwrite it goes on"
check "no temporary file is left" test -z "$(find . -name '*.tmp')"
done_testing
