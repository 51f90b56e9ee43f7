"""Whole runs with their files, their results as xarray, and sweeps over parameters as a table."""
from __future__ import annotations

import ctypes
import itertools
import os
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

from ._library import DIGEST, PROGRESS, CairnError, Error, FilesOptions, Scenario, Source, Stopped, check, engine, lib
from .simulation import Simulation


class Result:
    """The files of a run: NAME.nc, NAME.series.nc and NAME.ckpt.nc."""

    def __init__(self, name: str | os.PathLike, digest: Optional[str] = None) -> None:
        name = os.fspath(name)
        for ending in (".series.nc", ".ckpt.nc", ".nc"):
            name = name[: -len(ending)] if name.endswith(ending) else name
        self.name = name
        self.digest = digest

    @property
    def series(self) -> Any:
        """Diagnostics over time, an xarray.Dataset with the names of walls as coordinate."""
        import xarray

        data = xarray.load_dataset(self.name + ".series.nc")
        if "wall_name" in data:
            names = [name.decode() if isinstance(name, bytes) else str(name) for name in data.wall_name.values]
            data = data.assign_coords(wall=names)
        return data

    @property
    def frames(self) -> Any:
        """The bodies at chosen times, an xarray.Dataset over (time, atom, spatial)."""
        import xarray

        return xarray.load_dataset(self.name + ".nc").set_coords("time").swap_dims(frame="time")

    def plot(self, *columns: str, **options: Any) -> Any:
        """Curves of the series over time with matplotlib; returns the axes."""
        import matplotlib.pyplot as pyplot

        _, axes = pyplot.subplots()
        series = self.series
        for column in columns:
            series[column].plot(ax=axes, label=column.replace("_", " "), **options)
        axes.legend()
        return axes


def run(scenario: Source | Scenario, name: Optional[str] = None, set: Optional[Mapping[str, Any]] = None, *,
        workers: int = 0, overwrite: bool = False,
        callback: Optional[Callable[[int, int, float], Any]] = None) -> Result:
    """Run a scenario to its end with files, as `cairn run` does, bit for bit. `callback(step, steps, time)` is called
    several times a second; an exception in it ends the run with a checkpoint and is raised."""
    changes = dict(set or {})
    if name is not None:
        changes["output.name"] = os.fspath(name)
    elif isinstance(scenario, Mapping) and "name" not in scenario.get("output", {}):
        changes.setdefault("output.name", "run")
    validated = Scenario.of(scenario, changes)
    if engine.is_running:
        raise CairnError("a callback cannot start another run")
    engine.start(workers)
    raised: list[BaseException] = []

    def progress(_: Any, step: int, steps: int, time: float) -> int:
        try:
            if callback:
                callback(step, steps, time)
            return 0
        except BaseException as problem:  # it must not pass through C
            raised.append(problem)
            return 1

    digest, error = ctypes.create_string_buffer(DIGEST), Error()
    options = FilesOptions(int(overwrite), PROGRESS(progress), None)
    engine.is_running, engine.users = True, engine.users + 1  # a callback must not stop the engine under it
    try:
        status = lib.cairn_files_run(validated.pointer, options, digest, error)
    finally:
        engine.is_running, engine.users = False, engine.users - 1
    if raised:
        raise raised[0]
    try:
        check(status, error)
    except Stopped:
        pass
    return Result(_output_name(validated), digest.value.decode())


def _output_name(scenario: Scenario) -> str:
    """output.name of the parameters in force."""
    inside = False
    for line in scenario.effective.splitlines():
        inside = line.startswith("output:") or (inside and line.startswith(" "))
        if inside and line.strip().startswith("name:"):
            return line.split(":", 1)[1].strip().strip("'\"")
    raise ValueError("the scenario has no output.name")


def sweep(scenario: Source, parameters: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]], *, workers: int = 0,
          measure: Optional[Callable[[Simulation], Mapping[str, Any]]] = None) -> Any:
    """Run a scenario once for every combination of the values of its keys, or for every mapping of a list; without
    files. Returns a pandas.DataFrame: the parameters, the diagnostics of the last step, the digest and what `measure`
    returns of the simulation at its end.

    >>> cairn.sweep("bounce.yaml", {"seed": [1, 2], "time.end": [0.5, 1.0]})
    """
    import pandas

    if isinstance(parameters, Mapping):
        keys = list(parameters)
        rows = [dict(zip(keys, values)) for values in itertools.product(*(list(parameters[k]) for k in keys))]
    else:
        rows = [dict(row) for row in parameters]
    table = []
    for row in rows:
        with Simulation(scenario, row, workers=workers) as simulation:
            simulation.run()
            numbers = {k: v for k, v in simulation.observe().items() if isinstance(v, float)}
            more = dict(measure(simulation)) if measure else {}
            table.append({**row, **numbers, "digest": simulation.digest, **more})
    return pandas.DataFrame(table)
