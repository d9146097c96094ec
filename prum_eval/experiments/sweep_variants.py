"""What is varied: one parameter and its values, as ``KEY=VALUES`` says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from os import PathLike
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from prum_eval.errors import UsageError
from prum_eval.evaluation.options import OptionVariant
from prum_eval.evaluation.plan import Pairs
from prum_eval.evaluation.settings import variant_suffix
from prum_eval.formats.reading import RunInputs
from prum_eval.formats.simulated import SimulatedRunEntry, find_simulated_list, read_simulated_list, varied_parameter
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure, base_names, model_key, qualified_key
from prum_eval.parameters import did_you_mean, finite_number, format_parameter
from prum_eval.records import Run
from prum_eval.tabular import join_names
from prum_eval.user_models.registry import model_parameters
from prum_eval.value_lists import parse_value_list

VaryInput: TypeAlias = "str | Mapping[str, str | float | Sequence[str | float]]"
"""``KEY=VALUES`` in text, or ``{KEY: VALUES}``, values in text or one by one."""

SIMULATED_VALUE = "value"
"""The key that stands for what simulated runs were varied by: a column of their list."""
LIMIT = "limit"
VARIED_OPTIONS = ("user_model", "quantisation", "targets", LIMIT)
"""Keys that are arguments of `prum_eval.evaluate` themselves; all others are parameters, as `settings` takes them."""
_MODEL = "user_model"
_WHOLE = re.compile(r"[0-9]{1,10}")
_MAX_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class VariedParameter:
    """A parameter and its values as they are shown: numbers increase, others are in the order given.

    No values, of `SIMULATED_VALUE` only, are all that there are.
    """

    key: str
    values: tuple[str, ...]

    @cached_property
    def numbers(self) -> tuple[float, ...] | None:
        """The values, where all are numbers."""
        return parse_numbers(self.values)

    @cached_property
    def logarithmic(self) -> bool:
        """Whether the values are spaced more evenly by their ratios than by their differences."""
        return self.numbers is not None and _more_even_by_ratios(self.numbers)

    def variants(self, options: Mapping[str, Any]) -> list[OptionVariant]:
        """The options of an evaluation at each value; none for keys that no measure and no setting takes part in."""
        if self.key in (SIMULATED_VALUE, LIMIT):
            return []
        if self.key in VARIED_OPTIONS:
            return [OptionVariant(f"{self.key}={value}", {self.key: value}) for value in self.values]
        settings = options.get("settings") or {}
        return [
            OptionVariant(f"{self.key}={value}", {"settings": {**settings, self.key: value}}) for value in self.values
        ]


def parse_numbers(values: Sequence[str]) -> tuple[float, ...] | None:
    """The numbers that texts stand for; None where one is no number, or too large for one, or there is none.

    >>> parse_numbers(["0", "0.5"]), parse_numbers(["none", "t2i"])
    ((0.0, 0.5), None)
    """
    numbers = [number for number in map(finite_number, values) if number is not None]
    return tuple(numbers) if values and len(numbers) == len(values) else None


def parse_varied(vary: VaryInput, options: Mapping[str, Any]) -> VariedParameter:
    """What is varied, checked against the options of the evaluation.

    Raises:
        UsageError: it is no ``KEY=VALUES``, a value comes twice, or an option says the key already.
    """
    key, text, values = _split_vary(vary)
    about = f"--vary {text}"
    if not values and key != SIMULATED_VALUE:
        raise UsageError(f"{about}: write KEY=VALUES")
    if parse_numbers(values):
        values = [format_parameter(number) for number in sorted(map(float, values))]
    again = next((value for number, value in enumerate(values) if value in values[:number]), None)
    if again is not None:
        raise UsageError(f"{about}: {again} is listed twice")
    if key == LIMIT and (bad := [one for one in values if not (_WHOLE.fullmatch(one) and 1 <= int(one) <= _MAX_LIMIT)]):
        raise UsageError(f"{about}: {LIMIT}={bad[0]}: {LIMIT} is a whole number from 1 to {_MAX_LIMIT}")
    own = {name: options.get(name) for name in VARIED_OPTIONS}
    given: Mapping[str, object] = {**(options.get("settings") or {}), **own}
    if given.get(key) is not None:
        raise UsageError(f"{about}: {key} is varied, and given as {given[key]} too")
    return VariedParameter(key, tuple(values))


def _split_vary(vary: VaryInput) -> tuple[str, str, list[str]]:
    """Key, the whole in text for messages, and the values in text."""
    if isinstance(vary, str):
        key, equals, text = vary.partition("=")
        if not key or (equals and not text):
            raise UsageError(f"--vary {vary}: write KEY=VALUES")
        return key, vary, _split_values(key, text, vary)
    if len(vary) != 1:
        raise UsageError(f"vary: {len(vary)} parameters; one is varied at a time")
    ((key, given),) = vary.items()
    if isinstance(given, str):
        return key, f"{key}={given}", _split_values(key, given, f"{key}={given}")
    values = [
        one if isinstance(one, str) else format_parameter(one)
        for one in ([given] if isinstance(given, float | int) else given)
    ]
    return key, f"{key}={','.join(values)}", values


def _split_values(key: str, text: str, about: str) -> list[str]:
    if not text:
        return []
    if key == _MODEL:
        return _split_models(text)
    try:
        return parse_value_list(text)
    except UsageError as error:
        raise UsageError(f"--vary {about}: {error}") from error


def _split_models(text: str) -> list[str]:
    """User models with their settings: a comma before ``key=value`` goes on with the settings of the one before it.

    >>> _split_models("none,t2i:tolerance=300,once=on,coverage")
    ['none', 't2i:tolerance=300,once=on', 'coverage']
    """
    found: list[str] = []
    for part in text.split(","):
        if found and "=" in part and ":" not in part and ":" in found[-1]:
            found[-1] += f",{part}"
        else:
            found.append(part)
    if not all(found):
        raise UsageError(f"--vary {_MODEL}={text}: {text!r} has an empty value; write MODEL,MODEL,...")
    return found


def _more_even_by_ratios(numbers: Sequence[float]) -> bool:
    if len(numbers) < 3 or min(numbers) <= 0:
        return False
    gaps = [high - low for low, high in pairwise(numbers)]
    ratios = np.diff(np.log(numbers)).tolist()
    return bool(max(ratios) / min(ratios) < max(gaps) / min(gaps) * (1 - 1e-9))


# Runs as they are given to a sweep: those of systems, and series of simulated runs with the value of each.


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
    """Simulated runs of one list. `run_records`: how each was made; `sources`: what to evaluate, in the same order."""

    name: str
    path: str
    run_records: tuple[SimulatedRunEntry, ...]
    sources: tuple[str | Run, ...]

    @property
    def parameter(self) -> str | None:
        """What was varied."""
        return varied_parameter(self.run_records)

    def values(self) -> list[str]:
        """The values, each once, as numbers are shown."""
        return list(dict.fromkeys(normalise_value(one.value) for one in self.run_records))

    def with_values(self, values: Sequence[str]) -> Series:
        """Those with one of these values."""
        kept = [
            pair
            for pair in zip(self.run_records, self.sources, strict=True)
            if normalise_value(pair[0].value) in values
        ]
        listed, sources = zip(*kept, strict=True) if kept else ((), ())
        return Series(self.name, self.path, tuple(listed), tuple(sources))


def normalise_value(text: str) -> str:
    """A value as numbers are shown.

    >>> normalise_value(".50"), normalise_value("on")
    ('0.5', 'on')
    """
    number = finite_number(text)
    return text if number is None else format_parameter(number)


def find_series(runs: RunInputs | SimulatedRuns | None) -> list[Series | Any]:
    """What is given, one after the other: series of simulated runs, and anything else as it is.

    Raises:
        InputError: a list of simulated runs that cannot be read.
    """
    if isinstance(runs, SimulatedRuns) and not isinstance(runs, Run):
        made = list(runs)
        listed = tuple(SimulatedRunEntry(one.file, one.changes, one.value, one.copy) for one in made)
        return [Series(runs.name, runs.name, listed, tuple(one.run for one in made))]
    given = [runs] if isinstance(runs, str | PathLike) else runs
    if not isinstance(given, list | tuple) or not all(isinstance(one, str | PathLike) for one in given):
        return [] if runs is None else [runs]
    return [_series(str(path)) or path for path in given]


def _series(path: str) -> Series | None:
    found = find_simulated_list(path)
    if found is None:
        return None
    listed = read_simulated_list(found)
    return Series(listed[0].name, found, tuple(listed), tuple(one.path for one in listed))


def require_series(given: Sequence[Series | Any], values: Sequence[str]) -> list[Series]:
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
        if not any(own.value for own in one.run_records):
            raise UsageError(f"{one.path}: nothing was varied: no run has a value")
        if missing := [value for value in values if value not in one.values()]:
            raise UsageError(f"{one.path}: no run of value {missing[0]} (there are: {', '.join(one.values())})")
    return [one.with_values(values) if values else one for one in series]


# In which of the measures asked for a parameter has a part; what there is to vary where it has none.


@dataclass(frozen=True)
class AffectedMeasures:
    """Names of measures without the label of a variant.

    `names`: of what is shown. `computed_names`: of all. `names_by_variant`: of each variant, from the names of its values to these.
    `warnings`: what is not shown, and why.
    """

    names: tuple[str, ...]
    computed_names: tuple[str, ...]
    names_by_variant: Mapping[str, Mapping[str, str]]
    warnings: tuple[str, ...]


def find_affected(
    varied: VariedParameter, pairs: Pairs, labels: Sequence[str], asked: Sequence[str]
) -> AffectedMeasures:
    """The measures of a plan with a variant a value, as they are called without it.

    Those are left out in which no value changes anything, unless they are asked for by name.

    Args:
        varied: the parameter.
        pairs: measures of all variants with their settings.
        labels: of the variants.
        asked: specifications of measures as the user gave them.

    Raises:
        UsageError: no measure or user model has the parameter, or none takes it.
    """
    _check_key(varied, pairs)
    at: dict[str, dict[str, str]] = {label: {} for label in labels}
    computed: dict[tuple[str, ...], set[object]] = {}
    measures: dict[tuple[str, ...], ConfiguredMeasure] = {}
    for instance, setting in pairs:
        names = tuple(_without_label(name, instance.variant) for name in instance.names)
        at[instance.variant].update(zip(instance.names, names, strict=True))
        key = setting.key if instance.needs or varied.key in VARIED_OPTIONS else None
        computed.setdefault(names, set()).add((tuple(instance.values.items()), key))
        measures.setdefault(names, instance)
    still = [names for names, ways in computed.items() if len(ways) == 1 < len(labels)]
    if len(still) == len(computed):
        raise UsageError(f"--vary {varied.key}: its values change no measure; -m, -u or the task say it already")
    heads = base_names(asked)
    out = [names for names in still if measures[names].measure.name not in heads and heads.isdisjoint(names)]
    shown = tuple(name for names in computed if names not in out for name in names)
    gone = [name for names in out for name in names]
    told = (f"left out, because {varied.key} changes nothing in them: {join_names(gone)}",) if gone else ()
    return AffectedMeasures(shown, tuple(name for names in computed for name in names), at, told)


def _without_label(name: str, label: str) -> str:
    """The name that a measure has without the label of a variant."""
    own = name[: -len(label) - 1]
    return own if name == own + variant_suffix(own, label) else name


def _check_key(varied: VariedParameter, pairs: Pairs) -> None:
    """Refuse a parameter that no measure and no user model has.

    Raises:
        UsageError: with all that there are.
    """
    if varied.key in VARIED_OPTIONS:
        return
    of_measures: dict[str, list[str]] = {}
    of_models: dict[str, dict[str, None]] = {}
    known = set(VARIED_OPTIONS)
    for instance, setting in pairs:
        measure, model = instance.measure, setting.choice.model
        if measure.parameters:
            own = [one.name for one in measure.parameters]
            of_measures[", ".join(own)] = [*of_measures.get(", ".join(own), []), measure.name]
            known |= set(own)
        if Need.REACH in instance.needs:
            own = [qualified_key(one.name, measure) for one in model_parameters(model)]
            of_models.setdefault(model.name, {}).update(dict.fromkeys(own))
            known |= set(own)
    if varied.key in known or (model_key(varied.key) != varied.key and model_key(varied.key) in known):
        return
    there = [f"{', '.join((*VARIED_OPTIONS, SIMULATED_VALUE))}"]
    there += [f"{own} ({join_names(list(dict.fromkeys(names)))})" for own, names in of_measures.items()]
    there += [f"{', '.join(own)} (user model {name})" for name, own in of_models.items()]
    raise UsageError(
        f"--vary {varied.key}: no measure asked for has that parameter, nor has a user model; there are: "
        f"{'; '.join(there)}{did_you_mean(varied.key, known)}"
    )
