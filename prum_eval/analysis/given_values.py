"""Values of runs by topic that there are already: files, dictionaries, what an evaluation returned."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TypeAlias

from prum_eval.errors import DataError, UsageError
from prum_eval.evaluation.results import Evaluation
from prum_eval.formats.given import PathName
from prum_eval.formats.values.scores import Scores, read_scores
from prum_eval.tabular import is_frame

ByTopic = Mapping[str, Mapping[str, float | None]]
GivenValues: TypeAlias = PathName | Iterable[PathName] | Mapping[str, ByTopic] | Evaluation
"""Files of values by topic, ``{run: {topic: {measure: value}}}``, or what `prum_eval.evaluate` returned."""


def scores_of(values: GivenValues) -> Sequence[Scores]:
    """The values of every run.

    Raises:
        InputError: bad data in a file.
        UsageError: they are none of what can be given.
    """
    if isinstance(values, Evaluation):
        return [Scores(run.run_id, run.path, run.topics) for run in values.runs]
    if isinstance(values, Mapping):
        topics_of = [topics for topics in values.values() if isinstance(topics, Mapping)]
        if len(topics_of) < len(values) or not all(isinstance(one, Mapping) for of in topics_of for one in of.values()):
            raise UsageError(f"values: expected {{run: {{topic: {{measure: value}}}}}}, found {reprlib.repr(values)}")
        return [Scores(name, name, topics) for name, topics in values.items()]
    listed = [values] if isinstance(values, str | PathLike) or not isinstance(values, Iterable) else list(values)
    if is_frame(values) or not all(isinstance(one, str | PathLike) for one in listed):
        raise UsageError(f"values: expected files, a dict or what evaluate returned, found {reprlib.repr(values)}")
    return [run for path in listed for run in read_scores(str(path))]


def joined(join: Mapping[str, GivenValues]) -> Mapping[str, ByTopic]:
    """The values of runs that are called the same under every label: each measure once a label, ``measure:label``.

    Raises:
        InputError, UsageError: as `scores_of`; fewer than two labels, or two runs of one name under a label.
        DataError: the labels do not have the same runs.
    """
    if len(join) < 2:
        raise UsageError("join takes two labels or more")
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for label, values in join.items():
        scores = scores_of(values)
        names = [run.run_id for run in scores]
        twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
        if twice is not None:
            raise UsageError(f"{label}: two runs are called {twice}, so that none can be joined by its name")
        if found and found.keys() != set(names):
            missing = sorted(set(found).symmetric_difference(names))
            raise DataError(f"{label}: not the runs of the labels before: {', '.join(missing)}")
        for run in scores:
            topics = found.setdefault(run.run_id, {})
            for topic, own in run.topics.items():
                topics.setdefault(topic, {}).update({f"{name}:{label}": value for name, value in own.items()})
    return found
