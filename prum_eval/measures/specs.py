"""What a user asks for with -m or in a configuration file, and what comes of it: measures with their parameters set."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Protocol

from prum_eval.errors import SourceLine, UsageError
from prum_eval.measures.base import Measure, Need, Shape, cutoff_measure_name
from prum_eval.measures.registry import (
    MEASURES_BY_NAME,
    PRINT_ORDER,
    SETS,
    all_measures,
    expand_name,
    is_family,
    set_specs,
    split_cutoffs,
)
from prum_eval.parameters import NUMBER_PATTERN, Parameter, ParameterValues, split_settings
from prum_eval.records import AssessmentKind

# What people call measures: our names in any case, those of other tools, cut-offs after ``.``, ``_`` or ``@``.
#
# The names of other tools are those that the records of measures list (`Measure.aliases`); no other table of them exists.


CUTOFF_SIGN = "@"
LEVEL_KEY = "rel"
"""The parameter that says from which grade on a document is relevant, as ir_measures calls it."""
_NAME_WITH_POINTS = re.compile(r"(?P<name>.+)_(?P<points>[0-9]+(?:\.[0-9]+)?)")
_CALL = re.compile(r"(?P<name>[^(:,@]+)\((?P<settings>.*)\)(?P<at>@[^:]*)?")
_CUTOFF_KEYS = ("cutoff", "recall")
"""What ir_measures calls the cut-off or level of a measure, where it is no ``@``."""
_QUOTED = re.compile(r"(['\"])(.*)\1")
_BOOLEANS = {"True": "on", "False": "off"}


def known_names() -> dict[str, str]:
    """Every name of a measure, family or set in lower case, with what it stands for here."""
    measures = all_measures()
    own = [*SETS, *(one.family for one in measures), *(one.name for one in measures)]
    found = {name.casefold(): name for name in reversed(own)}
    for measure in measures:
        for name in measure.aliases:
            found.setdefault(name.casefold(), measure.name)
    return found


KnownNames = Callable[[], Mapping[str, str]]
"""`known_names`, or what remembers what it returned: not to be asked without need, as it imports all measures."""


def canonical_name(text: str, known: KnownNames = known_names) -> str:
    """NAME or NAME.5,10 as we write it; a name that nobody knows stays, its cut-offs after a point.

    A measure that takes no cut-offs gives way to the one that is the same with some.

    >>> canonical_name("AP"), canonical_name("P@5,10"), canonical_name("nDCG@10"), canonical_name("Judged_5"), canonical_name("unknown@3")
    ('map', 'P.5,10', 'ndcg_cut.10', 'judged_K.5', 'unknown.3')

    Args:
        text: the name, without settings.
        known: what all names stand for.
    """
    ours = CUTOFF_SIGN not in text and split_cutoffs(text)[1] is not None and _spec_takes_cutoffs(text)
    if (
        ours or text in SETS or is_family(text) or text in MEASURES_BY_NAME
    ):  # the last may look through all installed packages
        return text
    names = known()
    for name, points in _candidate_splits(text):
        found = names.get(name.casefold())
        if found is not None and points is None:
            return found
        if found is not None and found in MEASURES_BY_NAME:
            return f"{_form_with_cutoffs(found)}.{points}"
    return text.replace(CUTOFF_SIGN, ".")


def _spec_takes_cutoffs(text: str) -> bool:
    """Whether the measure in a text with cut-offs, written as we do, takes some."""
    return _takes_cutoffs(MEASURES_BY_NAME[split_cutoffs(text)[0]])


def _takes_cutoffs(measure: Measure) -> bool:
    return measure.shape in (Shape.AT_RANKS, Shape.AT_LEVELS, Shape.AT_BUDGETS)


def _form_with_cutoffs(name: str) -> str:
    """The measure that takes cut-offs in place of this one; itself where there is none."""
    measure = MEASURES_BY_NAME[name]
    return (
        name if _takes_cutoffs(measure) else measure.at_cutoffs or cutoff_measure_name(name, MEASURES_BY_NAME) or name
    )


def _candidate_splits(text: str) -> Iterator[tuple[str, str | None]]:
    """What may be the name and the cut-offs in a text, the longest name first."""
    yield text, None
    for sign in (CUTOFF_SIGN, "."):
        name, found, points = text.partition(sign)
        if found:
            yield name, points
    pointed = _NAME_WITH_POINTS.fullmatch(text)
    if pointed is not None:
        yield pointed["name"], pointed["points"]


def read_call(text: str, known: KnownNames = known_names) -> tuple[str, dict[str, str]]:
    """``NAME(key=value)@5`` as ir_measures writes it: NAME.5 as we write it, and the settings.

    What is no such call is a name alone.

    >>> read_call("AP(rel=2)@10"), read_call("SetF(beta=0.5)"), read_call("RBP(rel=3)")
    (('map_cut.10', {'rel': '2'}), ('set_F', {'beta': '0.5'}), ('rbp', {'quantisation': 'strict', 'rel': '3'}))

    Raises:
        UsageError: what stands between the parentheses are no settings.
    """
    call = _CALL.fullmatch(text)
    if call is None:
        return canonical_name(text, known), {}
    settings = (
        {key.strip(): _value(value.strip()) for key, value in split_settings(call["settings"]).items()}
        if call["settings"].strip()
        else {}
    )
    point = next((settings.pop(key) for key in _CUTOFF_KEYS if key in settings), None)
    name = canonical_name(call["name"].strip(), known)
    if LEVEL_KEY in settings and name in MEASURES_BY_NAME and MEASURES_BY_NAME[name].with_level:
        name, colon, added = MEASURES_BY_NAME[name].with_level.partition(":")
        settings = {**(split_settings(added) if colon else {}), **settings}
    at = call["at"] or ("" if point is None else CUTOFF_SIGN + point)
    return canonical_name(name + at, known) if at else name, settings


def canonical_base_names(heads: Iterable[str]) -> dict[str, str]:
    """Printed names without settings, with what we write in their place."""
    known = cache(known_names)
    calls = {head: _CALL.fullmatch(head) for head in heads}
    return {
        head: canonical_name(head if call is None else call["name"].strip() + (call["at"] or ""), known)
        for head, call in calls.items()
    }


def _value(text: str) -> str:
    """A value as it is written in Python, as we write it."""
    quoted = _QUOTED.fullmatch(text)
    return quoted[2] if quoted else _BOOLEANS.get(text, text)


def split_specs(text: str, labels: Collection[str] = ()) -> list[str]:
    """The specifications in a text, which commas separate.

    A part that begins with a letter is a new one, unless it follows ``:`` and is a setting ``key=value``. What follows
    ``:`` and is one of the labels is not taken apart.

    >>> split_specs("map,P.5,10,eprum_map:ideal_list=greedy,graded=off,ndcg@10,AP(rel=2,p=1)")
    ['map', 'P.5,10', 'eprum_map:ideal_list=greedy,graded=off', 'ndcg@10', 'AP(rel=2,p=1)']

    Raises:
        UsageError: there is nothing between two commas.
    """
    if text.partition(":")[2] in labels:
        return [text]
    found: list[str] = []
    for part in map(str.strip, _split_outside_parentheses(text)):
        if not part and text.strip():
            raise UsageError(f"a comma too many in {text}")
        key, equals, _ = part.partition("=")
        setting = bool(found) and ":" in found[-1] and bool(equals) and not {":", "("} & set(key)
        if found and (setting or not part[:1].isalpha()):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def _split_outside_parentheses(text: str) -> Iterator[str]:
    """The parts of a text between the commas that stand in no parentheses."""
    depth = begin = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            yield text[begin:place]
            begin = place + 1
    yield text[begin:]


def typed_names(text: str, measure: Measure, points: Iterable[float]) -> list[str]:
    """The names of the values of one specification, as it is written.

    >>> typed_names("P@5,10", MEASURES_BY_NAME["P"], [5.0, 10.0]), typed_names("AP(rel=2)", MEASURES_BY_NAME["map"], [])
    (['P@5', 'P@10'], ['AP(rel=2)'])
    >>> typed_names("Success", MEASURES_BY_NAME["success"], [1.0, 5.0])
    ['Success_1', 'Success_5']
    """
    head, colon, tail = text.partition(":")
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


SHARED_SETTINGS = ("quantisation", "targets", "user_model", LEVEL_KEY)
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
MODEL_PREFIX = "model."
"""Before a key of the user model that is a key of the measure too; it may stand before any key of the user model."""
LARGEST_CUTOFF = 2**31 - 1
"""Largest rank at which a measure can be asked for."""


@dataclass(eq=False, repr=False)
class MeasureSpec:
    """What is asked for: NAME, NAME.5,10 or NAME_5, with settings; NAME is a measure, a family or a set.

    `label`: printed after the name and a colon, in place of the settings. `task`: the task of the runs that it is for.
    `source_line`: file and line, for messages. `typed_text`: as it was written on the command line.
    """

    spec: str
    settings: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    task: str | None = None
    source_line: SourceLine | None = None
    typed_text: str = ""


@dataclass(frozen=True)
class ConfiguredMeasure:
    """A measure with its parameters set, as it is computed and printed.

    `label`: the measure's name with its label, which is empty for the defaults of the call. `values`: its own
    parameters. `needs`: what it needs with these. `over_all`: a sum over all assessed topics, those too that do not
    count otherwise. `requested_settings`: what is asked of quantisation, targets and user model, in text; keys that are absent are
    chosen from the inputs. `optional_settings`: settings to take where the user model has them. `explicit`: asked for by name,
    not as part of a set, so that a missing input is an error and not a reason to leave it out. `overrides`: the keys of
    those asked that were set for it alone, off their defaults. `task` and `source_line`: as in `MeasureSpec`. `variant`: of
    which of several variants of the call's options it is one; empty where there are none. `aliases`: other names that
    values print with, by our own.
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
        """What we call its values, in order: one a cut-off or level, or one."""
        label = self.label.removeprefix(self.measure.name)
        return tuple(self.measure.printed_name(point) + label for point in self.cutoffs) or (self.label,)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The printed names of its values, in that order."""
        return tuple(self.aliases.get(name, name) for name in self.canonical_names)


def is_model_key(key: str) -> bool:
    """Whether a key is written as one of the user model."""
    return key.startswith(MODEL_PREFIX)


def model_key(key: str) -> str:
    """What the user model calls a key, written as one of it or not."""
    return key.removeprefix(MODEL_PREFIX)


def qualified_key(key: str, measure: Measure) -> str:
    """How a key of the user model is written beside those of a measure: the plain key is the measure's."""
    return f"{MODEL_PREFIX}{key}" if any(parameter.name == key for parameter in measure.parameters) else key


