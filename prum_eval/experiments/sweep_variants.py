"""Varied parameters of a sweep, series of simulated runs, and the measures that a parameter affects.

A parameter is given as ``KEY=VALUES`` (`parse_varied`). Runs of a sweep are those of systems, or series of simulated
runs with a value of each (`find_series`). `find_affected` selects the measures in which the parameter has a part.
"""

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
from prum_eval.measures.registry import expand_name
from prum_eval.measures.specs import ConfiguredMeasure, base_names, model_key, qualified_key
from prum_eval.parameters import did_you_mean, finite_number, format_parameter
from prum_eval.records import Run
from prum_eval.tabular import join_names
from prum_eval.user_models.registry import model_names, model_parameters
from prum_eval.value_lists import parse_value_list

VaryInput: TypeAlias = "str | Mapping[str, str | float | Sequence[str | float]]"
"""``KEY=VALUES`` in text, or ``{KEY: VALUES}``, with values in text or as a sequence."""

SIMULATED_VALUE = "value"
"""Key for the varied parameter of simulated runs: a column of their list."""
LIMIT = "limit"
VARIED_OPTIONS = ("user_model", "quantisation", "targets", LIMIT)
"""Keys that are arguments of `prum_eval.evaluate`; all others are parameters, as in `settings`."""
_MODEL = "user_model"
_MAX_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class VariedParameter:
    """A parameter and the texts of its values; numbers increase, others keep their order.

    Without values, only for `SIMULATED_VALUE`, all values of the runs are used. `owner`: the measure, family or user
    model whose parameter it is, if it is named.
    """

    key: str
    values: tuple[str, ...]
    owner: str = ""

    @cached_property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers; None if one is no number."""
        return parse_numbers(self.values)

    @cached_property
    def logarithmic(self) -> bool:
        """Whether the ratios of the values vary less than their differences."""
        numbers = self.numbers
        if numbers is None or len(numbers) < 3 or min(numbers) <= 0:
            return False
        gaps = [high - low for low, high in pairwise(numbers)]
        ratios = np.diff(np.log(numbers)).tolist()
        return bool(max(ratios) / min(ratios) < max(gaps) / min(gaps) * (1 - 1e-9))

    def owner_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options, with the owner of the parameter as measure or user model if none is given."""
        if not self.owner:
            return dict(options)
        if self.owner in model_names():
            return {**options, "user_model": options.get("user_model") or self.owner}
        chosen = any(options.get(name) for name in ("measures", "task", "config"))
        return dict(options) if chosen else {**options, "measures": self.owner}

    def variants(self, options: Mapping[str, Any]) -> list[OptionVariant]:
        """Options of an evaluation at each value; none for keys that do not affect measures."""
        if self.key in (SIMULATED_VALUE, LIMIT):
            return []
        if self.key in VARIED_OPTIONS:
            return [OptionVariant(f"{self.key}={value}", {self.key: value}) for value in self.values]
        settings = options.get("settings") or {}
        return [
            OptionVariant(f"{self.key}={value}", {"settings": {**settings, self.key: value}}) for value in self.values
        ]


def parse_numbers(values: Sequence[str]) -> tuple[float, ...] | None:
    """The numbers of texts; None if one is no number or too large, or there are none.

    >>> parse_numbers(["0", "0.5"]), parse_numbers(["none", "t2i"])
    ((0.0, 0.5), None)
    """
    numbers = [number for number in map(finite_number, values) if number is not None]
    return tuple(numbers) if values and len(numbers) == len(values) else None


def parse_varied(vary: VaryInput, options: Mapping[str, Any]) -> VariedParameter:
    """A varied parameter, checked against the options of the evaluation.

    Raises:
        UsageError: it is no ``KEY=VALUES``, a value is repeated, or an option sets the key.
    """
    key, text, values = _split_vary(vary)
    about = f"--vary {text}"
    owner, _, name = key.rpartition(".")
    if owner and model_key(key) == key:
        if owner not in model_names():
            expand_name(owner)
        key = name
    if not values and key != SIMULATED_VALUE:
        raise UsageError(f"{about}: write KEY=VALUES")
    if parse_numbers(values):
        values = [format_parameter(number) for number in sorted(map(float, values))]
    duplicate = next((value for number, value in enumerate(values) if value in values[:number]), None)
    if duplicate is not None:
        raise UsageError(f"{about}: {duplicate} is listed twice")
    if key == LIMIT and (
        bad := [
            text_value
            for text_value in values
            if not (re.fullmatch(r"[0-9]{1,10}", text_value) and 1 <= int(text_value) <= _MAX_LIMIT)
        ]
    ):
        raise UsageError(f"{about}: {LIMIT}={bad[0]}: {LIMIT} is a whole number from 1 to {_MAX_LIMIT}")
    arguments = {name: options.get(name) for name in VARIED_OPTIONS}
    explicit: Mapping[str, object] = {**(options.get("settings") or {}), **arguments}
    if explicit.get(key) is not None:
        raise UsageError(f"{about}: {key} is varied, and given as {explicit[key]} too")
    return VariedParameter(key, tuple(values), owner if key == name else "")


