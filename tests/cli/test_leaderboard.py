"""`compare` where quality has its cost: the leaderboard, its sentence, bold letters on terminals, an equal budget."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import random
import subprocess
import sys

import pytest

from prum_eval import Layout, compare, render
from prum_eval.analysis.comparison import rank_measures
from tests.gold import ROOT, run

MEANS = {
    "big": {"char_rec_5": 0.80, "size_5": 9000, "char_rec_at_size_1000": 0.30},
    "mid": {"char_rec_5": 0.795, "size_5": 4000.6, "char_rec_at_size_1000": 0.50},
    "small": {"char_rec_5": 0.40, "size_5": 950, "char_rec_at_size_1000": 0.45},
}
NOISE = [(-1) ** topic * (topic // 2 % 3) / 40 for topic in range(24)]
"""Of each run in another order; it sums to 0."""


def values(folder, means=MEANS):
    """Values by topic with these means."""
    rows = ["run,topic,measure,value\n"]
    for place, (name, own) in enumerate(means.items()):
        moved = NOISE[place * 2 % 24 :] + NOISE[: place * 2 % 24]
        for measure, mean in own.items():
            rows += [f"{name},{topic},{measure},{mean + moved[topic] * (mean < 1)}\n" for topic in range(24)]
    (folder / "values.csv").write_text("".join(rows), encoding="utf-8")
    return folder / "values.csv"


def table(folder, options="", means=MEANS):
    output = run(f"compare --trials 2000 --values {options} {values(folder, means)}")
    assert output.status == 0, output.err
    return output.out


def sentence(text):
    return " ".join(text[text.index("\n\nBy ") :].split())


def test_the_table(tmp_path):
    assert table(tmp_path) == (
        "                                          char_rec\n"
        "       char_rec                           _at_size\n"
        "run          _5     diff      +-  size_5     _1000\n"
        "-----  --------  -------  ------  ------  --------\n"
        "big     0.8000                     9,000   0.3000*\n"
        "mid     0.7950   -0.0050  0.0177   4,001   0.5000\n"
        "small   0.4000*  -0.4000  0.0177     950   0.4500*\n"
        "\n"
        "diff  difference to the best run by char_rec_5, 24 topics; +- half the width of\n"
        "      its 95 % t interval, simultaneous for 2 comparisons\n"
        "*     significantly different from the best of its column: randomisation test,\n"
        "      Holm-adjusted p < 0.05 (2 comparisons per measure)\n"
        "smallest detectable difference (80 % power): 0.0216\n"
        "size_5: lower is better\n"
        "--full prints all measures with intervals, p-values and topics won, tied, lost\n"
        "\n"
        "By char_rec_5, big is best: small is significantly worse; no significant\n"
        "difference to mid; of these mid has the lowest size_5, 4,001 in place of 9,000;\n"
        "at an equal budget mid is best, by char_rec_at_size_1000, and --at size=1000\n"
        "compares there.\n"
    )


def test_the_sentence(tmp_path):
    means = {
        "big": {**MEANS["big"], "char_rec_at_size_1000": 0.9},
        "twin": {**MEANS["big"], "size_5": 9500, "char_rec_at_size_1000": 0.7},
    }
    assert sentence(table(tmp_path, means=means)) == (
        "By char_rec_5, big and twin are equally good; none of them has a lower size_5."
    )
    assert sentence(table(tmp_path, "--baseline small")) == (
        "By char_rec_5, against small: big and mid are significantly better; big is best."
    )
    assert "; no other two differ significantly." in sentence(table(tmp_path, "--pairs all"))


def test_at_an_equal_budget(tmp_path):
    means = {name: {**own, "char_rec_at_size_500": 0.1} for name, own in MEANS.items()}
    found = table(tmp_path, "--at size=1000", means=means)
    assert found.splitlines()[:4] == [
        "       char_rec                   char_rec",
        "       _at_size                   _at_size  char_rec",
        "run       _1000     diff      +-      _500        _5  size_5",
        "-----  --------  -------  ------  --------  --------  ------",
    ]
    assert [line.split()[0] for line in found.splitlines()[4:7]] == ["mid", "small", "big"]
    assert sentence(found) == (
        "By char_rec_at_size_1000, mid is best: small and big are significantly worse. best at 500: big, mid or small "
        "(no significant difference); 1,000: mid"
    )
    lines = table(tmp_path, "--at size=1000 -m char_rec").splitlines()  # without costs too
    assert [line.split() for line in lines[2:3]] == [["run", "_1000", "diff", "+-", "_5"]]
    data = json.loads(table(tmp_path, "--at size=1000 -f json"))
    assert data["ranked_by"] == "char_rec_at_size_1000"
    assert data["signature"].count("|at:char_rec_at_size_1000|") == 1
    output = run(f"compare --at size=3000 --values {values(tmp_path)}")
    assert (output.status, output.out) == (2, "")
    assert output.err == "prum-eval: at=size=3000: the values have no char_rec_at_size_3000\n"
    output = run(f"compare --at size=3000 -m size_5 --values {values(tmp_path)}")
    assert output.err == "prum-eval: char_rec_at_size_3000 is in no run; did you mean char_rec_at_size_1000?\n"


def test_what_programs_read(tmp_path):
    data = json.loads(table(tmp_path, "-f json"))
    assert (data["ranked_by"], data["costs"], data["settings"]["pairs"]) == ("char_rec_5", ["size_5"], "best")
    assert {row["measure"] for row in data["rows"]} == set(MEANS["big"])
    assert data["front"] == ["big", "mid", "small"]  # the better the dearer
    dear = {"big": MEANS["big"], "mid": {**MEANS["mid"], "size_5": 9001}}
    assert json.loads(table(tmp_path, "-f json", means=dear))["front"] == ["big"]
    rows = list(csv.DictReader(io.StringIO(table(tmp_path, "-f csv"))))
    assert {row["against"] for row in rows if row["measure"] == "size_5"} == {"small", ""}
    data = json.loads(table(tmp_path, "-f json -m char_rec"))  # without costs as ever
    assert (data["ranked_by"], data["costs"], data["settings"]["pairs"]) == ("char_rec_5", [], "first")
    assert data["front"] == []


def test_everything_on_request(tmp_path):
    lines = table(tmp_path, "--full").splitlines()
    assert lines[0].split() == ["run", "mean", "diff", "low", "high", "p", "Holm", "d", "+/=/-"]
    assert [line for line in lines if line.endswith("(24 topics)")] == [f"{name} (24 topics)" for name in MEANS["big"]]


def test_many_runs_of_long_names_with_all_measures(tmp_path):
    draw = random.Random(1)
    names = ["char_rec_1", "char_rec_5", "char_prec_5", "hit_5", "size_5", "redundancy_5", "span_rr", "eprum_map"]
    means = {f"run-{number}-{'x' * 22}": {name: draw.random() for name in names} for number in range(50)}
    text = table(tmp_path, "--trials 9", means=means)
    assert max(map(len, text.splitlines())) <= 80
    assert "not shown: char_rec_1, char_prec_5, hit_5, span_rr and eprum_map\n" in text
    lines = table(tmp_path, means={"x" * 31: MEANS["big"], "y": MEANS["mid"]}).splitlines()
    assert [line.split()[0] for line in lines[4:7]] == ["x" * 30, "x", "y"]
    assert f"By char_rec_5, {'x' * 31} is best: no significant difference to y" in " ".join(lines)


def test_groups_of_the_measure_that_ranks(tmp_path):
    lines = [f"{topic}\t{'odd' if topic % 2 else 'even'}\n" for topic in range(24)]
    (tmp_path / "groups").write_text("".join(lines), encoding="utf-8")
    text = table(tmp_path, f"--groups {tmp_path}/groups")
    assert "\nchar_rec_5 (topics)      12      12\n" in text
    assert "size_5 (topics)" not in text


def printed(folder, options="", **environment):
    """What a terminal gets."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "prum_eval", "compare", "--quiet", "--trials", "99", *options.split(), "--values"]
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    environment = {**kept, "TERM": "xterm", **environment}
    with subprocess.Popen([*command, values(folder)], cwd=ROOT, stdout=slave, env=environment) as process:
        os.close(slave)
        parts = []
        try:
            while part := os.read(master, 1 << 16):
                parts.append(part)
        except OSError:  # the other side is closed
            pass
        os.close(master)
        assert process.wait() == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_terminal_shows_the_best_in_bold(tmp_path):
    text = printed(tmp_path)
    bold = {part.partition("\x1b[0m")[0] for part in text.split("\x1b[1m")[1:]}
    assert bold == {"0.8000", "950", "0.5000"}  # of costs the lowest
    plain = text.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert plain == printed(tmp_path, NO_COLOR="1") == printed(tmp_path, TERM="dumb")
    assert plain == run(f"compare --quiet --trials 99 --values {values(tmp_path)}").out
    assert printed(tmp_path, "--full").count("\x1b[1m") == 3
    assert "\x1b" not in printed(tmp_path, "-f csv")


