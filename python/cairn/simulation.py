"""A simulation driven from Python: step it, look at it, change velocities, call back."""
from __future__ import annotations

import ctypes
import operator
import os
from typing import Any, Callable, Iterator, Mapping, Optional

import numpy

from ._library import (DIGEST, CairnError, Error, InputError, Scenario, Source, StateArray, WallSample, _strings, _override,
                       check, engine, entries, lib)

MOST_STEPS = 2**62  # of one call, far from what C counts to


class State:
    """The complete state at one step, a copy of its own. Arrays are those of C, without a copy, and keep it alive."""

    _names = ("position", "velocity", "spin", "acceleration", "angular_acceleration", "radius", "mass", "material",
              "captor", "gravity")

    def __init__(self, pointer: int) -> None:
        self._pointer = ctypes.c_void_p(pointer)

    def array(self, name: str) -> numpy.ndarray:
        """An array of bodies or assemblies by its name in checkpoints: [n] or [n][components]."""
        found = StateArray()
        if lib.cairn_state_find(self._pointer, name.encode(), found):
            raise InputError(f"a state has no array '{name}'")
        kind = ctypes.c_int32 if found.is_integer else ctypes.c_double
        shape = (found.n,) if found.components == 1 else (found.n, found.components)
        if found.n == 0 or not found.values:
            return numpy.zeros(shape, dtype=kind)
        buffer = (kind * (found.n * found.components)).from_address(found.values)
        buffer._owner = self  # the memory lives as long as somebody looks at it
        return numpy.frombuffer(buffer, dtype=kind).reshape(shape)

    def __getattr__(self, name: str) -> numpy.ndarray:
        if name in State._names:
            return self.array(name)
        raise AttributeError(name)

    @property
    def digest(self) -> str:
        """Fingerprint of all bits of the state."""
        text = ctypes.create_string_buffer(DIGEST)
        lib.cairn_state_digest(self._pointer, text)
        return text.value.decode()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            lib.cairn_state_free(self._pointer)
            self._pointer = ctypes.c_void_p()


class Writer:
    """Trajectory, series and checkpoints of a simulation that is stepped by hand: `Simulation.write`."""

    def __init__(self, simulation: "Simulation", name: str | os.PathLike, overwrite: bool) -> None:
        self._pointer = ctypes.c_void_p()
        self._simulation = simulation
        self.name = os.fspath(name)
        error = Error()
        check(lib.cairn_files_open(simulation._open(), os.fsencode(name), int(overwrite), self._pointer, error), error)
        simulation._writers.append(self)

    def _write(self, parts: int) -> None:
        if not self._pointer:
            raise CairnError("the files have been closed")
        self._simulation._open()
        error = Error()
        check(lib.cairn_files_write(self._pointer, parts, error), error)

    def frame(self) -> None:
        """The bodies and walls of this step, in NAME.nc."""
        self._write(1)

    def row(self) -> None:
        """The diagnostics of this step, in NAME.series.nc."""
        self._write(2)

    def checkpoint(self) -> None:
        """The complete state of this step, in NAME.ckpt.nc; `cairn resume NAME.ckpt.nc` goes on in the same files."""
        self._write(4)

    def close(self) -> None:
        if not self._pointer:
            return
        engine.check()
        pointer, self._pointer, error = self._pointer, ctypes.c_void_p(), Error()
        self._simulation._writers.remove(self)
        check(lib.cairn_files_close(pointer, error), error)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