def _split_vary(vary: VaryInput) -> tuple[str, str, list[str]]:
    """Key, whole text for messages, and texts of the values."""
    if isinstance(vary, str):
        key, equals, text = vary.partition("=")
        if not key or (equals and not text):
            raise UsageError(f"--vary {vary}: write KEY=VALUES")
        return key, vary, _split_values(key, text, vary)
    if len(vary) != 1:
        raise UsageError(f"vary: {len(vary)} parameters; one is varied at a time")
    ((key, value),) = vary.items()
    if isinstance(value, str):
        return key, f"{key}={value}", _split_values(key, value, f"{key}={value}")
    values = [
        item if isinstance(item, str) else format_parameter(item)
        for item in ([value] if isinstance(value, float | int) else value)
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
    """Texts of user models with settings; a comma before ``key=value`` continues the settings.

    >>> _split_models("none,t2i:tolerance=300,once=on,coverage")
    ['none', 't2i:tolerance=300,once=on', 'coverage']
    """
    models: list[str] = []
    for part in text.split(","):
        if models and "=" in part and ":" not in part and ":" in models[-1]:
            models[-1] += f",{part}"
        else:
            models.append(part)
    if not all(models):
        raise UsageError(f"--vary {_MODEL}={text}: {text!r} has an empty value; write MODEL,MODEL,...")
    return models


# Series of simulated runs


class SimulatedLike(Protocol):
    """A simulated run of `prum_eval.simulate`."""

    file: str
    changes: str
    value: str
    copy: int
    run: Run


@runtime_checkable
class SimulatedRuns(Protocol):
    """The result of `prum_eval.simulate`."""

    name: str
    copies: int

    def __iter__(self) -> Iterator[SimulatedLike]:
        """The runs."""


@dataclass(frozen=True)
class Series:
    """Simulated runs of one list.

    `run_records`: how each was made; `sources`: their files or runs, in the same order.
    """

    name: str
    path: str
    run_records: tuple[SimulatedRunEntry, ...]
    sources: tuple[str | Run, ...]

    @property
    def parameter(self) -> str | None:
        """The varied parameter."""
        return varied_parameter(self.run_records)

    def values(self) -> list[str]:
        """Distinct values, formatted as numbers."""
        return list(dict.fromkeys(normalise_value(record.value) for record in self.run_records))

    def with_values(self, values: Sequence[str]) -> Series:
        """The runs with one of these values."""
        selected = [
            pair
            for pair in zip(self.run_records, self.sources, strict=True)
            if normalise_value(pair[0].value) in values
        ]
        records, sources = zip(*selected, strict=True) if selected else ((), ())
        return Series(self.name, self.path, tuple(records), tuple(sources))


def normalise_value(text: str) -> str:
    """A value, formatted as a number if it is one.

    >>> normalise_value(".50"), normalise_value("on")
    ('0.5', 'on')
    """
    number = finite_number(text)
    return text if number is None else format_parameter(number)


def find_series(runs: RunInputs | SimulatedRuns | None) -> list[Series | Any]:
    """Sources of runs in their order: series of simulated runs, and all others unchanged.

    Raises:
        InputError: a list of simulated runs that cannot be read.
    """
    if isinstance(runs, SimulatedRuns) and not isinstance(runs, Run):
        simulated = list(runs)
        records = tuple(SimulatedRunEntry(run.file, run.changes, run.value, run.copy) for run in simulated)
        return [Series(runs.name, runs.name, records, tuple(run.run for run in simulated))]
    sources = [runs] if isinstance(runs, str | PathLike) else runs
    if not isinstance(sources, list | tuple) or not all(isinstance(source, str | PathLike) for source in sources):
        return [] if runs is None else [runs]
    return [_series(str(path)) or path for path in sources]


def _series(path: str) -> Series | None:
    """The series of a list of simulated runs; None for other paths."""
    list_path = find_simulated_list(path)
    if list_path is None:
        return None
    records = read_simulated_list(list_path)
    return Series(records[0].name, list_path, tuple(records), tuple(record.path for record in records))


def require_series(sources: Sequence[Series | Any], values: Sequence[str]) -> list[Series]:
    """The series, with these values or all, if all sources are series.

    Raises:
        UsageError: another source, a series without values, or an unknown value.
    """
    series = [item for item in sources if isinstance(item, Series)]
    if not series or len(series) < len(sources):
        raise UsageError(
            "--vary value is for simulated runs: give the folders that prum-eval simulate --vary wrote, or their lists"
        )
    for item in series:
        if not any(record.value for record in item.run_records):
            raise UsageError(f"{item.path}: nothing was varied: no run has a value")
        if missing := [value for value in values if value not in item.values()]:
            raise UsageError(f"{item.path}: no run of value {missing[0]} (there are: {', '.join(item.values())})")
    return [item.with_values(values) if values else item for item in series]


# Measures that a parameter affects


@dataclass(frozen=True)
class AffectedMeasures:
    """Names of measures without the label of a variant.

    `names`: of the shown measures. `computed_names`: of all. `names_by_variant`: by variant, from labelled names to
    these. `warnings`: measures that are not shown, and why.
    """

    names: tuple[str, ...]
    computed_names: tuple[str, ...]
    names_by_variant: Mapping[str, Mapping[str, str]]
    warnings: tuple[str, ...]


def find_affected(
    varied: VariedParameter, pairs: Pairs, labels: Sequence[str], requested: Sequence[str]
) -> AffectedMeasures:
    """Names of the measures of a plan with one variant per value.

    Measures that no value changes are left out, unless requested by name.

    Args:
        varied: the parameter.
        pairs: measures of all variants with their settings.
        labels: labels of the variants.
        requested: specifications of measures given by the user.

    Raises:
        UsageError: no measure or user model has the parameter, or none changes with it.
    """
    _check_key(varied, pairs)
    names_by_variant: dict[str, dict[str, str]] = {label: {} for label in labels}
    computed: dict[tuple[str, ...], set[object]] = {}
    measures: dict[tuple[str, ...], ConfiguredMeasure] = {}
    for instance, setting in pairs:
        names = tuple(_without_label(name, instance.variant) for name in instance.names)
        names_by_variant[instance.variant].update(zip(instance.names, names, strict=True))
        key = setting.key if instance.needs or varied.key in VARIED_OPTIONS else None
        computed.setdefault(names, set()).add((tuple(instance.values.items()), key))
        measures.setdefault(names, instance)
    owners = () if varied.owner in ("", *model_names()) else expand_name(varied.owner)
    unaffected = [
        names
        for names, settings in computed.items()
        if len(settings) == 1 < len(labels) or (owners and measures[names].measure.name not in owners)
    ]
    if len(unaffected) == len(computed):
        raise UsageError(f"--vary {varied.key}: its values change no measure; -m, -u or the task say it already")
    heads = base_names(requested)
    omitted = [names for names in unaffected if measures[names].measure.name not in heads and heads.isdisjoint(names)]
    shown = tuple(name for names in computed if names not in omitted for name in names)
    omitted_names = [name for names in omitted for name in names]
    about = f"{varied.owner}.{varied.key}" if owners else varied.key
    warnings = (
        (f"left out, because {about} changes nothing in them: {join_names(omitted_names)}",) if omitted_names else ()
    )
    return AffectedMeasures(shown, tuple(name for names in computed for name in names), names_by_variant, warnings)


def _without_label(name: str, label: str) -> str:
    """The name of a measure without the label of a variant."""
    plain = name[: -len(label) - 1]
    return plain if name == plain + variant_suffix(plain, label) else name


def _check_key(varied: VariedParameter, pairs: Pairs) -> None:
    """Reject a parameter that no measure and no user model has.

    Raises:
        UsageError: with all parameters.
    """
    if varied.key in VARIED_OPTIONS:
        return
    of_measures: dict[str, list[str]] = {}
    of_models: dict[str, dict[str, None]] = {}
    keys = set(VARIED_OPTIONS)
    for instance, setting in pairs:
        measure, model = instance.measure, setting.choice.model
        if measure.parameters:
            names = [parameter.name for parameter in measure.parameters]
            of_measures[", ".join(names)] = [*of_measures.get(", ".join(names), []), measure.name]
            keys |= set(names)
        if Need.REACH in instance.needs:
            names = [qualified_key(parameter.name, measure) for parameter in model_parameters(model)]
            of_models.setdefault(model.name, {}).update(dict.fromkeys(names))
            keys |= set(names)
    if varied.key in keys or (model_key(varied.key) != varied.key and model_key(varied.key) in keys):
        return
    available = [f"{', '.join((*VARIED_OPTIONS, SIMULATED_VALUE))}"]
    available += [f"{names} ({join_names(list(dict.fromkeys(measures)))})" for names, measures in of_measures.items()]
    available += [f"{', '.join(names)} (user model {name})" for name, names in of_models.items()]
    raise UsageError(
        f"--vary {varied.key}: unknown parameter for the selected measures and user models; there are: "
        f"{'; '.join(available)}{did_you_mean(varied.key, keys)}"
    )
