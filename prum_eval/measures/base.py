"""Measures as records, from which help, documentation, defaults and print order are made; splitting by rank."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import UsageError
from prum_eval.measures.topic_data import Memo, TopicBatch, TopicData
from prum_eval.parameters import Parameter, ParameterValues
from prum_eval.plugins import deprecated_fields


class Shape(Enum):
    """How a measure prints."""

    COUNT = auto()  # one whole number, summed over topics
    SCALAR = auto()  # one number
    TEXT = auto()  # a text per topic, which has no average
    AT_RANKS = auto()  # a number for each cut-off rank K: NAME_K
    AT_LEVELS = auto()  # a number for each recall level X: NAME_X, two decimals
    AT_BUDGETS = auto()  # a number for each budget N, how much is read: NAME_N


class Direction(Enum):
    """Which values of a measure are better."""

    HIGHER = auto()
    LOWER = auto()
    NEITHER = auto()


class Need(Enum):
    """What a measure is a function of."""

    REACH = auto()  # targets and a user model
    GAINS = auto()  # gains of results that are judged elements or documents
    RECALL_BASE = auto()  # the full recall base and which results are in it; of highlighted text, the passages
    SIZE = auto()  # the number of retrievable elements of the collection
    EXTENTS = auto()  # where every result is, in documents without targets too
    LENGTHS = auto()  # how long every result and target is
    POSITIONS = auto()  # where every result and target is in the text, and how long it is
    DIMENSIONS = auto()  # exhaustivity and specificity, quantised apart; complete trees
    ENTRY_POINTS = auto()  # best entry points and positions in the text
    PASSAGES = auto()  # highlighted text, and results that are passages or elements
    SPANS = auto()  # highlighted passages, and results of any kind whose extents are known
    DIVERSITY = auto()  # relevant documents, or highlighted spans and results whose extents are known
    GRADES = auto()  # grades of documents, those of irrelevant ones too


class TieOrder(Enum):
    """How a measure orders results of documents with equal scores."""

    NAME_DESCENDING = "document name, descending"
    NAME_ASCENDING = "document name, ascending"
    FILE = "order in the file"


LENGTH_NEEDS = frozenset({Need.EXTENTS, Need.LENGTHS})
"""What effort in characters needs."""
READING_NEEDS = frozenset({Need.EXTENTS, Need.POSITIONS})
"""What effort in characters that are read beyond results too needs."""
EFFORT_NEEDS: Mapping[str, frozenset[Need]] = {"rank": frozenset(), "size": LENGTH_NEEDS, "read": READING_NEEDS}
"""What each effort needs."""

Compute = Callable[[TopicBatch, ParameterValues, FloatArray], FloatArray]
"""(topics, parameters, cut-offs or levels) -> the values of each topic, shape (topics, n); n is 1 without them."""

ComputeTopic = Callable[[TopicData, ParameterValues, FloatArray], FloatArray | float | str]
"""(data of a topic, parameters, cut-offs or levels) -> one value, or one per cut-off or level."""

_CUTOFF_SUFFIX = "_K"
"""Ends the name of a measure with cut-offs beside which there is one without them."""
CUTOFFS = (5.0, 10.0, 15.0, 20.0, 30.0, 100.0)
"""The usual cut-off ranks."""
CURVE_BUDGETS = tuple(step * power for power in (100.0, 1000.0, 10_000.0) for step in (1, 1.5, 2, 3, 5, 7))
"""Budgets of a curve, evenly on a logarithmic axis."""
TENTHS = tuple(round(0.1 * i, 1) for i in range(11))
"""The usual recall levels."""


Split = Callable[["Measure", TopicData, ParameterValues, FloatArray], tuple[FloatArray, FloatArray]]
"""(measure, data of a topic, parameters, cut-offs or levels) -> (added, rest), whose sum is the value.

