"""Measure specifications: from -m or a configuration file to measures with their parameters set.

Names: ours in any case, those of other tools (`Measure.aliases`; no other table of them exists), with cut-offs after
``.``, ``_`` or ``@``. A name of another tool may set parameters, so that it gives the number of that tool. A
specification is NAME, NAME.5,10 or NAME_5 with settings after ``:``; NAME is a measure, a family or a set.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Protocol, TypeAlias

from prum_eval.errors import SourceLine, UsageError
from prum_eval.measures.base import Measure, Need, Shape, cutoff_measure_name
from prum_eval.measures.registry import (
    MEASURES_BY_NAME,
    NO_OTHER_CASE,
    PRINT_ORDER,
    SETS,
    all_measures,
    expand_name,
    is_family,
    set_specs,
    split_cutoffs,
    split_point,
)
from prum_eval.parameters import (
    GAINS,
    NUMBER_PATTERN,
    Parameter,
    ParameterValues,
    partition_settings,
    split_outside_brackets,
    split_settings,
)
from prum_eval.records import AssessmentKind

CUTOFF_SIGN = "@"
LEVEL_KEY = "rel"
"""Parameter for the smallest relevant grade of a document, as ir_measures calls it."""
_NAME_WITH_POINTS = re.compile(r"(?P<name>.+)_(?P<points>[0-9]+(?:\.[0-9]+)?)")
_CALL = re.compile(r"(?P<name>[^(:,@]+)\((?P<settings>.*)\)\s*(?P<at>@[^:]*)?")
_AROUND_SIGN = re.compile(r"\s*@\s*")
_CUTOFF_KEYS = ("cutoff", "recall")
"""Keys of ir_measures for the cut-off or level of a measure, beside ``@``."""
_DIGITS_FIRST = re.compile("[0-9]+pt_")
"""Begins the one name of a measure that begins with a digit, 11pt_avg."""
_QUOTED = re.compile(r"(['\"])(.*)\1")
_BOOLEANS = {"True": "on", "False": "off"}


def known_names() -> dict[str, str]:
    """Canonical name by every name of a measure, family or set, in lower case.

    A name of another tool that sets parameters stands for ``NAME:key=value``, and is there in its own case too.
    """
    measures = all_measures()
    canonical = [*SETS, *(measure.family for measure in measures), *(measure.name for measure in measures)]
    names = {name.casefold(): name for name in reversed(canonical)}
    for measure in measures:
        for alias in measure.aliases:
            name, colon, settings = alias.partition(":")
            names.setdefault(name.casefold(), measure.name + colon + settings)
            if colon:
                names[name] = measure.name + colon + settings
    return names


KnownNames = Callable[[], Mapping[str, str]]
"""`known_names`, or a cached form: called only if needed, as it imports all measures."""


def canonical_name(text: str, known: KnownNames = known_names) -> str:
    """NAME or NAME.5,10 in canonical form, without settings; an unknown name stays, with its cut-offs after a point.

    With cut-offs, a measure that takes none is replaced by its form that does.

    >>> [canonical_name(name) for name in ("AP", "P@5,10", "nDCG@10", "Judged_5", "unknown@3")]
    ['map', 'P.5,10', 'ndcg_cut.10', 'judged_K.5', 'unknown.3']

    Args:
        text: the name, without settings.
        known: canonical names by all names.
    """
    return _canonical_spec(text, known)[0]


def _canonical_spec(text: str, known: KnownNames) -> tuple[str, dict[str, str]]:
    """A name in canonical form, and the parameters that the name of another tool sets."""
    text = _AROUND_SIGN.sub(CUTOFF_SIGN, text)
    if split_point(text) is not None:
        return text, {}
    name, points = split_cutoffs(text)
    is_canonical = CUTOFF_SIGN not in text and points is not None and _takes_cutoffs(MEASURES_BY_NAME[name])
    # the last condition may search all installed packages
    if is_canonical or text in SETS or is_family(text) or text in MEASURES_BY_NAME:
        return text, {}
    names = known()
    for name, points in _candidate_splits(text):
        folded = name if name in NO_OTHER_CASE else name.casefold()
        spec, colon, settings = names.get(name, names.get(folded, "")).partition(":")
        implied = split_settings(settings) if colon else {}
        if spec and points is None:
            return spec, implied
        if spec in MEASURES_BY_NAME:
            measure = MEASURES_BY_NAME[spec]
            if not _takes_cutoffs(measure):
                spec = measure.at_cutoffs or cutoff_measure_name(spec, MEASURES_BY_NAME) or spec
            return f"{spec}.{points}", implied
    return text.replace(CUTOFF_SIGN, "."), {}


def _takes_cutoffs(measure: Measure) -> bool:
    return measure.shape in (Shape.AT_RANKS, Shape.AT_LEVELS, Shape.AT_BUDGETS)


def _candidate_splits(text: str) -> Iterator[tuple[str, str | None]]:
    """Possible names and cut-offs in a text, the longest name first."""
    yield text, None
    for sign in (CUTOFF_SIGN, "."):
        name, found, points = text.partition(sign)
        if found:
            yield name, points
    pointed = _NAME_WITH_POINTS.fullmatch(text)
    if pointed is not None:
        yield pointed["name"], pointed["points"]


def read_call(text: str, known: KnownNames = known_names) -> tuple[str, dict[str, str]]:
    """Canonical name and settings of ``NAME(key=value)@5``, as ir_measures writes it.

    Any other text is a name alone.

    >>> read_call("AP(rel=2)@10"), read_call("SetF(beta=0.5)"), read_call("ERR@5")
    (('map_cut.10', {'rel': '2'}), ('set_F', {'beta': '0.5'}), ('err.5', {'max_grade': '4'}))

    Raises:
        UsageError: the text between the parentheses is no list of settings.
    """
    name, implied, settings = _read_call(text, known)
    return name, {**implied, **settings}


def _read_call(text: str, known: KnownNames) -> tuple[str, dict[str, str], dict[str, str]]:
    """Canonical name, the settings that the name implies, and those in parentheses."""
    call = _CALL.fullmatch(text)
    if call is None:
        return *_canonical_spec(text, known), {}
    settings = (
        {key.strip(): _parse_value(value.strip()) for key, value in split_settings(call["settings"]).items()}
        if call["settings"].strip()
        else {}
    )
    point = next((settings.pop(key) for key in _CUTOFF_KEYS if key in settings), None)
    name, implied = _canonical_spec(call["name"].strip(), known)
    if LEVEL_KEY in settings and name in MEASURES_BY_NAME and MEASURES_BY_NAME[name].with_level:
        name = MEASURES_BY_NAME[name].with_level
    at = call["at"] or ("" if point is None else CUTOFF_SIGN + point)
    return canonical_name(name + at, known) if at else name, implied, settings


def canonical_base_names(heads: Iterable[str]) -> dict[str, str]:
    """Canonical names by printed names without settings."""
    known = cache(known_names)
    calls = {head: _CALL.fullmatch(head) for head in heads}
    return {
        head: canonical_name(head if call is None else call["name"].strip() + (call["at"] or ""), known)
        for head, call in calls.items()
    }


def _parse_value(text: str) -> str:
    """A value in our form, from its form in Python.

    >>> [_parse_value(text) for text in ("True", "'exp-log2'", "{0: 0, 1: 2.5}", "{}")]
    ['on', 'exp-log2', '0=0/1=2.5', '0=0']

    Raises:
        UsageError: a gain of a negative grade.
    """
    quoted = _QUOTED.fullmatch(text)
    if text.startswith("{") and text.endswith("}"):
        pairs = [pair.strip().split(":") for pair in text[1:-1].split(",") if pair.strip()]
        if negative := next((pair[0] for pair in pairs if pair[0].startswith("-")), None):
            raise UsageError(f"{text}: gains are for grades from 0 up, not {negative}")
        return "/".join("=".join(map(str.strip, pair)) for pair in pairs) or "0=0"  # a grade that gains itself
    return quoted[2] if quoted else _BOOLEANS.get(text, text)


def split_specs(text: str, labels: Collection[str] = ()) -> list[str]:
    """Specifications in a text, separated by commas.

    A part that begins with a letter is a new one, unless it is a setting ``key=value`` after another one or ``:``. A
    label after ``:`` is not split.

    >>> split_specs("map,P.5,10,eprum_map:ideal_list=greedy,graded=off,ndcg@10,AP(rel=2,p=1)")
    ['map', 'P.5,10', 'eprum_map:ideal_list=greedy,graded=off', 'ndcg@10', 'AP(rel=2,p=1)']
    >>> split_specs("utility.2,-1,0,0,11pt_avg..25,.5,rbp.2=3,p=.8,ndcg")
    ['utility.2,-1,0,0', '11pt_avg..25,.5', 'rbp.2=3,p=.8', 'ndcg']

    Raises:
        UsageError: there is nothing between two commas.
    """
    if partition_settings(text)[2] in labels:
        return [text]
    specs: list[str] = []
    for part in map(str.strip, split_outside_brackets(text)):
        if not part and text.strip():
            raise UsageError(f"an extra comma in {text}")
        key, equals, _ = part.partition("=")
        follows_setting = bool(specs) and (":" in specs[-1] or ("=" in specs[-1] and ")" not in specs[-1]))
        setting = follows_setting and bool(equals) and not {":", "("} & set(key)
        if specs and (setting or not (part[:1].isalpha() or _DIGITS_FIRST.match(part))):
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def typed_names(text: str, measure: Measure, points: Iterable[float]) -> list[str]:
    """Names of the values of one specification, as typed.

    >>> typed_names("P@5,10", MEASURES_BY_NAME["P"], [5.0, 10.0]), typed_names("AP(rel=2)", MEASURES_BY_NAME["map"], [])
    (['P@5', 'P@10'], ['AP(rel=2)'])
    >>> typed_names("Success", MEASURES_BY_NAME["success"], [1.0, 5.0])
    ['Success_1', 'Success_5']
    """
    head, colon, tail = partition_settings(text)
    listed = list(points)
    written = next((cut for cut in _cutoff_texts(head) if cut.count(",") == len(listed) - 1), None)
    if written is not None and len(listed) > 1:
        stem = head.removesuffix(written)
        return [stem + point + colon + tail for point in written.split(",")]
    if len(listed) < 2 and (written is not None or not listed or _CALL.fullmatch(head)):
        return [text]
    ours = len(measure.name.removesuffix("_K"))
    return [head + measure.printed_name(point)[ours:] + colon + tail for point in listed]


def _cutoff_texts(head: str) -> Iterator[str]:
    for _, points in _candidate_splits(head):
        if points is not None and re.fullmatch(r"[0-9.,]+", points):
            yield points


JUDGED_ONLY_KEY = "judged_only"
"""Parameter that drops results in documents without a judgement, as ir_measures calls it."""
SHARED_SETTINGS = ("quantisation", "targets", "user_model", LEVEL_KEY, JUDGED_ONLY_KEY)
"""Parameters that every measure has; those of the user model follow as further keys."""
RELEVANCE_LEVEL = Parameter(
    LEVEL_KEY,
    1.0,
    "of graded documents, the smallest grade that is relevant",
    low=1,
    whole=True,
    option="relevance_level",
)
"""The one of them that is a number: of measures that look at what is relevant among graded documents."""
JUDGED_ONLY = Parameter(
    JUDGED_ONLY_KEY, "off", "use only results in documents that are judged for their topic", ("on", "off")
)
"""Another one, of all measures."""
MODEL_PREFIX = "model."
"""Before a key of the user model that is a key of the measure too; it may stand before any key of the user model."""
LARGEST_CUTOFF = 2**31 - 1
"""Largest rank at which a measure can be asked for."""


@dataclass(eq=False, repr=False)
class MeasureSpec:
    """A request: NAME, NAME.5,10 or NAME_5, with settings; NAME is a measure, a family or a set.

    `label`: printed after the name and a colon, in place of the settings. `task`: the task of its runs.
    `source_line`: file and line, for messages. `typed_text`: as it was written on the command line. `after_point`:
    parameters as trec_eval writes them, which the printed name repeats; `settings` has them too. `measure`: itself, if
    no package registers it under the name.
    """

    spec: str
    settings: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    task: str | None = None
    source_line: SourceLine | None = None
    typed_text: str = ""
    after_point: str = ""
    measure: Measure | None = None


@dataclass(repr=False)
class ConfiguredMeasure:
    """A measure with its parameters set, as it is computed and printed.

    `label`: the measure's name with its label, which is empty for the defaults of the call. `values`: its own
    parameters. `needs`: its needs with these. `over_all`: sums over all assessed topics, also over those that do not
    count otherwise. `requested_settings`: requested quantisation, targets and user model, in text; absent keys are
    chosen from the inputs. `optional_settings`: settings used if the user model has them. `explicit`: requested by
    name, not as part of a set, so that a missing input is an error and not a reason to leave it out. `overrides`: keys
    of the requested settings that were set for it alone, off their defaults. `task` and `source_line`: as in
    `MeasureSpec`. `variant`: its variant of the call's options; empty if there are none. `aliases`: printed names of
    values by canonical name.
    """

    measure: Measure
    cutoffs: tuple[float, ...]
    label: str
    values: ParameterValues
    needs: frozenset[Need]
    over_all: bool
    requested_settings: Mapping[str, str]
    optional_settings: Mapping[str, str]
    explicit: bool
    overrides: frozenset[str] = frozenset()
    task: str | None = None
    source_line: SourceLine | None = None
    variant: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def canonical_names(self) -> tuple[str, ...]:
        """Canonical names of its values, in order: one per cut-off or level, or one."""
        label = self.label.removeprefix(self.measure.name)
        return tuple(self.measure.printed_name(point) + label for point in self.cutoffs) or (self.label,)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The printed names of its values, in that order."""
        return tuple(self.aliases.get(name, name) for name in self.canonical_names)


