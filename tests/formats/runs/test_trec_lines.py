"""What trec_eval 10 accepts in runs and qrels beside their columns: comments, and text after the name of the run."""

import io

import pytest

from prum_eval.errors import InputError
from prum_eval.formats.reading import read_assessments, read_run
from prum_eval.text import lines as text_lines
from tests.gold import run as call

RUN = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n2 Q0 a 1 1 r\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n"


def commented(text, comment="# a comment of six words in all 1 2 3\n"):
    """A comment before and after every line, two of them at the beginning and at the end."""
    return comment + comment.join(["", *text.splitlines(keepends=True), ""]) + comment.rstrip("\n")


@pytest.fixture(params=[8, 40, 1 << 20])
def blocks(request, monkeypatch):
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", request.param)


@pytest.mark.parametrize("comment", ["#\n", "# x\n", " \t# Q0 a 1 2.5 r\n", "#1 Q0 a 1 2.5 r\n"])
def test_comments_anywhere_in_runs(comment, write, blocks):
    plain, run = read_run(write(RUN, "plain")), read_run(write(commented(RUN, comment), "run"))
    assert (run.topics, run.documents, run.run_id) == (plain.topics, plain.documents, plain.run_id)
    for column in ("bounds", "document", "score"):
        assert getattr(run, column).tolist() == getattr(plain, column).tolist()
    assert run.line.tolist() == [2 * line + 1 for line in plain.line]


@pytest.mark.parametrize("comment", ["#\n", "# x\n", " # 0 a 1\n"])
def test_comments_anywhere_in_qrels(comment, write, blocks):
    plain, judged = read_assessments(write(QRELS, "plain")), read_assessments(write(commented(QRELS, comment), "qrels"))
    assert list(judged.topics) == list(plain.topics)
    for topic, values in plain.topics.items():
        ours = judged.topics[topic]
        assert (ours.documents, ours.grades.tolist()) == (values.documents, values.grades.tolist())
        assert ours.lines.tolist() == [2 * line + 1 for line in values.lines.tolist()]


def test_comments_in_other_forms(write):
    inex = "1 Q0 a 1 3 r /article[1]\n1 Q0 a 2 2 r /article[1]/p[1]\n"
    assert read_run(write("# x\n" + inex)).paths == ("/article[1]", "/article[1]/p[1]")
    assert read_run(write("# x\n1\ta\t2\n# y\n1\tb\t1\n")).document.tolist() == [1, 0]
    beir = read_assessments(write("# x\n# y\nquery-id\tcorpus-id\tscore\n1\ta\t1\n# z\n1\tb\t2\n"))
    assert beir.topics["1"].lines.tolist() == [4, 6]


def test_a_name_may_have_the_sign_of_comments(write):
    run = read_run(write("1 Q0 a#1 1 3 #r\n1 Q0 #b 2 2 #r\n"))
    assert (run.documents, run.run_id) == (("a#1", "#b"), "#r")


@pytest.mark.parametrize("block", [8, 40, 1 << 20])
@pytest.mark.parametrize("first", ["1 Q0 z 1 9 r", "1 Q0 z 1 9 r by", "1 Q0 z 1 9 r by me", "1 Q0 z 1 9 r by me 1"])
def test_text_after_the_name_of_the_run_is_ignored(first, block, write, monkeypatch):
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", block)
    others = ["1 Q0 a 1 3 r x", "1 Q0 b 2 2 r", "1 Q0 c 2 1.5 r two words", "2 Q0 a 1 1 last (7) 8 9"]
    run = read_run(write("".join(f"{line}\n" for line in [first, *others])))
    assert (run.topics, run.documents, run.run_id) == (("1", "2"), ("z", "a", "b", "c"), "last")
    assert run.score.tolist() == [9, 3, 2, 1.5, 1]


@pytest.mark.parametrize(
    ("extra", "found"),
    [("/p[1]", 7), ("p[1]", 7), ("X", 7), ("-1", 7), ("5", 7), ("0 9", 8), ("/a /b", 8), ("0 9 x", 9)],
)
def test_places_in_documents_are_no_text(extra, found, write):
    path = write(f"1 Q0 a 1 3 r\n1 Q0 b 1 2 r {extra}\n")
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(error.value) == f"{path}:2: expected 6 columns as on line 1, found {found}"


def test_a_text_without_a_score_is_no_run(write):
    path = write("These are seven words of a note\n")
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(error.value) == f"{path}:1: score: expected a finite number, found 'of'"


@pytest.mark.parametrize(("text", "kind"), [("# x\n\n#y", "run"), ("#\n", "assessments")])
def test_nothing_but_comments(text, kind, write):
    path, wanted = write(text), {"run": "a run"}.get(kind, kind)
    with pytest.raises(InputError) as error:
        (read_run if kind == "run" else read_assessments)(path)
    assert str(error.value) == f"{path}:1: nothing but comments, expected {wanted}"


def test_lines_of_bad_input_count_comments(write):
    path = write("# x\n1 Q0 a 1 3 r\n# y\n1 Q0 a 1 high r\n")
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(error.value) == f"{path}:4: score: expected a finite number, found 'high'"


def test_swapped_files_with_comments_are_recognised(write):
    qrels, run = write(commented(QRELS), "qrels"), write(commented(RUN), "run")
    output = call(f"eval {run} {qrels}")
    assert output == (1, "", f"{run}: this is a run; assessments come first\n")


def test_runs_from_standard_input(write, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(commented(RUN).encode())))
    output = call(f"eval -m num_ret {write(QRELS)} -")
    assert output.out == "num_ret               \tall\t3\n"


def test_topics_that_begin_with_the_sign_of_comments_cannot_be_written(write):
    path = write('{"topic": "#1", "doc": "a", "start": 0, "end": 5, "score": 1}\n', "run.jsonl")
    output = call(f"convert --to run-offsets {path}")
    assert output == (1, "", f"{path}:1: topic '#1': a line cannot begin so, nor hold white space in a name\n")
