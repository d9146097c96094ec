"""What a user asks for with -m or in a configuration file, and what comes of it: measures with their parameters set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from prum_eval.errors import SourceLine, UsageError
from prum_eval.measures.base import Measure, Need, Shape
from prum_eval.measures.names import LEVEL, KnownNames, known_names, our_name, read_call, split_specs
from prum_eval.measures.registry import BY_NAME, PRINT_ORDER, SETS, names_of, set_specs, split_cutoffs
from prum_eval.parameters import NUMBER, Parameter, ParameterValues, split_settings

COMMON = ("quantisation", "targets", "user_model", LEVEL)
"""Parameters that every measure has; those of the user model follow as further keys."""
RELEVANCE_LEVEL = Parameter(
    LEVEL, 1.0, "of graded documents, the smallest grade that is relevant", low=1, whole=True, option="relevance_level"
)
"""The one of them that is a number: of measures that look at what is relevant among graded documents."""
MODEL = "model."
"""Before a key of the user model that is a key of the measure too; it may stand before any key of the user model."""
LARGEST_CUTOFF = 2**31 - 1
"""Largest rank at which a measure can be asked for."""


@dataclass(frozen=True)
class MeasureSpec:
    """What is asked for: NAME, NAME.5,10 or NAME_5, with settings; NAME is a measure, a family or a set.

    `label`: printed after the name and a colon, in place of the settings. `only`: the task of the runs that it is for.
    `place`: file and line, for messages. `given`: as it was written on the command line.
    """

    spec: str
    settings: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    only: str | None = None
    place: SourceLine | None = None
    given: str = ""


@dataclass(frozen=True)
class ConfiguredMeasure:
    """A measure with its parameters set, as it is computed and printed.

    `called`: the measure's name with its label, which is empty for the defaults of the call. `values`: its own
    parameters. `needs`: what it needs with these. `over_all`: a sum over all assessed topics, those too that do not
    count otherwise. `asked`: what is asked of quantisation, targets and user model, in text; keys that are absent are
    chosen from the inputs. `offered`: settings to take where the user model has them. `explicit`: asked for by name,
    not as part of a set, so that a missing input is an error and not a reason to leave it out. `said`: the keys of
    those asked that were set for it alone, off their defaults. `only` and `place`: as in `MeasureSpec`. `variant`: of
    which of several variants of the call's options it is one; empty where there are none. `given`: other names that
    values print with, by our own.
    """

    measure: Measure
    cutoffs: tuple[float, ...]
    called: str
    values: ParameterValues
    needs: frozenset[Need]
    over_all: bool
    asked: Mapping[str, str]
    offered: Mapping[str, str]
    explicit: bool
    said: frozenset[str] = frozenset()
    only: str | None = None
    place: SourceLine | None = None
    variant: str = ""
    given: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """What we call its values, in order: one a cut-off or level, or one."""
        label = self.called.removeprefix(self.measure.name)
        return tuple(self.measure.printed(point) + label for point in self.cutoffs) or (self.called,)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The printed names of its values, in that order."""
        return tuple(self.given.get(name, name) for name in self.own_names)


def of_model(key: str) -> bool:
    """Whether a key is written as one of the user model."""
    return key.startswith(MODEL)


def model_key(key: str) -> str:
    """What the user model calls a key, written as one of it or not."""
    return key.removeprefix(MODEL)


def spelled(key: str, measure: Measure) -> str:
    """How a key of the user model is written beside those of a measure: the plain key is the measure's."""
    return f"{MODEL}{key}" if any(parameter.name == key for parameter in measure.parameters) else key


def parse_specs(text: str, labelled: Mapping[str, MeasureSpec], known: KnownNames = known_names) -> list[MeasureSpec]:
    """``NAME:key=value,key=value`` and more, in a list with commas, as specifications; names may be other tools'.

    ``NAME:LABEL`` has the settings under the label of one of those given.

    Raises:
        UsageError: a setting without key or value, or a key that comes twice.
    """
    if text in PRINT_ORDER:
        return [MeasureSpec(text, given=text)]
    return [_parsed(part, labelled, known) for part in split_specs(text, labelled.keys())]


