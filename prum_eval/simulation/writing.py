"""Simulated runs as files, and simulated.tsv, which says what each is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from prum_eval.conversion.convert import Conversion, convert
from prum_eval.errors import DataError, InputError, printable
from prum_eval.formats.simulated import SIMULATED
from prum_eval.tabular import plural

if TYPE_CHECKING:
    from prum_eval.simulation.simulated import SimulatedRun, Simulation


def write_simulation(simulation: Simulation, folder: str | PathLike[str]) -> list[str]:
    """Write the runs of a simulation, and its list; see `Simulation.write`."""
    target, written = Path(folder), list[Path]()
    losses, emptied = Counter[str](), Counter[str]()
    new = _prepared(target)
    try:
        for one in simulation:
            if len(one.run.topics) < len(simulation.topics):
                emptied[one.file] = len(simulation.topics) - len(one.run.topics)
            made = _converted(one, simulation)
            losses.update({loss.what: loss.count for loss in made.losses})
            _write(target / one.file, made.content, written)
        _write(target / SIMULATED, "".join(f"{line}\n" for line in _list(simulation)).encode(), written)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        if new:
            target.rmdir()
        raise
    notes = []
    if emptied:
        left = f"{plural(sum(emptied.values()), 'topic')} of {plural(len(emptied), 'run')}"
        notes.append(f"no result is left in {left}; eval -c counts them as empty lists")
    for what, count in losses.items():
        things, _, fate = what.partition(": ")
        notes.append(f"lost: {things}: {count}; {fate}")
    return notes


def _converted(one: SimulatedRun, simulation: Simulation) -> Conversion:
    if not one.run.topics:
        raise DataError(f"{one.file}: no result is left")
    return convert(one.run, simulation.form, structure=simulation.structure, lossy=True)


def _list(simulation: Simulation) -> Iterator[str]:
    """The lines of simulated.tsv: names of columns, then a line a run."""
    for number, row in enumerate(simulation.rows()):
        if number == 0:
            yield "\t".join(row)
        yield "\t".join(printable(str(cell)) for cell in row.values())


def _prepared(folder: Path) -> bool:
    """Make a folder; whether it is new.

    Raises:
        InputError: it holds something, or cannot be made.
    """
    try:
        new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if not new and any(folder.iterdir()):
            raise InputError(str(folder), None, "is not empty; simulated runs are written into a new or empty folder")
    except OSError as error:
        raise InputError(str(folder), None, f"cannot be made: {error.strerror}") from error
    return new


def _write(path: Path, content: bytes, written: list[Path]) -> None:
    written.append(path)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(str(path), None, f"cannot be written: {error.strerror}") from error
