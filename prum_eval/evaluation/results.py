"""The result of an evaluation: plain values by topic, their averages, curves and averages by group of topics.

Topics and groups are in byte order. A value is None if the topic has none, such as a topic without targets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from prum_eval.errors import DataError
from prum_eval.evaluation.notices import DIFFERENT_TOPICS, GROUPS, Notice
from prum_eval.measures.base import Shape
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.schemas import EVALUATION_LAYOUT
from prum_eval.tabular import RowValue, Table, Tabular, plural

if TYPE_CHECKING:
    from prum_eval.formats.topic_files import GroupsInput


MeasuredValue = float | int | None
"""A count, a number, or None."""
TopicValue = MeasuredValue | str
"""A value of a topic; a text has no average."""
Value = TypeVar("Value", bound=TopicValue)


@dataclass(frozen=True)
class GroupResult:
    """The averages of a run over those topics of a group that it has values of."""

    topics: Sequence[str]
    all: Mapping[str, MeasuredValue]


@dataclass(frozen=True, repr=False)
class RunResult(Tabular):
    """One evaluated run. `topics` are in byte order; names are in registry order in every mapping.

    `groups`: averages by group; empty if topics have none. `truncated`: of lists of chunks, the topics whose list ends
    before the cut-off or budget, by the name of the value; None of other runs.
    """

    run_id: str
    path: str
    topics: Mapping[str, Mapping[str, TopicValue]]
    all: Mapping[str, MeasuredValue]
    groups: Mapping[str, GroupResult] = field(default_factory=dict)
    truncated: Mapping[str, Sequence[str]] | None = None

    def ends_early(self, name: str) -> bool:
        """Whether more than a tenth of the lists end before the cut-off or budget of a value."""
        early = (self.truncated or {}).get(name, ())
        return many_end_early(len(early), len(self.topics))

    @property
    def numbers(self) -> Mapping[str, Mapping[str, MeasuredValue]]:
        """The values of topics without texts, which every topic has if one has them."""
        texts = {
            name
            for values in islice(self.topics.values(), 1)
            for name, value in values.items()
            if isinstance(value, str)
        }
        topics = (
            self.topics
            if not texts
            else {
                topic: {name: value for name, value in values.items() if name not in texts}
                for topic, values in self.topics.items()
            }
        )
        return cast("Mapping[str, Mapping[str, MeasuredValue]]", topics)

    @property
    def group_of(self) -> dict[str, str]:
        """The group of each topic that has one."""
        return {topic: group for group, result in self.groups.items() for topic in result.topics}

    def to_dict(self) -> dict[str, Any]:
        """The run as plain dictionaries, as in the json output."""
        topics = {topic: dict(values) for topic, values in self.topics.items()}
        entries: dict[str, Any] = {"run_id": self.run_id, "path": self.path, "topics": topics, "all": dict(self.all)}
        if self.truncated is not None:
            entries["truncated"] = {name: len(self.truncated.get(name, ())) for name in self.all}
        groups = {name: {"topics": list(group.topics), "all": dict(group.all)} for name, group in self.groups.items()}
        return {**entries, "groups": groups} if groups else entries

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per value, topics first, then ``all``: of each group, then without group of all topics."""
        group_of = self.group_of
        of_groups = [("all", result.all, group) for group, result in self.groups.items()]
        of_topics = [(topic, values, group_of.get(topic)) for topic, values in self.topics.items()]
        for topic, values, group in [*of_topics, *of_groups, ("all", self.all, None)]:
            group_entry = {"group": group} if self.groups else {}
            for measure, value in values.items():
                row = {"run": self.run_id, "path": self.path, "topic": topic, "measure": measure, "value": value}
                yield {**row, **group_entry}

    def _summary(self) -> str:
        return f"{self.run_id}, {plural(len(self.topics), 'topic')}, {plural(len(self.all), 'measure')}"

    def _table(self) -> Table:
        return ("measure", self.run_id), iter(self.all.items())


def many_end_early(lists: int, topics: int) -> bool:
    """Whether so many lists end early that a value is marked, and decides nothing: more than a tenth.

    >>> many_end_early(1, 10), many_end_early(2, 10)
    (False, True)
    """
    return 10 * lists > topics


