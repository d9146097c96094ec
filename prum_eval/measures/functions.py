"""Measures made of plain functions, and records of measures that no package registers."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from prum_eval.arrays import FloatArray
from prum_eval.errors import DataError, UsageError
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.registry import MEASURES_BY_NAME
from prum_eval.measures.topic_data import TopicData

MeasureFunction = Callable[[Any], float]
"""A function of one topic. A first parameter called ``topic`` receives its `TopicData`, any other one the gains."""
_TOPIC = "topic"


@dataclass(slots=True, eq=False, repr=False)
class FunctionOfTopic:
    """The computation of a measure by a function; `takes_topic`: it receives all data of the topic."""

    function: MeasureFunction
    name: str
    takes_topic: bool

    def __call__(self, data: TopicData, _values: Mapping[str, object], _cutoffs: FloatArray) -> float:
        """The value of one topic; NaN leaves the topic out of the mean.

        Raises:
            DataError: it is no number, or infinite.
        """
        value: object = self.function(data if self.takes_topic else data.gains)
        if not isinstance(value, Real) or math.isinf(value):
            raise DataError(f"measure {self.name}: expected a number for topic {data.judged.name}, found {value!r}")
        return float(value)


def measure_from_function(function: MeasureFunction) -> Measure:
    """The measure that a function computes, called as the function.

    Raises:
        UsageError: the function has no name of its own, or that of another measure, or takes no argument.
    """
    name = function_name(function, "measures")
    try:
        parameters = list(inspect.signature(function).parameters)
    except ValueError:  # of some functions that are written in C
        parameters = ["gains"]
    if not parameters:
        raise UsageError(f"measures: {name} takes no argument, expected one: topic, or the gains in rank order")
    takes_topic = parameters[0] == _TOPIC
    summary = (inspect.getdoc(function) or name).splitlines()[0]
    return Measure(
        name,
        name,
        summary,
        summary,
        "a function",
        Shape.SCALAR,
        FunctionOfTopic(function, name, takes_topic),
        frozenset({Need.REACH if takes_topic else Need.GAINS}),
        bounded=False,
        empty_list="that of the function",
    )


def function_name(function: Any, argument: str) -> str:  # noqa: ANN401 - any callable
    """Name of a function that is the value of an argument.

    Raises:
        UsageError: it has none, as a lambda.
    """
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        raise UsageError(f"{argument}: {function!r} has no name, expected a function that def makes")
    return str(name)


def is_registered(measure: Measure) -> bool:
    """Whether the registry has this very measure."""
    return measure.name in MEASURES_BY_NAME and MEASURES_BY_NAME[measure.name] is measure
