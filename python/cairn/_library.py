"""The C library behind the package: found, loaded and described for ctypes. Nothing here is meant for users."""
from __future__ import annotations

import ctypes
import ctypes.util
import json
import operator
import os
import pathlib
import threading
from typing import Any, Mapping, Optional, Union

STOPPED = -75
DIGEST = 33


class CairnError(RuntimeError):
    """Something went wrong in cairn; the message says what, where and what to do."""

    status = -1


class InputError(CairnError, ValueError):
    """A scenario, an option or an argument is not right."""

    status = -2


class FileError(CairnError, OSError):
    """A file could not be read or written."""

    status = -3


class NumericalError(CairnError, ArithmeticError):
    """The simulation itself failed; its state is the last good one."""

    status = -1


class Stopped(CairnError):
    """A run was stopped before its end, with a checkpoint."""

    status = STOPPED


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1024)]


class EngineOptions(ctypes.Structure):
    _fields_ = [("workers", ctypes.c_int), ("device", ctypes.c_int), ("silent", ctypes.c_int)]


class StateArray(ctypes.Structure):
    _fields_ = [("values", ctypes.c_void_p), ("n", ctypes.c_int64), ("components", ctypes.c_int), ("is_integer", ctypes.c_int)]


class WallSample(ctypes.Structure):
    _fields_ = [
        ("position", ctypes.c_double * 3), ("orientation", ctypes.c_double * 4), ("velocity", ctypes.c_double * 3),
        ("spin", ctypes.c_double * 3), ("force", ctypes.c_double * 3), ("torque", ctypes.c_double * 3),
        ("n_contacts", ctypes.c_double), ("n_absorbed", ctypes.c_double), ("n_held", ctypes.c_double),
        ("active", ctypes.c_double),
    ]


PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)


class FilesOptions(ctypes.Structure):
    _fields_ = [("overwrite", ctypes.c_int), ("progress", PROGRESS), ("context", ctypes.c_void_p)]


