"""The values of very many topics as columns: a dictionary of each would be most of what is held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from prum_eval.evaluation.results import MeasuredValue

MOST_DICTIONARIES = 1 << 15
"""Topics of which the values are dictionaries still."""


@dataclass(frozen=True, eq=False, repr=False)
class TopicValues(Mapping[str, Mapping[str, MeasuredValue]]):
    """The values of each topic by printed name, made when they are asked for.

    Topic ``topics[i]`` has the value ``columns[name][i]`` under each name.
    """

    topics: Sequence[str]
    columns: Mapping[str, Sequence[MeasuredValue]]

    @cached_property
    def _row_of(self) -> Mapping[str, int]:
        return dict(zip(self.topics, range(len(self.topics)), strict=True))

    def __getitem__(self, topic: str) -> Mapping[str, MeasuredValue]:
        row = self._row_of[topic]
        return {name: column[row] for name, column in self.columns.items()}

    def __contains__(self, topic: object) -> bool:
        return topic in self._row_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return repr(dict(self))
