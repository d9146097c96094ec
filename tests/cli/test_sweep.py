"""`sweep`: its formats and messages, and that it fits a terminal."""

from __future__ import annotations

import csv
import io
import json

import pytest

from prum_eval import sweep
from tests.gold import ROOT, run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
SINGLE = DEMO.rpartition(" ")[0]
ENTRY = "-u bep-distance --targets bep -m eprum_map"


def told(command):
    output = run(f"sweep {command}")
    assert output.status == 0, output.err
    return output.out


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulated") / "moved"
    made = run(
        f"simulate -s fixtures/demo/structure.tsv fixtures/demo/assessments --change move --vary move.m=0:.9:.3 "
        f"--copies 2 -o {folder}"
    )
    assert made.status == 0, made.err
    return folder


def test_the_table_of_several_runs():
    assert told(f"{ENTRY} --vary A=.01:100:log5 {DEMO}") == SEVERAL


def test_the_table_of_one_run(simulated):
    command = f"-s fixtures/demo/structure.tsv fixtures/demo/assessments {simulated}"
    assert told(f"-m eprum_map -m map -m gen_recall.2 {command}") == ONE
    text = told(f"--digits 2 -m eprum_map -m eprum_prec_at_recall.0,0.5,1 -m gen_recall.2,5 {command}")
    assert text == CURVES


@pytest.mark.parametrize(
    "command",
    [
        f"-m eprum -m map --vary user_model=none,hierarchical,t2i:tolerance=300 {DEMO}",
        f"-m eprum_map:at_recall=ratio,targets=relevant,ideal_list=greedy -m gen_recall --vary limit=1,2 {DEMO}",
        f"-m eprum_prec_at_recall -m eprum_map:at_recall=ratio,targets=relevant --vary limit=1,2 {SINGLE}",
    ],
)
def test_it_fits_80_columns(command):
    assert max(map(len, told(command).splitlines())) <= 80


def test_long_names_are_numbers():
    command = f"-m eprum_map:at_recall=ratio,targets=relevant --vary limit=1,2 {SINGLE}"
    assert told(command).startswith("1  eprum_map:at_recall=ratio,targets=relevant\n\nlimit               1\n")


def test_many_runs_go_on_below(simulated):
    text = told(
        f"--vary limit=1,2 -m eprum_map -s fixtures/demo/structure.tsv fixtures/demo/assessments {simulated} "
        f"fixtures/demo/run-a.xml"
    )
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("limit") for line in lines) == 2
    ideal = [f"ideal-{m}-{copy}" for m in ("0", "0.3", "0.6", "0.9") for copy in (1, 2)]
    assert lines[1].split() == ["limit", *ideal[:5]]
    assert lines[6].split() == ["limit", *ideal[5:], "bm25-sections", "tau"]
    assert "intervals, for which there is no room here, are in json and csv" in lines


def test_json_and_csv_have_what_the_function_returns(monkeypatch):
    monkeypatch.chdir(ROOT)
    words = DEMO.split()
    known = sweep(words[2], words[3:], structure=words[1], vary="A=.01:100:log5", user_model="bep-distance",
                  targets="bep", measures="eprum_map", reference=1)  # fmt: skip
    command = f"{ENTRY} --reference 1 --vary A=.01:100:log5 {DEMO}"
    found = json.loads(told(f"-f json {command}"))
    assert (found["signature"], found["parameter"], found["key"]) == (known.signature, "A", "A")
    assert (found["values"], found["reference"]) == ([0.01, 0.1, 1, 10, 100], 1)
    assert [row["mean"] for row in found["means"]] == [row["mean"] for row in known.rows()]
    assert found["tau"]["eprum_map"][3] == {"value": 10, "tau": -1.0}
    (change,) = known.changes
    assert found["changes"] == [
        {"measure": "eprum_map", "upper": "bm25-sections", "lower": "article-only", "before": 1, "after": 10,
         "at": change.at, "significant": False}
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(told(f"-f csv {command}"))))
    assert [{key: str(value) for key, value in row.items()} for row in known.rows()] == rows
    assert list(rows[0]) == ["value", "run", "measure", "mean", "low", "high", "topics", "tau"]


def test_other_tables():
    command = f"{ENTRY} -m P.5 --digits 2 --vary A=.01,100 {DEMO}"
    assert told(f"-f markdown {command}").splitlines()[:3] == [
        "| measure   | A    |   bm25-sections |   article-only |   tau |",
        "|-----------|------|-----------------|----------------|-------|",
        "| P_5       | 0.01 |            0.60 |           0.33 |  1.00 |",
    ]
    single = command.rpartition(" ")[0]
    assert told(f"-f latex {single}").splitlines()[2] == " A    &   P\\_5 &   eprum\\_map \\\\"


