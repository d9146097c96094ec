"""Files of groups: what is read, and where what is wrong."""

from __future__ import annotations

import pytest

from prum_eval.errors import DataError, InputError, UsageError
from prum_eval.formats.topic_files import read_groups, read_groups_input


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("q1\teasy\nq2\tvery hard\n", {"q1": "easy", "q2": "very hard"}),
        ("q1\teasy\r\nq2\thard\r\n\r\n", {"q1": "easy", "q2": "hard"}),
        ("\ufeffq1\tleicht \u00e4", {"q1": "leicht \u00e4"}),
    ],
)
def test_good_files(tmp_path, text, wanted):
    path = tmp_path / "groups"
    path.write_bytes(text.encode())
    assert read_groups(str(path)) == wanted
    assert read_groups_input(path) == (str(path), wanted)
    assert read_groups_input(wanted) == ("groups", wanted)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ":1: the file is empty"),
        ("q1 easy\n", ":1: expected topic and group, separated by a tab, found 1 columns"),
        ("q1\teasy\n\nq2\thard\n", ":2: expected topic and group, separated by a tab, found 1 columns"),
        ("q1\teasy\tx\n", ":1: expected topic and group, separated by a tab, found 3 columns"),
        ("q1\teasy\n\thard\n", ":2: topic: expected a name, found ''"),
        ("q1\t \nq2\thard\n", ":1: group: expected a name, found ''"),
        ("q1\tall\n", ":1: no group can be called all, as the averages over all topics are"),
        ("q1\teasy\nq2\teasy\nq1\teasy\n", ":3: topic 'q1' is listed twice (first on line 1)"),
    ],
)
def test_bad_files(tmp_path, text, reason):
    path = tmp_path / "groups"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_groups(str(path))
    assert raised.value.message == f"{path}{reason}"


def test_what_is_no_groups():
    for given in ({"q1": 3}, ["q1"]):
        with pytest.raises(UsageError, match=r"groups: expected a path or \{topic: group\}, both texts"):
            read_groups_input(given)
    with pytest.raises(DataError, match="groups: no group can be called all, as the averages over all topics are"):
        read_groups_input({"q1": "all"})
