"""Reading by arrays: the same names, numbers and rankings that Python's own split, float, int and sort give."""

import io
import struct
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prum_eval.formats import RankBy, assessments_text, run_columns, run_lines
from prum_eval.formats.reading import read_assessments, read_run
from prum_eval.text import lines as text_lines
from prum_eval.text import names as name_columns
from prum_eval.text.lines import PADDING, LineBlock, PackedText, PlainTable, Vocabulary, fast_table
from prum_eval.text.names import NameColumn
from prum_eval.text.numbers import parse_decimal, parse_integer
from tests.slow import slow

DIGITS = st.text("0123456789", max_size=10)
PLAIN = st.builds("{}{}{}{}".format, st.sampled_from(["", "-", "+"]), DIGITS, st.sampled_from(["", "."]), DIGITS)
NUMBERS = st.one_of(
    PLAIN,
    st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.text("0123456789.-+eE/:\u00ae", min_size=1, max_size=18),
).filter(bool)


def read_text(read, text, **options):
    """What a reader makes of a text on standard input."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return read("-", **options)


def column_of(cells):
    """A table of two columns whose second one is the cells; what stands before must not be read."""
    return fast_table(LineBlock(1, len(cells), b"".join(b"7.5 %b\n" % cell for cell in cells)), 2)


def bits(numbers):
    return [struct.pack("d", number) for number in numbers]


@settings(deadline=None)
@given(st.lists(NUMBERS.map(str.encode), min_size=1, max_size=4))
@example([b"90071992.54740992"])
@example([b"90071992.54740993"])
@example([b"-0.0", b"-0", b".5", b"5.", b"-.25"])
@example([b"."])
@example([b"-"])
@example([b"1.2.3"])
@example([b"1-2"])
@example([b"0.1", b"12345678.12345678", b"00000000.10000000"])
@example([b"123456789.5"])
@example([b"0.123456789"])
def test_decimals_are_those_of_float_to_the_last_bit(cells):
    found, expected = column_of(cells).decimals(1), [parse_decimal(cell) for cell in cells]
    if None in expected:
        assert found is None
    else:
        assert bits(found.tolist()) == bits(map(float, cells))


def test_plain_decimals_are_read_without_python(monkeypatch):
    monkeypatch.setattr("prum_eval.text.lines.parse_decimals", None)
    cells = [b"-13.000001", b"7", b"0.25", b"-0.00000001", b"99999999.9", b"12345678"]
    assert bits(column_of(cells).decimals(1)) == bits(map(float, cells))


@settings(deadline=None)
@given(st.lists(NUMBERS.map(str.encode), min_size=1, max_size=4))
@example([b"12345678", b"0", b"00000001"])
@example([b"-1", b"9223372036854775807"])
@example([b"9223372036854775808"])
def test_integers_are_those_of_int(cells):
    found, expected = column_of(cells).integers(1), [parse_integer(cell) for cell in cells]
    if None in expected:
        assert found is None
    else:
        assert found.tolist() == list(map(int, cells))


TEXTS = st.one_of(st.binary(max_size=200), st.text("a1-. \t\n", max_size=60).map(str.encode)).map(
    lambda text: text + b"\n"
)


@settings(deadline=None)
@given(TEXTS, st.integers(1, 4), st.sampled_from([None, b"\t"]))
@example(b"a b\nc\nd  e f\n", 2, None)
@example(b"a b c\nd\n", 2, None)
@example(b"a  b\nc\n", 2, None)
@example(b"\na b\nc d\n", 2, None)
@example(b" a\tb \r\n\x00 \x1f\n", 2, None)
@example(b"a\n\nb\n", 1, None)
@example(b"a b\t\na b\tc\n", 2, b"\t")
@example(b"a\tb\tc\nd\n", 2, b"\t")
@example(b"\tb\n", 2, b"\t")
def test_a_table_is_its_plain_twin(text, width, separator):
    rows = [line.split(separator) for line in text[:-1].split(b"\n")]
    found = fast_table(LineBlock(7, len(rows), text), width, tabs=separator is not None)
    if {len(row) for row in rows} != {width} or not all(row[0] for row in rows):
        assert found is None
        return
    plain = PlainTable(rows, np.arange(7, 7 + len(rows)))
    assert len(found) == len(plain)
    assert found.lines.tolist() == plain.lines.tolist()
    for column in range(width):
        assert found.cells(column) == plain.cells(column)
        assert found.cells(column, slice(1, None)) == plain.cells(column, slice(1, None))
        assert found.cell(len(rows) - 1, column) == plain.cell(len(rows) - 1, column)
        assert found.changed_rows(column).tolist() == plain.changed_rows(column).tolist()
        assert found.codes(column, Vocabulary()).tolist() == plain.codes(column, Vocabulary()).tolist()
        for numbers, expected in (
            (found.integers(column), plain.integers(column)),
            (found.decimals(column), plain.decimals(column)),
        ):
            assert (numbers is None) == (expected is None)
            assert numbers is None or bits(numbers) == bits(expected)
        for other in range(width):
            assert found.columns_equal(column, other) == plain.columns_equal(column, other)


NAMES = st.one_of(
    st.sampled_from([b"a", b"b", b"a\x00", b"\x00a", b"abcdefgh", b"abcdefgha", b"x" * 32, b"x" * 33, b"x" * 90]),
    st.binary(min_size=1, max_size=40).filter(lambda name: len(name.split()) == 1 and name.split()[0] == name),
)


@pytest.mark.parametrize("colliding", [False, True])
@settings(deadline=None)
@given(st.lists(st.lists(NAMES, min_size=1, max_size=6), max_size=4))
def test_names_have_codes_in_the_order_in_which_they_are_met(colliding, parts):
    column = NameColumn()
    with pytest.MonkeyPatch.context() as patch:
        if colliding:
            patch.setattr(name_columns, "hash_names", lambda names: np.zeros(names.shape[1], dtype=np.uint64))
        for part in parts:
            column.add(column_of(part).name_column(1))
        found, codes = column.encode()
    met = [name for part in parts for name in part]
    assert list(found) == list(dict.fromkeys(met))
    assert codes.tolist() == [list(dict.fromkeys(met)).index(name) for name in met]


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(-1, 199), st.integers(0, 255))
def test_fields_are_compared_to_their_last_byte(length, place, other):
    first = bytes(range(33, 233))[:length]
    second = bytearray(first)
    if 0 <= place < length:
        second[place] = other
    words = PackedText(PADDING + first + b" " + second + b"!" + PADDING)
    begin, lengths = np.array([len(PADDING)]), np.array([length])
    assert words.fields_differ(begin, begin + length + 1, lengths).tolist() == [first != second]


def test_long_names_of_tied_documents_are_listed_a_few_times_however_many_there_are(monkeypatch):
    listed = []
    monkeypatch.setattr(Vocabulary, "__iter__", lambda self: (listed.append(self), dict.__iter__(self))[1])
    text = "".join(f"1 Q0 {'long-name-' * 7}{row:03} 0 0.5 t\n" for row in range(200))
    run = read_text(read_run, text)
    assert [run.documents[code][-3:] for code in run.document[:2]] == ["199", "198"]
    assert len(listed) < 10


SCORES = st.sampled_from(["1", "0.5", "0.50", "-0.0", "0", "1e-3", "0.10000000001", "0.1", "1e300", "2e300", "-7.25"])
DOCUMENTS = st.sampled_from(["d1", "d2", "d10", "\u00e9", "long-name-" * 5])
LINES = st.lists(
    st.tuples(st.sampled_from(["1", "2", "33"]), DOCUMENTS, st.integers(-3, 3), SCORES),
    min_size=1, max_size=12, unique_by=lambda line: line[:2],
)  # fmt: skip
BEHIND = st.sampled_from(["", " ", "\r"])


@pytest.mark.parametrize("rank_by", [RankBy.FILE, RankBy.RANK, RankBy.SCORE])
@pytest.mark.parametrize("few", [1, slow(1 << 16)])
@settings(deadline=None)
@given(LINES, st.sampled_from([1, 30, 1 << 18]), BEHIND)
def test_a_run_is_ranked_as_sorted_ranks_it(rank_by, few, lines, block, behind):
    text = "".join(f"{t} Q0 {d} {r} {s} tag{behind}\n" for t, d, r, s in lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "BLOCK_BYTES", block)
        patch.setattr(run_columns, "_MAX_16_BIT_TOPICS", few)
        run = read_text(read_run, text, rank_by=rank_by)
    scores = [float(score) for *_, score in lines]
    keys = {
        RankBy.FILE: None,
        RankBy.RANK: lambda row: lines[row][2],
        RankBy.SCORE: lambda row: -scores[row],
    }
    topics = list(dict.fromkeys(topic for topic, *_ in lines))
    expected, tied = [], 0
    for topic in topics:
        rows = [row for row, line in enumerate(lines) if line[0] == topic]
        if rank_by is RankBy.SCORE:
            rows.sort(key=lambda row: lines[row][1].encode(), reverse=True)
            tied += sum(sum(scores[row] == scores[other] for other in rows) > 1 for row in rows)
        expected += sorted(rows, key=keys[rank_by])
    assert run.topics == tuple(topics)
    assert (run.line - 1).tolist() == expected
    assert [run.documents[code] for code in run.document] == [lines[row][1] for row in expected]
    assert run.score.tolist() == [float(lines[row][3]) for row in expected]
    assert run.tied == tied


WHAT = st.one_of(
    st.tuples(st.sampled_from(["X", "-1"]), st.sampled_from(["X", "-1", "5", "/a"])),
    st.tuples(st.integers(-5, 5), st.integers(0, 10**9)).filter(lambda extent: extent[0] != -1),
)
PATHS = st.sampled_from(["/a[1]", "/a[1]/b[2]", "/a[1]" + "/section[12]" * 9, "X", "-1"])
RESULTS = st.one_of(
    st.lists(st.tuples(PATHS), min_size=1, max_size=9, unique=True),
    st.lists(st.tuples(PATHS, PATHS), min_size=1, max_size=9, unique=True),
    st.lists(WHAT, min_size=1, max_size=9),
)


@settings(deadline=None)
@given(RESULTS, st.sampled_from([1, 30, 1 << 18]))
def test_blocks_at_once_and_line_by_line_are_one_run(results, block):
    lines = (f"1 Q0 d{row} {row} {1 / (row + 1)} t {' '.join(map(str, result))}" for row, result in enumerate(results))
    text = "".join(f"{line}\n" for line in lines)
    runs, problems = [], ([], [])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "BLOCK_BYTES", block)
        runs.append(read_text(read_run, text, problems=problems[0].append))
        patch.setattr(run_lines, "fast_table", lambda *_: None)
        runs.append(read_text(read_run, text, problems=problems[1].append))
    assert list(map(str, problems[0])) == list(map(str, problems[1]))
    for column in ("bounds", "document", "first_path", "last_path", "start", "length", "exists", "score", "line"):
        assert getattr(runs[0], column).tolist() == getattr(runs[1], column).tolist()
    for field in ("run_id", "kind", "topics", "documents", "paths", "tied"):
        assert getattr(runs[0], field) == getattr(runs[1], field)


QRELS = st.lists(
    st.tuples(st.sampled_from(["1", "2", "33"]), DOCUMENTS, st.integers(-2, 10**9)),
    min_size=1, max_size=12, unique_by=lambda line: line[:2],
)  # fmt: skip


@pytest.mark.parametrize("at_once", [True, False])
@settings(deadline=None)
@given(QRELS, st.sampled_from([1, 30, 1 << 18]), BEHIND, st.sampled_from(["", "\n", "\n \n"]))
def test_qrels_hold_what_their_lines_say(at_once, lines, block, behind, end):
    text = "".join(f"{topic} 0\t{document} {grade}{behind}\n" for topic, document, grade in lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "BLOCK_BYTES", block)
        if not at_once:
            patch.setattr(assessments_text, "fast_table", lambda *_: None)
        found = read_text(lambda path: read_assessments([path]), text + end).topics
    assert list(found) == list(dict.fromkeys(topic for topic, *_ in lines))
    for topic, judged in found.items():
        rows = [row for row, line in enumerate(lines) if line[0] == topic]
        assert judged.documents == tuple(lines[row][1] for row in rows)
        assert judged.grades.tolist() == [lines[row][2] for row in rows]
        assert judged.lines.tolist() == [row + 1 for row in rows]


@given(st.lists(st.tuples(st.integers(1, 300), st.none() | st.integers(0, 299), st.integers(0, 299)), max_size=12))
def test_fields_of_any_length_differ_where_a_byte_does(fields):
    pairs = []
    for length, changed, sown in fields:
        one = bytes((sown + place * 7) % 251 for place in range(length))
        other = bytearray(one)
        if changed is not None and changed < length:
            other[changed] ^= 1
        pairs += [(one, bytes(other))]
    whole = b"".join(one + b" " + other + b"\n" for one, other in pairs)
    length = np.array([len(one) for one, _ in pairs], dtype=np.int64)
    begin = len(PADDING) + np.cumsum(2 * length + 2) - 2 * length - 2
    found = PackedText(PADDING + whole + PADDING).fields_differ(begin, begin + length + 1, length)
    assert found.tolist() == [one != other for one, other in pairs]
