"""Measures of prum-eval for ir_measures, by name, in the same call as its other measures.

Importing this module registers the provider ``prum_eval`` and its measures. Every measure of prum-eval that needs only
ranked documents is available under its name, with its cut-off or level after ``@`` and its parameters in parentheses;
measures that need the size of the collection take ``collection_size``. The user model is ``none`` (no navigation). The
provider also computes the measures of ir_measures that average over topics, with their parameters.

>>> import ir_measures
>>> from prum_eval.ir_measures_provider import eprum_map, gen_recall, provider
>>> qrels, run = {"1": {"tides": 1, "moon": 1}}, {"1": {"tides": 3.0, "kites": 2.0, "moon": 1.0}}
>>> values = ir_measures.calc_aggregate([gen_recall @ 1, eprum_map, ir_measures.AP], qrels, run)
>>> sorted((str(measure), round(value, 4)) for measure, value in values.items())
[('AP', 0.8333), ('eprum_map', 0.8333), ('gen_recall@1', 0.5)]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from prum_eval.errors import UsageError
from prum_eval.evaluation.api import evaluate
from prum_eval.formats.rows import assessments_from_rows, run_from_rows
from prum_eval.measures.base import Measure as Record
from prum_eval.measures.base import Need, Shape
from prum_eval.measures.registry import all_measures, split_cutoffs
from prum_eval.measures.specs import (
    JUDGED_ONLY_KEY,
    LEVEL_KEY,
    canonical_name,
    expand_spec_with_cutoffs,
    parse_specs,
)
from prum_eval.records import Assessments, Run
from prum_eval.user_models.registry import NO_NAVIGATION_MODEL

try:
    import ir_measures
    from ir_measures import Measure, Metric, measures, providers
    from ir_measures.measures.base import Agg
    from ir_measures.providers.base import NOT_PROVIDED
except ModuleNotFoundError as error:
    if error.name is not None and error.name.partition(".")[0] != "ir_measures":
        raise
    raise ModuleNotFoundError(
        "prum_eval.ir_measures_provider needs ir-measures: pip install ir-measures", name="ir_measures"
    ) from error

_SUPPORTED_NEEDS = frozenset({Need.REACH, Need.GAINS, Need.RECALL_BASE, Need.SIZE})
_CLASSIC_NAMES = ("AP", "nDCG", "P", "R", "RR", "Rprec", "IPrec", "Bpref", "Success", "SetP", "SetR", "SetF")
_OTHER_NAMES = ("SetAP", "infAP", "Judged", "RBP", "ERR", "Compat", "INST", "INSQ", "BPM", "SDCG")
_DIVERSITY_NAMES = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "AP_IA", "P_IA", "StRecall", "NRBP", "nNRBP")
_IR_MEASURES_NAMES = frozenset(
    {*_CLASSIC_NAMES, *_OTHER_NAMES, *_DIVERSITY_NAMES, "NERR8", "NERR9", "NERR10", "NERR11"}
)
"""Measures of ir_measures with the same values as by its own providers."""
_EQUIVALENT_MEASURES = frozenset(
    {
        *(split_cutoffs(canonical_name(name + at))[0] for name in _CLASSIC_NAMES for at in ("", "@1")),
        *measures.registry,
    }
)
"""Names of measures in prum-eval that ir_measures has, and names that it uses."""


class Mean(Agg):
    """Mean of the topics with a value."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Add the value of a topic."""
        if not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        """The mean; NaN if no topic has a value."""
        return math.fsum(self.values) / len(self.values) if self.values else math.nan


