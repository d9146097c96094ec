"""What an evaluation gives back: plain values by topic, and their averages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from prum_eval.errors import DataError
from prum_eval.evaluation.notices import DIFFERENT_TOPICS, GROUPS, Notice
from prum_eval.formats.topic_files import GroupsInput, read_groups_input
from prum_eval.measures.base import Shape
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.schemas import EVALUATION_LAYOUT
from prum_eval.tabular import RowValue, Table, Tabular, plural

MeasuredValue = float | int | None
"""A count, a number, or None where a topic has no value (no targets, say)."""


@dataclass(frozen=True)
class GroupResult:
    """The averages of a run over the topics of a group: those that the run has values of, in byte order."""

    topics: Sequence[str]
    all: Mapping[str, MeasuredValue]


@dataclass(frozen=True, repr=False)
class RunResult(Tabular):
    """One evaluated run. `topics` are in byte order; names are in registry order in every mapping.

    `groups`: averages by group, groups in byte order; empty where topics have none.
    """

    run_id: str
    path: str
    topics: Mapping[str, Mapping[str, MeasuredValue]]
    all: Mapping[str, MeasuredValue]
    groups: Mapping[str, GroupResult] = field(default_factory=dict)

    @property
    def group_of(self) -> dict[str, str]:
        """The group of each topic that has one."""
        return {topic: group for group, found in self.groups.items() for topic in found.topics}

    def to_dict(self) -> dict[str, Any]:
        """The run as plain dictionaries, as in the json output."""
        topics = {topic: dict(values) for topic, values in self.topics.items()}
        found = {"run_id": self.run_id, "path": self.path, "topics": topics, "all": dict(self.all)}
        groups = {name: {"topics": list(one.topics), "all": dict(one.all)} for name, one in self.groups.items()}
        return {**found, "groups": groups} if groups else found

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a value, topics first, then ``all``: with groups that of each, then without group of all topics."""
        group_of = self.group_of
        of_groups = [("all", one.all, group) for group, one in self.groups.items()]
        of_topics = [(topic, values, group_of.get(topic)) for topic, values in self.topics.items()]
        for topic, values, group in [*of_topics, *of_groups, ("all", self.all, None)]:
            own = {"group": group} if self.groups else {}
            for measure, value in values.items():
                row = {"run": self.run_id, "path": self.path, "topic": topic, "measure": measure, "value": value}
                yield {**row, **own}

    def _summary(self) -> str:
        return f"{self.run_id}, {plural(len(self.topics), 'topic')}, {plural(len(self.all), 'measure')}"

    def _table(self) -> Table:
        return ("measure", self.run_id), iter(self.all.items())


def answer_different_topics(runs: Sequence[RunResult]) -> bool:
    """Whether some runs answer topics that others do not."""
    return any(run.topics.keys() != runs[0].topics.keys() for run in runs)


def different_topics_notice(runs: Sequence[RunResult]) -> Notice:
    """What to say of that."""
    counts = [len(run.topics) for run in runs]
    many = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else f"{max(counts)}"
    text = f"averages are over different topics, {many} a run, and no match for each other; -c takes all judged topics"
    return Notice(DIFFERENT_TOPICS, text)


@dataclass(frozen=True)
class Curve:
    """A measure with levels or cut-offs over one run.

    `measure`: its name; `name`: that with its label; `axis`: recall, rank or budget. `topics` and `all` hold (level,
    rank or budget, value), points without a value left out.
    """

    measure: str
    name: str
    axis: str
    topics: Mapping[str, Sequence[tuple[float, float]]]
    all: Sequence[tuple[float, float]]


@dataclass(frozen=True, repr=False)
class Evaluation(Tabular):
    """The result of one call: the runs in the order of the arguments, and every choice that changed a number.

    `warnings`: all that the user should know, of the call, then of each run. `names`: what was asked for, in the order
    of printing; a run may lack some. `requested_names`: the same in the order in which it was asked for, as tables show it.
    `curves`: those of each run, where they were asked for.
    """

    version: str
    signature: str
    parameters: Mapping[str, Any]
    runs: Sequence[RunResult]
    warnings: Sequence[Notice] = ()
    show_run_id: bool = True
    names: Sequence[str] = ()
    requested_names: Sequence[str] = ()
    curves: Sequence[Sequence[Curve]] = ()

    @property
    def groups(self) -> dict[str, str]:
        """The group of each topic that has one and that a run answers."""
        return {topic: group for run in self.runs for topic, group in run.group_of.items()}

    @property
    def different_topics(self) -> bool:
        """Whether the runs answer different topics, so that their averages are no match for each other."""
        return answer_different_topics(self.runs)

    def with_topic_counts(self) -> Evaluation:
        """The same, and where runs answer different topics, over how many of them each average is."""
        from prum_eval.measures.registry import TOPIC_COUNT  # --help starts without it

        if not self.different_topics:
            return self
        names = (TOPIC_COUNT, *(name for name in self.names if name != TOPIC_COUNT))
        runs = [
            replace(
                run,
                all={TOPIC_COUNT: len(run.topics), **run.all},
                groups={
                    name: replace(one, all={TOPIC_COUNT: len(one.topics), **one.all})
                    for name, one in run.groups.items()
                },
            )
            for run in self.runs
        ]
        asked = (TOPIC_COUNT, *(name for name in self.requested_names if name != TOPIC_COUNT))
        return replace(self, runs=runs, names=names, requested_names=asked)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dictionaries at full precision: the contract of the json output."""
        return {
            "schema": EVALUATION_LAYOUT,
            "version": self.version,
            "signature": self.signature,
            "parameters": dict(self.parameters),
            **({"different_topics": True} if self.different_topics else {}),
            "runs": [run.to_dict() for run in self.runs],
        }

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a value, run by run, topics first, then ``all``: ready for pandas.DataFrame or csv."""
        return (row for run in self.runs for row in run.rows())

    def _summary(self) -> str:
        topics = {topic for run in self.runs for topic in run.topics}
        runs, measures = plural(len(self.runs), "run"), plural(len(self._measures()), "measure")
        return f"{runs}, {plural(len(topics), 'topic')}, {measures}"

    def _measures(self) -> list[str]:
        """Names of averages, in the order in which they were asked for."""
        there = dict.fromkeys(name for run in self.runs for name in run.all)
        return list(dict.fromkeys([*(name for name in self.requested_names if name in there), *there]))

    def _table(self) -> Table:
        """Averages, measures by runs; the longer side goes down."""
        names = self._measures()
        if len(self.runs) > len(names):
            return ["run", *names], ([run.run_id, *map(run.all.get, names)] for run in self.runs)
        return ["measure", *(run.run_id for run in self.runs)], (
            [name, *(run.all.get(name) for run in self.runs)] for name in names
        )