def is_model_key(key: str) -> bool:
    """Whether a key has the prefix of the user model."""
    return key.startswith(MODEL_PREFIX)


def model_key(key: str) -> str:
    """A key without the prefix of the user model."""
    return key.removeprefix(MODEL_PREFIX)


def qualified_key(key: str, measure: Measure) -> str:
    """A key of the user model, with its prefix if the measure has the same key."""
    return f"{MODEL_PREFIX}{key}" if any(parameter.name == key for parameter in measure.parameters) else key


def parse_specs(text: str, labelled: Mapping[str, MeasureSpec], known: KnownNames = known_names) -> list[MeasureSpec]:
    """Specifications in a list ``NAME:key=value,key=value,NAME...``; names may be those of other tools.

    ``NAME:LABEL`` has the settings of the labelled specification.

    Raises:
        UsageError: a setting without key or value, or a key that comes twice.
    """
    if text in PRINT_ORDER:
        return [MeasureSpec(text, typed_text=text)]
    return [_parse_spec(part, labelled, known) for part in split_specs(text, labelled.keys())]


def _parse_spec(text: str, labelled: Mapping[str, MeasureSpec], known: KnownNames) -> MeasureSpec:
    head, colon, tail = partition_settings(text)
    if tail in labelled:
        return replace(labelled[tail], spec=canonical_name(head, known), source_line=None, typed_text=text)
    name, implied, settings = _read_call(head, known)
    after_point = ""
    if (pointed := split_point(name)) is not None:
        name, after_point = pointed
        settings = MEASURES_BY_NAME[name].settings_after_point(after_point) or {}
    more = split_settings(tail) if colon else {}
    if twice := settings.keys() & more.keys():
        raise UsageError(f"{min(twice)} is set twice")
    settings = _with_level_settings(name, {**implied, **settings, **more})
    return MeasureSpec(name, settings, typed_text=text, after_point=after_point)


