"""Quantisations: from what assessors say to one value in [0, 1].

Each is a function of the two judged dimensions (see `ElementTopic`) and says which year's scale it reads. Values are
divided by the quantisation's maximum, so that they are P(x in I) and gains at once. Sources: [ING] Goevert, Fuhr,
Lalmas, Kazai 2006, equations 2-9; [INEX06] Lalmas et al., INEX 2006 Evaluation Measures; [LIT] campaign literature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from prum_eval.arrays import FloatArray
from prum_eval.errors import UsageError
from prum_eval.records import AssessmentKind, Assessments, FlatTopic, FlatTopics

ValueOfGrades = Callable[[FloatArray, FloatArray], FloatArray]
"""(first dimension, second dimension) -> values in [0, 1], one an assessment."""


@dataclass(slots=True, eq=False, repr=False)
class Quantisation:
    """A named mapping of assessments to [0, 1]; assessments with an unassessed dimension count 0.

    `level`: of graded documents, the smallest grade that is relevant; those below it count 0.
    """

    name: str
    summary: str
    source: str
    values: ValueOfGrades
    level: int = 1


def _pairs(table: Mapping[tuple[int, int], float]) -> ValueOfGrades:
    return partial(_values_of_pairs, table)


def _values_of_pairs(table: Mapping[tuple[int, int], float], first: FloatArray, second: FloatArray) -> FloatArray:
    result = np.zeros(len(first))
    for (one, two), value in table.items():
        result[(first == one) & (second == two)] = value
    return result


def _expand(rows: Mapping[float, str]) -> dict[tuple[int, int], float]:
    """{.75: "23 32 31"} -> {(2, 3): .75, ...}."""
    return {(int(pair[0]), int(pair[1])): value for value, pairs in rows.items() for pair in pairs.split()}


def _only_pairs(pairs: str) -> ValueOfGrades:
    return _pairs(_expand({1.0: pairs}))


def _dimension(which: int, values: Mapping[int, float]) -> ValueOfGrades:
    return partial(_values_of_dimension, which, values)


def _values_of_dimension(which: int, values: Mapping[int, float], first: FloatArray, second: FloatArray) -> FloatArray:
    judged = (first, second)[which]
    complete = ~(np.isnan(first) | np.isnan(second))
    mapped = np.zeros(len(first))
    for grade, value in values.items():
        mapped[(judged == grade) & complete] = value
    return mapped


def _exhaustivity_2005(lift: float, first: FloatArray, second: FloatArray) -> FloatArray:
    graded: FloatArray = (np.maximum(first, 0.0) + lift) * second / (2.0 + lift)  # ? is exhaustivity 0
    return graded


def _exhaustivity_alone(first: FloatArray, _second: FloatArray) -> FloatArray:
    return np.maximum(first, 0.0) / 2.0


def _specificity_alone(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.where(first > 0, second, 0.0)


def _strict_2005(first: FloatArray, second: FloatArray) -> FloatArray:
    both: FloatArray = ((first == 2) & (second == 1)).astype(np.float64)
    return both


def _exhaustive(first: FloatArray, _second: FloatArray) -> FloatArray:
    return (first > 0).astype(np.float64)


def _exhaustivity_2(first: FloatArray, _second: FloatArray) -> FloatArray:
    mask: FloatArray = (first == 2).astype(np.float64)
    return mask


def _specificity_1(first: FloatArray, second: FloatArray) -> FloatArray:
    mask: FloatArray = ((first > 0) & (second == 1)).astype(np.float64)
    return mask


def _share_of_largest(grade: FloatArray, largest: FloatArray) -> FloatArray:
    return np.divide(np.maximum(grade, 0.0), np.maximum(largest, 1.0))


def _positive(grade: FloatArray, _largest: FloatArray) -> FloatArray:
    return (grade > 0).astype(np.float64)


def _ones(first: FloatArray, _second: FloatArray) -> FloatArray:
    return np.ones(len(first))


_STRICT_PAIRS = "33"
_THIRDS = {3: 1.0, 2: 2 / 3, 1: 1 / 3}
_COVERAGE = {"N": 0, "S": 1, "L": 2, "E": 3}


def _coverage(rows: Mapping[float, str]) -> ValueOfGrades:
    """{1: "3E"}: relevance and coverage letter."""
    return _pairs(
        {(int(pair[0]), _COVERAGE[pair[1]]): value for value, pairs in rows.items() for pair in pairs.split()}
    )


def _make_quantisations(source: str, entries: Mapping[str, tuple[str, ValueOfGrades]]) -> dict[str, Quantisation]:
    return {name: Quantisation(name, summary, source, values) for name, (summary, values) in entries.items()}


_ELEMENTS_2002 = _make_quantisations(
    "[LIT]",
    {
        "gen": ("3E 1; 2E 3L .75; 1E 2L 2S .5; 1S 1L .25",
                _coverage({1.0: "3E", 0.75: "2E 3L", 0.5: "1E 2L 2S", 0.25: "1S 1L"})),
        "strict": ("highly relevant and exact coverage", _coverage({1.0: "3E"})),
    },
)  # fmt: skip
_ELEMENTS_2003 = {
    **_make_quantisations(
        "[ING] equations 2-9",
        {
            "gen": ("(3,3) 1; (2,3) (3,2) (3,1) .75; (1,3) (2,2) (2,1) .5; (1,2) (1,1) .25",
                    _pairs(_expand({1.0: "33", 0.75: "23 32 31", 0.5: "13 22 21", 0.25: "12 11"}))),
            "strict": ("highly exhaustive and highly specific", _only_pairs(_STRICT_PAIRS)),
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
                    _pairs(_expand({1.0: "33", 0.9: "23", 0.75: "13 32", 0.5: "22", 0.25: "12 31", 0.1: "21 11"}))),
            "s3_e321": ("specificity 3, exhaustivity 3, 2 or 1", _only_pairs("33 23 13")),
            "s3_e32": ("specificity 3, exhaustivity 3 or 2", _only_pairs("33 23")),
            "e3_s321": ("exhaustivity 3, specificity 3, 2 or 1", _only_pairs("33 32 31")),
            "e3_s32": ("exhaustivity 3, specificity 3 or 2", _only_pairs("33 32")),
        },
    ),
}  # fmt: skip
_ELEMENTS_2005 = _make_quantisations(
    "[INEX06]; 2005 forms [LIT]",
    {
        "gen": ("exhaustivity (0, 1, 2; ? counts 0) times specificity; specificity alone from 2006 on",
                partial(_exhaustivity_2005, 0.0)),
        "strict": ("exhaustivity 2 and specificity 1", _strict_2005),
        "genlifted": ("(exhaustivity + 1) times specificity; ? is exhaustivity 0, so specificity",
                      partial(_exhaustivity_2005, 1.0)),
        "exh_gen": ("exhaustivity 2, 1 as 1, 1/2; ? counts 0", _exhaustivity_alone),
        "exh_strict": ("exhaustivity 2", _exhaustivity_2),
        "spec_gen": ("specificity; ? counts 0", _specificity_alone),
        "spec_strict": ("specificity 1; ? counts 0",
                        _specificity_1),
    },
)  # fmt: skip
_ELEMENTS_GRADED = _make_quantisations(
    "prum-eval",
    {
        "gen": ("grade divided by the largest grade of the file", partial(_exhaustivity_2005, 0.0)),
        "strict": ("1 for every positive grade", _exhaustive),
        "genlifted": ("(2 q + 1) / 3 for every positive grade; q is the grade divided by the largest of the file",
                      partial(_exhaustivity_2005, 1.0)),
        "exh_gen": ("grade divided by the largest grade of the file", _exhaustivity_alone),
        "exh_strict": ("1 for every positive grade", _exhaustive),
        "spec_gen": ("1 for every positive grade", _exhaustive),
        "spec_strict": ("1 for every positive grade", _exhaustive),
    },
)  # fmt: skip
_FLAT = _make_quantisations(
    "prum-eval",
    {
        "gen": ("grade divided by the largest grade of the file",
                _share_of_largest),
        "strict": ("1 for every positive grade", _positive),
    },
)  # fmt: skip
_PASSAGES = _make_quantisations("prum-eval", {"gen": ("highlighted text counts 1", _ones)})

QUANTISATIONS_BY_KIND: Mapping[AssessmentKind, Mapping[str, Quantisation]] = {
    AssessmentKind.FLAT: _FLAT,
    AssessmentKind.PASSAGES: _PASSAGES,
    AssessmentKind.ELEMENTS_2002: _ELEMENTS_2002,
    AssessmentKind.ELEMENTS_2003: _ELEMENTS_2003,
    AssessmentKind.ELEMENTS_2005: _ELEMENTS_2005,
    AssessmentKind.ELEMENTS_GRADED: _ELEMENTS_GRADED,
}
DEFAULT_QUANTISATION = "gen"
DIMENSION_SEPARATOR = "+"
"""Joins the names of two quantisations, one for each judged dimension."""
QUANTISATION_NAMES: tuple[str, ...] = tuple(
    dict.fromkeys(name for table in QUANTISATIONS_BY_KIND.values() for name in table)
)


def find_quantisation(name: str, kind: AssessmentKind) -> Quantisation:
    """The quantisation of that name for that kind of assessments.

    Raises:
        UsageError: there is none; the nearest name is given.
    """
    table = QUANTISATIONS_BY_KIND[kind]
    if name in table:
        return table[name]
    import difflib  # for misspelt names only

    near = difflib.get_close_matches(name, table, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise UsageError(f"no quantisation {name} for {kind} (there are: {', '.join(table)}){hint}")


def dimension_quantisations(name: str, kind: AssessmentKind) -> tuple[Quantisation, Quantisation] | None:
    """exh_NAME and spec_NAME, the quantisations of the two judged dimensions apart; None where there are none."""
    table = QUANTISATIONS_BY_KIND[kind]
    exhaustivity, specificity = f"exh_{name}", f"spec_{name}"
    return (table[exhaustivity], table[specificity]) if {exhaustivity, specificity} <= table.keys() else None


def combined_quantisation(name: str, kind: AssessmentKind) -> Quantisation | None:
    """What measures of both dimensions look at: all elements where one of them counts; None where there are none."""
    both = dimension_quantisations(name, kind)
    if both is None:
        return None
    exhaustivity, specificity = both
    return Quantisation(
        f"{exhaustivity.name}{DIMENSION_SEPARATOR}{specificity.name}",
        "the larger of the two",
        exhaustivity.source,
        partial(_larger, exhaustivity.values, specificity.values),
    )


def _larger(
    exhaustivity: ValueOfGrades, specificity: ValueOfGrades, first: FloatArray, second: FloatArray
) -> FloatArray:
    return np.maximum(exhaustivity(first, second), specificity(first, second))


def with_relevance_level(scale: Quantisation, level: int, kind: AssessmentKind) -> Quantisation:
    """The quantisation where only documents with a grade from that level up are relevant; they keep their values.

    Raises:
        UsageError: these are no graded documents, and the level is not 1.
    """
    if level == 1:
        return scale
    if kind is not AssessmentKind.FLAT:
        raise UsageError(f"a relevance level is for graded documents, and these assessments are of {kind}")
    return Quantisation(scale.name, scale.summary, scale.source, partial(_from_level, level, scale.values), level)


def _from_level(level: int, values: ValueOfGrades, grade: FloatArray, largest: FloatArray) -> FloatArray:
    return np.where(grade >= level, values(grade, largest), 0.0)


def largest_grade(assessments: Assessments) -> int:
    """Largest grade of flat assessments, over all topics: what a grade is divided by."""
    topics = assessments.topics
    if isinstance(topics, FlatTopics):
        return int(topics.grades.max()) if len(topics.grades) else 0
    grades = (topic.grades for topic in topics.values() if isinstance(topic, FlatTopic))
    return max((int(grade.max()) for grade in grades if len(grade)), default=0)