def _parsed(text: str, labelled: Mapping[str, MeasureSpec], known: KnownNames) -> MeasureSpec:
    head, colon, tail = text.partition(":")
    if tail in labelled:
        return replace(labelled[tail], spec=our_name(head, known), place=None, given=text)
    name, settings = read_call(head, known)
    more = split_settings(tail) if colon else {}
    if twice := settings.keys() & more.keys():
        raise UsageError(f"{min(twice)} is set twice")
    return MeasureSpec(name, {**settings, **more}, given=text)


class ForeignMeasure(Protocol):
    """A measure of ir_measures, which writes itself as the name of its values."""

    NAME: str | None


GivenMeasures = str | ForeignMeasure | Sequence[str | ForeignMeasure | MeasureSpec]
"""What a caller gives as measures."""


def listed_measures(given: GivenMeasures | None) -> list[str | MeasureSpec]:
    """The specifications that a caller gives as measures, measures of ir_measures as text.

    Raises:
        UsageError: one is none of these.
    """
    listed = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    found: list[str | MeasureSpec] = []
    for one in listed:
        if isinstance(one, str | MeasureSpec):
            found.append(one)
        elif hasattr(one, "NAME"):
            found.append(str(one))
        elif one is not None:
            raise UsageError(f"measures: expected names, found {one!r}")
    return found


def names_asked(given: GivenMeasures | None) -> list[str]:
    """What a caller gives as measures, as text, settings of a `MeasureSpec` left out.

    Raises:
        UsageError: as `listed_measures`.
    """
    return [one.spec if isinstance(one, MeasureSpec) else one for one in listed_measures(given)]


def heads_of(specs: Iterable[str]) -> set[str]:
    """What specifications name, as we call it: measures, families and sets, without cut-offs and settings.

    >>> sorted(heads_of(["AP(rel=2),P@5", "prum:mode=exact"]))
    ['P', 'map', 'prum']
    """
    parts = (part.partition(":")[0] for spec in specs for part in split_specs(spec))
    return {split_cutoffs(read_call(part)[0])[0] for part in parts}


def measures_of(spec: str) -> tuple[str, ...]:
    """Names of the measures of NAME, NAME.5,10 or NAME_5.

    Raises:
        UsageError: an unknown name (the nearest known is named), or a cut-off or level that is not legal.
    """
    return _cutoffs_of(spec)[0]


def measures_with_cutoffs(spec: str) -> list[tuple[Measure, tuple[float, ...]]]:
    """The measures of NAME, NAME.5,10 or NAME_5, each with its cut-offs or levels: those named, else its default ones.

    Raises:
        UsageError: as `measures_of`.
    """
    if spec in SETS and (listed := set_specs(spec)) != [""]:
        return [pair for part in listed for pair in measures_with_cutoffs(part)]
    names, cutoffs = _cutoffs_of(spec)
    measures = [BY_NAME[name] for name in names]
    return [(measure, cutoffs or measure.cutoffs) for measure in measures]


def _cutoffs_of(head: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Measure names and cut-offs or levels of NAME, NAME.5,10 or NAME_5, NAME perhaps another tool's."""
    name, listed = split_cutoffs(head if head in PRINT_ORDER else our_name(head))
    if listed is None:
        return names_of(name), ()
    return (name,), tuple(_point(BY_NAME[name], text, head) for text in listed.split(","))


def _point(measure: Measure, text: str, head: str) -> float:
    what = {Shape.AT_RANKS: "cut-off", Shape.AT_LEVELS: "level", Shape.AT_BUDGETS: "budget"}.get(measure.shape)
    if what is None:
        raise UsageError(f"{head}: {measure.name} takes no cut-offs or levels")
    point = float(text) if NUMBER.fullmatch(text) else -1.0
    whole = text.isdecimal() and 1 <= point <= LARGEST_CUTOFF
    if measure.shape is not Shape.AT_LEVELS and not whole:
        raise UsageError(f"{head}: a {what} of {measure.name} is a whole number from 1 to {LARGEST_CUTOFF}")
    if measure.shape is Shape.AT_LEVELS and not 0 <= point <= 1:
        raise UsageError(f"{head}: a level of {measure.name} is a number from 0 to 1")
    return point
