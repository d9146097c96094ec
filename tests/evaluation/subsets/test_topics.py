"""--topics: a file, a list, a range; what counts, and what is said."""

from __future__ import annotations

import pytest

from prum_eval import DataError, InputError, UsageError, compare, correlate, evaluate, explain
from prum_eval.evaluation.prepare import select_topics
from tests.gold import run as call

QRELS = {str(topic): {"a": 1, "b": 0, "c": topic % 3} for topic in range(301, 311)}
RUN = {str(topic): {"a": float(topic % 4), "b": 2.5, "c": float(topic % 5)} for topic in range(300, 310)}
OTHER = {topic: dict(zip(scores, reversed(scores.values()), strict=True)) for topic, scores in RUN.items()}


def write(folder):
    lines = [f"{topic} 0 {name} {grade}\n" for topic, found in QRELS.items() for name, grade in found.items()]
    (folder / "qrels").write_text("".join(lines), encoding="utf-8")
    for run_id, run in (("one", RUN), ("two", OTHER)):
        lines = [
            f"{topic} Q0 {name} 1 {score} {run_id}\n" for topic, found in run.items() for name, score in found.items()
        ]
        (folder / run_id).write_text("".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("301", ["301"]),
        ("301,303, 305", ["301", "303", "305"]),
        ("303-306", ["303", "304", "305", "306"]),
        ("1-301,309-400", ["301", "309"]),
        (["304", "302"], ["302", "304"]),
        (("302",), ["302"]),
    ],
)
def test_values_of_topics_are_what_they_are_among_all(given, names):
    every, some = (evaluate(QRELS, RUN, measures="map,ndcg,gen_recall.2", topics=one).runs[0] for one in (None, given))
    assert dict(some.topics) == {topic: every.topics[topic] for topic in names}
    assert some.all["map"] == pytest.approx(sum(every.topics[one]["map"] for one in names) / len(names))


def test_missing_topics_count_among_the_chosen_ones_only():
    found = evaluate(QRELS, RUN, measures="num_q,map", topics="308-310", complete=True)
    assert [*found.runs[0].topics] == ["308", "309", "310"]
    assert found.runs[0].all["num_q"] == 3
    assert "1 judged topic is not in the run" in " ".join(map(str, found.warnings)) or found.warnings
    assert "not in the assessments" not in " ".join(
        map(str, evaluate(QRELS, RUN, measures="map", topics="301").warnings)
    )


def test_a_file_of_topics(tmp_path):
    write(tmp_path)
    (tmp_path / "fold").write_text("303\n\n 304 \r\n999\n", encoding="utf-8")
    output = call(f"eval -m map -q --topics {tmp_path / 'fold'} {tmp_path / 'qrels'} {tmp_path / 'one'}")
    assert [line.split("\t")[1] for line in output.out.splitlines()] == ["303", "304", "all"]
    assert f"{tmp_path / 'fold'}: 1 topic (999) is not in {tmp_path / 'qrels'}\n" in output.err
    assert evaluate(QRELS, RUN, measures="map", topics=tmp_path / "fold").parameters["topics"] == ["303", "304"]


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        ("", InputError, "{}:1: the file is empty"),
        ("301\n302 303\n", InputError, "{}:2: expected a topic in each line, found '302 303'"),
        ("7\n", DataError, "{}: no topic in common with assessments"),
    ],
)
def test_files_that_are_none(content, kind, message, tmp_path):
    path = tmp_path / "fold"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(kind) as caught:
        evaluate(QRELS, RUN, measures="map", topics=path)
    assert caught.value.message.removeprefix("prum-eval: ") == message.format(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("3011", "topics: '3011' is not a topic of assessments, a range A-B or a file; did you mean 301?"),
        ("301,,302", "topics: '301,,302' is not a topic of assessments, a range A-B or a file"),
        ("400-500", "topics: no topic of assessments is in the range 400-500"),
        (["x"], "topics: x is no topic of assessments"),
        ([], "topics: none is named"),
    ],
)
def test_what_is_no_choice(given, message):
    with pytest.raises(UsageError) as caught:
        evaluate(QRELS, RUN, measures="map", topics=given)
    assert str(caught.value) == message


def test_a_run_without_the_chosen_topics():
    with pytest.raises(DataError, match=r"no topic in common with assessments among those that are chosen$"):
        evaluate(QRELS, RUN, measures="map", topics="310")


def test_a_topic_that_looks_like_a_range_is_a_topic():
    assert select_topics("1-3", ["1-3", "2"], "qrels") == (frozenset({"1-3"}), [])
    assert select_topics("1-3", ["1", "02", "x2", "3"], "qrels")[0] == {"1", "02", "3"}


def test_other_commands(tmp_path):
    names = ["302", "303", "305", "306"]
    compared = compare(QRELS, {"one": RUN, "two": OTHER}, measures="map", topics=",".join(names))
    assert [row["topics"] for row in compared.rows()][:1] == [4]
    assert correlate(QRELS, {"one": RUN, "two": OTHER}, measures="map,ndcg", topics=names, over="values")
    assert explain(QRELS, RUN, "302", measures="gen_recall", topics=names)
    with pytest.raises(DataError, match="no results for topic 301"):
        explain(QRELS, RUN, "301", measures="gen_recall", topics=names)


def test_gold_keeps_the_names(tmp_path):
    write(tmp_path)
    (tmp_path / "fold").write_text("303\n304\n", encoding="utf-8")
    inputs = f"{tmp_path / 'qrels'} {tmp_path / 'one'}"
    written = call(
        f"gold write {tmp_path / 'gold'} {inputs} -m AP,P@2 --names as-given -l 2 -J --topics {tmp_path / 'fold'}"
    )
    assert written.status == 0
    (tmp_path / "fold").write_text("305\n", encoding="utf-8")
    assert call(f"gold check {tmp_path / 'gold'}").status == 0


def test_workers_know_the_choice(tmp_path):
    write(tmp_path)
    inputs = " ".join(str(tmp_path / name) for name in ("qrels", "one", "two"))
    more = f"-J -l 2 --topics 302-304 -m AP,P@2 --names as-given {inputs}"
    assert call(f"eval -q -j 2 {more}").out == call(f"eval -q {more}").out
