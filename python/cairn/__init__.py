"""cairn: granular matter and rubble piles. Build scenarios from dicts, run them, step them, look at them.

docs/python.md of the source tree is the tutorial.
"""
from ._library import CairnError, FileError, InputError, NumericalError, Scenario, Stopped, engine, lib
from .results import Result, run, sweep
from .simulation import Simulation, State, Writer

__version__ = lib.cairn_version_string().decode()
__all__ = ["CairnError", "FileError", "InputError", "NumericalError", "Result", "Scenario", "Simulation", "State",
           "Stopped", "Writer", "run", "sweep", "start", "stop"]


def start(workers: int = 0) -> None:
    """Start the task engine with so many workers; 0 is one per core. Simulations start it where it does not run."""
    engine.start(workers)


def stop() -> None:
    """Stop the task engine, after all simulations have been closed."""
    if engine.users:
        raise CairnError(f"{engine.users} simulations are still open")
    engine.stop()
