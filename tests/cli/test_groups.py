"""``--groups`` of eval and compare: what each format shows, and what is said of topics without a group."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.gold import ROOT, run


@pytest.fixture
def inputs(tmp_path):
    texts = {
        "qrels": "".join(f"{topic} 0 a 1\n" for topic in range(1, 5)),
        "first": "1 Q0 a 1 2 first\n2 Q0 a 1 2 first\n3 Q0 b 1 2 first\n3 Q0 a 2 1 first\n4 Q0 b 1 2 first\n",
        "second": "".join(f"{t} Q0 b 1 2 second\n{t} Q0 a 2 1 second\n" for t in (1, 2)) + "3 Q0 a 1 2 second\n"
        "4 Q0 a 1 2 second\n",
        "groups": "1\teasy\n2\teasy\n3\thard\n4\thard\n5\thard\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return " ".join(f"{tmp_path}/{name}" for name in ("groups", "qrels", "first", "second"))


SENTENCE = (
    "The order of runs changes between groups by map and P_1: by map, first is better\n"
    "than second in easy (1.0000 to 0.5000) and worse in hard (0.2500 to 1.0000).\n"
)


def test_the_table(inputs):
    output = run(f"eval -m map -m P.1 -f table --groups {inputs}")
    assert output.out == (
        "group    measure      first    second\n"
        "-------  ---------  -------  --------\n"
        "easy     map         1.0000    0.5000\n"
        "easy     P_1         1.0000    0.0000\n"
        "hard     map         0.2500    1.0000\n"
        "hard     P_1         0.0000    1.0000\n"
        "all      map         0.6250    0.7500\n"
        "all      P_1         0.5000    0.5000\n"
        f"\n{SENTENCE}"
    )
    groups, qrels, *_ = inputs.split()
    assert f"prum-eval: warning: {groups}: 1 topic (5) is not in {qrels}\n" in output.err
    topics = run(f"eval -m map -q -f table --groups {inputs}").out.splitlines()
    assert [line.split() for line in topics[:4:3]] == [
        ["group", "topic", "measure", "first", "second"],
        ["easy", "2", "map", "1.0000", "0.5000"],
    ]
    assert [line.split()[:3] for line in topics[6:9]] == [
        ["easy", "all", "map"],
        ["hard", "all", "map"],
        ["all"] * 2 + ["map"],
    ]
    assert "group" not in run(f"eval -m map -f table -n {' '.join(inputs.split()[1:])}").out


def test_documents(inputs):
    markdown = run(f"eval -m map -f markdown --groups {inputs}").out
    assert "| easy    | first  | **1.0000** |\n| easy    | second |     0.5000 |\n" in markdown
    assert "order" not in markdown
    latex = run(f"eval -m map -f latex --groups {inputs}").out
    assert "easy & first & \\textbf{1.0000} \\\\\neasy & second & 0.5000 \\\\\n\\midrule\n" in latex


def test_the_page(inputs):
    page = run(f"eval -m map -f html --groups {inputs}").out
    assert "<h2>Groups</h2>" in page
    assert page.count("<h3>easy (2 topics)</h3>") == page.count("<h3>hard (2 topics)</h3>") == 1
    assert "The order of runs changes between groups by map: by map, first is better" in page
    assert '<td data-value="0.25">0.2500</td>' in page
    assert "<h2>Groups</h2>" not in run(f"eval -m map -f html {' '.join(inputs.split()[1:])}").out


def test_what_programs_read(inputs, tmp_path):
    rows = list(csv.DictReader(io.StringIO(run(f"eval -q -m map -f csv --groups {inputs}").out)))
    first = [(row["topic"], row["value"], row["group"]) for row in rows if row["run"] == "first"]
    assert first == [
        ("1", "1.0", "easy"),
        ("2", "1.0", "easy"),
        ("3", "0.5", "hard"),
        ("4", "0.0", "hard"),
        ("all", "1.0", "easy"),
        ("all", "0.25", "hard"),
        ("all", "0.625", ""),
    ]
    for style in ("csv", "json"):  # what eval writes with groups, compare reads
        path = tmp_path / style
        assert run(f"eval -q -m map -f {style} -o {path} --groups {inputs}").status == 0
        assert json.loads(run(f"compare --trials 9 -f json --values {path}").out)["rows"][0]["mean"] == 0.625
    found = json.loads(run(f"eval -m map -f json --groups {inputs}").out)["runs"][1]["groups"]
    assert found == {
        "easy": {"topics": ["1", "2"], "all": {"map": 0.5}},
        "hard": {"topics": ["3", "4"], "all": {"map": 1.0}},
    }


def test_trec_has_none(inputs):
    output = run(f"eval -m map -m P.1 --groups {inputs}")
    assert output.out == run(f"eval -m map -m P.1 {' '.join(inputs.split()[1:])}").out
    assert "prum-eval: warning: trec has no averages by group; the other formats have\n" in output.err


def test_compare(inputs):
    table = run(f"compare --trials 99 -m map -m num_ret --groups {inputs}").out
    assert (
        "\n"
        "mean by group       easy    hard\n"
        "----------------  ------  ------\n"
        "\n"
        "map (topics)           2       2\n"
        "second            0.5000  1.0000\n"
        "first             1.0000  0.2500\n"
        "\n"
        "num_ret (topics)       2       2\n"
        "second            2.0000  1.0000\n"
        "first             1.0000  1.5000\n"
        "\n"
    ) in table
    assert table.endswith(
        "\n\nThe order of runs changes between groups by map: by map, first is better than\n"
        "second in easy (1.0000 to 0.5000) and worse in hard (0.2500 to 1.0000).\n"
    )
    rows = list(csv.DictReader(io.StringIO(run(f"compare --trials 99 -m map -f csv --groups {inputs}").out)))
    assert [(row["run"], row["mean"], row["topics"], row["group"]) for row in rows] == [
        ("first", "0.625", "4", ""),
        ("second", "0.75", "4", ""),
        ("first", "1.0", "2", "easy"),
        ("second", "0.5", "2", "easy"),
        ("first", "0.25", "2", "hard"),
        ("second", "1.0", "2", "hard"),
    ]
    found = json.loads(run(f"compare --trials 99 -m map -f json --groups {inputs}").out)
    assert found["groups"][2] == {"measure": "map", "group": "hard", "run": 0, "topics": 2, "mean": 0.25}
    assert found["order_changes"] == [
        {"measure": "map", "run": 0, "other": 1, "better": "easy", "worse": "hard", "means": [1.0, 0.5, 0.25, 1.0]}
    ]
    assert "groups" not in json.loads(run(f"compare --trials 99 -m map -f json {' '.join(inputs.split()[1:])}").out)


def test_many_groups_stand_below_each_other(inputs, tmp_path):
    names = ["a" * 25, "b" * 23, "c" * 23, "d" * 23]
    groups = tmp_path / "many"
    groups.write_text("".join(f"{topic}\t{name}\n" for topic, name in enumerate(names, 1)), encoding="utf-8")
    lines = run(f"compare --trials 9 -m map --groups {groups} {inputs.split(maxsplit=1)[1]}").out.splitlines()
    assert lines[lines.index(f"group 1  {names[0]}") + 5] == "mean by group       1       2       3       4"
    groups.write_text("".join(f"{topic}\t{name[:23]}\n" for topic, name in enumerate(names, 1)), encoding="utf-8")
    lines = run(f"compare --trials 9 -m map --groups {groups} {inputs.split(maxsplit=1)[1]}").out.splitlines()
    assert [line for line in lines if line.startswith("mean by group")] == [
        f"mean by group  {names[0][:23]}  {names[1]}",
        f"mean by group  {names[2]}  {names[3]}",
    ]
    assert max(map(len, lines)) <= 80


def test_bad_files(inputs, tmp_path):
    groups, qrels, *_ = inputs.split()
    (tmp_path / "groups").write_text("1 easy\n", encoding="utf-8")
    for command in ("eval", "compare"):
        output = run(f"{command} -m map --groups {inputs}")
        assert (output.status, output.out) == (1, "")
        assert output.err == f"{groups}:1: expected topic and group, separated by a tab, found 1 columns\n"
    (tmp_path / "groups").write_text("7\teasy\n", encoding="utf-8")
    output = run(f"eval -m map --groups {inputs}")
    assert (output.status, output.out, output.err) == (1, "", f"prum-eval: {groups}: no topic in common with {qrels}\n")
    output = run(f"eval --groups - - {inputs.split()[2]}")
    assert output.status == 2
    assert "- (standard input) can be one input only" in output.err


def test_groups_in_the_assessments(tmp_path):
    lines, listed = (
        (ROOT / "fixtures/rag" / name).read_text("utf-8").splitlines() for name in ("gold.jsonl", "groups.tsv")
    )
    group_of = dict(line.split("\t") for line in listed)
    gold, runs = tmp_path / "gold.jsonl", "fixtures/rag/windows.jsonl fixtures/rag/paragraphs.jsonl"

    def write(groups):
        found = [{**json.loads(line), "group": groups.get(json.loads(line)["topic"])} for line in lines]
        kept = [{key: value for key, value in line.items() if value is not None} for line in found]
        gold.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")

    write(group_of)
    other = run(f"eval -m char_rec.5 -f csv --groups fixtures/rag/groups.tsv fixtures/rag/gold.jsonl {runs}")
    assert run(f"eval -m char_rec.5 -f csv {gold} {runs}").out == other.out
    write({topic: group for topic, group in group_of.items() if topic != "pass"})
    assert "prum-eval: warning: groups: 1 topic (pass) is in no group\n" in run(f"eval -m char_rec.5 {gold} {runs}").err
    write(group_of | {"pass": "all"})
    output = run(f"eval -m char_rec.5 {gold} {runs}")
    assert (output.status, output.out) == (1, "")
    assert output.err == "prum-eval: groups: no group can be called all, as the averages over all topics are\n"
