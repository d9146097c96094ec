"""The option --facets, what facets exclude, and what a call reports of them."""

from __future__ import annotations

import json

import pytest

from tests.gold import run

F1 = "fixtures/worked/F1/qrels fixtures/worked/F1/run"
D1 = "fixtures/worked/D1/qrels fixtures/worked/D1/run"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            f"-m eprum_map:ideal_list=greedy {F1}",
            "eprum_map: ideal_list=greedy has no facets: leave it out, or give --facets ignore",
        ),
        (
            f"-m eprum_map:mode=normal {F1}",
            "eprum_map: mode=normal has no facets: leave it out, or give --facets ignore",
        ),
        (
            f"-m gen_recall --targets bep {F1}",
            "gen_recall: targets=bep has no facets: give other targets, or --facets ignore",
        ),
        (
            f"--facets column {F1}",
            "--facets column reads the second column of TREC qrels, which fixtures/worked/F1/qrels has not",
        ),
    ],
)
def test_what_facets_exclude(options: str, message: str) -> None:
    """A usage error that says what to do."""
    output = run(f"eval {options}")
    assert (output.status, output.out, output.err) == (2, "", f"prum-eval: {message}\n")


def test_a_document_of_two_facets_needs_the_option() -> None:
    """The error names file, line and option."""
    output = run(f"eval -m map {D1}")
    reason = "document 'a' is judged twice in topic '1' (first on line 1), under '1' and '2' in the second column"
    expected = f"fixtures/worked/D1/qrels:2: {reason}: give --facets column or ignore\n"
    assert (output.status, output.out, output.err) == (1, "", expected)


def test_a_document_that_is_judged_twice_for_a_facet(tmp_path) -> None:
    """Is an error with the option too."""
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 1\n1 2 a 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n")
    output = run(f"eval -m strec --facets column {tmp_path}/qrels {tmp_path}/run")
    assert (
        output.err == f"{tmp_path}/qrels:3: document 'a' is judged twice for facet '2' of topic '1' (first on line 2)\n"
    )


def test_facets_ignore_is_gold_without_facets(tmp_path) -> None:
    """Number for number, of every measure."""
    gold = {"topic": "1", "doc": "d", "doc_length": 1000, "spans": [[100, 200], [300, 350], [600, 640]]}
    (tmp_path / "plain").write_text(json.dumps(gold))
    ignored = run("eval -m all --facets ignore " + F1)
    plain = run(f"eval -m all {tmp_path}/plain fixtures/worked/F1/run")
    assert ignored.out == plain.out
    assert "|facets:ignore|" in ignored.err
    assert "|facets:" not in plain.err


def test_measures_without_facets_give_what_they_give_without() -> None:
    """Documents count once, with their largest grade; one notice says so."""
    measures = "-m map -m ndcg -m num_rel -m prum_map -N 100"
    with_facets = run(f"eval {measures} --facets column {D1}")
    ignored = run(f"eval {measures} --facets ignore {D1}")
    assert with_facets.out == ignored.out
    assert "num_rel               \tall\t3\n" in ignored.out
    notice = "fixtures/worked/D1/qrels: facets do not change map, ndcg, prum_map: targets or documents count"
    assert f"prum-eval: warning: {notice}\n" in with_facets.err
    assert "|facets:column|" in with_facets.err
    assert "do not change" not in ignored.err


def test_navigation_over_facets_of_qrels() -> None:
    """Without navigation a facet is satisfied by any of its documents."""
    output = run(f"eval --facets column -u none -m gen_recall.1,2 -m complete.2 -m eprum_map {D1}")
    expected = "eprum_map all 1.1250 gen_recall_1 all 0.5000 gen_recall_2 all 1.0000 complete_2 all 1.0000"
    assert " ".join(output.out.split()) == expected  # the ideal list is a, z, c


def test_the_ideal_run_is_the_ideal_list_of_facets(tmp_path) -> None:
    """Of each facet the shortest alternative, in file order; it satisfies all facets."""
    output = run(f"simulate --from ideal fixtures/worked/F1/qrels -o {tmp_path}/runs")
    assert output.status == 0
    (file,) = (tmp_path / "runs").glob("*.run")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["start"], row["start"] + row["length"] if "length" in row else row["end"]) for row in rows] == [
        (300, 350),
        (600, 640),
    ]
    assert "eprum_map             \tall\t1.0000" in run(f"eval -m eprum_map fixtures/worked/F1/qrels {file}").out