def _find() -> str:
    """CAIRN_PYTHON_LIBRARY, the library inside of the package, that of a build of the checkout, or an installed one."""
    here = pathlib.Path(__file__).resolve().parent
    builds = [here.parents[1] / "build" / preset / "python" / "libcairn.so" for preset in ("release", "debug")]
    for path in [os.environ.get("CAIRN_PYTHON_LIBRARY"), here / "libcairn.so", *builds]:
        if path and os.path.exists(path):
            return str(path)
    found = ctypes.util.find_library("cairn")
    if not found:
        raise ImportError("libcairn.so is not there: ./dev build, or pip install ./python, or set CAIRN_PYTHON_LIBRARY")
    return found


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    pointer, error, text = ctypes.c_void_p, ctypes.POINTER(Error), ctypes.c_char_p
    texts, number, integer = ctypes.POINTER(ctypes.c_char_p), ctypes.c_double, ctypes.c_int64
    where, doubles = ctypes.POINTER(pointer), ctypes.POINTER(ctypes.c_double)
    for name, result, *arguments in (
        ("version_string", text), ("version_commit", text),
        ("engine_start", ctypes.c_int, ctypes.POINTER(EngineOptions), error), ("engine_stop", None),
        ("scenario_load", ctypes.c_int, text, ctypes.c_int, texts, ctypes.c_int, where, error),
        ("scenario_parse", ctypes.c_int, text, ctypes.c_size_t, text, ctypes.c_int, texts, ctypes.c_int, where, error),
        ("scenario_free", None, pointer), ("scenario_effective", pointer, pointer),
        ("simulation_create", ctypes.c_int, pointer, pointer, where, error), ("simulation_free", None, pointer),
        ("simulation_advance", ctypes.c_int, pointer, integer, error), ("simulation_step", integer, pointer),
        ("simulation_time", number, pointer), ("simulation_step_size", number, pointer),
        ("simulation_end_time", number, pointer), ("simulation_end_step", integer, pointer),
        ("simulation_observe", ctypes.c_int, pointer, pointer, error), ("simulation_capture", pointer, pointer, error),
        ("simulation_set_velocities", ctypes.c_int, pointer, doubles, doubles, error),
        ("simulation_n_walls", ctypes.c_int32, pointer), ("simulation_wall_name", text, pointer, ctypes.c_int32),
        ("simulation_observe_walls", ctypes.c_int, pointer, ctypes.POINTER(WallSample), error),
        ("state_clone", pointer, pointer), ("state_free", None, pointer), ("state_digest", None, pointer, text),
        ("state_find", ctypes.c_int, pointer, text, ctypes.POINTER(StateArray)),
        ("observables_entry", ctypes.c_int, ctypes.c_int, texts, texts, ctypes.POINTER(ctypes.c_int),
         ctypes.POINTER(ctypes.c_int)),
        ("files_run", ctypes.c_int, pointer, ctypes.POINTER(FilesOptions), text, error),
        ("files_save", ctypes.c_int, pointer, text, error),
        ("files_open", ctypes.c_int, pointer, text, ctypes.c_int, where, error),
        ("files_write", ctypes.c_int, pointer, ctypes.c_int, error), ("files_close", ctypes.c_int, pointer, error),
        ("files_load", ctypes.c_int, text, ctypes.c_int, texts, where, where, error),
    ):
        function = getattr(library, "cairn_" + name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _declare(ctypes.CDLL(_find()))


def check(status: int, error: Error) -> None:
    """Raise what a status means."""
    if status == 0:
        return
    message = error.message.decode(errors="replace")
    kinds = {kind.status: kind for kind in (NumericalError, InputError, FileError, Stopped)}
    raise kinds.get(status, CairnError)(message or f"cairn failed with status {status}")


def entries() -> list[tuple[str, str, int, int]]:
    """Name, unit, number of doubles and offset of each observable."""
    found = []
    name, unit, components, offset = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_int(), ctypes.c_int()
    while lib.cairn_observables_entry(len(found), name, unit, components, offset):
        found.append((name.value.decode(), unit.value.decode(), components.value, offset.value))
    return found


class Engine:
    """StarPU runs once in a process, started by the thread that then makes all calls."""

    def __init__(self) -> None:
        self.workers: Optional[int] = None
        self.thread = 0
        self.users = 0
        self.is_running = False  # a run with files, which callbacks interrupt

    def start(self, workers: int = 0) -> None:
        if operator.index(workers) < 0:
            raise InputError(f"cannot have {workers} workers")
        if self.workers is not None:
            self.check()
            if workers in (0, self.workers):
                return
            if self.users:
                raise InputError(f"the engine runs with {self.workers or 'all'} workers while simulations are open")
            self.stop()
        error = Error()
        check(lib.cairn_engine_start(EngineOptions(workers, 1, 1), error), error)
        self.workers, self.thread = workers, threading.get_ident()

    def check(self) -> None:
        if self.workers is None:
            raise CairnError("the engine has been stopped")
        if self.thread != threading.get_ident():
            raise CairnError("cairn was started by another thread, which must make all calls")

    def stop(self) -> None:
        if self.workers is not None and self.thread == threading.get_ident():
            self.workers = None
            lib.cairn_engine_stop()


engine = Engine()

Source = Union[Mapping[str, Any], str, "os.PathLike[str]"]


def _override(key: str, value: Any) -> bytes:
    if hasattr(value, "item") and not hasattr(value, "__len__"):
        value = value.item()  # a number of numpy
    elif hasattr(value, "tolist"):
        value = value.tolist()
    return f"{key}={json.dumps(value)}".encode()


def _strings(values: list[bytes]) -> Any:
    return (ctypes.c_char_p * max(1, len(values)))(*values)


class Scenario:
    """A validated scenario: a dict, the path of a YAML file, or YAML text with a line break."""

    def __init__(self, source: Source, set: Optional[Mapping[str, Any]] = None) -> None:
        self.pointer = ctypes.c_void_p()
        error, changes = Error(), [_override(k, v) for k, v in (set or {}).items()]
        strings = _strings(changes)
        if isinstance(source, Mapping):
            text = json.dumps(source, default=lambda x: x.tolist() if hasattr(x, "tolist") else str(x)).encode()
        elif isinstance(source, str) and "\n" in source:
            text = source.encode()
        else:
            status = lib.cairn_scenario_load(os.fsencode(source), len(changes), strings, 0, self.pointer, error)
            return check(status, error)
        where = os.fsencode(os.path.join(os.getcwd(), "scenario.yaml"))
        check(lib.cairn_scenario_parse(text, len(text), where, len(changes), strings, 0, self.pointer, error), error)

    @classmethod
    def of(cls, source: Source | Scenario, set: Optional[Mapping[str, Any]] = None) -> "Scenario":
        """The scenario of a source, or itself; one that is validated takes no further changes."""
        if not isinstance(source, Scenario):
            return cls(source, set)
        if set:
            raise InputError(f"a Scenario is not changed any more: give {', '.join(set)} when it is made")
        return source

    @classmethod
    def _of(cls, pointer: ctypes.c_void_p) -> "Scenario":
        scenario = cls.__new__(cls)
        scenario.pointer = pointer
        return scenario

    @property
    def effective(self) -> str:
        """All parameters in force as YAML."""
        address = lib.cairn_scenario_effective(self.pointer)
        if not address:
            raise MemoryError("out of memory")
        text = ctypes.string_at(address).decode()
        _free(address)
        return text

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            lib.cairn_scenario_free(self.pointer)
            self.pointer = ctypes.c_void_p()


_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]
_libc.free.restype = None


def _free(address: int) -> None:
    _libc.free(address)