def answer_different_topics(runs: Sequence[RunResult]) -> bool:
    """Whether some runs answer topics that others do not."""
    return any(run.topics.keys() != runs[0].topics.keys() for run in runs)


def different_topics_notice(runs: Sequence[RunResult]) -> Notice:
    """Notice that averages are over different topics."""
    counts = [len(run.topics) for run in runs]
    topics = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else f"different sets of {max(counts)}"
    text = f"averages are not comparable: runs cover {topics} topics; -c counts all judged topics"
    return Notice(DIFFERENT_TOPICS, text)


@dataclass(frozen=True)
class Curve:
    """A measure with levels or cut-offs over one run: pairs of numbers, whatever is printed.

    `measure`: its name; `name`: that with its label; `axis`: recall, rank or budget. `topics` and `all` hold (level,
    rank or budget, value), without points that have no value, and of lists of chunks without points past their ends.
    """

    measure: str
    name: str
    axis: str
    topics: Mapping[str, Sequence[tuple[float, float]]]
    all: Sequence[tuple[float, float]]


@dataclass(frozen=True, repr=False)
class Evaluation(Tabular):
    """The result of one call: the runs in the order of the arguments, and every choice that changed a number.

    `warnings`: all that the user should know, of the call, then of each run. `names`: requested names in the order of
    printing; a run may lack some. `requested_names`: the same in the order of the request, as tables show it. `curves`:
    those of each run, if requested. `ranked_by`: the first score that the user named, which ranks the runs.
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
    ranked_by: str | None = None

    @property
    def groups(self) -> dict[str, str]:
        """The group of each topic that has one and that a run answers."""
        return {topic: group for run in self.runs for topic, group in run.group_of.items()}

    @property
    def different_topics(self) -> bool:
        """Whether the runs answer different topics, so that their averages are not comparable."""
        return answer_different_topics(self.runs)

    def with_topic_counts(self) -> Evaluation:
        """The evaluation with the number of topics of each average, if runs answer different topics."""
        from prum_eval.measures.registry import TOPIC_COUNT  # --help starts without it

        if not self.different_topics:
            return self
        names = (TOPIC_COUNT, *(name for name in self.names if name != TOPIC_COUNT))
        runs = [
            replace(
                run,
                all={TOPIC_COUNT: len(run.topics), **run.all},
                groups={
                    name: replace(group, all={TOPIC_COUNT: len(group.topics), **group.all})
                    for name, group in run.groups.items()
                },
            )
            for run in self.runs
        ]
        requested = (TOPIC_COUNT, *(name for name in self.requested_names if name != TOPIC_COUNT))
        return replace(self, runs=runs, names=names, requested_names=requested)

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
        """One row per value, run by run, topics first, then ``all``: ready for pandas.DataFrame or csv."""
        return (row for run in self.runs for row in run.rows())

    def _summary(self) -> str:
        topics = {topic for run in self.runs for topic in run.topics}
        runs, measures = plural(len(self.runs), "run"), plural(len(self._measures()), "measure")
        return f"{runs}, {plural(len(topics), 'topic')}, {measures}"

    def _measures(self) -> list[str]:
        """Names of averages, in the order of the request."""
        names = dict.fromkeys(name for run in self.runs for name in run.all)
        return list(dict.fromkeys([*(name for name in self.requested_names if name in names), *names]))

    def _table(self) -> Table:
        """Averages, measures by runs; the longer side goes down."""
        names = self._measures()
        if len(self.runs) > len(names):
            return ["run", *names], ([run.run_id, *map(run.all.get, names)] for run in self.runs)
        return ["measure", *(run.run_id for run in self.runs)], (
            [name, *(run.all.get(name) for run in self.runs)] for name in names
        )


# Curves


_AXES = {Shape.AT_LEVELS: "recall", Shape.AT_RANKS: "rank", Shape.AT_BUDGETS: "budget"}
_SHAPES_WITH_CURVE_LEVELS = (Shape.AT_LEVELS, Shape.AT_BUDGETS)


def with_curve_levels(instances: Sequence[ConfiguredMeasure]) -> list[ConfiguredMeasure]:
    """The instances, with all levels or budgets of their curves: three points are no curve."""
    return [
        replace(
            instance,
            cutoffs=tuple(sorted({*instance.cutoffs, *(instance.measure.curve_levels or instance.measure.cutoffs)})),
        )
        if instance.measure.shape in _SHAPES_WITH_CURVE_LEVELS
        else instance
        for instance in instances
    ]


def select_names(result: RunResult, names: Collection[str]) -> RunResult:
    """The result restricted to the values of some names."""
    selected = frozenset(names)

    def select(values: Mapping[str, Value]) -> dict[str, Value]:
        return {name: value for name, value in values.items() if name in selected}

    topics = {topic: select(values) for topic, values in result.topics.items()}
    groups = {name: replace(group, all=select(group.all)) for name, group in result.groups.items()}
    truncated = None if result.truncated is None else {k: v for k, v in result.truncated.items() if k in selected}
    return replace(result, topics=topics, all=select(result.all), groups=groups, truncated=truncated)


def run_curves(instances: Sequence[ConfiguredMeasure], result: RunResult) -> tuple[Curve, ...]:
    """The curves of a run: one per instance with levels or cut-offs that it has."""
    ends = {name: frozenset(topics) for name, topics in (result.truncated or {}).items()}
    return tuple(
        Curve(
            instance.measure.name,
            instance.label,
            _AXES[instance.measure.shape],
            {
                topic: _points(instance, values, [name for name, early in ends.items() if topic in early])
                for topic, values in result.topics.items()
            },
            _points(instance, result.all, [name for name in ends if result.ends_early(name)]),
        )
        for instance in instances
        if instance.measure.shape in _AXES and instance.names[0] in result.all
    )


def _points(
    instance: ConfiguredMeasure, values: Mapping[str, TopicValue], past_end: Collection[str]
) -> list[tuple[float, float]]:
    """The points of a curve; `past_end`: names of values past the end of the list."""
    pairs = zip(instance.cutoffs, instance.names, strict=True)
    return [
        (point, value)
        for point, name in pairs
        if isinstance(value := values.get(name), int | float) and name not in past_end
    ]


# Groups of topics


def match_groups(given: GroupsInput, topics: Collection[str], owner: str) -> tuple[dict[str, str], list[Notice]]:
    """The group of each topic that has one, and notices of topics that are on one side only.

    Args:
        given: groups as the caller gives them.
        topics: all topics.
        owner: what has these topics, for messages.

    Raises:
        InputError, DataError, UsageError: as `read_groups_input`.
        DataError: no topic is on both sides.
    """
    from prum_eval.formats.topic_files import read_groups_input  # few calls have groups

    name, groups = read_groups_input(given)
    known = {topic: groups[topic] for topic in topics if topic in groups}
    if not known:
        raise DataError(f"{name}: no topic in common with {owner}")
    texts = []
    if unknown := sorted(groups.keys() - set(topics)):
        texts.append(f"{name}: {_describe_topics(unknown)} not in {owner}")
    if missing := sorted(set(topics) - known.keys()):
        texts.append(f"{name}: {_describe_topics(missing)} in no group")
    return known, [Notice(GROUPS, text) for text in texts]


def topics_by_group(groups: Mapping[str, str], topics: Iterable[str]) -> dict[str, list[str]]:
    """The topics of each group that has some, groups in byte order.

    >>> topics_by_group({"q1": "hard", "q2": "easy", "q3": "hard"}, ["q1", "q2", "q4"])
    {'easy': ['q2'], 'hard': ['q1']}
    """
    by_group: dict[str, list[str]] = {}
    for topic in topics:
        if topic in groups:
            by_group.setdefault(groups[topic], []).append(topic)
    return dict(sorted(by_group.items(), key=lambda pair: pair[0].encode()))


def _describe_topics(topics: list[str]) -> str:
    """The number of topics and the first of them, as the subject of a sentence.

    >>> _describe_topics(["q1"]), _describe_topics(["q1", "q2"])
    ('1 topic (q1) is', '2 topics (q1, ...) are')
    """
    more = ", ..." if len(topics) > 1 else ""
    return f"{plural(len(topics), 'topic')} ({topics[0]}{more}) {'is' if len(topics) == 1 else 'are'}"
