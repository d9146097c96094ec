"""What a form cannot hold: the messages in full, what --lossy writes, and that nothing else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum_eval.collection.trees import make_forest
from prum_eval.conversion.runs import ResultChange, elements_at, result_extent
from tests.conversion.records import structures
from tests.gold import run

#   article 0-100: sec[1] 0-40 (p[1] 0-40, of the same extent), sec[2] 40-100 (p[1] 40-60, p[2] 60-90)
STRUCTURE = """\
#document	path	start	length
d	/article[1]	0	100
d	/article[1]/sec[1]	0	40
d	/article[1]/sec[1]/p[1]	0	40
d	/article[1]/sec[2]	40	60
d	/article[1]/sec[2]/p[1]	40	20
d	/article[1]/sec[2]/p[2]	60	30
e	/article[1]	0	50
"""
GAPS = "d\t/a[1]\t0\t9\nd\t/a[1]/p[1]\t0\t3\nd\t/a[1]/p[3]\t3\t3\nd\t/a[1]/q[2]\t6\t3\n"
LINKS = """\
<collection>
<document id="d"><element tag="a" start="0" length="9"/>
<link path="/a" to="d"/>
<link path="/a" to="d" to-path="/a"/>
</document>
</collection>
"""
ASSESSMENTS = """\
<assessments topic="1" version="1">
<file name="d">
<best-entry-point path="/article[1]/sec[2]"/>
<best-entry-point path="/article[1]/sec[1]"/>
<passage start="/article[1]/sec[2]/p[1]" end="/article[1]/sec[2]/p[2]" size="50"/>
<passage start="/article[1]/sec[1]/p[1]/text()[1].5" end="/article[1]/sec[1]/p[1]/text()[1].15" size="11"/>
<element path="/article[1]" exhaustivity="2" size="100" rsize="60"/>
<element path="/article[1]/sec[2]" exhaustivity="1" size="60" rsize="50"/>
<element path="/article[1]/sec[2]/p[1]" exhaustivity="2" size="20" rsize="19"/>
<element path="/article[1]/sec[2]/p[2]" exhaustivity="2" size="30" rsize="30"/>
</file>
<file name="gone"/>
<file name="e"><best-entry-point path="/article[1]"/>
<element path="/article[1]" exhaustivity="0" size="50" rsize="0"/></file>
</assessments>
"""
TEXT = "1 Q0 d 30 100 0 0:20 10:10\n1 Q0 e 9 50 60 10:10 45:10\n1 Q0 f 5 9\n1 Q0 g 0 9\n1 Q0 h 9 9 9 0:9\n"


def lines(*results, topic="1"):
    """A run of results, ranked by descending scores."""
    cut = (result.partition(" ") for result in results)
    return "".join(
        f"{topic} Q0 {name} {rank} {10 - rank}.0 r{blank}{place}\n" for rank, (name, blank, place) in enumerate(cut, 1)
    )


PATHS = lines("d /article[1]/sec[1]", "d /article[1]/sec[1]/p[1]", "d /article[1]/p[9]", "gone /article[1]", "X X")
RANGES = lines(
    "d /article[1]/sec[2] /article[1]/sec[2]", "d /article[1]/sec[2]/p[1] /article[1]/sec[2]/p[2]",
    "d /article[1]/sec[1] /article[1]/sec[2]", "d /article[1]/sec[2]/p[1] /article[1]/sec[2]/p[1]",
)  # fmt: skip
OFFSETS = lines("d 40 60", "d 40 50", "d 41 5", "d 0 40", "d 0 40", "e 60 9", "gone 0 1", "d -5 9", "d X 0")
UNSORTED = "1 Q0 d 1 1.0 r 0 10\n1 Q0 d 2 2.0 r 20 10\n2 Q0 d 1 1.0 r 0 10\n"
TIES = "1 Q0 a 1 1.0 r /x\n1 Q0 b 2 1.0 r /x\n2 Q0 b 1 1.0 r /x\n2 Q0 a 2 1.0 r /x\n"
SUBMISSION = """\
<inex-submission run-id="my run" task="Focused">
<topic topic-id="1">
<result><file>d</file><path>/article[1]</path><rank>2</rank></result>
<result><file>e</file><path>/article[1]</path><rank>1</rank><rsv>3</rsv></result>
</topic>
</inex-submission>
"""

PARTLY = """\
<inex-submission run-id="r"><topic topic-id="1">
<result><file>a</file><path>/x</path><rank>1</rank><rsv>1</rsv></result>
<result><file>b</file><path>/x</path><rank>2</rank><rsv>2</rsv></result>
<result><file>c</file><path>/x</path><rank>3</rank></result>
</topic></inex-submission>
"""
OLDER = """\
<assessments topic="1">
<file file="a"><path path="/x" exhaustiveness="1" specificity="0"/></file>
<file file="b"><path path="/x" exhaustiveness="0" specificity="1"/></file>
<file file="c"><path path="/x" exhaustiveness="1" specificity="1"/></file>
</assessments>
"""

CASES = {
    "paths as offsets": (
        PATHS, "run-offsets", True,
        ["2: results that share their extent with an element around them: 1; offsets name that one",
         "3: results that the structure lacks: 2, the first here; they are marked X or left out"],
        lines("d 0 40", "d 0 40", "d -1 -1", "gone -1 -1", "X -1 -1"),
    ),
    "paths that do not exist as JSON Lines": (
        PATHS, "run-jsonl", True,
        ["5: results that do not exist: 1; they are left out",
         "2: results that share their extent with an element around them: 1; offsets name that one",
         "3: results that the structure lacks: 2, the first here; they are marked X or left out"],
        ('{"topic": "1", "doc": "d", "start": 0, "end": 40, "score": 9.0, "run": "r"}\n'
        '{"topic": "1", "doc": "d", "start": 0, "end": 40, "score": 8.0, "run": "r"}\n'),
    ),
    "ranges as offsets": (
        RANGES, "run-offsets", True,
        ["3: results that share their extent with an element around them: 1; offsets name that one"],
        lines("d 40 60", "d 40 50", "d 0 100", "d 40 20"),
    ),
    "ranges as paths": (
        RANGES, "run-paths", False,
        ["2: ranges of elements: 2, the first here; only their first elements are kept",
         "4: results that repeat an earlier one: 1; they are left out"],
        lines("d /article[1]/sec[2]", "d /article[1]/sec[2]/p[1]", "d /article[1]/sec[1]"),
    ),
    "ranges as XML": (
        RANGES, "run-xml", False,
        ["2: ranges of elements: 2, the first here; only their first elements are kept",
         "4: results that repeat an earlier one: 1; they are left out"],
        ('<?xml version="1.0" encoding="UTF-8"?>\n<inex-submission run-id="r">\n  <topic topic-id="1">\n'
        "    <result><file>d</file><path>/article[1]/sec[2]</path><rank>1</rank><rsv>9.0</rsv></result>\n"
        "    <result><file>d</file><path>/article[1]/sec[2]/p[1]</path><rank>2</rank><rsv>8.0</rsv></result>\n"
        "    <result><file>d</file><path>/article[1]/sec[1]</path><rank>3</rank><rsv>7.0</rsv></result>\n"
        "  </topic>\n</inex-submission>\n"),
    ),
    "a range from the root as a document": (
        lines("d /article[1] /article[1]/sec[1]", "e /article[1] /article[1]"), "run-trec", False,
        ["1: parts of documents: 1; only the documents are kept"], lines("d", "e"),
    ),
    "scores that are missing and scores that are wrong": (
        PARTLY, "run-trec", False,
        ["2: results of topics in which others have no score: 2, the first here; new scores"],
        "1 Q0 a 1 3.0 r\n1 Q0 b 2 2.0 r\n1 Q0 c 3 1.0 r\n",
    ),
    "older assessments as documents": (
        OLDER, "qrels-trec", False,
        ["2: judged documents: 3, the first here; only whether anything in them is relevant is kept"],
        "1 0 a 0\n1 0 b 0\n1 0 c 1\n",
    ),
    "offsets as paths": (
        OFFSETS, "run-paths", True,
        ["2: results that are no element: 2, the first here; each becomes the smallest element around it",
         "6: results that the structure lacks: 3, the first here; they are marked X or left out",
         "2: results that repeat an earlier one: 2, the first here; they are left out"],
        ("1 Q0 d 1 9.0 r /article[1]/sec[2]\n1 Q0 d 2 7.0 r /article[1]/sec[2]/p[1]\n"
        "1 Q0 d 3 6.0 r /article[1]/sec[1]\n"
        "1 Q0 e 4 4.0 r X\n1 Q0 gone 5 3.0 r X\n1 Q0 d 6 2.0 r X\n1 Q0 d 7 1.0 r X\n"),
    ),
    "offsets as ranges": (
        lines("d 40 60", "d 40 50", "d 41 5"), "run-ranges", True,
        ["3: results that are neither an element nor a range: 1; each becomes the smallest element around it"],
        lines("d /article[1]/sec[2] /article[1]/sec[2]", "d /article[1]/sec[2]/p[1] /article[1]/sec[2]/p[2]",
              "d /article[1]/sec[2]/p[1] /article[1]/sec[2]/p[1]"),
    ),
    "offsets before the document as JSON Lines": (
        lines("d 40 60", "d -5 9"), "run-jsonl", False,
        ["2: results that begin before their document: 1; they are left out"],
        '{"topic": "1", "doc": "d", "start": 40, "end": 100, "score": 9.0, "run": "r"}\n',
    ),
    "offsets as documents": (
        lines("e 0 50", "d 0 40", "d 0 100"), "run-trec", True,
        ["2: parts of documents: 1; only the documents are kept",
         "3: results that repeat an earlier one: 1; they are left out"],
        lines("e", "d"),
    ),
    "offsets as documents without a structure": (
        lines("e 0 50"), "run-trec", False, ["1: parts of documents: 1; only the documents are kept"], lines("e"),
    ),
    "scores that do not tell the order": (
        UNSORTED, "run-jsonl", False,
        ["1: results whose scores do not tell their order: 2, the first here; new scores do"],
        ('{"topic": "1", "doc": "d", "start": 0, "end": 10, "score": 2.0, "run": "r"}\n'
        '{"topic": "1", "doc": "d", "start": 20, "end": 30, "score": 1.0, "run": "r"}\n'
        '{"topic": "2", "doc": "d", "start": 0, "end": 10, "score": 1.0, "run": "r"}\n'),
    ),
    "equal scores, which TREC orders by document": (
        TIES, "run-trec", False,
        ["1: results whose scores do not tell their order: 2, the first here; new scores do"],
        "1 Q0 a 1 2.0 r\n1 Q0 b 2 1.0 r\n2 Q0 b 1 1.0 r\n2 Q0 a 2 1.0 r\n",
    ),
    "a submission as lines": (
        SUBMISSION, "run-paths", False,
        ["1: names of runs with white space: 1; it becomes _",
         "4: results of topics in which others have no score: 1; new scores"],
        "1 Q0 e 1 2.0 my_run /article[1]\n1 Q0 d 2 1.0 my_run /article[1]\n",
    ),
    "XML assessments as text": (
        ASSESSMENTS, "qrels-inex", True,
        ["6: passages of another size than the text between their ends: 1; that is what counts",
         "8: assessments of elements that do not follow from the passages: 2, the first here; the passages count",
         "4: best entry points beside another one, or without a passage: 2, the first here; they are left out",
         "12: judged documents that the structure lacks: 1; they are left out"],
        "1 Q0 d 60 100 40 40:50 5:10\n1 Q0 e 0 50\n",
    ),
    "text as relevant spans": (
        TEXT, "qrels-jsonl", False,
        ["1: documents with overlapping passages: 1; these are joined",
         "2: documents with passages past their end: 1; these are cut there",
         ("1: documents whose relevant characters are not those of their passages: 3, the first here; "
         "the passages count"),
         "2: best entry points past the end of the document: 1; they are left out"],
        ('{"topic": "1", "doc": "d", "doc_length": 100, "spans": [[0, 20]], "bep": 0}\n'
        '{"topic": "1", "doc": "e", "doc_length": 50, "spans": [[10, 20], [45, 50]]}\n'
        '{"topic": "1", "doc": "f", "doc_length": 9, "spans": []}\n'
        '{"topic": "1", "doc": "g", "doc_length": 9, "spans": []}\n'
        '{"topic": "1", "doc": "h", "doc_length": 9, "spans": [[0, 9]], "bep": 9}\n'),
    ),
    "text as documents": (
        TEXT, "qrels-trec", False,
        ["1: judged documents: 5, the first here; only whether anything in them is relevant is kept"],
        "1 0 d 1\n1 0 e 1\n1 0 f 1\n1 0 g 0\n1 0 h 1\n",
    ),
    "links as text": (
        LINKS, "structure-text", False, ["3: links: 2, the first here; they are left out"],
        "#document\tpath\tstart\tlength\nd\t/a[1]\t0\t9\n",
    ),
    "positions as nesting": (
        GAPS, "structure-xml", False,
        ["3: elements whose position is not their place among siblings: 2, the first here; they are numbered anew"],
        ('<?xml version="1.0" encoding="UTF-8"?>\n<collection unit="character">\n  <document id="d">\n'
        '    <element tag="a" start="0" length="9">\n      <element tag="p" start="0" length="3"/>\n'
        '      <element tag="p" start="3" length="3"/>\n      <element tag="q" start="6" length="3"/>\n'
        "    </element>\n  </document>\n</collection>\n"),
    ),
}  # fmt: skip


@pytest.fixture
def converted(tmp_path):
    """Run the command on a text."""
    (tmp_path / "structure.tsv").write_text(STRUCTURE)

    def converted(text, form, options="", *, structure=True):
        (tmp_path / "input").write_text(text)
        given = f"-s {tmp_path}/structure.tsv " if structure else ""
        output = run(f"convert --to {form} {given}{options} {tmp_path}/input")
        return output._replace(err=output.err.replace(f"{tmp_path}/", ""))

    return converted


@pytest.mark.parametrize(("text", "form", "structure", "losses", "result"), CASES.values(), ids=CASES)
def test_losses(converted, text, form, structure, losses, result):
    refused = converted(text, form, structure=structure)
    hint = f"prum-eval: {form} cannot hold this; nothing is written (--lossy converts the rest)\n"
    assert refused.err == "".join(f"input:{loss}\n" for loss in losses) + hint
    assert (refused.status, refused.out) == (1, "")
    written = converted(text, form, "--lossy", structure=structure)
    warnings = [line for line in written.err.splitlines() if "lost: " in line]
    assert warnings == [f"prum-eval: warning: lost: input:{loss}" for loss in losses]
    assert (written.status, written.out) == (0, result)


def test_the_task_of_a_submission_is_said(converted):
    text = SUBMISSION.replace("my run", "r").replace("<rsv>3</rsv>", "")
    output = converted(text, "run-paths", structure=False)
    assert output == (0, "1 Q0 e 1 2.0 r /article[1]\n1 Q0 d 2 1.0 r /article[1]\n",
                      "prum-eval: warning: input: run-paths does not say the task, Focused\n")  # fmt: skip
    assert converted(text, "run-xml", structure=False).err == ""


CHUNKS = """\
{"topic": "1", "doc": "d", "start": 9, "end": 19, "score": 2.0, "tokens": 3, "run": "r"}
{"topic": "1", "doc": "d", "start": 0, "end": 9, "score": 1.0, "run": "r"}
"""


def test_tokens_are_kept_in_json_lines_and_lost_elsewhere(converted):
    assert converted(CHUNKS, "run-jsonl", structure=False) == (0, CHUNKS, "")
    loss = "input:1: results with a number of tokens: 1; it is left out"
    hint = "prum-eval: run-offsets cannot hold this; nothing is written (--lossy converts the rest)\n"
    assert converted(CHUNKS, "run-offsets", structure=False) == (1, "", f"{loss}\n{hint}")
    written = converted(CHUNKS, "run-offsets", "--lossy", structure=False)
    assert written == (0, "1 Q0 d 1 2.0 r 9 10\n1 Q0 d 2 1.0 r 0 9\n", f"prum-eval: warning: lost: {loss}\n")


def test_a_document_may_be_named_by_its_file(converted):
    text = lines("d.xml /ARTICLE/sec[2]", "e.xml /article")
    assert converted(text, "run-offsets") == (0, lines("d.xml 40 60", "e.xml 0 50"), "")
    assert converted(lines("d.xml 40 60"), "run-paths") == (0, lines("d.xml /article[1]/sec[2]"), "")


def test_an_element_outside_the_passages_that_is_judged_exhaustive(converted):
    text = ASSESSMENTS.replace('exhaustivity="0"', 'exhaustivity="2"')
    assert (
        "input:8: assessments of elements that do not follow from the passages: 3, "
        in converted(text, "qrels-inex").err
    )


def test_order_can_be_asked_for(converted):
    output = converted(UNSORTED, "run-jsonl", "--rank-by score", structure=False)
    assert [line.split('"start": ')[1].split(",")[0] for line in output.out.splitlines()] == ["20", "0", "0"]


OTHER = {
    "no structure": (
        lines("d 0 5"), "run-paths", "", 1,
        "prum-eval: input: the run gives offsets, run-paths needs element paths: give --structure\n",
    ),
    "no structure for documents": (
        lines("d"), "run-offsets", "", 1,
        "prum-eval: input: the run gives documents, run-offsets needs offsets: give --structure\n",
    ),
    "no structure for pointers": (
        ASSESSMENTS, "qrels-inex", "", 1,
        "prum-eval: input: XML assessments point into documents, qrels-inex needs offsets: give --structure\n",
    ),
    "no passages": (
        "1 0 d 1\n", "qrels-jsonl", "", 1,
        "prum-eval: input: assessments of documents tell no passages, which qrels-jsonl needs\n",
    ),
    "older assessments": (
        "<assessments topic='1'><file file='d'><path path='/a' exhaustiveness='1'/></file></assessments>",
        "qrels-inex", "", 1,
        "prum-eval: input: assessments of elements, 2003-2004 tell no passages, which qrels-inex needs\n",
    ),
    "nothing left": (
        lines("X X", "X X"), "run-xml", "--lossy", 1, "prum-eval: input: no result is left that run-xml can hold\n",
    ),
    "bad line": (
        "1 Q0 d\n", "run-xml", "--lossy", 1, "input:1: expected 6 columns (TREC), 7 or 8 (INEX), found 3\n",
    ),
    "a name with a blank": (
        '{"topic": "1", "doc": "my file.pdf", "start": 0, "end": 5}\n', "run-offsets", "--lossy", 1,
        "input:1: document 'my file.pdf': columns cannot hold white space\n",
    ),
    "a rank of assessments": (
        TEXT, "qrels-inex", "--rank-by score", 2,
        "prum-eval: qrels-inex: only runs are ranked, --rank-by has no effect\n",
    ),
    "a structure of a structure": (
        GAPS, "structure-text", "-s structure.tsv", 2,
        "prum-eval: structure-text: the structure is the input itself, --structure has no effect\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "form", "options", "status", "message"), OTHER.values(), ids=OTHER)
def test_what_cannot_be_converted(converted, text, form, options, status, message):
    assert converted(text, form, options, structure=False) == (status, "", message)


def test_what_points_nowhere_or_backwards(converted):
    output = converted(ASSESSMENTS.replace('p[2]" size', 'p[7]" size'), "qrels-inex")
    assert output == (1, "", "input:5: /article[1]/sec[2]/p[7] is not in the structure of document d\n")
    backwards = ASSESSMENTS.replace(
        'start="/article[1]/sec[2]/p[1]" end="/article[1]/sec[2]/p[2]"',
        'start="/article[1]/sec[2]/p[2]" end="/article[1]/sec[1]"',
    )
    output = converted(backwards, "qrels-inex", "--lossy")
    assert output.err == ("input:5: the passage /article[1]/sec[2]/p[2] to /article[1]/sec[1] ends before it begins\n")
    output = converted(lines("d /article[1]/sec[2] /article[1]/sec[1]"), "run-offsets", "--lossy")
    assert output.err == "input:1: the range /article[1]/sec[2] to /article[1]/sec[1] ends before it begins\n"


def test_forms_that_there_are_not():
    output = run("convert --to run-ofsets x")
    assert output.status == 2
    assert "'run-ofsets' is no form (did you mean run-offsets?)" in " ".join(output.err.split())
    output = run("convert --to zzz x")
    assert output.status == 2
    assert "'zzz' is no form (there are: run-trec, run-paths," in " ".join(output.err.split())


def test_standard_input_twice():
    output = run("convert --to run-xml -s - -")
    assert (output.status, output.out) == (2, "")
    assert "- (standard input) can be one input only" in output.err


@settings(deadline=None)
@given(structures(st.just("d"), gaps=True))
def test_elements_as_extents_and_back(structure):
    """Of the elements of one extent only the first, in document order, is told by it."""
    (document,) = structure.documents.values()
    tree = make_forest(structure.documents)["d"]
    first = {}
    for path, start, length in zip(document.paths, document.start.tolist(), document.length.tolist(), strict=True):
        own = first.setdefault((start, length), path)
        assert result_extent(tree, path, path) == (
            start,
            length,
            ResultChange.UNCHANGED if own == path else ResultChange.SHARED,
        )
        assert elements_at(tree, start, length, ranges=False) == (own, own, ResultChange.UNCHANGED)


@settings(deadline=None)
@given(structures(st.just("d")), st.data())
def test_extents_as_elements(structure, data):
    """By trying all elements and all pairs of them."""
    (document,) = structure.documents.values()
    tree = make_forest(structure.documents)["d"]
    rows = list(zip(document.paths, document.start.tolist(), (document.start + document.length).tolist(), strict=True))
    start = data.draw(st.sampled_from([low for _, low, _ in rows]) | st.integers(0, 30))
    stops = [high for _, _, high in rows if high >= start]
    stop = data.draw(st.sampled_from(stops) | st.integers(start, 40) if stops else st.integers(start, 40))
    length = stop - start
    exact = [path for path, low, high in rows if (low, high) == (start, start + length)]
    around = {path: high - low for path, low, high in rows if low <= start and high >= start + length}
    found = elements_at(tree, start, length, ranges=False)
    if exact:
        assert found == (exact[0], exact[0], ResultChange.UNCHANGED)
    elif around:
        assert found.change is ResultChange.NO_ELEMENT
        assert around[found.first] == min(around.values())
    else:
        assert found == ("", "", ResultChange.MISSING)
    ranged = elements_at(tree, start, length, ranges=True)
    if ranged.first != ranged.last:
        assert result_extent(tree, ranged.first, ranged.last) == (start, length, ResultChange.UNCHANGED)
    elif not exact and around:
        assert ranged.change is ResultChange.NO_RANGE
        pairs = [
            (one, other) for number, (one, *span) in enumerate(rows) for other, *end in rows[number + 1 :]
            if (span[0], end[1]) == (start, start + length) and end[0] >= start and span[1] <= start + length
        ]  # fmt: skip
        assert not pairs


def test_which_elements_are_retrievable_is_lost_outside_an_index(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<p>one</p><p>two</p>", encoding="utf-8")
    index = tmp_path / "pages.index"
    assert run(f"index {tmp_path}/pages --elements //p -o {index}").status == 0
    refused = run(f"convert --to structure-text {index}")
    lost = f"{index}: elements that are not retrievable: 2; they become so\n"
    hint = "prum-eval: structure-text cannot hold this; nothing is written (--lossy converts the rest)\n"
    assert refused == (1, "", lost + hint)
    assert run(f"convert --lossy --to structure-text {index}").out.count("\na\t") == 4
