"""Good runs of every format: what is read, and how it is ranked."""

import io
import sys

import numpy as np
import pytest

from prum_eval.formats import RankBy
from prum_eval.formats.reading import read_run
from prum_eval.records import RunKind
from prum_eval.text import lines as text_lines


def ranked(run, column="document"):
    """Names of the results of each topic in the order of the ranking."""
    names = run.documents if column == "document" else run.paths
    codes = getattr(run, column)
    return {
        topic: [names[code] for code in codes[begin:end]]
        for topic, begin, end in zip(run.topics, run.bounds[:-1], run.bounds[1:], strict=True)
    }


TREC = """\
2 Q0 d 1 1.0 r
1 Q0 a 1 0.5 r
1 Q0 b 2 0.5 r
1 Q0 c 3 7e-1 r
2 Q0 e 9 +1.5 r
"""


def test_trec_runs_are_ranked_by_score_and_equal_scores_by_name(write):
    run = read_run(write(TREC))
    assert run.kind is RunKind.FLAT
    assert ranked(run) == {"2": ["e", "d"], "1": ["c", "b", "a"]}
    assert run.score.tolist() == [1.5, 1.0, 0.7, 0.5, 0.5]
    assert run.line.tolist() == [5, 1, 4, 3, 2]
    assert run.tied == 2
    assert run.run_id == "r"
    assert set(run.first_path) == set(run.last_path) == set(run.start) == set(run.length) == {-1}
    assert run.exists.all()


def test_scores_are_compared_in_double_precision(write):
    run = read_run(write("1 Q0 a 1 0.1000000001 r\n1 Q0 b 2 0.1 r\n1 Q0 c 3 1e300 r\n1 Q0 d 4 2e300 r\n"))
    assert ranked(run) == {"1": ["d", "c", "a", "b"]}
    assert run.tied == 0


def test_equal_scores_of_names_beyond_ascii_go_by_their_bytes(write):
    run = read_run(write("1 Q0 z 1 1 r\n1 Q0 \u00e9 2 1 r\n1 Q0 \U0001f600 3 1 r\n1 Q0 \uff5a 4 1 r\n"))
    assert ranked(run) == {"1": ["\U0001f600", "\uff5a", "\u00e9", "z"]}


@pytest.mark.parametrize(("rank_by", "order"), [(RankBy.FILE, "abc"), (RankBy.RANK, "cab"), (RankBy.SCORE, "bac")])
def test_explicit_ranking_of_trec_runs(write, rank_by, order):
    run = read_run(write("1 Q0 a 2 0.5 r\n1 Q0 b 3 0.7 r\n1 Q0 c 0 0.1 r\n"), rank_by=rank_by)
    assert ranked(run) == {"1": list(order)}


@pytest.mark.parametrize(("rank_by", "order"), [(None, "abc"), (RankBy.RANK, "acb"), (RankBy.SCORE, "bca")])
def test_ranking_of_inex_lines(write, rank_by, order):
    run = read_run(write("1 Q0 a 2 0.5 r 0 1\n1 Q0 b 3 0.7 r 0 1\n1 Q0 c 2 0.7 r 0 1\n"), rank_by=rank_by)
    assert ranked(run) == {"1": list(order)}
    assert run.tied == (2 if rank_by is RankBy.SCORE else 0)


def test_rank_is_read_only_where_it_ranks(write):
    assert ranked(read_run(write("1 Q0 a - 1 r 0 1\n"))) == {"1": ["a"]}


def test_paths_are_brought_into_normal_form(write):
    run = read_run(write("1 Q0 a 1 9 r /article/sec[2]\n1 Q0 b 2 8 r /article[1]/sec[2]\n1 Q0 a 3 7 r /article\n"))
    assert run.kind is RunKind.ELEMENTS
    assert ranked(run, "first_path") == {"1": ["/article[1]/sec[2]", "/article[1]/sec[2]", "/article[1]"]}
    assert np.array_equal(run.first_path, run.last_path)


def test_two_paths_are_an_element_or_a_range(write):
    run = read_run(write("1 Q0 a 1 9 r /a[1]/b[1] /a[1]/b[1]\n1 Q0 a 2 8 r /a[1]/b[1] /a/b[3]\n"))
    assert ranked(run, "first_path") == {"1": ["/a[1]/b[1]", "/a[1]/b[1]"]}
    assert ranked(run, "last_path") == {"1": ["/a[1]/b[1]", "/a[1]/b[3]"]}


def test_offsets(write):
    run = read_run(write("1 Q0 a 1 9 r 10 20\n1 Q0 a 2 8 r 10 20\n1 Q0 a 3 7 r -5 0\n"))
    assert run.kind is RunKind.EXTENTS
    assert run.start.tolist() == [10, 10, -5]
    assert run.length.tolist() == [20, 20, 0]
    assert run.exists.all()


