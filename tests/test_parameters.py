"""Parameters: which texts they take, and how they say what is legal."""

from __future__ import annotations

import pytest

from prum_eval.errors import UsageError
from prum_eval.parameters import Parameter, format_parameter, split_settings

NUMBER = Parameter("A", 1.0, "a scale", low=0.0, open_low=True)
SHARE = Parameter("consider", 1.0, "a share", low=0.0, high=1.0, distribution="geometric")
FORMS = Parameter("consider", 1.0, "a share", low=0.0, high=1.0, distribution="geometric", form="useful")
CHOICE = Parameter("decay", "step", "how it falls", ("step", "inverse"))
FILE = Parameter("weights", None, "a table of weights", file=True)


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (NUMBER, "0.5", 0.5),
        (NUMBER, "3", 3.0),
        (SHARE, "0", 0.0),
        (SHARE, "geometric:0.25", 0.25),
        (FORMS, "geometric:0.25", 0.25),
        (FORMS, "useful:0.250", "useful:0.25"),
        (CHOICE, "inverse", "inverse"),
        (FILE, "data/weights.tsv", "data/weights.tsv"),
        (FILE, "300", "300"),
    ],
)
def test_legal_values(parameter, text, value):
    assert parameter.parse(text) == value


@pytest.mark.parametrize(
    ("parameter", "text", "reason"),
    [
        (NUMBER, "0", "A=0: A is a number above 0"),
        (NUMBER, "geometric:1", "A=geometric:1: A is a number above 0"),
        (NUMBER, "inf", "A=inf: A is a number above 0"),
        (SHARE, "geometric:2", "consider=2: consider is a number from 0 to 1"),
        (FORMS, "useful:2", "consider=useful:2: consider is a number from 0 to 1, or useful: and such a number"),
        (FORMS, "useful", "consider=useful: consider is a number from 0 to 1, or useful: and such a number"),
        (CHOICE, "Step", "decay=Step: decay is step or inverse"),
        (FILE, "", "weights=: weights is the path of a file"),
    ],
)
def test_illegal_values(parameter, text, reason):
    with pytest.raises(UsageError) as error:
        parameter.parse(text)
    assert str(error.value) == reason


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 300.0, 1e15, 1e-7, 2 / 3])
def test_shown_numbers_read_back_the_same(value):
    assert float(format_parameter(value)) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a", "'a' is not a setting; write key=value"),
        ("a=", "'a=' is not a setting; write key=value"),
        ("a=1,", "'a=1,' is not a setting; write key=value"),
        ("a=1,a=2", "a is set twice"),
    ],
)
def test_settings_that_are_none(text, reason):
    with pytest.raises(UsageError) as error:
        split_settings(text)
    assert str(error.value) == reason
