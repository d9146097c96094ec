"""Every named quantisation, value by value: what is not listed here counts 0."""

import numpy as np
import pytest

from prum_eval.errors import UsageError
from prum_eval.records import AssessmentKind, Assessments, FlatTopic
from prum_eval.relevance.quantisations import QUANTISATIONS_BY_KIND, find_quantisation, largest_grade

NOT_ASSESSED = float("nan")
THIRD, TWO_THIRDS = 1 / 3, 2 / 3

# (relevance, coverage letter): coverage is too small, too large or exact
YEAR_2002 = {
    "strict": {"3E": 1},
    "gen": {"3E": 1, "2E": 0.75, "3L": 0.75, "1E": 0.5, "2L": 0.5, "2S": 0.5, "1S": 0.25, "1L": 0.25},
}
# (exhaustivity, specificity)
YEAR_2003 = {
    "strict": {"33": 1},
    "gen": {"33": 1, "23": 0.75, "32": 0.75, "31": 0.75, "13": 0.5, "22": 0.5, "21": 0.5, "12": 0.25, "11": 0.25},
    "exh_strict": {"30": 1, "31": 1, "32": 1, "33": 1},
    "spec_strict": {"03": 1, "13": 1, "23": 1, "33": 1},
    "exh_gen": {f"{e}{s}": value for e, value in ((3, 1), (2, TWO_THIRDS), (1, THIRD)) for s in range(4)},
    "spec_gen": {f"{e}{s}": value for s, value in ((3, 1), (2, TWO_THIRDS), (1, THIRD)) for e in range(4)},
    "sog": {"33": 1, "23": 0.9, "13": 0.75, "32": 0.75, "22": 0.5, "12": 0.25, "31": 0.25, "21": 0.1, "11": 0.1},
    "s3_e321": {"33": 1, "23": 1, "13": 1},
    "s3_e32": {"33": 1, "23": 1},
    "e3_s321": {"33": 1, "32": 1, "31": 1},
    "e3_s32": {"33": 1, "32": 1},
}


def values_of(name, kind, pairs):
    first, second = zip(*pairs, strict=True)
    found = find_quantisation(name, kind).values(np.array(first, dtype=np.float64), np.array(second, dtype=np.float64))
    return found.tolist()


@pytest.mark.parametrize(("name", "table"), YEAR_2002.items())
def test_2002(name, table):
    for relevance in range(4):
        for code, letter in enumerate("NSLE"):
            assert values_of(name, AssessmentKind.ELEMENTS_2002, [(relevance, code)]) == [
                table.get(f"{relevance}{letter}", 0)
            ]


@pytest.mark.parametrize(("name", "table"), YEAR_2003.items())
def test_2003_and_2004(name, table):
    pairs = [(e, s) for e in range(4) for s in range(4)]
    expected = [table.get(f"{e}{s}", 0) for e, s in pairs]
    assert values_of(name, AssessmentKind.ELEMENTS_2003, pairs) == pytest.approx(expected, rel=1e-15)


# Exhaustivity -1 stands for "?", too small; specificity is a fraction; all divided by the largest value there is.
@pytest.mark.parametrize("specificity", [0.0, 0.1, 0.5, 0.999, 1.0])
def test_2005(specificity):
    pairs = [(e, specificity) for e in (-1, 0, 1, 2)]
    assert values_of("gen", AssessmentKind.ELEMENTS_2005, pairs) == pytest.approx([0, 0, specificity / 2, specificity])
    lifted = [specificity / 3, specificity / 3, 2 * specificity / 3, specificity]
    assert values_of("genlifted", AssessmentKind.ELEMENTS_2005, pairs) == pytest.approx(lifted)
    assert values_of("strict", AssessmentKind.ELEMENTS_2005, pairs) == [0, 0, 0, float(specificity == 1)]


TABLES = [(AssessmentKind.ELEMENTS_2002, YEAR_2002), (AssessmentKind.ELEMENTS_2003, YEAR_2003),
          (AssessmentKind.ELEMENTS_2005, ["gen", "strict", "genlifted"])]  # fmt: skip


@pytest.mark.parametrize(("kind", "names"), TABLES)
def test_a_judgement_with_a_dimension_missing_is_never_relevant(kind, names):
    for name in names:
        top = 2 if kind is AssessmentKind.ELEMENTS_2005 else 3
        found = np.array(values_of(name, kind, [(top, NOT_ASSESSED), (NOT_ASSESSED, 1), (NOT_ASSESSED,) * 2]))
        assert not (found > 0).any(), name


def test_documents_are_graded_by_the_largest_grade_of_the_file():
    grades = [-2, 0, 1, 2, 4]
    assert values_of("gen", AssessmentKind.FLAT, [(grade, 4) for grade in grades]) == [0, 0, 0.25, 0.5, 1]
    assert values_of("strict", AssessmentKind.FLAT, [(grade, 4) for grade in grades]) == [0, 0, 1, 1, 1]
    assert values_of("gen", AssessmentKind.FLAT, [(0, 0), (-1, 0)]) == [0, 0]
    topics = {
        str(number): FlatTopic("qrels", ("a", "b"), np.array(pair), np.array([1, 2]))
        for number, pair in enumerate([[0, 3], [1, 0], [-5, -1]])
    }
    assert largest_grade(Assessments("qrels", AssessmentKind.FLAT, topics)) == 3


def test_every_name_of_these_years_is_in_a_table_here():
    assert set(QUANTISATIONS_BY_KIND[AssessmentKind.ELEMENTS_2002]) == set(YEAR_2002)
    assert set(QUANTISATIONS_BY_KIND[AssessmentKind.ELEMENTS_2003]) == set(YEAR_2003)
    with pytest.raises(UsageError, match="did you mean strict"):
        find_quantisation("strickt", AssessmentKind.ELEMENTS_2003)
