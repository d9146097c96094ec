"""explain on the command line: the text, the page without a browser, and what cannot be explained."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from tests.gold import ROOT, run

DEMO = "fixtures/demo/assessments fixtures/demo/run-a.xml"
STRUCTURE = "-s fixtures/demo/structure.tsv"
P1 = (
    "--topic 1 -u graph --navigation fixtures/worked/P1/navigation.tsv --collection-size 4 "
    "-m eprum_map -m gen_recall.4 fixtures/worked/P1/qrels fixtures/worked/P1/run"
)


def test_the_text_of_the_worked_example():
    output = run(f"explain {P1}")
    assert output.status == 0
    assert output.err.startswith("prum-eval ")
    assert output.out.splitlines() == [
        "topic 1, run P1 (fixtures/worked/P1/run)",
        "user model graph, targets ideal, quantisation gen, N 4",
        "",
        "eprum_map     0.8672",
        "gen_recall_4  1.0000",
        "",
        "2 of 2 targets can be reached; the probability that it is seen in the end",
        "  T1   1.0000  a",
        "  T2   1.0000  b",
        "",
        "Rank by rank: what it reaches, what is seen by then, what it adds",
        "    1  c",
        "       T1   0.4000 graph               seen 0.0000 -> 0.4000",
        "       T2   0.4000 graph               seen 0.0000 -> 0.4000",
        "       seen 0.8000 of 2 (likely 0 to 2)",
        "       adds eprum_map    +0.4800  gen_recall_4 +0.4000",
        "    2  d",
        "       T1   0.6000 graph               seen 0.4000 -> 0.7600",
        "       T2   0.4000 graph               seen 0.4000 -> 0.6400",
        "       seen 1.4000 of 2 (likely 0 to 2)",
        "       adds eprum_map    +0.2316  gen_recall_4 +0.3000",
        "    3  a",
        "       T1   1.0000 own                 seen 0.7600 -> 1.0000",
        "       seen 1.6400 of 2 (likely 1 to 2)",
        "       adds eprum_map    +0.0656  gen_recall_4 +0.1200",
        "    4  b",
        "       T2   1.0000 own                 seen 0.6400 -> 1.0000",
        "       seen 2.0000 of 2 (likely 2)",
        "       adds eprum_map    +0.0900  gen_recall_4 +0.1800",
        "",
        "Expected missed: 0 of 2 targets",
    ]


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return f"{folder}/qrels {folder}/run"


def test_ranks_that_reach_nothing_and_targets_never_reached(tmp_path):
    inputs = write(
        tmp_path,
        qrels="1 0 a 1\n1 0 b 2\n",
        run="".join(f"1 Q0 {name} {rank} {9 - rank} r\n" for rank, name in enumerate("xbyzw", 1)),
    )
    lines = run(f"explain --topic 1 -m gen_recall.5 {inputs}").out.splitlines()
    assert lines[lines.index("") + 1 :] == [
        "gen_recall_5  0.6667",
        "",
        "1 of 2 targets can be reached; the probability that it is seen in the end",
        "  T2   1.0000  worth 1.00  b",
        "",
        "Rank by rank: what it reaches, what is seen by then, what it adds",
        "    1  reaches nothing: x",
        "    2  b",
        "       T2   1.0000 own                 seen 0.0000 -> 1.0000",
        "       seen 1.0000 of 2 (likely 1)",
        "       adds gen_recall_5 +0.6667",
        "    3-5  reach nothing",
        "",
        "Expected missed: 1 of 2 targets",
        "  T1   1.0000  never reached    a",
    ]


def test_only_measures_are_named_that_a_rank_adds_to(tmp_path):
    (tmp_path / "run").write_text("1 Q0 d 1 9 r 50 100\n1 Q0 x 2 8 r 0 10\n1 Q0 d 3 7 r 0 0\n", encoding="utf-8")
    measures = "-m hit.1,3 -m size_3 -m gen_recall_3 -u coverage"
    lines = run(f"explain {measures} --topic 1 fixtures/worked/C1/qrels {tmp_path}/run").out.splitlines()
    first = lines.index("Rank by rank: what it reaches, what is seen by then, what it adds") + 1
    assert lines[first : lines.index("", first)] == [
        "    1  d 50+100",
        "       T1   0.5000 overlap             seen 0.0000 -> 0.5000",
        "       seen 0.5000 of 2 (likely 0 to 1)",
        "       adds hit_1        +1.0000  hit_3        +1.0000  size_3       +100.0000",
        "            gen_recall_3 +0.2500",
        "    2  x 0+10",
        "       reaches nothing; seen 0.5000 of 2 (likely 0 to 1)",
        "       adds size_3       +10.0000",
        "    3  reaches nothing: d @0",
    ]


@pytest.mark.parametrize("topic", ["101", "102", "103"])
@pytest.mark.parametrize("options", ["", "-m prum -m eprum", "--items article", "-u t2i", "--targets passages"])
def test_the_text_fits_80_columns(topic, options):
    output = run(f"explain --topic {topic} {options} {STRUCTURE} {DEMO}")
    assert output.status == 0
    assert max(map(len, output.out.splitlines())) <= 80


def test_long_names_are_cut_in_the_middle(tmp_path):
    name = f"{'long' * 30}/end"
    inputs = write(tmp_path, qrels=f"1 0 {name} 1\n", run=f"1 Q0 {name} 1 1 r\n")
    lines = run(f"explain --topic 1 -m gen_recall.1 {inputs}").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("    1  longlong") and "..." in line and line.endswith("long/end") for line in lines)


def test_without_measures_it_is_prum_eprum_and_recall_over_the_whole_list():
    def names(options):
        data = json.loads(run(f"explain --topic 101 -f json {options}").out)
        return [one["name"] for one in data["measures"]]

    assert names(f"{STRUCTURE} {DEMO}") == ["prum_map", "eprum_map", "gen_recall_7"]
    assert names(DEMO) == ["eprum_map", "gen_recall_7"]  # N is not known


def test_counts_are_left_out_of_a_set():
    data = json.loads(run(f"explain --topic 101 -f json -m official {STRUCTURE} {DEMO}").out)
    families = {one["name"].split("_")[0] for one in data["measures"]}
    assert families == {"map", "Rprec", "prum", "eprum", "gen"}


def test_results_of_an_article_that_form_an_item():
    options = "--topic 101 -f json -m eprum_map --items article"
    data = json.loads(run(f"explain {options} {STRUCTURE} {DEMO}").out)
    named = [[one["document"] for one in rank["results"]] for rank in data["ranks"]]
    # tides, tides, harbours, tides, harbours, tides, lighthouses
    assert named == [["tides"] * 2, ["harbours"], ["tides"], ["harbours"], ["tides"], ["lighthouses"]]
    assert [one["relation"] for one in data["ranks"][0]["reached"]] == ["inside", "contains"]


def test_a_result_that_does_not_exist(tmp_path):
    path = tmp_path / "run"
    path.write_text("101 Q0 tides 1 2 r X X\n101 Q0 tides 2 1 r 25 562\n", encoding="utf-8")
    options = f"--topic 101 -m eprum_map {STRUCTURE} fixtures/demo/judged.txt {path}"
    assert "    1  reaches nothing: tides (not in the collection)" in run(f"explain {options}").out.splitlines()
    data = json.loads(run(f"explain -f json {options}").out)
    assert [one["results"][0]["exists"] for one in data["ranks"]] == [False, True]


TWO_USERS = (
    "prum-eval: explain follows one user per call; choose measures of one setting with -m: "
    "eprum_map, eprum_map:user_model=none"
)


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (f"--topic 1011 {DEMO}", 2, "prum-eval: topic 1011 has no assessments; did you mean 101?"),
        (f"--topic tides {DEMO}", 2, "prum-eval: topic tides has no assessments"),
        (f"--topic 101 -m num_ret -m num_q {DEMO}", 2, "prum-eval: explain supports scores, not num_q, num_ret"),
        (f"--topic 101 -m eprum_map -m eprum_map:user_model=none {STRUCTURE} {DEMO}", 2, TWO_USERS),
        ("--topic 1 - -", 2, "Error: - (standard input) can be one input only"),
        (f"--topic 101 -m prum_map {DEMO}", 1, None),
    ],
)  # fmt: skip
def test_what_cannot_be_explained(options, status, message):
    output = run(f"explain {options}")
    assert (output.status, output.out) == (status, "")
    if message is not None:
        assert output.err.splitlines()[-1] == message
    else:  # as eval says it
        assert output.err == run("eval " + options.removeprefix("--topic 101 ")).err


def test_topics_without_targets_or_results(tmp_path):
    inputs = write(tmp_path, qrels="1 0 a 1\n2 0 a 0\n3 0 a 1\n", run="1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n")
    output = run(f"explain --topic 2 -m eprum_map {inputs}")
    reason = "topic 2 has no targets: scores have no value there"
    assert output == (1, "", f"prum-eval: {reason}\n")
    output = run(f"explain --topic 3 -m eprum_map {inputs}")
    assert output == (1, "", f"prum-eval: {tmp_path}/run: the run has no results for topic 3\n")


class _Reader(HTMLParser):
    """Elements that are open, keys, and every address that a page names."""

    VOID = frozenset({"meta", "br", "wbr"})

    def __init__(self):
        super().__init__()
        self.open, self.belongs, self.chosen, self.addresses = [], set(), set(), []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        given = dict(attrs)
        self.belongs.update((given.get("data-in") or "").split())
        self.chosen.update((given.get("data-key") or "").split())
        self.addresses += [given[key] for key in ("href", "src", "xlink:href", "action") if key in given]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("options", ["", "--items article", "-u t2i --targets passages", "-u none"])
def test_the_page_is_whole_and_names_no_address(options):
    output = run(f"explain --topic 101 -f html {options} {STRUCTURE} {DEMO}")
    assert output.status == 0
    reader = _Reader()
    reader.feed(output.out)
    reader.close()
    assert reader.open == []
    assert reader.addresses == []
    assert "http" not in output.out.replace("http-equiv", "", 1)
    assert reader.chosen <= reader.belongs  # whatever can be chosen lights something up


def test_names_are_text_in_the_page(tmp_path):
    name = "<script>alert(1)</script>&\"'"
    inputs = write(tmp_path, qrels=f"1 0 {name} 1\n", run=f"1 Q0 {name} 1 1 {name}\n")
    page = run(f"explain --topic 1 -m gen_recall.1 -f html {inputs}").out
    assert "<script>alert" not in page
    assert page.count("<script>") == 1
    reader = _Reader()
    reader.feed(page)
    assert reader.open == []


def test_a_run_that_reaches_nothing(tmp_path):
    inputs = write(tmp_path, qrels="1 0 a 1\n", run="1 Q0 x 1 1 r\n")
    for style in ("text", "json", "html"):
        assert run(f"explain --topic 1 -m eprum_map -f {style} {inputs}").status == 0
    assert "No rank reaches a target." in run(f"explain --topic 1 -m eprum_map -f html {inputs}").out


@pytest.mark.parametrize("options", ["-m eprum_map", "-m all"])  # with all, the run is read before the structure
def test_a_run_from_standard_input(options):
    command = [sys.executable, "-m", "prum_eval", "explain", "--topic", "101", *options.split(), *STRUCTURE.split()]
    command += [DEMO.split(maxsplit=1)[0], "-"]
    run_file = (ROOT / "fixtures/demo/run-a.xml").read_bytes()
    done = subprocess.run(command, input=run_file, capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().splitlines()[0] == "topic 101, run bm25-sections (<stdin>)"


def test_measures_of_a_set_that_refuse_the_run_are_left_out():
    inputs = DEMO
    found = run(f"explain --topic 101 -m all {inputs}")
    assert found.status == 0
    reason = "fixtures/demo/run-a.xml:11: the length of this result, of document 'tides', is not known"
    assert f"prum-eval: warning: {reason}; left out: u_measure" in found.err.splitlines()
    assert "u_measure" not in found.out
    assert run(f"explain --topic 101 -m u_measure {inputs}") == (1, "", f"{reason}\n")
    assert run(f"explain --topic 101 --set effort=size -m eprum -m rbp {inputs}") == (1, "", f"{reason}\n")


def test_a_run_that_is_not_there():
    for options in ("-m eprum_map", "-m all"):
        output = run(f"explain --topic 101 {options} {STRUCTURE} {DEMO.split(maxsplit=1)[0]} none.run")
        assert (output.status, output.out) == (1, "")
        assert output.err.splitlines() == ["none.run: cannot be read: No such file or directory"]


def test_a_run_of_which_hardly_any_result_is_judged(tmp_path):
    (tmp_path / "qrels").write_text("1 0 AP-17 1\n")
    (tmp_path / "run").write_text("1 Q0 WRONG-17 1 1 r\n")
    text = "0 of 1 result is in judged documents; the run says 'WRONG-17', the assessments 'AP-17'"
    output = run(f"explain --topic 1 {tmp_path}/qrels {tmp_path}/run")
    assert output.status == 0
    assert f"prum-eval: warning: {tmp_path}/run: {text}" in output.err.splitlines()
    assert run(f"explain --quiet --topic 1 {tmp_path}/qrels {tmp_path}/run").err == ""
