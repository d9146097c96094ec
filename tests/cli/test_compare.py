"""`compare`: its formats, what it takes, what it refuses, and that it fits a terminal."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from prum_eval.cli.commands.compare import command
from prum_eval.report.layout import labels_or_numbers
from prum_eval.report.text_comparison import format_p_value
from tests.gold import run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
DARWIN = "--values fixtures/compare/self.txt fixtures/compare/cross.txt"
SYSTEMS = "--trials 2000 --values fixtures/compare/systems.csv"


def compared(command):
    output = run(f"compare {command}")
    assert output.status == 0, output.err
    return output.out


def test_darwin_as_fisher_has_it():
    found = json.loads(compared(f"-f json {DARWIN}"))
    one = found["rows"][1]["difference"]
    assert one["randomisation"] == {"p": 1726 / 32768, "holm": 1726 / 32768}
    assert one["exact"]
    assert one["mean"] == pytest.approx(314 / 8 / 15)
    assert (one["wins"], one["ties"], one["losses"]) == (13, 0, 2)
    assert one["cohen_d"] * math.sqrt(15) == pytest.approx(2.148, abs=5e-4)  # his t


def test_the_table():
    lines = compared(DARWIN).splitlines()
    assert lines[0].split() == ["run", "mean", "diff", "low", "high", "p", "Holm", "d", "+/=/-"]
    assert lines[3] == "height (15 topics)"
    assert lines[5].split() == ["self", "17.5750"]  # the best first
    name, mean, diff, low, high, p, holm, d, counts = lines[4].split()
    assert (name, mean, diff, p, holm, d, counts) == (
        "cross",
        "20.1917",
        "2.6167",
        "0.0527",
        "0.0527",
        "0.55",
        "13/0/2",
    )
    assert (low, high) == ("0.0039", "5.2294")  # 2.6167 -+ 2.1448 * 4.7181 / sqrt(15)
    assert "p      paired randomisation test, two-sided (exact)" in lines
    assert "Holm   p corrected for 1 comparison; * below 0.05" in lines
    assert lines[-2:] == ["", "By height, cross is best: no significant difference to self."]


def test_means_are_those_of_eval():
    evaluated = json.loads(run(f"eval -f json -m map -m eprum_map -m P.5 {DEMO}").out)["runs"]
    found = json.loads(compared(f"-f json -m map -m eprum_map -m P.5 {DEMO}"))["rows"]
    assert {(row["run_id"], row["measure"]): row["mean"] for row in found} == pytest.approx(
        {(one["run_id"], name): value for one in evaluated for name, value in one["all"].items()}
    )


def test_unasked_single_numbers_are_compared_and_no_counts():
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv {DEMO}"))))
    assert list(dict.fromkeys(row["measure"] for row in rows)) == ["map", "Rprec", "prum_map", "eprum_map"]
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv -m num_ret -m counts -m gen_recall.5 {DEMO}"))))
    assert "num_ret" in {row["measure"] for row in rows}
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv -m official {DEMO}"))))
    assert "gen_recall_5" in {row["measure"] for row in rows}
    assert "num_ret" not in {row["measure"] for row in rows}


@pytest.mark.parametrize("style", ["trec", "csv", "json"])
def test_values_written_by_eval_compare_like_the_runs(tmp_path, style):
    file = tmp_path / "values"
    assert run(f"eval -q --digits 17 -f {style} -m map -m eprum_map -o {file} {DEMO}").status == 0
    direct = json.loads(compared(f"-f json --trials 500 -m map -m eprum_map {DEMO}"))
    read = json.loads(compared(f"-f json --trials 500 --values {file}"))
    assert read["topics"] == direct["topics"]
    for one, other in zip(read["rows"], direct["rows"], strict=True):
        assert one["mean"] == pytest.approx(other["mean"], abs=1e-12)
        if one["difference"]:
            assert one["difference"]["low"] == pytest.approx(other["difference"]["low"], abs=1e-12)
            assert one["difference"]["randomisation"] == other["difference"]["randomisation"]


def test_csv_and_json_hold_the_same():
    rows = list(csv.DictReader(io.StringIO(compared(f"-f csv {SYSTEMS}"))))
    found = json.loads(compared(f"-f json {SYSTEMS}"))["rows"]
    assert len(rows) == len(found) == 3 * 12
    for row, one in zip(rows, found, strict=True):
        assert (row["measure"], row["run"], float(row["mean"])) == (one["measure"], one["run_id"], one["mean"])
        difference = one["difference"]
        if difference is None:
            assert (row["difference"], row["p_bootstrap"], row["exact"]) == ("", "", "")
            continue
        assert float(row["difference"]) == difference["mean"]
        assert float(row["p_bootstrap"]) == difference["bootstrap"]["p"]
        assert float(row["holm_randomisation"]) == difference["randomisation"]["holm"]
        assert row["exact"] == "true"


def test_trec():
    lines = [line.split("\t") for line in compared(f"-f trec {DARWIN}").splitlines()]
    assert [name.strip() for name, _, _ in lines] == [
        *("runid", "height", "runid", "height", "height/difference", "height/low", "height/high"),
        *("height/p_randomisation", "height/holm_randomisation", "height/p_bootstrap", "height/holm_bootstrap"),
        *("height/cohen_d", "height/wins", "height/ties", "height/losses"),
        *("height/p_t", "height/holm_t", "height/p_tukey"),
    ]
    assert {topic for _, topic, _ in lines} == {"all"}
    values = {name.strip(): value for name, _, value in lines}
    assert (values["height/p_randomisation"], values["height/p_tukey"]) == ("0.0527", "nan")


@pytest.mark.parametrize(("style", "start"), [("markdown", "| measure"), ("latex", "% in the preamble")])
def test_tables_with_everything_for_documents(style, start):
    text = compared(f"--full -f {style} {DARWIN}")
    assert text.startswith(start)
    assert "0.0527" in text


def test_significance_is_marked_after_correction(tmp_path):
    lines = [f"m {t} {t / 100}" for t in range(9)]
    (tmp_path / "a").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "b").write_text("\n".join(f"m {t} {0.5 + t / 50}" for t in range(9)) + "\n", encoding="utf-8")
    marked = [line for line in compared(f"--values {tmp_path}/a {tmp_path}/b").splitlines() if line.startswith("b ")]
    assert "0.0039*" in marked[0]  # 2 of 2^9 arrangements
    marked = [
        line for line in compared(f"--alpha .003 --values {tmp_path}/a {tmp_path}/b").splitlines() if line[:2] == "b "
    ]
    assert "*" not in marked[0]


def test_bootstrap_in_the_table():
    text = compared(f"--test bootstrap --trials 700 --seed 3 {DARWIN}")
    assert "p      paired bootstrap test, two-sided (700 trials, seed 3)" in text
    found = json.loads(compared(f"-f json --trials 700 --seed 3 {DARWIN}"))["rows"][1]["difference"]
    assert f" {found['bootstrap']['p']:.4f} " in text


def test_alpha_widens_the_interval():
    wide, narrow = (json.loads(compared(f"-f json --alpha {a} {DARWIN}"))["rows"][1]["difference"] for a in (0.01, 0.2))
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert "low    to high: its 80 % t interval" in compared(f"--alpha 0.2 {DARWIN}")
    bootstrap = compared(f"--interval bootstrap --trials 900 --seed 2 {DARWIN}")
    assert "low    to high: its 95 % bootstrap interval (900 trials, seed 2)" in bootstrap


def test_signature_names_every_choice():
    output = run(f"compare --seed 7 --trials 300 --alpha .1 {DARWIN}")
    assert output.err.endswith(
        "|values|compare|topics:15|pairs:first|interval:t|randomisation:exact|bootstrap:300 trials|seed:7|alpha:0.1|"
        "holm:1 a measure\n"
    )
    assert output.out == compared(f"--seed 7 --trials 300 --alpha .1 {DARWIN}")


def test_few_topics_are_warned_of():
    output = run(f"compare -m map {DEMO}")
    assert output.err.startswith(
        "prum-eval: warning: only 3 topics: below 20, intervals and p-values are rough\n"
        "prum-eval: warning: map: no corrected p-value of the randomisation test can be below 0.5 "
        "(2 topics differ, 1 comparison)\n"
    )


def test_missing_topics_are_warned_of(tmp_path):
    (tmp_path / "a").write_text("m 1 1\nm 2 1\nm 3 .5\n", encoding="utf-8")
    (tmp_path / "b").write_text("m 1 1\nm 2 nan\n", encoding="utf-8")
    refused = (
        "1 of 3 topics left out, because not every run has them: more than a tenth; --common compares on the others"
    )
    for name in ("compare", "correlate"):
        output = run(f"{name} --values {tmp_path}/a {tmp_path}/b")
        assert (output.status, output.out) == (1, "")
        assert output.err == f"prum-eval: {refused}\n"
    output = run(f"compare --common -f json --values {tmp_path}/a {tmp_path}/b")
    assert output.err.splitlines()[:2] == [
        "prum-eval: warning: 1 of 3 topics left out, because not every run has them",
        "prum-eval: warning: 1 of 2 topics left out, because not every run has a value (m)",
    ]
    found = json.loads(output.out)
    assert [row["topics"] for row in found["rows"]] == [1, 1]


@pytest.mark.parametrize("command", [DARWIN, SYSTEMS, DEMO, f"--digits 3 {SYSTEMS}"])
def test_it_fits_80_columns(command):
    assert max(map(len, compared(command).splitlines())) <= 80


def test_long_names_stand_in_lines_and_equal_ones_are_told_apart(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"runid all {'x' * 30}{name}\n" + "m 1 .5\nm 2 .25\n", encoding="utf-8")
    lines = compared(f"--values {tmp_path}/a {tmp_path}/b").splitlines()
    start = lines.index("m (2 topics)")
    names = [line[:20].strip() for line in lines[start + 1 : start + 5]]
    assert names == ["x" * 18, "x" * 12 + "a", "x" * 18, "x" * 12 + "b"]
    assert lines[start + 3].split()[1:3] == ["0.3750", "0.0000"]
    assert f"By m, {'x' * 30}a and {'x' * 30}b are equally good:" in " ".join(lines)
    table = compared(f"-f markdown --values {tmp_path}/a {tmp_path}/a")
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:4]] == [
        f"{'x' * 30}a ({tmp_path}/a) #{number}" for number in (1, 2)
    ]
    assert labels_or_numbers(["r", "r"], 9) == ["1", "2"]
    assert labels_or_numbers(["r", "s"], 9) == ["r", "s"]


def test_every_format_is_offered():
    (option,) = (one for one in command.params if one.name == "style")
    assert list(option.type.choices) == ["table", "trec", "json", "csv", "latex", "markdown", "html"]


def test_small_p_values_are_not_0():
    assert format_p_value(4e-5, 4) == "<0.0001"
    assert format_p_value(6e-5, 4) == "0.0001"
    assert format_p_value(None, 4) == "-"
    assert format_p_value(0.04, 0) == "0"


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        ("", 2, "prum-eval: no assessments: give them, or a configuration file with them"),
        ("fixtures/toy/qrels", 2, "prum-eval: no runs: give them, or a configuration file with them"),
        ("fixtures/toy/qrels fixtures/toy/run", 2, "prum-eval: only one run; a comparison needs two"),
        ("--values", 2, "prum-eval: no files of values"),
        ("--values fixtures/compare/self.txt", 2, "prum-eval: only one run; a comparison needs two"),
        (f"-c {DARWIN}", 2, "prum-eval: -c is for evaluating runs, and values are evaluated"),
        (f"-u none {DARWIN}", 2, "prum-eval: --user-model is for evaluating runs, and values are evaluated"),
        (
            f"--baseline slef {DARWIN}",
            2,
            "prum-eval: no run slef for the baseline (there are: self, cross); did you mean self?",
        ),
        (f"-m heigth {DARWIN}", 2, "prum-eval: heigth is in no run; did you mean height?"),
        (f"-m mapp {DEMO}", 2, "prum-eval: no measure mapp; did you mean map?"),
        ("--values none none", 1, "none: cannot be read: No such file or directory"),
        (
            "--values fixtures/toy/run fixtures/toy/run",
            1,
            "fixtures/toy/run:1: expected 3 columns (measure, topic, value), found 6",
        ),
        (
            "--values fixtures/compare/self.txt fixtures/compare/systems.csv",
            1,
            "prum-eval: no measure is common to all runs",
        ),
    ],
)
def test_what_is_refused(command, status, message):
    output = run(f"compare {command}")
    assert (output.status, output.out, output.err) == (status, "", f"{message}\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"--tset bootstrap {DARWIN}", "No such option"),
        (f"--alpha 1 {DARWIN}", "1.0 is not in the range 0<x<1"),
        (f"--alpha nan {DARWIN}", "'nan' is not a finite number"),
        (f"--alpha 0_1 {DARWIN}", "'0_1' is not a finite number"),
        (f"--trials 10000001 {DARWIN}", "10000001 is not in the range 1<=x<=10000000"),
        (f"--trials 1_0 {DARWIN}", "'1_0' is not a whole number"),
        (f"--trials \u0661 {DARWIN}", "'\u0661' is not a whole number"),
        (f"--seed 1e3 {DARWIN}", "'1e3' is not a whole number"),
        (f"--trials 0 {DARWIN}", "0 is not in the range 1<=x<=10000000"),
        ("--values - -", "- (standard input) can be one input only"),
    ],
)
def test_bad_usage(command, message):
    output = run(f"compare {command}")
    assert (output.status, output.out) == (2, "")
    assert message in output.err


@pytest.fixture
def three(tmp_path):
    """Runs a, b and c over 24 topics: c is far above b and a, b little above a; P_5 has another order."""
    lines = []
    for topic in range(24):
        wave = topic % 5 / 20
        own = {"a": (0.2 + wave, 0.5), "b": (0.21 + wave + (topic % 3 - 1) / 30, 0.4), "c": (0.5 + wave * 1.5, 0.45)}
        lines += [
            f"{name},{topic},{m},{v}\n" for name, pair in own.items() for m, v in zip(("map", "P_5"), pair, strict=True)
        ]
        lines += [f"{name},{topic},num_ret,{number * topic}\n" for number, name in enumerate(own)]
    (tmp_path / "runs.csv").write_text("run,topic,measure,value\n" + "".join(lines), encoding="utf-8")
    return f"--trials 500 --values {tmp_path}/runs.csv"


def sentence(command):
    return " ".join(compared(command).split("\n\n")[-1].split())


def test_the_sentence_at_the_end(three):
    assert sentence(f"-m map {three}") == (
        "By map, against a: c is significantly better; no significant difference to b; c is best."
    )
    assert sentence(f"-m map --baseline c {three}") == "By map, c is best: b and a are significantly worse."
    assert sentence(f"-m map --pairs best {three}") == "By map, c is best: b and a are significantly worse."
    assert sentence(f"-m map --pairs all {three}") == (
        "By map, c is best: it is significantly better than b and a; no other two differ significantly."
    )
    assert sentence(f"-m P_5 --pairs best --alpha 1e-9 {three}") == (
        "By P_5, a is best: no significant difference to c and b."
    )
    assert sentence(f"-m num_ret {three}") == "num_ret is no score: it does not say which run is better."


def test_each_measure_has_a_sentence_in_the_order_asked(three):
    for pairs in ("first", "best", "all"):
        paragraphs = compared(f"-m P_5 -m map --pairs {pairs} {three}").split("\n\n")[-2:]
        assert [text.split(",")[0] for text in paragraphs] == ["By P_5", "By map"]


def test_of_all_pairs_everything_follows_tukey(three):
    data = json.loads(compared(f"-m map --pairs all --alpha .3 -f json {three}"))
    differ = {
        row["run_id"] + row["against"] for row in data["rows"] if row["difference"] and row["difference"]["tukey"] < 0.3
    }
    holm = {
        row["run_id"] + row["against"]
        for row in data["rows"]
        if row["difference"] and row["difference"]["randomisation"]["holm"] < 0.3
    }
    assert differ != holm  # else this shows nothing
    text = compared(f"-m map --pairs all --alpha .3 {three}")
    assert {line.split()[0] + "c" for line in text.splitlines()[4:7] if "*" in line} == {
        pair if pair[1] == "c" else pair[::-1] for pair in differ if "c" in pair
    }
    assert text.count("Holm") == 0
    assert data["verdict"] == " ".join(text.split("\n\n")[-1].split())


def test_runs_are_identical_or_not_testable(tmp_path):
    wave = [0.1 + topic % 5 / 10 for topic in range(20)]
    (tmp_path / "a").write_text("".join(f"m {t} {v}\n" for t, v in enumerate(wave)), encoding="utf-8")
    (tmp_path / "b").write_text("".join(f"m {t} {v}\n" for t, v in enumerate(wave)), encoding="utf-8")
    (tmp_path / "c").write_text("".join(f"m {t} {v - 0.0625}\n" for t, v in enumerate(wave)), encoding="utf-8")
    files = f"--trials 500 --values {tmp_path}/a {tmp_path}/b {tmp_path}/c"
    best = "By m, a and b are equally good"
    assert sentence(files) == f"{best}: c is significantly worse; b is identical to a."
    assert sentence(f"--test t {files}") == f"{best}: b is identical to a; c is not testable by t."
    assert sentence(f"--test bootstrap {files}") == f"{best}: b is identical to a; c is not testable by bootstrap."
    assert sentence(f"--pairs all {files}") == (
        f"{best}: a and b are significantly better than c; b is identical to a; no other two differ significantly."
    )
    assert sentence(f"--test t --values {tmp_path}/a {tmp_path}/b") == f"{best}: b is identical to a."
    assert sentence(f"--test t --values {tmp_path}/c {tmp_path}/a") == "By m, a is best: c is not testable by t."


def test_what_is_better_in_neither_direction_ranks_no_run():
    two = "fixtures/toy/qrels fixtures/toy/run fixtures/toy/run"
    assert sentence(f"-m judged.5 -m num_ret {two}") == "These are no scores: they do not say which run is better."
    assert sentence(f"-m judged.5 -m map {two}").startswith("By map, ")


def test_runs_are_in_the_order_of_the_first_measure_in_tables_for_people_only(three):
    blocks = compared(f"--full -m P_5 -m map {three}").split("\n\n")[1:3]
    assert [[line.split()[0] for line in block.splitlines()] for block in blocks] == [
        ["P_5", "a", "c", "b"],
        ["map", "a", "c", "b"],
    ]
    rows = csv.DictReader(io.StringIO(compared(f"-m P_5 -m map -f csv {three}")))
    assert [row["run"] for row in rows] == ["a", "b", "c"] * 2
    markdown = compared(f"--full -m P_5 -m map -f markdown {three}").splitlines()[2:]
    assert [line.split("|")[2].strip() for line in markdown] == ["a", "b", "c"] * 2


def test_all_pairs_in_every_format(three):
    rows = json.loads(compared(f"--pairs all -f json {three}"))["rows"]
    assert [(row["run_id"], row["against"], row["against_run"]) for row in rows[:4]] == [
        ("a", None, None),
        ("b", "a", 0),
        ("c", "a", 0),
        ("c", "b", 1),
    ]
    assert rows[0]["difference"] is None
    assert {"mean", "low", "high", "randomisation", "t", "bootstrap", "tukey"} < rows[3]["difference"].keys()
    table = list(csv.DictReader(io.StringIO(compared(f"--pairs all -f csv {three}"))))
    assert [(row["run"], row["against"]) for row in table[:4]] == [("a", ""), ("b", "a"), ("c", "a"), ("c", "b")]
    assert float(table[3]["p_tukey"]) == rows[3]["difference"]["tukey"]
    lines = [line.split("\t")[0].strip() for line in compared(f"--pairs all -f trec {three}").splitlines()]
    assert {"map/difference/a", "map/p_tukey/b"} < set(lines)
    block = lines[lines.index("map/difference/b") - 16 :]  # that of c, with two differences a measure
    assert len(block) == len(set(block)) == 1 + 2 + 4 * 14 - 0
    markdown = compared(f"--full --pairs all -f markdown {three}").splitlines()
    assert markdown[0].split("|")[1:4] == [" measure   ", " run   ", " against   "]
    assert len(markdown) == 2 + 2 * 4
    text = compared(f"--full --pairs all {three}")
    assert text.split("\n")[0].split() == ["run", "mean", "diff", "low", "high", "HSD", "d", "+/=/-"]
    assert "HSD    p of all pairs by randomised Tukey HSD (500 trials, seed 1)" in text
    assert max(map(len, text.splitlines())) <= 80


def test_undefined_values_are_null_or_a_dash(three):
    """P_5 differs by the same amount everywhere."""
    row = json.loads(compared(f"-m P_5 -f json {three}"))["rows"][1]["difference"]
    assert (row["bootstrap"], row["t"], row["cohen_d"]) == ({"p": None, "holm": None}, {"p": None, "holm": None}, None)
    assert row["randomisation"]["p"] < 0.05
    line = next(one for one in compared(f"-m P_5 --test bootstrap {three}").splitlines() if one.startswith("b "))
    assert line.split()[5:8] == ["-", "-", "-"]


def test_counts_asked_for_have_means_and_differences_alone(three):
    text = compared(f"--full -m num_ret -m map {three}")
    line = next(one for one in text.splitlines() if one.startswith("b "))
    assert line.split() == ["b", "11.5000", "11.5000", "-", "-", "-", "-", "-", "23/1/0"]
    assert "Holm   p corrected for 2 comparisons; * below 0.05" in text
    assert "num_ret" not in compared(three)
    alone = run(f"compare -m num_ret {three}")
    assert "diff   mean difference to a\n+/=/-  topics with more, as many, less\n\nnum_ret is no score" in alone.out
    assert (alone.err.count("\n"), alone.err.endswith("|values|compare|topics:24|pairs:first\n")) == (1, True)


def test_sizes_are_no_scores():
    inputs = "fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run fixtures/demo/run-a.offsets.run"
    found = json.loads(compared(f"-f json --trials 100 -t inex2009-thorough {inputs}"))
    assert not {row["measure"] for row in found["rows"]} & {"ret_size", "rel_size", "rel_ret_size", "num_ret"}
    rows = json.loads(compared(f"-f json --trials 100 -m ret_size -m maip --set overlap=novel {inputs}"))["rows"]
    (size,) = (row["difference"] for row in rows if row["measure"] == "ret_size" and row["difference"])
    assert (size["mean"], size["randomisation"]["p"], size["low"]) == (0.0, None, None)
    output = run(f"correlate --trials 10 -f csv -m sizes -m text_sets --set overlap=novel {inputs}")
    assert "rel_ret_size" in output.out  # asked for
    output = run(f"correlate --trials 10 -f csv -t inex2009-thorough {inputs}")
    assert "size" not in output.out
    assert output.status == 0


def test_the_families(three):
    assert "Holm   p corrected for 2 comparisons of each measure; * below 0.05" in compared(f"--full {three}")
    assert "Holm-adjusted p < 0.05\n      (2 comparisons per measure)\n" in compared(three)
    assert "Holm   p corrected for 4 comparisons; * below 0.05" in compared(f"--full --family call {three}")


def test_the_power_line(three):
    found = json.loads(compared(f"-f json {three}"))["detectable"]
    assert (found["power"], list(found["differences"])) == (0.8, ["map"])  # P_5 does not vary
    least = f"smallest detectable difference (80 % power): {found['differences']['map']:.4f}"
    assert f"\n{least}\n" in compared(three)
    assert f"\n{least} (map)\n" in compared(f"--full {three}")
    rough = "(height); with fewer than 20 topics these are rough By height,"
    assert rough in " ".join(compared(DARWIN).split())


def test_what_the_randomisation_test_cannot_reach_concerns_no_other_test():
    for options in ("--test t", "--test bootstrap", "--pairs all"):
        assert "no corrected p-value" not in run(f"compare --trials 99 -m map {options} {DEMO}").err
