"""Quantisations: functions from the judgements of assessors to values in [0, 1].

Each is a function of the two judged dimensions (see `ElementTopic`) on the scale of one kind of assessments. Values are
divided by the maximum of the quantisation, so they are both P(x in I) and gains. Sources: [ING] Goevert, Fuhr, Lalmas,
Kazai 2006, equations 2-9; [INEX06] Lalmas et al., INEX 2006 Evaluation Measures; [LIT] campaign literature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import UsageError
from prum_eval.records import AssessmentKind, Assessments, FlatTopic, FlatTopics

_THIRDS = {3: 1.0, 2: 2 / 3, 1: 1 / 3}
_COVERAGE = {"N": 0, "S": 1, "L": 2, "E": 3}

ValueOfGrades = Callable[[FloatArray, FloatArray], FloatArray]
"""(first dimension, second dimension) -> values in [0, 1], one per assessment."""


@dataclass(slots=True, eq=False, repr=False)
class Quantisation:
    """A named function from assessments to [0, 1]; an unassessed dimension gives 0.

    `level`: smallest relevant grade of graded documents; smaller grades give 0.
    """

    name: str
    summary: str
    source: str
    values: ValueOfGrades
    level: int = 1


def _pairs(rows: Mapping[float, str]) -> ValueOfGrades:
    """Values of pairs of grades, as {.75: "23 32 31"}; a letter is the coverage of 2002, as "3E"."""
    table = {
        (int(pair[0]), _COVERAGE[pair[1]] if pair[1] in _COVERAGE else int(pair[1])): value
        for value, pairs in rows.items()
        for pair in pairs.split()
    }

    def values(first: FloatArray, second: FloatArray) -> FloatArray:
        result = np.zeros(len(first))
        for (first_grade, second_grade), value in table.items():
            result[(first == first_grade) & (second == second_grade)] = value
        return result

    return values


def _dimension(which: int, table: Mapping[int, float]) -> ValueOfGrades:
    """Value of one dimension, if both are assessed."""

    def values(first: FloatArray, second: FloatArray) -> FloatArray:
        grades = (first, second)[which]
        is_complete = ~(np.isnan(first) | np.isnan(second))
        result = np.zeros(len(first))
        for grade, value in table.items():
            result[(grades == grade) & is_complete] = value
        return result

    return values


def _exhaustivity_2005(lift: float) -> ValueOfGrades:
    def values(first: FloatArray, second: FloatArray) -> FloatArray:
        graded: FloatArray = (np.maximum(first, 0.0) + lift) * second / (2.0 + lift)  # ? is exhaustivity 0
        return graded

    return values


def _exhaustivity_alone(first: FloatArray, _second: FloatArray) -> FloatArray:
    return np.maximum(first, 0.0) / 2.0


def _specificity_alone(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.where(first > 0, second, 0.0)


def _strict_2005(first: FloatArray, second: FloatArray) -> FloatArray:
    strict: FloatArray = ((first == 2) & (second == 1)).astype(np.float64)
    return strict


def _make_quantisations(source: str, entries: Mapping[str, tuple[str, ValueOfGrades]]) -> dict[str, Quantisation]:
    return {name: Quantisation(name, summary, source, values) for name, (summary, values) in entries.items()}


_ELEMENTS_2002 = _make_quantisations(
    "[LIT]",
    {
        "gen": ("3E 1; 2E 3L .75; 1E 2L 2S .5; 1S 1L .25",
                _pairs({1.0: "3E", 0.75: "2E 3L", 0.5: "1E 2L 2S", 0.25: "1S 1L"})),
        "strict": ("highly relevant and exact coverage", _pairs({1.0: "3E"})),
    },
)  # fmt: skip
_ELEMENTS_2003 = {
    **_make_quantisations(
        "[ING] equations 2-9",
        {
            "gen": ("(3,3) 1; (2,3) (3,2) (3,1) .75; (1,3) (2,2) (2,1) .5; (1,2) (1,1) .25",
                    _pairs({1.0: "33", 0.75: "23 32 31", 0.5: "13 22 21", 0.25: "12 11"})),
            "strict": ("highly exhaustive and highly specific", _pairs({1.0: "33"})),
            "exh_gen": ("exhaustivity 3, 2, 1 as 1, 2/3, 1/3", _dimension(0, _THIRDS)),
            "exh_strict": ("exhaustivity 3", _dimension(0, {3: 1.0})),
            "spec_gen": ("specificity 3, 2, 1 as 1, 2/3, 1/3", _dimension(1, _THIRDS)),
            "spec_strict": ("specificity 3", _dimension(1, {3: 1.0})),
        },
    ),
    **_make_quantisations(
        "[LIT]",
        {
            "sog": ("(3,3) 1; (2,3) .9; (1,3) (3,2) .75; (2,2) .5; (1,2) (3,1) .25; (2,1) (1,1) .1",
                    _pairs({1.0: "33", 0.9: "23", 0.75: "13 32", 0.5: "22", 0.25: "12 31", 0.1: "21 11"})),
            "s3_e321": ("specificity 3, exhaustivity 3, 2 or 1", _pairs({1.0: "33 23 13"})),
            "s3_e32": ("specificity 3, exhaustivity 3 or 2", _pairs({1.0: "33 23"})),
            "e3_s321": ("exhaustivity 3, specificity 3, 2 or 1", _pairs({1.0: "33 32 31"})),
            "e3_s32": ("exhaustivity 3, specificity 3 or 2", _pairs({1.0: "33 32"})),
        },
    ),
}  # fmt: skip
_ELEMENTS_2005 = _make_quantisations(
    "[INEX06]; 2005 forms [LIT]",
    {
        "gen": ("exhaustivity (0, 1, 2; ? counts 0) times specificity; specificity alone from 2006 on",
                _exhaustivity_2005(0.0)),
        "strict": ("exhaustivity 2 and specificity 1", _strict_2005),
        "genlifted": ("(exhaustivity + 1) times specificity; ? is exhaustivity 0, so specificity",
                      _exhaustivity_2005(1.0)),
        "exh_gen": ("exhaustivity 2, 1 as 1, 1/2; ? counts 0", _exhaustivity_alone),
        "exh_strict": ("exhaustivity 2", lambda first, _: (first == 2).astype(np.float64)),
        "spec_gen": ("specificity; ? counts 0", _specificity_alone),
        "spec_strict": ("specificity 1; ? counts 0",
                        lambda first, second: ((first > 0) & (second == 1)).astype(np.float64)),
    },
)  # fmt: skip
_FLAT = _make_quantisations(
    "prum-eval",
    {
        "gen": ("grade divided by the largest grade of the file",
                lambda grade, largest: np.divide(np.maximum(grade, 0.0), np.maximum(largest, 1.0))),
        "strict": ("1 for every positive grade", lambda grade, _: (grade > 0).astype(np.float64)),
    },
)  # fmt: skip
_PASSAGES = _make_quantisations(
    "prum-eval", {"gen": ("highlighted text counts 1", lambda first, _: np.ones(len(first)))}
)

QUANTISATIONS_BY_KIND: Mapping[AssessmentKind, Mapping[str, Quantisation]] = {
    AssessmentKind.FLAT: _FLAT,
    AssessmentKind.PASSAGES: _PASSAGES,
    AssessmentKind.ELEMENTS_2002: _ELEMENTS_2002,
    AssessmentKind.ELEMENTS_2003: _ELEMENTS_2003,
    AssessmentKind.ELEMENTS_2005: _ELEMENTS_2005,
}
DEFAULT_QUANTISATION = "gen"
DIMENSION_SEPARATOR = "+"
"""Separator of the names of two quantisations, one per dimension."""
QUANTISATION_NAMES: tuple[str, ...] = tuple(
    dict.fromkeys(name for table in QUANTISATIONS_BY_KIND.values() for name in table)
)


def find_quantisation(name: str, kind: AssessmentKind) -> Quantisation:
    """Quantisation of a name for a kind of assessments.

    Raises:
        UsageError: there is none; the error names the nearest one.
    """
    table = QUANTISATIONS_BY_KIND[kind]
    if name in table:
        return table[name]
    import difflib  # only misspelt names need it

    nearest = difflib.get_close_matches(name, table, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    raise UsageError(f"no quantisation {name} for {kind} (there are: {', '.join(table)}){hint}")


def dimension_quantisations(name: str, kind: AssessmentKind) -> tuple[Quantisation, Quantisation] | None:
    """The quantisations exh_NAME and spec_NAME of the two dimensions; None if there are none."""
    table = QUANTISATIONS_BY_KIND[kind]
    exhaustivity, specificity = f"exh_{name}", f"spec_{name}"
    return (table[exhaustivity], table[specificity]) if {exhaustivity, specificity} <= table.keys() else None


def combined_quantisation(name: str, kind: AssessmentKind) -> Quantisation | None:
    """Maximum of the quantisations of both dimensions; None if there are none."""
    dimensions = dimension_quantisations(name, kind)
    if dimensions is None:
        return None
    exhaustivity, specificity = dimensions
    return Quantisation(
        f"{exhaustivity.name}{DIMENSION_SEPARATOR}{specificity.name}",
        "the larger of the two",
        exhaustivity.source,
        lambda first, second: np.maximum(exhaustivity.values(first, second), specificity.values(first, second)),
    )


def with_relevance_level(scale: Quantisation, level: int, kind: AssessmentKind) -> Quantisation:
    """Quantisation that gives 0 to grades below a level.

    Raises:
        UsageError: the assessments are not of graded documents, and the level is not 1.
    """
    if level == 1:
        return scale
    if kind is not AssessmentKind.FLAT:
        raise UsageError(f"a relevance level is for graded documents, and these assessments are of {kind}")

    def values(grade: FloatArray, largest: FloatArray) -> FloatArray:
        return np.where(grade >= level, scale.values(grade, largest), 0.0)

    return Quantisation(scale.name, scale.summary, scale.source, values, level)


def largest_grade(assessments: Assessments) -> int:
    """Largest grade of flat assessments over all topics, the divisor of grades."""
    topics = assessments.topics
    if isinstance(topics, FlatTopics):
        return int(topics.grades.max()) if len(topics.grades) else 0
    grades = (topic.grades for topic in topics.values() if isinstance(topic, FlatTopic))
    return max((int(grade.max()) for grade in grades if len(grade)), default=0)