def parse_specs(text: str, labelled: Mapping[str, MeasureSpec], known: KnownNames = known_names) -> list[MeasureSpec]:
    """``NAME:key=value,key=value`` and more, in a list with commas, as specifications; names may be other tools'.

    ``NAME:LABEL`` has the settings under the label of one of those given.

    Raises:
        UsageError: a setting without key or value, or a key that comes twice.
    """
    if text in PRINT_ORDER:
        return [MeasureSpec(text, typed_text=text)]
    return [_parse_spec(part, labelled, known) for part in split_specs(text, labelled.keys())]


def _parse_spec(text: str, labelled: Mapping[str, MeasureSpec], known: KnownNames) -> MeasureSpec:
    head, colon, tail = text.partition(":")
    if tail in labelled:
        return replace(labelled[tail], spec=canonical_name(head, known), source_line=None, typed_text=text)
    name, settings = read_call(head, known)
    more = split_settings(tail) if colon else {}
    if twice := settings.keys() & more.keys():
        raise UsageError(f"{min(twice)} is set twice")
    return MeasureSpec(name, {**settings, **more}, typed_text=text)


class ForeignMeasure(Protocol):
    """A measure of ir_measures, which writes itself as the name of its values."""

    NAME: str | None


MeasuresInput = str | ForeignMeasure | Sequence[str | ForeignMeasure | MeasureSpec]
"""What a caller gives as measures."""