class Simulation:
    """A scenario in motion. Use it as a context manager, or close it.

    >>> with cairn.Simulation("bounce.yaml", workers=1) as sim:
    ...     sim.step(100)
    ...     sim.observe()["kinetic_energy"]
    """

    def __init__(self, scenario: Source | Scenario, set: Optional[Mapping[str, Any]] = None, *, workers: int = 0,
                 _state: Optional[State] = None) -> None:
        self._pointer = ctypes.c_void_p()
        self._inside = False
        self._writers: list[Writer] = []
        self.scenario = Scenario.of(scenario, set)
        engine.start(workers)
        error = Error()
        state = _state._pointer if _state else None
        check(lib.cairn_simulation_create(self.scenario.pointer, state, self._pointer, error), error)
        engine.users += 1

    @classmethod
    def load(cls, path: str | os.PathLike, set: Optional[Mapping[str, Any]] = None, *, workers: int = 0) -> "Simulation":
        """Continue from a checkpoint."""
        error, scenario, state = Error(), ctypes.c_void_p(), ctypes.c_void_p()
        changes = [_override(k, v) for k, v in (set or {}).items()]
        check(lib.cairn_files_load(os.fsencode(path), len(changes), _strings(changes), scenario, state, error), error)
        return cls(Scenario._of(scenario), workers=workers, _state=State(state.value))

    def _open(self) -> ctypes.c_void_p:
        if not self._pointer:
            raise CairnError("the simulation has been closed")
        engine.check()
        return self._pointer

    def save(self, path: str | os.PathLike) -> None:
        """Write a checkpoint, which `Simulation.load` and `cairn resume` take."""
        error = Error()
        check(lib.cairn_files_save(self._open(), os.fsencode(path), error), error)

    def write(self, name: str | os.PathLike, *, overwrite: bool = False) -> Writer:
        """Start the files NAME.nc and NAME.series.nc with this step as first frame and row; further ones when its
        `frame` and `row` are called. `cairn.Result`, `cairn report` and `cairn render` read them.

        >>> with sim.write("pile") as files:
        ...     sim.run(every=100, callback=lambda s: files.frame())
        """
        return Writer(self, name, overwrite)

    # ---- time

    @property
    def step_count(self) -> int:
        return lib.cairn_simulation_step(self._open())

    @property
    def time(self) -> float:
        return lib.cairn_simulation_time(self._open())

    @property
    def step_size(self) -> float:
        return lib.cairn_simulation_step_size(self._open())

    @property
    def end_time(self) -> float:
        return lib.cairn_simulation_end_time(self._open())

    @property
    def end_step(self) -> int:
        return lib.cairn_simulation_end_step(self._open())

    def step(self, n: int = 1) -> None:
        """Do n steps."""
        n = operator.index(n)
        if not 0 <= n <= MOST_STEPS:
            raise InputError(f"cannot do {n} steps")
        if self._inside:
            raise CairnError("a callback cannot advance the simulation that called it")
        error, end = Error(), self.step_count + n
        while self.step_count < end:  # in pieces, so that Ctrl-C is heard
            piece = min(end - self.step_count, max(1, n // 20))
            check(lib.cairn_simulation_advance(self._open(), piece, error), error)

    def run(self, until: Optional[float] = None, *, every: Optional[int] = None,
            callback: Optional[Callable[["Simulation"], Any]] = None) -> "Simulation":
        """Advance to the time `until`, or the end of the scenario. `callback` gets the simulation after every `every`
        steps and at the end; an exception in it ends the run and is raised."""
        end = self.end_step if until is None else max(self.step_count, -int(-(until / self.step_size - 1e-9) // 1))
        every = max(1, end - self.step_count) if every is None else operator.index(every)
        if callback is not None and not callable(callback):
            raise TypeError(f"the callback is a {type(callback).__name__}, which cannot be called")
        if every < 1:
            raise InputError(f"a callback every {every} steps: expected 1 or more")
        while self.step_count < end:
            self.step(min(every, end - self.step_count))
            if callback:
                self._inside = True
                try:
                    callback(self)
                finally:
                    self._inside = False
        return self

    # ---- what there is

    def observe(self) -> dict[str, Any]:
        """All diagnostics of this step by their name in the series: numbers, or arrays of three or six."""
        size = max(offset + 8 * n for _, _, n, offset in _ENTRIES)
        buffer, error = ctypes.create_string_buffer(size), Error()
        check(lib.cairn_simulation_observe(self._open(), buffer, error), error)
        found: dict[str, Any] = {}
        for name, _, n, offset in _ENTRIES:
            values = numpy.frombuffer(buffer.raw, dtype=float, count=n, offset=offset)
            found[name] = float(values[0]) if n == 1 else values.copy()
        return found

    def walls(self) -> dict[str, dict[str, Any]]:
        """Position, motion, force and torque of each wall by its name."""
        n, error = lib.cairn_simulation_n_walls(self._open()), Error()
        samples = (WallSample * max(1, n))()
        check(lib.cairn_simulation_observe_walls(self._open(), samples, error), error)
        found = {}
        for w in range(n):
            name = lib.cairn_simulation_wall_name(self._open(), w).decode()
            values = {key: getattr(samples[w], key) for key, _ in WallSample._fields_}
            found[name] = {k: v if isinstance(v, float) else numpy.array(v) for k, v in values.items()}
        return found

    def state(self) -> State:
        """The state of this step, a snapshot: it stays as it is while the simulation goes on."""
        error = Error()
        captured = lib.cairn_simulation_capture(self._open(), error)
        if not captured:
            check(error.status or -1, error)
        clone = lib.cairn_state_clone(captured)
        if not clone:
            raise MemoryError("out of memory for a copy of the state")
        return State(clone)

    @property
    def digest(self) -> str:
        return self.state().digest

    # ---- what can be changed

    def set_velocities(self, velocity: Optional[numpy.ndarray], spin: Optional[numpy.ndarray] = None) -> None:
        """New velocities and angular velocities of all bodies: arrays of doubles, (n, 3); None leaves them."""
        n = len(self.state().radius)
        pointers = []
        for name, values in (("velocity", velocity), ("spin", spin)):
            if values is None:
                pointers.append(None)
                continue
            if not isinstance(values, numpy.ndarray) or values.dtype != numpy.float64:
                kind = getattr(values, "dtype", type(values).__name__)
                raise TypeError(f"{name} must be an array of float64, not {kind}")
            if values.shape != (n, 3):
                raise InputError(f"{name} has the shape {values.shape}, expected ({n}, 3)")
            values = numpy.ascontiguousarray(values)
            pointers.append(values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        error = Error()
        check(lib.cairn_simulation_set_velocities(self._open(), pointers[0], pointers[1], error), error)

    # ---- the end

    def close(self) -> None:
        if self._inside:
            raise CairnError("a callback cannot close the simulation that called it")
        if getattr(self, "_pointer", None):
            if engine.workers is not None:
                engine.check()
                for writer in list(self._writers):
                    writer.close()
                lib.cairn_simulation_free(self._pointer)
                engine.users -= 1
            self._pointer = ctypes.c_void_p()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self._inside = False
            self.close()
        except Exception:
            pass

    def __iter__(self) -> Iterator["Simulation"]:
        """One step after the other to the end of the scenario."""
        while self.step_count < self.end_step:
            self.step()
            yield self


_ENTRIES = entries()
