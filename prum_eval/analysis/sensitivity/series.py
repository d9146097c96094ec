"""Runs as they are given to a sweep: those of systems, and series of simulated runs with the value of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Protocol, runtime_checkable

from prum_eval.errors import UsageError
from prum_eval.formats.given import GivenRuns
from prum_eval.formats.simulated import ListedRun, read_simulated, simulated_list, varied_parameter
from prum_eval.parameters import finite_number, show
from prum_eval.records.run import Run


class SimulatedLike(Protocol):
    """A simulated run, as `prum_eval.simulate` makes it."""

    file: str
    changes: str
    value: str
    copy: int
    run: Run


@runtime_checkable
class SimulatedRuns(Protocol):
    """Simulated runs, as `prum_eval.simulate` returns them."""

    name: str
    copies: int

    def __iter__(self) -> Iterator[SimulatedLike]:
        """The runs."""


@dataclass(frozen=True)
class Series:
    """Simulated runs of one list. `listed`: how each was made; `sources`: what to evaluate, in the same order."""

    name: str
    path: str
    listed: tuple[ListedRun, ...]
    sources: tuple[str | Run, ...]

    @property
    def parameter(self) -> str | None:
        """What was varied."""
        return varied_parameter(self.listed)

    def values(self) -> list[str]:
        """The values, each once, as numbers are shown."""
        return list(dict.fromkeys(shown_value(one.value) for one in self.listed))

    def at(self, values: Sequence[str]) -> Series:
        """Those with one of these values."""
        kept = [pair for pair in zip(self.listed, self.sources, strict=True) if shown_value(pair[0].value) in values]
        listed, sources = zip(*kept, strict=True) if kept else ((), ())
        return Series(self.name, self.path, tuple(listed), tuple(sources))


def shown_value(text: str) -> str:
    """A value as numbers are shown.

    >>> shown_value(".50"), shown_value("on")
    ('0.5', 'on')
    """
    number = finite_number(text)
    return text if number is None else show(number)


def series_among(runs: GivenRuns | SimulatedRuns | None) -> list[Series | Any]:
    """What is given, one after the other: series of simulated runs, and anything else as it is.

    Raises:
        InputError: a list of simulated runs that cannot be read.
    """
    if isinstance(runs, SimulatedRuns) and not isinstance(runs, Run):
        made = list(runs)
        listed = tuple(ListedRun(one.file, one.changes, one.value, one.copy) for one in made)
        return [Series(runs.name, runs.name, listed, tuple(one.run for one in made))]
    given = [runs] if isinstance(runs, str | PathLike) else runs
    if not isinstance(given, list | tuple) or not all(isinstance(one, str | PathLike) for one in given):
        return [] if runs is None else [runs]
    return [_series(str(path)) or path for path in given]


def _series(path: str) -> Series | None:
    found = simulated_list(path)
    if found is None:
        return None
    listed = read_simulated(found)
    return Series(listed[0].name, found, tuple(listed), tuple(one.path for one in listed))


def only_series(given: Sequence[Series | Any], values: Sequence[str]) -> list[Series]:
    """The series where all that is given are some, with these values or all.

    Raises:
        UsageError: something else is given, nothing was varied, or a value is not there.
    """
    series = [one for one in given if isinstance(one, Series)]
    if not series or len(series) < len(given):
        raise UsageError(
            "--vary value is for simulated runs: give the folders that prum-eval simulate --vary wrote, or their lists"
        )
    for one in series:
        if not any(own.value for own in one.listed):
            raise UsageError(f"{one.path}: nothing was varied: no run has a value")
        if missing := [value for value in values if value not in one.values()]:
            raise UsageError(f"{one.path}: no run of value {missing[0]} (there are: {', '.join(one.values())})")
    return [one.at(values) if values else one for one in series]