def measure_list(given: MeasuresInput | None) -> list[str | MeasureSpec]:
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


def requested_specs(given: MeasuresInput | None) -> list[str]:
    """What a caller gives as measures, as text, settings of a `MeasureSpec` left out.

    Raises:
        UsageError: as `measure_list`.
    """
    return [one.spec if isinstance(one, MeasureSpec) else one for one in measure_list(given)]


def base_names(specs: Iterable[str]) -> set[str]:
    """What specifications name, as we call it: measures, families and sets, without cut-offs and settings.

    >>> sorted(base_names(["AP(rel=2),P@5", "prum:mode=exact"]))
    ['P', 'map', 'prum']
    """
    parts = (part.partition(":")[0] for spec in specs for part in split_specs(spec))
    return {split_cutoffs(read_call(part)[0])[0] for part in parts}


def expand_spec(spec: str) -> tuple[str, ...]:
    """Names of the measures of NAME, NAME.5,10 or NAME_5.

    Raises:
        UsageError: an unknown name (the nearest known is named), or a cut-off or level that is not legal.
    """
    return _cutoffs_of(spec)[0]


def expand_spec_with_cutoffs(spec: str) -> list[tuple[Measure, tuple[float, ...]]]:
    """The measures of NAME, NAME.5,10 or NAME_5, each with its cut-offs or levels: those named, else its default ones.

    Raises:
        UsageError: as `expand_spec`.
    """
    if spec in SETS and (listed := set_specs(spec)) != [""]:
        return [pair for part in listed for pair in expand_spec_with_cutoffs(part)]
    names, cutoffs = _cutoffs_of(spec)
    measures = [MEASURES_BY_NAME[name] for name in names]
    return [(measure, cutoffs or measure.cutoffs) for measure in measures]