def test_names_of_runs_are_not_obeyed_beside_bold_letters(tmp_path):
    path = values(tmp_path, means={"big\x1b[31m": MEANS["big"], "mid": MEANS["mid"]})
    shown = render(compare(values=path, trials=99), "table", Layout(bold=True))
    assert r"big\x1b[31m" in shown
    assert "\x1b[31m" not in shown
    assert "\x1b[1m0.8000\x1b[0m" in shown


@pytest.mark.parametrize("at", ["2000", "size=x"])
def test_usage(tmp_path, at):
    output = run(f"compare --at {at} --values {values(tmp_path)}")
    assert (output.status, output.out) == (2, "")
    forms = "size=N, tokens=N or read=N"
    assert output.err == f"prum-eval: at={at}: a budget is {forms}, N a whole number from 1 to 2147483647\n"


def test_several_measures_are_one_table_that_counts_the_runs_that_beat_the_base(tmp_path):
    means = {f"r{number}": {"map": number / 10, "ndcg": number / 20} for number in range(1, 6)}
    text = table(tmp_path, "--pairs first --trials 999", means=means)
    assert [line.split() for line in text.splitlines()[:4]] == [
        ["run", "map", "diff", "+-", "ndcg"],
        ["---", "-------", "------", "------", "-------"],
        ["r5", "0.5000*", "0.4000", "0.0200", "0.2500*"],
        ["r4", "0.4000*", "0.3000", "0.0000", "0.2000*"],
    ]
    said = " ".join(text.split())
    assert "By map, 4 of 4 runs beat r1; best: r5 (+0.4000, 95 % CI 0.3800 to 0.4200)." in said


def test_chunks_show_what_a_navigating_user_reads(tmp_path):
    """After the measure that ranks, before other budgets; nobody reads on by default."""
    files = "fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl fixtures/rag/paragraphs.jsonl"
    measures = {}
    for model in ("coverage", "coverage:beyond=40", "t2i"):
        output = run(f"compare -f json --quiet -u {model} {files}")
        assert output.status == 0, output.err
        measures[model] = list(dict.fromkeys(row["measure"] for row in json.loads(output.out)["rows"]))
        ranking = rank_measures(measures[model]).order
        assert (ranking[1] == "read_5") is (model != "coverage")
    assert "read_5" not in measures["coverage"]
    on_terminal = run(f"compare --quiet -u t2i {files}").out.splitlines()
    assert on_terminal[2].split()[:2] == ["run", "_2000"]
    assert "read_5" in on_terminal[2].split()
