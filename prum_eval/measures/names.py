"""What people call measures: our names in any case, those of other tools, cut-offs after ``.``, ``_`` or ``@``.

The names of other tools are those that the records of measures list (`Measure.also`); no other table of them exists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache

from prum_eval.errors import UsageError
from prum_eval.measures.base import Measure, Shape, with_cutoffs
from prum_eval.measures.registry import BY_NAME, SETS, all_measures, is_family, split_cutoffs
from prum_eval.parameters import split_settings

AT = "@"
LEVEL = "rel"
"""The parameter that says from which grade on a document is relevant, as ir_measures calls it."""
_POINTED = re.compile(r"(?P<name>.+)_(?P<points>[0-9]+(?:\.[0-9]+)?)")
_CALL = re.compile(r"(?P<name>[^(:,@]+)\((?P<settings>.*)\)(?P<at>@[^:]*)?")
_POINTS = ("cutoff", "recall")
"""What ir_measures calls the cut-off or level of a measure, where it is no ``@``."""
_QUOTED = re.compile(r"(['\"])(.*)\1")
_TRUTH = {"True": "on", "False": "off"}


def known_names() -> dict[str, str]:
    """Every name of a measure, family or set in lower case, with what it stands for here."""
    measures = all_measures()
    own = [*SETS, *(one.family for one in measures), *(one.name for one in measures)]
    found = {name.casefold(): name for name in reversed(own)}
    for measure in measures:
        for name in measure.also:
            found.setdefault(name.casefold(), measure.name)
    return found


KnownNames = Callable[[], Mapping[str, str]]
"""`known_names`, or what remembers what it returned: not to be asked without need, as it imports all measures."""


def our_name(text: str, known: KnownNames = known_names) -> str:
    """NAME or NAME.5,10 as we write it; a name that nobody knows stays, its cut-offs after a point.

    A measure that takes no cut-offs gives way to the one that is the same with some.

    >>> our_name("AP"), our_name("P@5,10"), our_name("nDCG@10"), our_name("Judged_5"), our_name("unknown@3")
    ('map', 'P.5,10', 'ndcg_cut.10', 'judged_K.5', 'unknown.3')

    Args:
        text: the name, without settings.
        known: what all names stand for.
    """
    ours = AT not in text and split_cutoffs(text)[1] is not None and _takes(text)
    if ours or text in SETS or is_family(text) or text in BY_NAME:  # the last may look through all installed packages
        return text
    names = known()
    for name, points in _readings(text):
        found = names.get(name.casefold())
        if found is not None and points is None:
            return found
        if found is not None and found in BY_NAME:
            return f"{_at_points(found)}.{points}"
    return text.replace(AT, ".")


def _takes(text: str) -> bool:
    """Whether the measure in a text with cut-offs, written as we do, takes some."""
    return _pointed(BY_NAME[split_cutoffs(text)[0]])


def _pointed(measure: Measure) -> bool:
    return measure.shape in (Shape.AT_RANKS, Shape.AT_LEVELS, Shape.AT_BUDGETS)


def _at_points(name: str) -> str:
    """The measure that takes cut-offs in place of this one; itself where there is none."""
    measure = BY_NAME[name]
    return name if _pointed(measure) else measure.at_cutoffs or with_cutoffs(name, BY_NAME) or name


def _readings(text: str) -> Iterator[tuple[str, str | None]]:
    """What may be the name and the cut-offs in a text, the longest name first."""
    yield text, None
    for sign in (AT, "."):
        name, found, points = text.partition(sign)
        if found:
            yield name, points
    pointed = _POINTED.fullmatch(text)
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
        return our_name(text, known), {}
    settings = (
        {key.strip(): _value(value.strip()) for key, value in split_settings(call["settings"]).items()}
        if call["settings"].strip()
        else {}
    )
    point = next((settings.pop(key) for key in _POINTS if key in settings), None)
    name = our_name(call["name"].strip(), known)
    if LEVEL in settings and name in BY_NAME and BY_NAME[name].with_level:
        name, colon, added = BY_NAME[name].with_level.partition(":")
        settings = {**(split_settings(added) if colon else {}), **settings}
    at = call["at"] or ("" if point is None else AT + point)
    return our_name(name + at, known) if at else name, settings


def our_heads(heads: Iterable[str]) -> dict[str, str]:
    """Printed names without settings, with what we write in their place."""
    known = cache(known_names)
    calls = {head: _CALL.fullmatch(head) for head in heads}
    return {
        head: our_name(head if call is None else call["name"].strip() + (call["at"] or ""), known)
        for head, call in calls.items()
    }


def _value(text: str) -> str:
    """A value as it is written in Python, as we write it."""
    quoted = _QUOTED.fullmatch(text)
    return quoted[2] if quoted else _TRUTH.get(text, text)


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
    for part in map(str.strip, _outside_parentheses(text)):
        if not part and text.strip():
            raise UsageError(f"a comma too many in {text}")
        key, equals, _ = part.partition("=")
        setting = bool(found) and ":" in found[-1] and bool(equals) and not {":", "("} & set(key)
        if found and (setting or not part[:1].isalpha()):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def _outside_parentheses(text: str) -> Iterator[str]:
    """The parts of a text between the commas that stand in no parentheses."""
    depth = begin = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            yield text[begin:place]
            begin = place + 1
    yield text[begin:]


def given_names(text: str, measure: Measure, points: Iterable[float]) -> list[str]:
    """The names of the values of one specification, as it is written.

    >>> given_names("P@5,10", BY_NAME["P"], [5.0, 10.0]), given_names("AP(rel=2)", BY_NAME["map"], [])
    (['P@5', 'P@10'], ['AP(rel=2)'])
    >>> given_names("Success", BY_NAME["success"], [1.0, 5.0])
    ['Success_1', 'Success_5']
    """
    head, colon, tail = text.partition(":")
    listed = list(points)
    written = next((cut for cut in _points_written(head) if cut.count(",") == len(listed) - 1), None)
    if written is not None and len(listed) > 1:
        stem = head.removesuffix(written)
        return [stem + point + colon + tail for point in written.split(",")]
    if len(listed) < 2 and (written is not None or not listed or _CALL.fullmatch(head)):
        return [text]
    ours = len(measure.name.removesuffix("_K"))
    return [head + measure.printed(point)[ours:] + colon + tail for point in listed]


def _points_written(head: str) -> Iterator[str]:
    for _, points in _readings(head):
        if points is not None and re.fullmatch(r"[0-9.,]+", points):
            yield points
