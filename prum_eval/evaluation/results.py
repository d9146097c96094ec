"""What an evaluation gives back: plain values by topic, and their averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Value = float | int | None
"""A count, a number, or None where a topic has no value (no targets, say)."""


@dataclass(frozen=True)
class RunResult:
    """One evaluated run. `topics` are in byte order; names are in registry order in every mapping."""

    run_id: str
    path: str
    topics: Mapping[str, Mapping[str, Value]]
    all: Mapping[str, Value]

    def to_dict(self) -> dict[str, Any]:
        """The run as plain dictionaries, as in the json output."""
        topics = {topic: dict(values) for topic, values in self.topics.items()}
        return {"run_id": self.run_id, "path": self.path, "topics": topics, "all": dict(self.all)}


@dataclass(frozen=True)
class Curve:
    """A measure with levels or cut-offs over one run.

    `measure`: its name; `name`: that with its label; `axis`: recall or rank. `topics` and `all` hold (level or rank,
    value), points without a value left out.
    """

    measure: str
    name: str
    axis: str
    topics: Mapping[str, Sequence[tuple[float, float]]]
    all: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Evaluation:
    """The result of one call: the runs in the order of the arguments, and every choice that changed a number.

    `warnings` are sentences for the user. `names`: what was asked for, in the order of printing; a run may lack some.
    `curves`: those of each run, where they were asked for.
    """

    version: str
    signature: str
    parameters: Mapping[str, Any]
    runs: Sequence[RunResult]
    warnings: Sequence[str] = ()
    show_run_id: bool = True
    names: Sequence[str] = ()
    curves: Sequence[Sequence[Curve]] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dictionaries at full precision: the contract of the json output."""
        return {
            "version": self.version,
            "signature": self.signature,
            "parameters": dict(self.parameters),
            "runs": [run.to_dict() for run in self.runs],
        }

    def rows(self) -> Iterator[dict[str, Value | str]]:
        """One row a value, topics first, then ``all``: ready for pandas.DataFrame or csv."""
        for run in self.runs:
            for topic, values in [*run.topics.items(), ("all", run.all)]:
                for measure, value in values.items():
                    yield {"run": run.run_id, "path": run.path, "topic": topic, "measure": measure, "value": value}