def _cutoffs_of(head: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Measure names and cut-offs or levels of NAME, NAME.5,10 or NAME_5, NAME perhaps another tool's."""
    name, listed = split_cutoffs(head if head in PRINT_ORDER else canonical_name(head))
    if listed is None:
        return expand_name(name), ()
    return (name,), tuple(_point(MEASURES_BY_NAME[name], text, head) for text in listed.split(","))


def _point(measure: Measure, text: str, head: str) -> float:
    what = {Shape.AT_RANKS: "cut-off", Shape.AT_LEVELS: "level", Shape.AT_BUDGETS: "budget"}.get(measure.shape)
    if what is None:
        raise UsageError(f"{head}: {measure.name} takes no cut-offs or levels")
    point = float(text) if NUMBER_PATTERN.fullmatch(text) else -1.0
    whole = text.isdecimal() and 1 <= point <= LARGEST_CUTOFF
    if measure.shape is not Shape.AT_LEVELS and not whole:
        raise UsageError(f"{head}: a {what} of {measure.name} is a whole number from 1 to {LARGEST_CUTOFF}")
    if measure.shape is Shape.AT_LEVELS and not 0 <= point <= 1:
        raise UsageError(f"{head}: a level of {measure.name} is a number from 0 to 1")
    return point


# Which measures to begin with, by what was judged: the advice of docs/which.md in the form of a configuration.


@dataclass(slots=True, eq=False, repr=False)
class SuggestedMeasures:
    """What to ask for first.

    `specs`: as -m takes them, the main one first; `with_size`: more, where the number of elements of the collection is
    known; `others`: what else fits, each with a word on when.
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
}
_CHUNKS = SuggestedMeasures(
    ("char_rec_at_size.2000", "char_rec.5", "hit.5", "size.5", "redundancy.5"),
    (),
    (("answered.5", "whether all that is needed is there"), ("char_iou", "how exact chunks are")),
)


def suggested_measures(kind: AssessmentKind, *, chunks: bool) -> SuggestedMeasures:
    """What to begin with for assessments of that kind; `chunks`: they are answers for systems that retrieve chunks."""
    return _CHUNKS if chunks else _BY_KIND[kind]