def _with_level_settings(name: str, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings with those that a level of relevance implies for a measure; others of the same key win."""
    implied = MEASURES_BY_NAME[name].level_settings if LEVEL_KEY in settings and name in MEASURES_BY_NAME else ""
    return {**(split_settings(implied) if implied else {}), **settings}


def with_implied_settings(spec: MeasureSpec) -> MeasureSpec:
    """The specification under its canonical name, with the parameters that the name of another tool sets."""
    name, settings = read_call(spec.spec)
    return replace(spec, spec=name, settings=_with_level_settings(name, {**settings, **spec.settings}))


class ForeignMeasure(Protocol):
    """A measure of ir_measures, which writes itself as the name of its values."""

    NAME: str | None


OneMeasure: TypeAlias = "str | ForeignMeasure | MeasureSpec | Measure | Callable[[Any], float]"
MeasuresInput: TypeAlias = "OneMeasure | Sequence[OneMeasure]"
"""Measures as an argument of `evaluate`."""


def measure_list(given: MeasuresInput | None) -> list[str | MeasureSpec]:
    """Specifications in an argument `measures`: those of ir_measures as text, functions and records as measures.

    Raises:
        UsageError: a measure is none of these, or has the name of another one.
    """
    measures = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    specs: list[str | MeasureSpec] = []
    own: dict[str, object] = {}
    for measure in measures:
        if isinstance(measure, str | MeasureSpec):
            specs.append(measure)
        elif hasattr(measure, "NAME"):
            specs.append(str(measure))
        elif isinstance(measure, Measure) or callable(measure):
            spec = _own_measure(measure)
            if own.setdefault(spec.spec, measure) is not measure:
                raise UsageError(f"measures: two measures are called {spec.spec}; rename one")
            specs.append(spec)
        elif measure is not None:
            raise UsageError(f"measures: expected names, found {measure!r}")
    return specs


def _own_measure(measure: Measure | Callable[[Any], float]) -> MeasureSpec:
    """Specification of a measure that is given itself, or as a function.

    Raises:
        UsageError: it has the name of another measure, or none.
    """
    from prum_eval.measures.functions import is_registered, measure_from_function  # few calls have some

    record = measure if isinstance(measure, Measure) else measure_from_function(measure)
    if is_registered(record):
        return MeasureSpec(record.name)
    if record.name.casefold() in known_names() or record.name in NO_OTHER_CASE:
        raise UsageError(f"measures: {record.name} is the name of another measure; rename the function")
    return MeasureSpec(record.name, measure=record)


def requested_specs(given: MeasuresInput | None) -> list[str]:
    """Specifications in an argument `measures` as text, without the settings of a `MeasureSpec`.

    Raises:
        UsageError: as `measure_list`.
    """
    return [measure.spec if isinstance(measure, MeasureSpec) else measure for measure in measure_list(given)]


def base_names(specs: Iterable[str]) -> set[str]:
    """Canonical names of measures, families and sets in specifications, without cut-offs and settings.

    >>> sorted(base_names(["AP(rel=2),P@5", "prum:mode=exact"]))
    ['P', 'map', 'prum']
    """
    parts = (partition_settings(part)[0] for spec in specs for part in split_specs(spec))
    return {split_cutoffs(read_call(part)[0])[0] for part in parts}


_FAMILIAR = re.compile(
    r"(?P<name>mrr|rr|hit_rate|iou|chars|recall|precision|p|r)(?P<points>[@._][0-9][0-9,]*)?(?P<rest>:.*)?",
    re.IGNORECASE,
)
_CHUNK_MEASURES = {"mrr": "span_rr", "rr": "span_rr", "hit_rate": "hit", "iou": "char_iou", "chars": "size"}
_AMBIGUOUS = {
    "recall": "char_rec{0} (share of the characters that answer) or span_recall{0} (share of the spans)",
    "precision": "char_prec{0} (share of the characters read that answer)",
}


def is_familiar_spec(spec: str | MeasureSpec) -> bool:
    """Whether a specification has a name that means another measure on relevant spans.

    >>> [is_familiar_spec(text) for text in ("MRR", "map,iou@5", "P_10", "char_iou@5")]
    [True, True, True, False]
    """
    return isinstance(spec, str) and any(_FAMILIAR.fullmatch(part) for part in split_specs(spec))


def chunk_spec(spec: str | MeasureSpec) -> str | MeasureSpec:
    """A specification in the words of relevant spans.

    >>> chunk_spec("MRR,hit_rate@5,iou@1,3,chars@10,span_rr")
    'span_rr,hit.5,char_iou.1,3,size.10,span_rr'

    Raises:
        UsageError: a name with more than one meaning on relevant spans.
    """
    if not isinstance(spec, str) or not is_familiar_spec(spec):
        return spec
    parts = []
    for part in split_specs(spec):
        match = _FAMILIAR.fullmatch(part)
        if match is None:
            parts.append(part)
            continue
        name, points, rest = match["name"].casefold(), (match["points"] or "")[1:], match["rest"] or ""
        name = {"p": "precision", "r": "recall"}.get(name, name)
        if name in _AMBIGUOUS:
            at = f"@{points}" * bool(points)
            raise UsageError(f"{part}: ambiguous for relevant spans: use {_AMBIGUOUS[name].format(at)}")
        parts.append(_CHUNK_MEASURES[name] + f".{points}" * bool(points) + rest)
    return ",".join(parts)


def first_requested_name(spec: str, names: Sequence[str]) -> str | None:
    """The first of some printed names that a specification asks for; None if none.

    >>> first_requested_name("P@10,20", ["map", "P_5", "P_10"]), first_requested_name("AP:rel=2", ["map:rel=2"])
    ('P_10', 'map:rel=2')
    """
    head, colon, _ = partition_settings(spec)
    exact = [name for name in names if name == spec]
    try:
        base, settings = read_call(head)
        points = expand_spec_with_cutoffs(base)
    except UsageError:  # a name of another tool, among values in a file
        return next(iter(exact), next((name for name in names if name.startswith(spec)), None))
    heads = [measure.printed_name(point) for measure, cutoffs in points for point in (cutoffs or (None,))]
    if (pointed := split_point(base)) is not None:
        heads = ["_".join(pointed)]
    matching = [name for text in heads for name in names if partition_settings(name)[0] == text]
    labelled = [name for name in matching if ":" in name] if colon or settings else []
    return next(iter([*exact, *labelled, *matching]), next((name for name in names if name.startswith(head)), None))


def expand_spec(spec: str) -> tuple[str, ...]:
    """Names of the measures of NAME, NAME.5,10 or NAME_5.

    Raises:
        UsageError: an unknown name (the message has the nearest), or an illegal cut-off or level.
    """
    return _split_names_and_cutoffs(spec)[0]


def expand_spec_with_cutoffs(spec: str) -> list[tuple[Measure, tuple[float, ...]]]:
    """Measures of NAME, NAME.5,10 or NAME_5, each with its cut-offs or levels: the typed ones, else its defaults.

    Raises:
        UsageError: as `expand_spec`.
    """
    if spec in SETS and (listed := set_specs(spec)) != [""]:
        return [pair for part in listed for pair in expand_spec_with_cutoffs(part)]
    names, cutoffs = _split_names_and_cutoffs(spec)
    measures = [MEASURES_BY_NAME[name] for name in names]
    return [(measure, cutoffs or measure.cutoffs) for measure in measures]


def _split_names_and_cutoffs(head: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Measure names and cut-offs or levels of NAME, NAME.5,10 or NAME_5, NAME perhaps another tool's."""
    if (pointed := split_point(head)) is not None:
        return pointed[:1], ()
    name, listed = split_cutoffs(head if head in PRINT_ORDER else canonical_name(head))
    if listed is None:
        return expand_name(name), ()
    return (name,), tuple(_parse_point(MEASURES_BY_NAME[name], text, head) for text in listed.split(","))


def _parse_point(measure: Measure, text: str, head: str) -> float:
    what = {Shape.AT_RANKS: "cut-off", Shape.AT_LEVELS: "level", Shape.AT_BUDGETS: "budget"}.get(measure.shape)
    after_point = [parameter for parameter in measure.parameters if parameter.name == measure.point]
    if what is None and after_point and (after_point[0] is not GAINS or "=" in head):
        raise UsageError(f"{head}: after a point {measure.name} takes {after_point[0].legal_values.replace('/', ',')}")
    if what is None:
        raise UsageError(f"{head}: {measure.name} takes no cut-offs or levels")
    point = float(text) if NUMBER_PATTERN.fullmatch(text) else -1.0
    rank, _, digits = text.partition(".")
    if measure.shape is Shape.AT_RANKS and digits.isdecimal():  # 23.4 is 23, as trec_eval reads it
        text, point = rank, math.floor(point)
    whole = text.isdecimal() and 1 <= point <= LARGEST_CUTOFF
    if measure.shape is not Shape.AT_LEVELS and not whole:
        raise UsageError(f"{head}: a {what} of {measure.name} is a whole number from 1 to {LARGEST_CUTOFF}")
    if measure.shape is Shape.AT_LEVELS and not 0 <= point <= measure.largest_level:
        legal = "up" if measure.largest_level == math.inf else f"to {measure.largest_level:g}"
        raise UsageError(f"{head}: a level of {measure.name} is a number from 0 {legal}")
    return point


# Suggested measures by kind of assessments: the advice of docs/which.md.


@dataclass(slots=True, eq=False, repr=False)
class SuggestedMeasures:
    """Measures to begin with.

    `specs`: as -m takes them, the main one first; `with_size`: further ones if the number of elements of the collection
    is known; `others`: further ones, each with a word on when.
    """

    specs: tuple[str, ...]
    with_size: tuple[str, ...] = ()
    others: tuple[tuple[str, str], ...] = ()


_ELEMENTS = SuggestedMeasures(
    ("eprum_map", "gen_recall"),
    ("prum_map",),
    (
        ("map", "elements as documents: nobody navigates, overlap counts again"),
        ("maep", "to compare with INEX 2005 and 2006; see task"),
    ),
)
_OLDER = SuggestedMeasures(
    _ELEMENTS.specs,
    _ELEMENTS.with_size,
    (("grp_map", "to compare with INEX 2002 to 2004; see task"), ("ng_o_map", "the metric of INEX 2003")),
)
_BY_KIND = {
    AssessmentKind.FLAT: SuggestedMeasures(
        ("map", "ndcg", "P.10", "recall.100"),
        (),
        (
            ("recip_rank", "if one relevant document is enough"),
            ("Rprec", "if topics differ in how much is relevant"),
        ),
    ),
    AssessmentKind.PASSAGES: SuggestedMeasures(
        ("iP.0.01,0.1", "maip", "char_prec", "char_rec"),
        (),
        (
            ("magp", "results grouped by article: relevant in context"),
            ("eprum_map", "a user who goes on from what is retrieved"),
        ),
    ),
    AssessmentKind.ELEMENTS_2002: _OLDER,
    AssessmentKind.ELEMENTS_2003: _OLDER,
    AssessmentKind.ELEMENTS_2005: _ELEMENTS,
    AssessmentKind.ELEMENTS_GRADED: _ELEMENTS,
}
_CHUNKS = SuggestedMeasures(
    ("char_rec_at_size.2000", "char_rec.5", "hit.5", "size.5", "redundancy.5"),
    (),
    (("answered.5", "whether all that is needed is there"), ("char_iou", "how exact chunks are")),
)


def suggested_measures(kind: AssessmentKind, *, chunks: bool) -> SuggestedMeasures:
    """Measures to begin with for a kind of assessments; `chunks`: they are answers for systems that retrieve chunks."""
    return _CHUNKS if chunks else _BY_KIND[kind]