def test_results_that_do_not_exist(write):
    run = read_run(write("1 Q0 a 1 9 r X X\n1 Q0 a 2 8 r -1 40\n1 Q0 a 3 7 r X 5\n1 Q0 a 4 6 r 3 5\n"))
    assert run.exists.tolist() == [False, False, False, True]
    assert run.start.tolist() == [-1, -1, -1, 3]
    assert run.length.tolist() == [-1, -1, -1, 5]
    run = read_run(write("1 Q0 a 1 9 r X\n1 Q0 a 2 8 r -1\n1 Q0 a 3 7 r /a\n"))
    assert run.exists.tolist() == [False, False, True]
    assert run.paths == ("/a[1]",)
    assert run.first_path.tolist() == run.last_path.tolist() == [-1, -1, 0]
    run = read_run(write("1 Q0 a 1 9 r X X\n1 Q0 a 2 8 r /a /a\n1 Q0 a 3 8 r X junk\n"))
    assert run.kind is RunKind.ELEMENTS
    assert run.exists.tolist() == [False, True, False]
    assert run.paths == ("/a[1]",)


def test_a_run_of_nothing_that_exists(write):
    run = read_run(write("1 Q0 a 1 9 r X X\n"))
    assert run.kind is RunKind.EXTENTS
    assert not run.exists.any()


def test_white_space_and_line_ends(write):
    run = read_run(write(b"\xef\xbb\xbf 1\tQ0  a 1 9 r 0 1 \r\n1 Q0 b 2 8 last 0 1"))
    assert ranked(run) == {"1": ["a", "b"]}
    assert run.run_id == "last"


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TREC.encode())))
    run = read_run("-")
    assert run.path == "<stdin>"
    assert run.topics == ("2", "1")


@pytest.mark.parametrize("block", [1, 7, 40, 1000])
def test_borders_of_blocks_change_nothing(write, monkeypatch, block):
    text = "".join(f"{i // 9} Q0 d{i} {i} {-i} r /a[1]/b[{i % 5 + 1}]\n" for i in range(50))
    path = write(text)
    whole = read_run(path)
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", block)
    parts = read_run(path)
    assert ranked(parts) == ranked(whole)
    assert ranked(parts, "first_path") == ranked(whole, "first_path")
    assert parts.line.tolist() == whole.line.tolist() == list(range(1, 51))


def xml(*results, topics=("1",), head="<?xml version='1.0'?>"):
    fields = "".join(f"<result>{result}</result>\n" for result in results)
    blocks = "".join(f"<topic topic-id='{topic}'>\n{fields}</topic>" for topic in topics)
    return f"{head}<inex-submission run-id='x'><collections>c</collections>{blocks}</inex-submission>"


def result(file, **fields):
    return f"<file> {file} </file><path>/a/b</path>" + "".join(f"<{tag}>{v}</{tag}>" for tag, v in fields.items())


def test_xml_run(write):
    run = read_run(write(xml(result("a"), result("b"), topics=("7", "3"))))
    assert run.kind is RunKind.ELEMENTS
    assert run.run_id == "x"
    assert ranked(run) == {"7": ["a", "b"], "3": ["a", "b"]}
    assert run.paths == ("/a[1]/b[1]",)
    assert run.line.tolist() == [2, 3, 5, 6]
    assert np.isnan(run.score).all()
    assert run.tied == 0


@pytest.mark.parametrize(
    ("rank_by", "results", "order", "tied"),
    [
        (None, [("a", {"rank": 2, "rsv": 9}), ("b", {"rank": 0, "rsv": 1})], "ba", 0),
        (None, [("a", {"rsv": 1}), ("b", {"rsv": 3}), ("c", {"rsv": 1})], "bac", 2),
        (None, [("a", {"rank": 1, "rsv": 1}), ("b", {"rsv": 3})], "ba", 0),
        (None, [("a", {"rank": 2}), ("b", {"rank": 1}), ("c", {"rank": 1})], "bca", 0),
        (RankBy.FILE, [("a", {"rank": 2}), ("b", {"rank": 1})], "ab", 0),
        (RankBy.SCORE, [("a", {"rank": 1, "rsv": 1}), ("b", {"rank": 2, "rsv": 3})], "ba", 0),
        (RankBy.RANK, [("a", {"rank": 2, "rsv": 9}), ("b", {"rank": 1, "rsv": 1})], "ba", 0),
    ],
)
def test_ranking_of_xml_runs(write, rank_by, results, order, tied):
    run = read_run(write(xml(*(result(file, **fields) for file, fields in results))), rank_by=rank_by)
    assert ranked(run) == {"1": list(order)}
    assert run.tied == tied


def test_external_dtd_is_ignored_unread(write):
    head = (
        '<?xml version="1.0" encoding="ISO-8859-1" standalone="no"?>\n<!DOCTYPE inex-submission SYSTEM "no-such.dtd">'
    )
    run = read_run(write(xml(result("\u00e9"), head=head).encode("latin-1")))
    assert run.documents == ("\u00e9",)
    assert run.line.tolist() == [3]


def test_lines_of_long_xml_files_are_exact(write):
    text = xml(result("a"), "\n" * 70_000 + result("b"), result("c"))
    assert read_run(write(text)).line.tolist() == [2, 3, 70_004]
