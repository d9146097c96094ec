"""From what a user asks for (-m, --set and the options that set parameters) to the instances that are computed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from prum_eval.errors import SourceLine, UsageError, errors_at
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.registry import BY_NAME, FAMILIES, SETS, names_of
from prum_eval.parameters import ParameterValue, ParameterValues, show, split_settings
from prum_eval.user_models.registry import BUILT_IN, parameters_of, user_model

COMMON = ("quantisation", "targets", "user_model")
"""Parameters that every measure has; those of the user model follow as further keys."""

_NUMBERED = re.compile(r"(?P<name>.+)_(?P<point>[0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class Defaults:
    """Parameters set for the whole call: they change what an unlabelled name means, and the signature says so.

    `common`: quantisation, targets, user_model and settings of that user model, in text. `of_family`: values of measure
    parameters by family. `everywhere`: --set, for every measure that has the key.
    """

    common: Mapping[str, str] = field(default_factory=dict)
    of_family: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    everywhere: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class MeasureSpec:
    """What a configuration file asks for: NAME, NAME.5,10 or NAME_5, with settings.

    `label`: printed after the name and a colon, in place of the settings. `only`: the task of the runs that it is for.
    `place`: file and line, for messages.
    """

    spec: str
    settings: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    only: str | None = None
    place: SourceLine | None = None


@dataclass(frozen=True)
class ConfiguredMeasure:
    """A measure with its parameters set, as it is computed and printed.

    `values`: the measure's own parameters. `common`: what is asked of quantisation, targets and user model, in text;
    keys that are absent are chosen from the inputs. `offered`: settings to take where the user model has them.
    `label`: what follows its name; empty for the defaults of the call. `explicit`: asked for by name, not as part of a
    set, so that a missing input is an error and not a reason to leave it out. `said`: the keys that were set for it
    alone, off their defaults. `only` and `place`: as in `MeasureSpec`.
    """

    measure: Measure
    cutoffs: tuple[float, ...]
    values: ParameterValues
    common: Mapping[str, str]
    offered: Mapping[str, str]
    label: str
    explicit: bool
    said: frozenset[str] = frozenset()
    only: str | None = None
    place: SourceLine | None = None

    @cached_property
    def needs(self) -> frozenset[Need]:
        """What the measure needs with these parameters."""
        by = self.measure.needs_by
        return self.measure.needs if by is None else by(self.values)

    @cached_property
    def called(self) -> str:
        """The measure's name with its label."""
        return self.measure.name + self.label

    @cached_property
    def over_all(self) -> bool:
        """Whether it is a sum over all judged topics, those too that do not count otherwise."""
        over_all = self.measure.over_all
        return over_all is not None and over_all(self.values)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The printed names of its values, in order: one a cut-off or level, or one."""
        return tuple(self.measure.printed(point) + self.label for point in self.cutoffs or (None,))


def select(specs: Sequence[str | MeasureSpec], defaults: Defaults) -> list[ConfiguredMeasure]:
    """The instances that specifications name, in registry order.

    A specification is NAME, NAME.5,10 or NAME_5, with ``:key=value,key=value`` after it; NAME is a measure, a family or
    a set; or NAME:LABEL, with the label of a `MeasureSpec`. Several of one measure with the same parameters merge.

    Raises:
        UsageError: an unknown name (the nearest known is named), or a value that is not legal.
        InputError: the same in a configuration file.
    """
    labelled = {spec.label: spec for spec in specs if isinstance(spec, MeasureSpec) and spec.label is not None}
    merged: dict[tuple[str, str, str | None], ConfiguredMeasure] = {}
    for spec in specs:
        request = spec if isinstance(spec, MeasureSpec) else _request(spec, labelled)
        for new in _instances(request, defaults):
            key = (new.measure.name, new.label, new.only)
            old = merged.get(key, new)
            both = tuple(sorted({*old.cutoffs, *new.cutoffs}))
            merged[key] = replace(new, cutoffs=both, explicit=old.explicit or new.explicit)
    order = {name: number for number, name in enumerate(BY_NAME)}
    return sorted(merged.values(), key=lambda instance: order[instance.measure.name])


def _request(spec: str, labelled: Mapping[str, MeasureSpec]) -> MeasureSpec:
    head, colon, tail = spec.partition(":")
    if tail in labelled:
        return replace(labelled[tail], spec=head, place=None)
    return MeasureSpec(head, split_settings(tail) if colon else {})


def _instances(request: MeasureSpec, defaults: Defaults) -> list[ConfiguredMeasure]:
    with errors_at(request.place):
        names, points = _points_of(request.spec)
        found = [
            _instance(BY_NAME[name], points or BY_NAME[name].cutoffs, request.settings, defaults) for name in names
        ]
    given, explicit = request.label, request.spec not in SETS
    return [
        replace(
            one,
            label=one.label if given is None else f":{given}",
            explicit=explicit,
            only=request.only,
            place=request.place,
        )
        for one in found
    ]


def measures_of(spec: str) -> tuple[str, ...]:
    """Names of the measures of NAME, NAME.5,10 or NAME_5.

    Raises:
        UsageError: an unknown name (the nearest known is named), or a cut-off or level that is not legal.
    """
    return _points_of(spec)[0]


def _points_of(head: str) -> tuple[tuple[str, ...], list[float]]:
    """Measure names and cut-offs or levels of NAME, NAME.5,10 or NAME_5."""
    if head in BY_NAME or head in FAMILIES or head in SETS:
        return names_of(head), []
    name, dot, listed = head.partition(".")
    if dot and name in BY_NAME:
        return (name,), [_point(BY_NAME[name], text, head) for text in listed.split(",")]
    numbered = _NUMBERED.fullmatch(head)
    if numbered and numbered["name"] in BY_NAME:
        name = numbered["name"]
        return (name,), [_point(BY_NAME[name], numbered["point"], head)]
    return names_of(name), []


def _point(measure: Measure, text: str, head: str) -> float:
    if measure.shape not in (Shape.AT_RANKS, Shape.AT_LEVELS):
        raise UsageError(f"{head}: {measure.name} takes no cut-offs or levels")
    try:
        point = float(text)
    except ValueError:
        point = -1.0
    if measure.shape is Shape.AT_RANKS and (point < 1 or point != int(point)):
        raise UsageError(f"{head}: a cut-off of {measure.name} is a whole number from 1 up")
    if measure.shape is Shape.AT_LEVELS and not 0 <= point <= 1:
        raise UsageError(f"{head}: a level of {measure.name} is a number from 0 to 1")
    return point


def _instance(
    measure: Measure, points: Sequence[float], settings: Mapping[str, str], defaults: Defaults
) -> ConfiguredMeasure:
    own = {parameter.name: parameter for parameter in measure.parameters}
    layers = (settings, defaults.everywhere, defaults.of_family.get(measure.family, {}))
    values: dict[str, ParameterValue] = {}
    for name, parameter in own.items():
        text = next((layer[name] for layer in layers if name in layer), None)
        if text is not None:
            values[name] = parameter.parse(text)
        elif parameter.default is not None:
            values[name] = parameter.default
    foreign = {key: text for key, text in settings.items() if key not in own}
    common = dict(defaults.common)
    if foreign.get("user_model", common.get("user_model")) != common.get("user_model"):
        common = {key: text for key, text in common.items() if key in COMMON}  # the settings were the other model's
    common.update(foreign)
    offered = {key: text for key, text in defaults.everywhere.items() if key not in own}
    shown = {key: show(values[key]) for key in settings if key in own and values[key] != own[key].default}
    model = common.get("user_model")
    shown.update(
        (key, text) for key, text in foreign.items() if key in defaults.common or not _is_default(key, text, model)
    )
    label = ":" + ",".join(f"{key}={shown[key]}" for key in sorted(shown)) if shown else ""
    return ConfiguredMeasure(
        measure, tuple(points), values, common, offered, label, explicit=True, said=frozenset(shown)
    )


def _is_default(key: str, text: str, model: str | None) -> bool:
    """Is this the default of a parameter of the user model named, or (none named) of every built-in one that has it?"""
    models = [user_model(model)] if model is not None else list(BUILT_IN.values())
    found = [parameter for one in models for parameter in parameters_of(one) if parameter.name == key]
    return bool(found) and all(one.default is not None and show(one.default) == text for one in found)
