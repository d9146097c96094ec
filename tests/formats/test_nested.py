"""Nested dictionaries as columns are what their rows one by one make, or are left to these."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import PrumEvalError
from prum_eval.formats.rows import assessments_from_rows, nested_columns, run_from_rows, runs_from_rows

NAMES = st.sampled_from(["a", "b", "é", "10", "d-1.xml"])
ODD_NAMES = NAMES | st.sampled_from(["", "a b", "\x7f", "\ud800", "\N{NO-BREAK SPACE}", 7, True, None])
NUMBERS = st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from([2**53, 10**400, math.nan, math.inf, 1e300])
ODD_NUMBERS = NUMBERS | st.sampled_from([None, "1", True, np.float32(0.1), np.int64(2), np.float64(0.5)])


def tables(names, numbers):
    return st.dictionaries(names, st.dictionaries(names, numbers, max_size=5), max_size=4)


def outcome(make, rows):
    try:
        made = make(rows)
    except PrumEvalError as error:
        return type(error), str(error)
    made = made[0] if isinstance(made, list) else made
    if hasattr(made, "kind") and hasattr(made, "bounds"):
        names = [made.documents[code] for code in made.document.tolist()]
        columns = made.bounds.tolist(), made.score.tolist(), made.line.tolist(), made.tied
        return made.run_id, made.path, made.topics, names, repr(columns), tuple(made.documents)
    topics = {name: (one.documents, one.grades.tolist(), one.lines.tolist()) for name, one in made.topics.items()}
    return made.path, made.kind, list(topics.items())


def one_by_one(make, column):
    def made(table):
        rows = ({"query_id": topic, "doc_id": name, column: number}
                for topic, numbers in table.items() for name, number in numbers.items())  # fmt: skip
        return make(rows)

    return made


@given(tables(NAMES, NUMBERS) | tables(ODD_NAMES, ODD_NUMBERS))
def test_as_row_by_row(table):
    for make, column in ((run_from_rows, "score"), (runs_from_rows, "score"), (assessments_from_rows, "relevance")):
        assert outcome(make, table) == outcome(one_by_one(make, column), table)


@given(tables(NAMES, st.integers(-3, 3) | st.floats(-2, 2)))
def test_plain_tables_are_taken_at_once(table):
    assert (nested_columns(table) is not None) == any(table.values())