def _measure(record: Record) -> Measure:
    """Measure of ir_measures from a record of prum-eval."""
    supported = {
        parameter.name: measures.ParamInfo(
            dtype=str if parameter.choices else (int, float),
            choices=list(parameter.choices) or NOT_PROVIDED,
            default=NOT_PROVIDED if parameter.default is None else parameter.default,
            desc=parameter.meaning,
        )
        for parameter in record.parameters
        if not parameter.pattern
    }
    if Need.SIZE in record.needs:
        supported["collection_size"] = measures.ParamInfo(int, required=True, desc="number of retrievable documents")
    at = {Shape.AT_RANKS: "cutoff", Shape.AT_LEVELS: "recall"}.get(record.shape)
    if at is not None:
        description = "cut-off rank" if at == "cutoff" else "recall level"
        supported[at] = measures.ParamInfo(int if at == "cutoff" else (int, float), required=True, desc=description)
    fields = {
        "__name__": record.name,
        "__doc__": record.explanation,
        "NAME": record.name,
        "PRETTY_NAME": record.summary,
        "SHORT_DESC": record.summary,
        "AT_PARAM": at or "cutoff",
        "SUPPORTED_PARAMS": supported,
        "aggregator": lambda _self: Mean(),
    }
    measure: Measure = type(record.name, (Measure,), fields)()
    return measure


MEASURES: dict[str, Measure] = {
    record.name: _measure(record)
    for record in all_measures()
    if record.needs <= _SUPPORTED_NEEDS and record.shape is not Shape.COUNT
    if record.name not in _EQUIVALENT_MEASURES and not record.only_average
}
"""Measures of prum-eval by name, in the order of their output."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- mypy does not know the measures of ir_measures either
    """A measure by its name."""
    if name in MEASURES:
        return MEASURES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Provider(providers.Provider):
    """Provider of measures by prum-eval."""

    NAME = "prum_eval"
    SUPPORTED_MEASURES = list(MEASURES.values())  # noqa: RUF012 -- the base class has it so

    def supports(self, measure: Measure) -> bool:
        """Whether a measure with its parameters can be computed."""
        measure.validate_params()
        if measure.NAME in MEASURES:
            return True
        if measure.NAME not in _IR_MEASURES_NAMES:
            return False
        try:
            (spec,) = parse_specs(_spec(measure), {})
            ((record, _),) = expand_spec_with_cutoffs(spec.spec)
        except UsageError:
            return False
        legal = all(one.accepts(spec.settings[one.name]) for one in record.parameters if one.name in spec.settings)
        known = {LEVEL_KEY, JUDGED_ONLY_KEY, *(parameter.name for parameter in record.parameters)}
        return legal and spec.settings.keys() <= known

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> Evaluator:  # noqa: ANN401 -- any of their forms
        rows = list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter())
        return Evaluator(list(measures), assessments_from_rows(rows, name="qrels", facets="column"))


class Evaluator(providers.Evaluator):
    """Evaluator of runs by some measures over one set of assessments."""

    def __init__(self, requested: list[Measure], assessments: Assessments) -> None:
        super().__init__(requested, set(assessments.topics))
        self.assessments = assessments

    def _iter_calc(self, run: Any) -> Iterator[Metric]:  # noqa: ANN401 -- any of their forms
        rows = list(ir_measures.util.RunConverter(run).as_namedtuple_iter())
        record = run_from_rows(rows)
        for measure in self.measures:
            yield from _values(measure, self.assessments, record)


def _values(measure: Measure, assessments: Assessments, run: Run) -> Iterator[Metric]:
    """Values of a measure for all judged topics, including those that the run lacks; NaN if undefined."""
    result = evaluate(
        assessments,
        run,
        measures=_spec(measure),
        user_model=NO_NAVIGATION_MODEL,
        collection_size=measure.params.get("collection_size"),
        complete=True,
        facets=None if measure.NAME in _DIVERSITY_NAMES else "ignore",
    )
    for topic, values in result.runs[0].topics.items():
        for value in values.values():
            yield Metric(topic, measure, math.nan if value is None else float(value))


def _spec(measure: Measure) -> str:
    """Text of the measure without `collection_size`, which is not a parameter in prum-eval."""
    parameters = {key: value for key, value in measure.params.items() if key != "collection_size"}
    return str(type(measure)(**parameters))


provider = Provider()  # type: ignore[no-untyped-call]
providers.register(provider)
for _name, _registered in MEASURES.items():
    measures.register(_registered, name=_name)
ir_measures.DefaultPipeline.providers.append(provider)