def test_of_many_runs_only_changes_between_runs_that_differ_are_listed(tmp_path):
    topics = range(12)
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 a 1\n{topic} 0 b 1\n" for topic in topics), encoding="utf-8")
    lists = {
        "early": ["a x y"] * 12,
        "late": ["x a b"] * 12,
        "some": ["a x y"] * 6 + ["x y z"] * 6,
        "others": ["x a y"] * 3 + ["x y z"] * 4 + ["a x y"] * 5,
        **{f"none-{number}": ["x y z"] * 12 for number in range(4)},
    }
    for name, results in lists.items():
        lines = [
            f"{topic} Q0 {document} {rank} {9 - rank} {name}\n"
            for topic, text in enumerate(results)
            for rank, document in enumerate(text.split(), 1)
        ]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    inputs = f"--accept-unmatched -m map --vary limit=1,3 {tmp_path}/qrels"
    all_runs = " ".join(f"{tmp_path}/{name}" for name in lists)
    note = (
        "1 change of places without a significant difference (paired t test, p < 0.05, at\neither value): see json.\n"
    )
    text = told(f"{inputs} {all_runs}")
    listed = text[text.index("Runs that change") :]
    assert listed.startswith("Runs that change places (3):\nmap: early above late at 1, below at 3, at about 2.714\n")
    assert listed.endswith(note)
    page = told(f"-f html {inputs} {all_runs}")
    assert page.count("<li>map: ") == 3
    assert "1 change of places without a significant difference" in page
    changes = json.loads(told(f"-f json {inputs} {all_runs}"))["changes"]
    pairs = {(change["upper"], change["lower"]): change["significant"] for change in changes}
    assert pairs == {
        ("early", "late"): True,
        ("some", "late"): True,
        ("others", "late"): True,
        ("some", "others"): False,
    }
    few = told(f"{inputs} {tmp_path}/some {tmp_path}/others")
    assert "Runs that change places (1):\nmap: some above others at 1" in few


def test_runs_that_keep_their_places():
    assert told(f"-m map --vary limit=1,2 {DEMO}").endswith("\n\nNo two runs change places.\n")


def test_the_signature_names_every_choice():
    output = run(f"sweep {ENTRY} --reference 100 --alpha .1 --vary A=1,100 {DEMO}")
    assert output.err.endswith("|sweep|A:1,100|reference:100|alpha:0.1\n")


REFUSED = {
    f"-m map {DEMO}": "prum-eval: --vary says what is varied: --vary KEY=VALUES",
    f"-m map --vary p {DEMO}": "prum-eval: --vary p: write KEY=VALUES",
    f"-m map --vary value {DEMO}": (
        "prum-eval: --vary value is for simulated runs: give the folders that prum-eval simulate --vary wrote, or "
        "their lists"
    ),
    f"-m eprum_map -M 3 --vary limit=1 {DEMO}": "prum-eval: --vary limit=1: limit is varied, and given as 3 too",
    f"-m eprum_map --vary at_recal=product {DEMO}": (
        "prum-eval: --vary at_recal: unknown parameter for the selected measures and user models; there are: "
        "user_model, quantisation, targets, limit, value; mode, ideal_list, at_recall, graded, effort (eprum_map); "
        "exponent, once, rank_decay, items, consider (user model hierarchical); did you mean at_recall?"
    ),
    f"-m rbp --vary p=.5,2 {DEMO}": "prum-eval: p=2: p is a number from 0 to 1",
    f"-m map --vary limit=1 --alpha 1 {DEMO}": "Error: Invalid value for '--alpha': 1.0 is not in the range 0<x<1.",
    f"-m map --vary limit=1 --plot x.foo {DEMO}": (
        "prum-eval: --plot x.foo: .foo is no format of pictures (there are: png, svg, pdf)"
    ),
    "--vary limit=1 fixtures/toy/qrels": "Error: Missing argument 'RUN [RUN ...]'.",
}


@pytest.mark.parametrize("command", REFUSED)
def test_bad_usage(command):
    output = run(f"sweep {command}")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == REFUSED[command]


def test_bad_data():
    output = run("sweep -m map --vary limit=1,2 fixtures/toy/qrels fixtures/toy/run gone")
    assert (output.status, output.out) == (1, "")
    assert output.err == "gone: cannot be read: No such file or directory\n"


SEVERAL = """\
eprum_map
A      bm25-sections    article-only      tau
----  --------------  --------------  -------
0.01  0.4273 ±0.2780  0.1556 ±0.4259   1.0000
0.1   0.6690 ±0.4745  0.4622 ±0.8196   1.0000
1     0.8635 ±0.3439  0.8161 ±0.3640   1.0000
10    0.9332 ±0.2553  0.9743 ±0.0546  -1.0000
100   0.9433 ±0.2408  0.9973 ±0.0058  -1.0000

±    half of Student's 95 % interval over 3 topics
tau  Kendall's tau-b of the runs against their order at 0.01

Runs that change places (1):
eprum_map: bm25-sections above article-only at 1, below at 10, at about 3.429
"""
ONE = """\
move.m             map       eprum_map    gen_recall_2
------  --------------  --------------  --------------
0       0.2909 ±0.0000  1.0000 ±0.0000  0.9051 ±0.0000
0.3     0.2909 ±0.0000  0.8760 ±0.0855  0.8036 ±0.3926
0.6     0.2909 ±0.0000  0.8205 ±0.2128  0.7435 ±0.1711
0.9     0.2758 ±0.1925  0.4510 ±1.4052  0.4757 ±1.4243

±    half of Student's 95 % interval over 2 copies
"""
CURVES = """\
move.m   eprum_map  gen_recall_2  gen_recall_5
------  ----------  ------------  ------------
0       1.00 ±0.00    0.91 ±0.00    1.00 ±0.00
0.3     0.88 ±0.09    0.80 ±0.39    0.90 ±0.39
0.6     0.82 ±0.21    0.74 ±0.17    0.84 ±0.17
0.9     0.45 ±1.41    0.48 ±1.42    0.49 ±1.27

eprum_prec_at_recall
move.m           0         0.5           1
------  ----------  ----------  ----------
0       1.00 ±0.00  1.00 ±0.00  1.00 ±0.00
0.3     0.95 ±0.65  0.96 ±0.54  0.79 ±0.64
0.6     0.93 ±0.83  0.94 ±0.78  0.68 ±0.09
0.9     0.63 ±0.84  0.59 ±1.05  0.25 ±1.83

±    half of Student's 95 % interval over 2 copies
"""
