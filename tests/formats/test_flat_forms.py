"""BEIR's qrels, MS MARCO's runs and JSON objects of topics: each equals its TREC twin, and every message in full."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate
from prum_eval.formats import RankBy
from prum_eval.formats.format import FormatKind
from prum_eval.formats.reading import read_assessments, read_run
from prum_eval.formats.registry import is_recognised
from prum_eval.text.streams import Content
from tests.gold import run as run_tool

HEADER = "query-id\tcorpus-id\tscore\n"
NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20).filter(
    lambda name: name[0] not in "<{[#"
)
DOCUMENTS = st.sampled_from(["a", "b", "c", "long-name-of-a-document-" * 4, 'say-"no"', "back\\slash", "é", "}"])
GRADES = st.dictionaries(NAMES, st.dictionaries(DOCUMENTS, st.integers(-2, 4), min_size=1), min_size=1, max_size=4)
SCORES = st.dictionaries(
    NAMES, st.dictionaries(DOCUMENTS, st.sampled_from([0, 1, -2.5, 1e-7, 3e20]), min_size=1), min_size=1, max_size=4
)
LAYOUTS = st.sampled_from([{}, {"indent": 1}, {"indent": "\t", "ensure_ascii": False}, {"separators": (",", ":")}])


def content(text):
    return Content("run", text.encode())


def results(run):
    """Topics with their ranked documents and scores."""
    bounds, names = run.bounds.tolist(), [run.documents[code] for code in run.document.tolist()]
    rows = zip(names, run.score.tolist(), strict=True)
    ranked = list(rows)
    return {t: ranked[i:j] for t, i, j in zip(run.topics, bounds[:-1], bounds[1:], strict=True)}, run.tied


def grades(judged):
    return {
        name: dict(zip(topic.documents, topic.grades.tolist(), strict=True)) for name, topic in judged.topics.items()
    }


@given(GRADES, LAYOUTS)
def test_qrels_in_every_form_are_the_same(tmp_path_factory, nested, layout):
    folder = tmp_path_factory.mktemp("qrels")
    rows = [(topic, document, grade) for topic, of in nested.items() for document, grade in of.items()]
    texts = {
        "trec": "".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in rows),
        "beir": HEADER + "".join(f"{topic}\t{document}\t{grade}\n" for topic, document, grade in rows),
        "json": json.dumps(nested, **layout),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        assert grades(read_assessments(folder / name)) == nested, name


@given(SCORES, LAYOUTS)
def test_a_json_run_is_the_same_as_its_trec_twin(nested, layout):
    rows = [(topic, document, score) for topic, of in nested.items() for document, score in of.items()]
    trec = "".join(f"{topic} Q0 {document} 1 {score!r} run\n" for topic, document, score in rows)
    read = read_run(content(json.dumps(nested, **layout)))
    assert results(read) == results(read_run(content(trec)))
    assert (read.run_id, read.kind) == ("run", read_run(content(trec)).kind)


@given(SCORES, st.randoms())
def test_ranks_decide_whatever_the_order_of_lines(nested, random):
    rows = [(topic, document, rank) for topic, of in nested.items() for rank, document in enumerate(of, 1)]
    shuffled = random.sample(rows, len(rows))
    ranked = read_run(content("".join(f"{topic}\t{document}\t{rank}\n" for topic, document, rank in shuffled)))
    assert {topic: [name for name, _ in of] for topic, of in results(ranked)[0].items()} == {
        topic: list(of) for topic, of in nested.items()
    }
    twin = "".join(f"{topic} Q0 {document} {rank} {-rank} run\n" for topic, document, rank in shuffled)
    judged = {topic: {document: 1} for topic, document, _ in rows}
    values = [
        evaluate(judged, read, measures=["map", "ndcg"]).runs[0].topics for read in (ranked, read_run(content(twin)))
    ]
    assert values[0] == values[1]


def test_a_rank_may_be_named_twice_and_the_file_may_rank(write):
    text = "1 a 2\n1 b 1\n1 c 2\n"
    assert [name for name, _ in results(read_run(write(text)))[0]["1"]] == ["b", "a", "c"]
    assert [name for name, _ in results(read_run(write(text), rank_by=RankBy.FILE))[0]["1"]] == ["a", "b", "c"]
    assert read_run(write(text, "bm25.tsv.gz")).run_id == "bm25"


def test_lines_of_the_file_are_known(write):
    text = '{\n  "1": {\n    "a": 1, "b":\n 3\n  },\n  "2": {"c": 0.5}}\n'
    assert read_run(write(text)).line.tolist() == [3, 3, 6]
    assert read_assessments(write("\n\n" + HEADER + "1 a 1\n1 b 0\n")).topics["1"].lines.tolist() == [4, 5]


RUN, QRELS = read_run, read_assessments
BAD = [
    (RUN, "1 a 1\n1 b x\n", ["2: rank: expected an integer, found 'x'"]),
    (RUN, "1 a 1\n1 b 2 0.5\n", ["2: expected 3 columns as in the lines before, found 4"]),
    (RUN, "1 a 1\n\n1 b 2\n", ["2: a blank line, expected a result"]),
    (RUN, "1 a 1\n1 b 2\n1 a 3\n", ["3: document 'a' is listed twice in topic '1' (first on line 1)"]),
    (QRELS, f"{HEADER}1\ta\t1\n1\tb\t0.5\n", ["3: score: expected an integer, found '0.5'"]),
    (QRELS, f"{HEADER}1\t0\ta\t1\n", ["2: expected 3 columns as in the lines before, found 4"]),
    (QRELS, f"{HEADER}1\ta\t1\n1\ta\t1\n", ["3: document 'a' is judged twice in topic '1' (first on line 2)"]),
    (RUN, '{"1": {"a": 1, "b": "2"}}', ["1: score of document 'b': expected a finite number, found '\"2\"'"]),
    (RUN, '{"1": {"a": 1,\n"b": NaN}}', ["2: score of document 'b': expected a finite number, found 'NaN'"]),
    (RUN, '{"1": {"a": 1,\n"b": null}}', ["2: score of document 'b': expected a finite number, found 'null'"]),
    (RUN, '{"1": {"a": 1e999}}', ["1: score of document 'a': expected a finite number, found 'Infinity'"]),
    (RUN, '{"1": {"a": {"b": 1}}}', ["1: score of document 'a': expected a finite number, found '{\"b\": 1}'"]),
    (RUN, '{"1": {"a": true}}', ["1: score of document 'a': expected a finite number, found 'true'"]),
    (QRELS, '{"1": {"a": 1.5}}', ["1: grade of document 'a': expected a whole number, found '1.5'"]),
    (QRELS, '{"1": {"a": 1e17}}', ["1: grade of document 'a': expected a whole number, found '1e+17'"]),
    (RUN, '{"1": {"a": 1,\n "a": 2}}', ["2: document 'a' is listed twice in topic '1' (first on line 1)"]),
    (QRELS, '{"1": {"a": 1, "a": 1}}', ["1: document 'a' is judged twice in topic '1' (first on line 1)"]),
    (QRELS, '{"1": {"a": 1},\n"1": {"b": 1}}', ["2: topic '1' appears twice (first on line 1)"]),
    (RUN, '{"1": {"": 1}}', ["1: document: expected a name, text without control characters, found '\"\"'"]),
    (RUN, '{"1": {}, "\\t": {}}', ["1: topic: expected a name, text without control characters, found '\"\\t\"'"]),
    (RUN, '{"1": {"a\\ud800": 1}}', ["1: document: expected text that UTF-8 can write, found '\"a\\ud800\"'"]),
    (RUN, '{"1": {"a": 1}', ["1: not JSON: expected ',' or '}', found the end"]),
    (RUN, '{"1": {"a": 1,\n}}', ["2: not JSON: expected the name of a document in quotes and a colon, found '}'"]),
    (RUN, '{"1": {"a": 1, }}', ["1: not JSON: expected the name of a document in quotes and a colon, found '}'"]),
    (RUN, '{"1": {"a": 1}, }', ["1: not JSON: expected the name of a topic in quotes and a colon, found '}'"]),
    (RUN, '{"1": {"a" 1}}', ["1: not JSON: expected the name of a document in quotes and a colon, found '\"'"]),
    (RUN, '{"1": {"a": }}', ["1: not JSON: expected a finite number, found '}'"]),
    (RUN, '{"1": {"a": 1}}\n{"2": {"a": 1}}', ["2: not JSON: something after the object"]),
    (RUN, '{"1": {"a": 2, 3}', ["1: not JSON: expected the name of a document in quotes and a colon, found '3'"]),
    (RUN, '{"1": {"a\\x": 1}}', ["1: not JSON: Invalid \\escape"]),
    (RUN, f'{{"1": {{"a": {"[" * 9000}}}', ["1: not a JSON object: nested too deeply"]),
    (RUN, f'{{"1": {{"a": 1, "b": {"9" * 5000}}}}}', ["1: not a JSON object: a number has too many digits"]),
    (RUN, b'{"1": {"a": 1,\n"\xff": 1}}', ["2: the text is not UTF-8"]),
]  # fmt: skip


@pytest.mark.parametrize(("read", "text", "messages"), BAD, ids=range(len(BAD)))
def test_bad_input_is_named_with_its_line(write, problems_of, read, text, messages):
    assert problems_of(read, write(text)) == messages


def test_a_bad_member_is_left_out(write):
    problems = []
    run = read_run(
        write('{"1": {"a": 1, "b": "x", "c": 2}, "": {"a": 1}, "2": {"d": 3}, "3": {"e": '), problems=problems.append
    )
    assert results(run)[0] == {"1": [("c", 2.0), ("a", 1.0)], "2": [("d", 3.0)]}
    assert len(problems) == 3


@pytest.mark.parametrize(("text", "rank_by", "message"), [
    ("1 a 1\n", RankBy.SCORE, "1: three columns have no score to rank by"),
    ('{"1": {"a": 1}}', RankBy.RANK, "1: a JSON object has no rank to rank by"),
])  # fmt: skip
def test_what_a_form_cannot_be_ranked_by(write, problems_of, text, rank_by, message):
    assert problems_of(read_run, write(text), rank_by=rank_by) == [message]


@pytest.mark.parametrize("text", [
    '{"metadata": {"page": 3}, "topic": "1", "doc": "a", "start": 0, "end": 5}\n',
    '{"topic": "1", "doc": "a", "start": 0, "end": 5, "metadata": {"page": 3}}\n',
])  # fmt: skip
def test_json_lines_with_objects_stay_json_lines(write, text):
    assert read_run(write(text)).start.tolist() == [0]


def test_the_command_line_takes_every_pair_of_forms(write):
    qrels = [write("1 0 a 1\n1 0 b 0\n2 0 b 2\n", "qrels"), write(f"{HEADER}1\ta\t1\n1\tb\t0\n2\tb\t2\n", "qrels.tsv")]
    qrels.append(write('{"1": {"a": 1, "b": 0}, "2": {"b": 2}}', "qrels.json"))
    runs = [write("1 Q0 b 1 2 run\n1 Q0 a 2 1 run\n2 Q0 b 1 5 run\n", "run"), write("1 a 2\n1 b 1\n2 b 1\n", "run.tsv")]
    runs.append(write('{\n "1": {"a": 1, "b": 2},\n "2": {"b": 5}\n}', "run.json"))
    printed = {run_tool(f"eval -q {judged} {run}").out for judged in qrels for run in runs}
    assert len(printed) == 1
    assert "map                   \tall\t0.7500\n" in printed.pop()
    assert run_tool(f"check {runs[2]} --assessments {qrels[1]}").status == 0
    assert run_tool(f"eval {runs[1]} {runs[1]}").status == 1
    assert run_tool(f"eval {qrels[0]} {qrels[1]}").err == f"{qrels[1]}: these are assessments; expected a run\n"


def test_an_object_longer_than_the_head_is_recognised():
    nested = {"1": {f"document-{number}": number for number in range(20_000)}}
    assert is_recognised(FormatKind.RUN, content(json.dumps(nested)))