`added`: what each rank of ``goal_states.change_ranks`` adds to each printed value, shape (J, n), or what each rank
adds; of a measure that follows no user, what each result adds, shape (o, n). `rest`: what is there without any rank,
shape (n,). n is the number of cut-offs or levels, 1 of a measure that has none.
"""


def measure_of_states(per_topic: ComputeTopic) -> Compute:
    """The function of a batch of topics from one of a topic that looks at the states of the user."""

    def compute(batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        batch.compute_states()
        return np.array([np.atleast_1d(per_topic(topic, values, cutoffs)) for topic in batch.topics])

    return compute


@deprecated_fields(also="aliases", drawn="curve_levels")
@dataclass(slots=True, eq=False, repr=False)
class Measure:
    """A measure: its computation, its names, and all facts that other code needs.

    Attributes:
        name: as it prints, before a cut-off or level. Of a measure with cut-offs NAME_K prints as NAME_5 too, where
            another one is called NAME and has no cut-offs.
        family: the name that asks for it and its siblings.
        summary, explanation, source: one line; the formula in words; where it is defined.
        shape: how it prints.
        per_topic: computes the value of one topic, for an empty list too; NaN leaves the topic out of the mean.
        per_batch: computes the values of many topics at once; a measure has this function or `per_topic`.
        needs, needs_by: what it is a function of; the same where it depends on parameters.
        cutoffs, curve_levels: default cut-offs or levels; levels of its curve, where they are others.
        without_targets: it is computed for a topic without targets too.
        needs_relevance: of those, that without relevance it has no value: the topic is left out of the mean.
        bounded: never above 1.
        direction: which values are better.
        is_count: a count of topics, results, targets or characters, no score: nobody compares it unasked.
        only_average: printed for all topics together only.
        x_label, y_label: what the axes of its curve show; by default recall or rank, and its name.
        budget: what its budgets are of, as compare's ``--at BUDGET=N`` calls it.
        empty_list: the value of an empty list, in words.
        split: how a value divides among the ranks of a list; None where it does not.
        counts_overlap: results may overlap, and the user is told how many do.
        over_all: whether, with these parameters, a count sums over all judged topics, those too that do not count
            otherwise.
        average: of the values of one topic or more, where it is not their arithmetic mean.
        aliases: what other tools call it, in any case. ``NAME:key=value`` is taken in this case only, and sets
            parameters as that tool has them.
        at_cutoffs: the measure that is the same of the first K results, of one that takes no cut-offs.
        graded: its gains are grades as they are: the level from which on a document is relevant, as trec_eval's ``-l``
            sets it, has no part in them.
        over_facets: of a topic with facets it is a function of these.
        without_level: it has no parameter ``rel``, and ``-l`` has no part in it.
        ties: order of results with equal scores, where another tool defines the measure and orders them its own way.
        point: the parameter that trec_eval sets by what it writes after the name and a point, as in ``ndcg.1=3,2=9``.
        level_settings: settings that come with a parameter ``rel``.
        zero_for_documents: on topics of graded documents without a relevant one it is 0; other topics without targets
            it leaves out.
        largest_level: of a measure at levels, the largest one that it takes.
        with_level: the specification that a level in the notation of ir_measures, ``NAME(rel=2)``, makes of it.
    """

    name: str
    family: str
    summary: str
    explanation: str
    source: str
    shape: Shape
    per_topic: ComputeTopic | None = None
    needs: frozenset[Need] = frozenset()
    cutoffs: tuple[float, ...] = ()
    curve_levels: tuple[float, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    without_targets: bool = False
    needs_relevance: bool = False
    bounded: bool = True
    direction: Direction = Direction.HIGHER
    is_count: bool = False
    only_average: bool = False
    x_label: str = ""
    y_label: str = ""
    budget: str = ""
    empty_list: str = "0"
    split: Split | None = None
    counts_overlap: bool = False
    needs_by: Callable[[ParameterValues], frozenset[Need]] | None = None
    over_all: Callable[[ParameterValues], bool] | None = None
    average: Callable[[Sequence[float]], float] | None = None
    aliases: tuple[str, ...] = ()
    at_cutoffs: str = ""
    graded: bool = False
    per_batch: Compute | None = None
    with_level: str = ""
    over_facets: bool = False
    without_level: bool = False
    ties: TieOrder = TieOrder.NAME_DESCENDING
    point: str = ""
    level_settings: str = ""
    zero_for_documents: bool = False
    largest_level: float = 1.0

    def compute(self, batch: TopicBatch, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        """Values of each topic, shape (topics, n); n is 1 of a measure without cut-offs."""
        if self.per_batch is not None:
            return self.per_batch(batch, values, cutoffs)
        if self.per_topic is None:
            raise TypeError(f"measure {self.name} has no function: give per_topic or per_batch")
        rows = [np.atleast_1d(self.per_topic(topic, values, cutoffs)) for topic in batch.topics]
        return np.array(rows, dtype=object if self.shape is Shape.TEXT else np.float64).reshape(len(rows), -1)

    def compute_topic(self, data: TopicData, values: ParameterValues, cutoffs: FloatArray) -> FloatArray:
        """Values of one topic, shape (n,)."""
        row: FloatArray = self.compute(TopicBatch([data]), values, cutoffs)[0]
        return row

    def settings_after_point(self, text: str) -> dict[str, str] | None:
        """The settings in what trec_eval writes after the name and a point; None if the text is nothing of that kind.

        Parts ``key=value`` with the key of a parameter set this one, all others together the parameter `point`.
        """
        own = {parameter.name: parameter for parameter in self.parameters}
        if self.point not in own:
            return None
        parts = [part.partition("=") for part in text.split(",")]
        settings = {key: value for key, equals, value in parts if equals and key in own}
        rest = "/".join("".join(part) for part in parts if part[0] not in settings)
        settings |= {self.point: rest} if rest else {}
        return settings if all(own[key].accepts(value) for key, value in settings.items()) else None

    @property
    def other_names(self) -> tuple[str, ...]:
        """What other tools call it, without the parameters that such a name sets."""
        return tuple(alias.partition(":")[0] for alias in self.aliases)

    @property
    def axes(self) -> tuple[str, str]:
        """Labels of the axes of its curve: level or rank, and value."""
        return self.x_label or ("recall" if self.shape is Shape.AT_LEVELS else "rank"), self.y_label or self.name

    @property
    def suffix(self) -> str:
        """What stands for a cut-off or level after its name."""
        if self.name.endswith(_CUTOFF_SUFFIX):
            return ""
        return {Shape.AT_RANKS: _CUTOFF_SUFFIX, Shape.AT_LEVELS: "_X", Shape.AT_BUDGETS: "_N"}.get(self.shape, "")

    def printed_name(self, point: float | None) -> str:
        """Name with a cut-off or level: ``P_5``, ``iprec_at_recall_0.10``."""
        if point is None:
            return self.name
        if self.shape in (Shape.AT_RANKS, Shape.AT_BUDGETS):
            return f"{self.name.removesuffix(_CUTOFF_SUFFIX)}_{int(point)}"
        two = f"{point:.2f}"
        return f"{self.name}_{two if float(two) == point else repr(point)}"


def cutoff_measure_name(name: str, known: Container[str]) -> str | None:
    """Name of the measure for a name with a cut-off or level after it, None if none.

    >>> cutoff_measure_name("char_rec", ["char_rec", "char_rec_K"]), cutoff_measure_name("P", ["P"])
    ('char_rec_K', 'P')
    """
    return next((one for one in (name + _CUTOFF_SUFFIX, name) if one in known), None)


def refuse_level_zero(name: str, levels: FloatArray) -> None:
    """Reject recall 0, at which some curves are not defined.

    Raises:
        UsageError: one of the levels is 0.
    """
    if (levels <= 0).any():
        raise UsageError(f"{name} is defined at levels above 0")


# Splitting a value by rank: the value of the list cut after a rank, less that of the list cut before it.


def is_divisible(measure: Measure) -> bool:
    """Whether the value of a measure on a topic splits by rank: true of scores, not of counts."""
    return not (measure.is_count or measure.only_average or measure.direction is Direction.NEITHER)


def split_by_rank(
    measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Split the value of a divisible measure by rank, by its `split` if it has one, else by result.

    Args:
        measure: the measure.
        data: the data of a topic with targets.
        values: parameters of the measure.
        cutoffs: truncated-offs or levels.

    Returns:
        What is added, and what is there without any rank, as `prum_eval.measures.base.Split` says.
    """
    if measure.split is not None:
        return measure.split(measure, data, values, cutoffs)
    truncated = [
        replace(data, ranking=data.ranking.truncate(results), memo=Memo()) for results in range(len(data.ranking))
    ]
    totals = np.nan_to_num(measure.compute(TopicBatch([*truncated, data]), values, cutoffs))
    return np.diff(totals, axis=0), totals[0]


def split_by_truncation(
    measure: Measure, data: TopicData, values: ParameterValues, cutoffs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A rank adds the value of the list truncated after it, less that of the list truncated before it.

    Args:
        measure: one whose value depends on the list through ``data.goal_states`` alone.
        data: the data of a topic.
        values: parameters of the measure.
        cutoffs: truncated-offs or levels.

    Returns:
        What each rank of ``goal_states.change_ranks`` adds, shape (J, cutoffs or 1), and the values of an empty list.
    """
    truncated = [_truncated_topic(data, state) for state in range(len(data.goal_states.change_ranks))]
    totals = measure.compute(TopicBatch([*truncated, data]), values, cutoffs)
    return np.diff(totals, axis=0), totals[0]


def _truncated_topic(data: TopicData, state: int) -> TopicData:
    """The topic with the list cut after the rank that leads to a state."""
    short = copy(data)  # with what is known of the whole list, such as what its ranks cost
    vars(short).update(goal_states=data.goal_states.cut_after(state), memo=Memo())
    return short
