"""Open the files of a folder with the programs that people use. Run by t_data_readers, which wrote the files.

usage: data_readers.py FOLDER
Prints one line per check: "ok TEXT", "not ok TEXT" or "skip TEXT". What the files must hold is set by t_data_readers.c:
N bodies, 3 frames at 0, 0.5 and 1 s, body i at (i, frame, 0.125) with radius 1 + i; 4 rows in the series; two walls, a plane at z = -1 and a disk at z = 2,
on which a force of 10 N per row acts.
"""
import importlib
import os
import sys
import warnings

N, FRAMES = 7, 3


def check(condition, text):
    print("ok" if condition else "not ok", text)


def near(a, b):
    return abs(float(a) - float(b)) < 1e-6


def xarray(module, folder):
    run = module.open_dataset(os.path.join(folder, "run.nc"))
    check(run.sizes["atom"] == N and run.sizes["frame"] == FRAMES, "xarray: trajectory, sizes")
    check(float(run.coordinates[2, 3, 0]) == 3 and float(run.coordinates[2, 3, 1]) == 2, "xarray: trajectory, values")
    check(run.coordinates.units == "m" and float(run.time[1]) == 0.5, "xarray: trajectory, units and plain times")
    check(run.attrs["Conventions"] == "AMBER" and run.attrs["command_line"] == "test", "xarray: provenance")
    series = module.open_dataset(os.path.join(folder, "run.series.nc"))
    check(series.sizes["time"] == 4 and float(series.kinetic_energy.sel(time=0.75)) == 3, "xarray: series by time")
    check(series.wall_force.dims == ("time", "wall", "spatial"), "xarray: walls")
    names = [name.decode() for name in series.wall_name.values]
    check(names == ["floor", "große Scheibe"] and float(series.wall_force[3, 1, 2]) == 30, "xarray: walls by name")
    check(float(run.wall_position[2, 0, 2]) == -1 and int(run.captor[0, 3]) == 0, "xarray: places of walls, captures")
    check(series.momentum.dims == ("time", "spatial"), "xarray: vectors")
    check(series.mean_stress.dims == ("time", "Voigt"), "xarray: tensors")
    state = module.open_dataset(os.path.join(folder, "run.ckpt.nc"))
    check(state.sizes["body"] == N and float(state.radius[6]) == 7, "xarray: checkpoint with its seal")
    check(state.scenario.item().decode() == "title: readers\n", "xarray: scenario in the checkpoint")
    for data in (run, series, state):
        data.load()
        data.close()


def netCDF4(module, folder):
    names = ("run.nc", "run.series.nc", "run.ckpt.nc")
    formats = [module.Dataset(os.path.join(folder, name)).data_model for name in names]
    check(formats == ["NETCDF3_64BIT_OFFSET"] * 2 + ["NETCDF3_64BIT_DATA"], "netCDF4: encodings")


def scipy(module, folder):
    run = importlib.import_module("scipy.io").netcdf_file(os.path.join(folder, "run.nc"), mmap=False)
    check(run.variables["radius"][6] == 7 and run.variables["coordinates"].shape == (FRAMES, N, 3), "scipy: trajectory")


def ovito(module, folder):
    pipeline = importlib.import_module("ovito.io").import_file(os.path.join(folder, "run.nc"))
    data = pipeline.compute(2)
    check(pipeline.source.num_frames == FRAMES and data.particles.count == N, "OVITO: trajectory")
    check(list(data.particles.positions[3]) == [3, 2, 0.125], "OVITO: positions")
    check(data.particles["Radius"][6] == 7 and data.particles["Particle Identifier"][6] == 6, "OVITO: radii and ids")
    check(data.attributes["time"] == 1 and "kinetic_energy" in data.attributes, "OVITO: scalars are attributes")
    check("captor" in data.particles.keys(), "OVITO: captures are a property")
    check(data.cell is None or not any(data.cell.pbc), "OVITO: not periodic")


def MDAnalysis(module, folder):
    universe = module.Universe.empty(N, trajectory=True)
    universe.load_new(os.path.join(folder, "amber.nc"), format="NCDF")
    step = universe.trajectory[2]
    check(len(universe.trajectory) == FRAMES and near(step.time, 1), "MDAnalysis: export")
    check(near(step.positions[3][1], 2) and near(step.velocities[3][2], -1), "MDAnalysis: positions and velocities")


def chemfiles(module, folder):
    with module.Trajectory(os.path.join(folder, "amber.nc"), "r", "Amber NetCDF") as trajectory:
        frame = trajectory.read_step(2)
        check(near(frame.positions[3][1], 2) and len(frame.atoms) == N, "chemfiles: export")


def vtk(module, folder):
    reader = module.vtkPolyDataReader()
    reader.SetFileName(os.path.join(folder, "v_000002.vtk"))
    reader.ReadAllScalarsOn()
    reader.ReadAllVectorsOn()
    reader.Update()
    data = reader.GetOutput()
    check(data.GetNumberOfPoints() == N and data.GetNumberOfVerts() == N, "VTK: points and vertices")
    check(data.GetPoint(3) == (3.0, 2.0, 0.125), "VTK: positions")
    check(data.GetPointData().GetArray("radius").GetValue(6) == 7, "VTK: radii")
    check(data.GetFieldData().GetArray("TimeValue").GetValue(0) == 1, "VTK: time")
    reader = module.vtkPolyDataReader()
    reader.SetFileName(os.path.join(folder, "v_walls_000001.vtk"))
    reader.Update()
    walls = reader.GetOutput()
    check(walls.GetNumberOfPolys() == 65 and walls.GetPoint(0)[2] == -1, "VTK: a plane and a disk")
    check(walls.GetCellData().GetArray("wall").GetValue(64) == 1, "VTK: which wall it is")


def main():
    warnings.simplefilter("ignore")
    for reader in (xarray, netCDF4, scipy, ovito, MDAnalysis, chemfiles, vtk):
        name = reader.__name__
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"skip the Python module {name} is not installed")
            continue
        try:
            reader(module, sys.argv[1])
        except Exception as error:
            print(f"not ok {name}: {type(error).__name__}: {error}".replace("\n", " "))


main()