# Curves: measures with levels or cut-offs as pairs of numbers, at all levels of their curves whatever is printed.


_AXES = {Shape.AT_LEVELS: "recall", Shape.AT_RANKS: "rank", Shape.AT_BUDGETS: "budget"}
_SHAPES_WITH_CURVE_LEVELS = (Shape.AT_LEVELS, Shape.AT_BUDGETS)


def with_curve_levels(instances: Sequence[ConfiguredMeasure]) -> list[ConfiguredMeasure]:
    """The instances, those with levels or budgets at those of their curves too: three points are no curve."""
    return [
        replace(one, cutoffs=tuple(sorted({*one.cutoffs, *(one.measure.curve_levels or one.measure.cutoffs)})))
        if one.measure.shape in _SHAPES_WITH_CURVE_LEVELS
        else one
        for one in instances
    ]


def select_names(result: RunResult, names: Collection[str]) -> RunResult:
    """The result with the values that were asked for, and no others."""
    wanted = frozenset(names)

    def kept(values: Mapping[str, MeasuredValue]) -> dict[str, MeasuredValue]:
        return {name: value for name, value in values.items() if name in wanted}

    topics = {topic: kept(values) for topic, values in result.topics.items()}
    groups = {name: replace(one, all=kept(one.all)) for name, one in result.groups.items()}
    return replace(result, topics=topics, all=kept(result.all), groups=groups)


def run_curves(instances: Sequence[ConfiguredMeasure], result: RunResult) -> tuple[Curve, ...]:
    """The curves of a run: one an instance with levels or cut-offs that it has."""
    return tuple(
        Curve(
            one.measure.name,
            one.label,
            _AXES[one.measure.shape],
            {topic: _points(one, values) for topic, values in result.topics.items()},
            _points(one, result.all),
        )
        for one in instances
        if one.measure.shape in _AXES and one.names[0] in result.all
    )


def _points(instance: ConfiguredMeasure, values: Mapping[str, MeasuredValue]) -> list[tuple[float, float]]:
    pairs = zip(instance.cutoffs, instance.names, strict=True)
    return [(point, value) for point, name in pairs if (value := values.get(name)) is not None]


# Topics by group: which belong where, and what is to be said of the others.


def match_groups(given: GroupsInput, topics: Collection[str], whose: str) -> tuple[dict[str, str], list[Notice]]:
    """The group of each of the topics that has one, and what to say of topics that are on one side only.

    Args:
        given: groups as the caller has them.
        topics: those that there are.
        whose: who has them, for messages.

    Raises:
        InputError, DataError, UsageError: as `read_groups_input`.
        DataError: no topic is on both sides.
    """
    name, groups = read_groups_input(given)
    known = {topic: groups[topic] for topic in topics if topic in groups}
    if not known:
        raise DataError(f"{name}: no topic in common with {whose}")
    told = []
    if unknown := sorted(groups.keys() - set(topics)):
        told.append(f"{name}: {_describe_topics(unknown)} not in {whose}")
    if left := sorted(set(topics) - known.keys()):
        told.append(f"{name}: {_describe_topics(left)} in no group")
    return known, [Notice(GROUPS, text) for text in told]


def topics_by_group(groups: Mapping[str, str], topics: Iterable[str]) -> dict[str, list[str]]:
    """The topics of each group that has some, groups in byte order.

    >>> topics_by_group({"q1": "hard", "q2": "easy", "q3": "hard"}, ["q1", "q2", "q4"])
    {'easy': ['q2'], 'hard': ['q1']}
    """
    found: dict[str, list[str]] = {}
    for topic in topics:
        if topic in groups:
            found.setdefault(groups[topic], []).append(topic)
    return dict(sorted(found.items(), key=lambda pair: pair[0].encode()))


def _describe_topics(topics: list[str]) -> str:
    """How many they are and the first of them, as the subject of a sentence.

    >>> _describe_topics(["q1"]), _describe_topics(["q1", "q2"])
    ('1 topic (q1) is', '2 topics (q1, ...) are')
    """
    more = ", ..." if len(topics) > 1 else ""
    return f"{plural(len(topics), 'topic')} ({topics[0]}{more}) {'is' if len(topics) == 1 else 'are'}"
