"""Navigation files, good and bad."""

import io
import sys

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.navigation import normalise_node
from prum_eval.formats.reading import read_navigation


def test_navigation(write):
    text = "# source target probability\na\tb#/article\t0.5\r\n7\ta\tb\t1\na#/x/y\ta#/x/y\t0\nan x\tb\t1e-3\n\n"
    read = read_navigation(write(text))
    assert read.topic == (None, "7", None, None)
    assert read.source == ("a", "a", "a#/x[1]/y[1]", "an x")
    assert read.target == ("b", "b", "a#/x[1]/y[1]", "b")
    assert read.probability.tolist() == [0.5, 1, 0, 0.001]
    assert read.lines.tolist() == [2, 3, 4, 5]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\t1\n")))
    assert read_navigation("-").path == "<stdin>"


@pytest.mark.parametrize(
    ("node", "normal"),
    [
        ("a", "a"),
        ("a#/x", "a"),
        ("a#/x/y[2]", "a#/x[1]/y[2]"),
        ("a#", None),
        ("#/x", None),
        ("a#x", None),
        ("a#/x#", None),
    ],
)
def test_nodes(node, normal):
    assert normalise_node(node) == normal


NODE = "a document, or one of its elements such as a1004#/article[1]/sec[2]"
COLUMNS = "expected 3 columns separated by tabs, or 4 with a topic"

BAD = {
    "empty": ("", "1: the file is empty"),
    "nothing but comments": ("#\n# x\n", "1: the file is empty"),
    "two columns": ("a\tb\n", f"1: {COLUMNS}, found 2"),
    "probability missing once": ("a\tb\t1\na\tc\n", f"2: {COLUMNS}, found 2"),
    "five columns": ("1\ta\tb\t1\t\n", f"1: {COLUMNS}, found 5"),
    "blank line": ("a\tb\t1\n\nb\ta\t1\n", "2: a blank line, expected a step"),
    "no number": ("a\tb\tx\n", "1: probability: expected a number from 0 to 1, found 'x'"),
    "not a number": ("a\tb\tnan\n", "1: probability: expected a number from 0 to 1, found 'nan'"),
    "too large": ("a\tb\t1.01\n", "1: probability: expected a number from 0 to 1, found '1.01'"),
    "negative": ("a\tb\t-0.5\n", "1: probability: expected a number from 0 to 1, found '-0.5'"),
    "no source": ("\tb\t1\n", "1: source: expected a name, found ''"),
    "no topic": ("\ta\tb\t1\n", "1: topic: expected a name, found ''"),
    "bad node": ("a\tb#x\t1\n", f"1: node: expected {NODE}, found 'b#x'"),
    "twice": ("a\tb\t1\na#/x\tb\t0\n", "2: the step from 'a' to 'b' is listed twice (first on line 1)"),
    "twice in a topic": (
        "1\ta\tb\t1\na\tb\t1\n2\ta\tb\t1\n1\ta\tb\t1\n",
        "4: the step from 'a' to 'b' is listed twice (first on line 1)",
    ),
    "not UTF-8": (b"a\t\xff\t1\n", r"1: node: expected UTF-8 text, found '\xff'"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_bad_line_is_named(write, problems_of, text, message):
    path = write(text)
    with pytest.raises(InputError) as error:
        read_navigation(path)
    assert str(error.value) == f"{path}:{message}"
    assert problems_of(read_navigation, path) == [message]
