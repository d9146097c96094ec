"""Simulated runs: made one at a time, topic by topic, so that no more than one is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike

from prum_eval.formats.simulated import SIMULATED_COLUMNS
from prum_eval.records.run import Run, RunKind
from prum_eval.records.structure import Structure
from prum_eval.simulation.change import ListedTopic
from prum_eval.simulation.draws import draws_of
from prum_eval.simulation.elements import Elements
from prum_eval.simulation.results import Ranks, without_repeats
from prum_eval.simulation.runs import run_of_ranks
from prum_eval.simulation.varying import Variant
from prum_eval.tabular import RowValue, Tabular, plural


class Duplicates(StrEnum):
    """What becomes of a result that a change brings a second time."""

    DROP = "drop"
    HOLD = "hold"


@dataclass(frozen=True)
class SimulatedRun:
    """A run and how it was made; `value`: what --vary gave, empty without it."""

    file: str
    changes: str
    value: str
    copy: int
    run: Run


@dataclass(frozen=True, repr=False, eq=False)
class Simulation(Tabular):
    """What `simulate` returns: runs, made when they are asked for; going through them again makes the same again.

    `name`: what names of files begin with. `notes`: what there is to say of all runs.
    """

    source: str
    name: str
    kind: RunKind
    topics: tuple[ListedTopic, ...]
    variants: tuple[Variant, ...]
    copies: int
    seed: int
    duplicates: Duplicates
    form: str
    elements: Elements | None
    structure: Structure | None
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.variants) * self.copies

    def __iter__(self) -> Iterator[SimulatedRun]:
        for variant, copy, stem in self._named():
            run = run_of_ranks(stem, self.kind, self._lists(variant, copy), self.elements)
            yield SimulatedRun(f"{stem}.run", variant.spec, variant.value, copy, run)

    def write(self, folder: str | PathLike[str]) -> list[str]:
        """Write all runs, and simulated.tsv, into a folder that is new or empty: all of it or nothing.

        Returns:
            What there is to say of the runs.

        Raises:
            InputError: the folder is not empty, or cannot be written to.
            DataError: no result is left in a run, or there are too few documents for noise.
        """
        from prum_eval.simulation.writing import write_simulation  # who goes through the runs writes nothing

        return write_simulation(self, folder)

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a run: file, from, changes, value, copy, seed."""
        for variant, copy, stem in self._named():
            cells = (f"{stem}.run", self.source, variant.spec, variant.value, copy, self.seed)
            yield dict(zip(SIMULATED_COLUMNS, cells, strict=True))

    @property
    def summary(self) -> str:
        """The simulation in a few words."""
        return f"{plural(len(self), 'run')} of {plural(len(self.topics), 'topic')} from {self.source}, {self.form}"

    def _summary(self) -> str:
        return self.summary

    def _named(self) -> Iterator[tuple[Variant, int, str]]:
        """Changes, copy and name of each run."""
        for variant in self.variants:
            stem = f"{self.name}-{variant.value}" if variant.value else self.name
            for copy in range(1, self.copies + 1):
                yield variant, copy, f"{stem}-{copy}"

    def _lists(self, variant: Variant, copy: int) -> Iterator[tuple[str, Ranks]]:
        """The lists of a run, topic by topic."""
        steps = [(one.change, one.values()) for one in variant.changes]
        hold = self.duplicates is Duplicates.HOLD
        for topic in self.topics:
            ranks = topic.ranks
            streams = draws_of(self.seed, topic.name, copy, len(steps))
            for (change, values), draws in zip(steps, streams, strict=True):
                ranks = change.apply(ranks, values, topic, draws)
                if change.repeats:
                    ranks = without_repeats(ranks, topic.absent if hold else None)
            yield topic.name, ranks
