"""Logs of users, good and bad, with tabs and in JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.errors import InputError
from prum_eval.formats.log import parse_logged_place, write_log_lines
from prum_eval.formats.reading import read_log
from prum_eval.records import Consultation, LoggedPlace, UserLog
from tests.measures.collections import examples

TEXT = (
    "# session topic rank result viewed\n"
    "s1\t7\t1\ta#/x/p[2]\ta@5:7\tb\tread=30\r\n"
    "s1\t7\t3\ta\tstop=1\n"
    "s 2\t7\t1\tb@0:4\tstop=0\n\n"
)
A, B = LoggedPlace("a"), LoggedPlace("b")
READ = {"viewed": (LoggedPlace("a", "", 5, 7), B), "read": 30, "stop": False}
LINES = (
    Consultation("s1", "7", 1, LoggedPlace("a", "/x[1]/p[2]"), line=2, **READ),
    Consultation("s1", "7", 3, A, (), None, stop=True, line=3),
    Consultation("s 2", "7", 1, LoggedPlace("b", "", 0, 4), (), None, stop=False, line=4),
)


def test_lines_with_tabs(write):
    log = read_log(write(TEXT))
    assert log.lines == LINES
    assert repr(log).endswith(": 2 sessions, 3 lines>")


def test_json_says_the_same(write):
    objects = [
        {"session": "s1", "topic": 7, "rank": 1, "result": "a#/x/p[2]", "viewed": ["a@5:7", "b"], "read": 30},
        {"session": "s1", "qid": "7", "rank": 3, "result": "a", "stop": True, "time": 12},
        {"session": "s 2", "topic": "7", "rank": 1, "result": "b@0:4", "views": [], "stop": 0},
    ]
    expected = [one._replace(line=one.line - 1) for one in LINES]
    assert list(read_log(write("".join(json.dumps(one) + "\n" for one in objects))).lines) == expected
    assert [one._replace(line=1) for one in expected] == list(read_log(write(json.dumps(objects))).lines)


NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="#@="), min_size=1, max_size=4)
OFFSETS = st.integers(0, 99)
PLACES = st.one_of(
    NAMES.map(LoggedPlace),
    st.builds(lambda path, name: LoggedPlace(name, path), st.sampled_from(["/x[1]", "/x[1]/p[12]"]), NAMES),
    st.builds(lambda name, start, length: LoggedPlace(name, "", start, length), NAMES, OFFSETS, OFFSETS),
)


@examples(60)
@given(st.lists(st.tuples(NAMES, NAMES, PLACES, st.lists(PLACES, max_size=3), st.none() | st.integers(0, 9),
                          st.booleans()), min_size=1, max_size=6))  # fmt: skip
def test_what_is_written_reads_back(tmp_path, rows):
    lines = tuple(
        Consultation(f"s{session}", topic, rank, result, tuple(viewed), read, stop, rank)
        for rank, (session, topic, result, viewed, read, stop) in enumerate(rows, 1)
    )
    path = tmp_path / "log"
    path.write_bytes(write_log_lines(UserLog("log", lines)))
    assert read_log(path).lines == lines


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a@b@3:4", LoggedPlace("a@b", "", 3, 4)),
        ("a@3", LoggedPlace("a@3")),
        ("a#/x", LoggedPlace("a", "/x[1]")),
        ("a#", None),
        ("#/x", None),
        ("", None),
        ("a\x00", None),
        (f"a@{2**40}:1", None),
    ],
)
def test_places(text, place):
    assert parse_logged_place(text) == place


PLACE = "a place such as a1004#/article[1]/sec[2], a1004@120:80 or a1004"
BAD = {
    "empty": ("", "1: the file is empty"),
    "nothing but comments": ("# x\n", "1: the file is empty"),
    "three columns": (
        "s\t1\t1\n",
        "1: expected 4 columns or more, separated by tabs: session, topic, rank, result, what was viewed; found 3",
    ),
    "no session": ("\t1\t1\ta\n", "1: session: expected a name, text without control characters, found ''"),
    "no topic": ("s\t\t1\ta\n", "1: topic: expected a name, text without control characters, found ''"),
    "rank 0": ("s\t1\t0\ta\n", "1: rank: expected an integer from 1 to 2147483647, found '0'"),
    "no rank": ("s\t1\tx\ta\n", "1: rank: expected an integer from 1 to 2147483647, found 'x'"),
    "no result": ("s\t1\t1\t\n", f"1: result: expected {PLACE}, found ''"),
    "bad view": ("s\t1\t1\ta\tb#x\n", f"1: viewed: expected {PLACE}, found 'b#x'"),
    "far view": (f"s\t1\t1\ta\ta@{2**40}:1\n", f"1: viewed: 'a@{2**40}:1' ends past the largest offset, {2**40}"),
    "negative reading": ("s\t1\t1\ta\tread=-1\n", f"1: read: expected an integer from 0 to {2**40}, found '-1'"),
    "read twice": ("s\t1\t1\ta\tread=1\tread=1\n", "1: read appears twice"),
    "stop 2": ("s\t1\t1\ta\tstop=2\n", "1: stop: expected 1 or 0, found '2'"),
    "the rank again": (
        "s\t1\t1\ta\ns\t2\t1\ta\ns\t1\t1\tb\n",
        "3: rank 1 of topic 1 in session s appears twice (first on line 1)",
    ),
    "blank line": ("s\t1\t1\ta\n\ns\t1\t2\ta\n", "2: a blank line, expected a consulted result"),
    "latin": (b"s\t1\t1\t\xe4\n", "1: the line is not UTF-8 text"),
    "no JSON result": ('{"session": "s", "topic": "1", "rank": 1}', "1: the key 'result' is missing"),
    "JSON result": (
        '{"session": "s", "topic": "1", "rank": 1, "result": 5}',
        f"1: result: expected {PLACE}, found '5'",
    ),
    "JSON views": (
        '{"session": "s", "topic": "1", "rank": 1, "result": "a", "viewed": "b"}',
        "1: viewed: expected a list of places, found '\"b\"'",
    ),
    "JSON stop": (
        '{"session": "s", "topic": "1", "rank": 1, "result": "a", "stop": "yes"}',
        "1: stop: expected true or false, found '\"yes\"'",
    ),
    "JSON rank": (
        '{"session": "s", "topic": "1", "rank": 0, "result": "a"}',
        "1: rank: expected an integer, 1 or more, found '0'",
    ),
    "large JSON rank": (
        '{"session": "s", "topic": "1", "rank": 2147483648, "result": "a"}',
        "1: rank: expected at most 2147483647, found '2147483648'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(write, name):
    content, message = BAD[name]
    path = write(content)
    with pytest.raises(InputError) as error:
        read_log(path)
    assert str(error.value) == f"{path}:{message}"


def test_bad_lines_are_left_out(write):
    problems = []
    log = read_log(write("s\t1\t1\ta\ns\t1\ns\t1\t0\ta\ns\t1\t2\tb\n"), problems=problems.append)
    assert [one.line for one in log.lines] == [1, 4]
    assert [problem.line for problem in problems] == [2, 3]
