"""`fit`: what it prints and says, what eval takes of it, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from prum_eval import __version__, fit
from tests.gold import ROOT, run

DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments"
LOG = f"{DEMO} fixtures/fit/log.tsv"
READER = "t2i:decay=exponential"
VIEWED = "tides#/article[1]\ttides#/article[1]/body[1]/section[1]"


def told(command):
    output = run(f"fit {command}")
    assert output.status == 0, output.err
    return output


def test_the_table():
    output = told(f"-u hierarchical -u {READER} {LOG}")
    assert output.out == TABLE
    assert output.err.splitlines() == [
        ("prum-eval: warning: fixtures/fit/log.tsv: 321 results are no targets themselves "
         "(lines 1, 3, 4, 5, 6, 7, 8, 10 and 313 more)"),
        (f"prum-eval {__version__}|fit|targets:ideal|quantisation:gen|evidence:auto|sessions:150|"
         f"models:{READER}+hierarchical|1000 trials|seed:1|alpha:0.05"),
    ]  # fmt: skip


def test_the_first_specification_on_standard_output_is_the_best():
    for style in ("table", "json", "csv"):
        text = told(f"-f {style} -u hierarchical -u {READER} {LOG}").out
        found = re.search(r"\b(?:t2i|hierarchical):[^\s\"]+", text)
        assert found[0].rstrip("',") == "t2i:tolerance=399.6718346,decay=exponential,rank_decay=1"


@pytest.mark.parametrize("model", ["t2i", READER, "t2i:decay=inverse", "bep-distance", "logistic", "siblings",
                                   "hierarchical", "none", "coverage", "bep-distance:once=on,L=900"])  # fmt: skip
def test_eval_takes_the_line_as_it_is(model):
    line = told(f"-u {model} {LOG} --trials 20").out.splitlines()[0]
    evaluated = run(f"eval {line} -m gen_recall.5 {DEMO} fixtures/demo/run-a.xml")
    assert evaluated.status == 0, evaluated.err
    spec = line.removeprefix("-u ")
    assert spec.startswith(f"{model.partition(':')[0]}:")
    held = told(f"-u {spec} {LOG} --trials 20").out.splitlines()
    assert held[0] == line


def test_json_has_everything(monkeypatch):
    monkeypatch.chdir(ROOT)
    found = json.loads(told(f"-f json -u {READER} -u none {LOG}").out)
    known = fit("fixtures/demo/assessments", "fixtures/fit/log.tsv", [READER, "none"],
                structure="fixtures/demo/structure.tsv")  # fmt: skip
    assert (found["spec"], found["signature"]) == (known.spec, known.signature)
    best = found["models"][0]
    assert best["values"] == known.best.values
    assert best["log_likelihood"] == known.best.quality.log_likelihood
    assert [one["low"] for one in best["estimates"]] == [one.low for one in known.best.estimates]
    assert [one["pairs"] for one in best["calibration"]] == [one.pairs for one in known.best.calibration]
    assert sum(one["pairs"] for one in best["calibration"]) == found["size"]["pairs"] == 326
    assert found["baseline"]["aic"] == found["models"][1]["aic"]
    assert found["baseline"]["shared"] == pytest.approx(found["models"][1]["shared"], rel=1e-9)
    report = found["reports"][0]
    assert (report["what"], report["count"], len(report["lines"])) == ("no_target", 321, 321)
    assert found["persistence"]["value"] == known.persistence.value
    rows = list(csv.DictReader(io.StringIO(told(f"-f csv -u {READER} -u none {LOG}").out)))
    assert [row["parameter"] for row in rows] == ["tolerance", "leak", "leak"]


def test_it_fits_80_columns():
    for line in told(f"--digits 6 -u {READER} -u bep-distance:L=1234.5678,once=on -u siblings {LOG}").out.splitlines()[
        1:
    ]:
        assert len(line) <= 80


def test_what_does_not_count_is_told_by_line(write):
    log = write(
        "s1\t101\t2\ttides#/article[1]/body[1]/section[1]\ttides#/article[1]/body[1]/section[1]/p[1]\ttides\n"
        "s1\t101\t1\tnowhere#/article[1]\ttides#/article[9]\tstop=1\n"
        "s2\t999\t1\ttides\n"
        "s2\t101\t1\ttides#/article[1]/no[1]\tread=3\tharbours#/article[1]/body[1]/section[2]/p[1]\n",
        "log",
    )
    output = run(f"fit -u hierarchical {DEMO} {log}")
    assert output.status == 0
    told_of = [line.removeprefix(f"prum-eval: warning: {log}: ") for line in output.err.splitlines()[:-1]]
    assert "1 result is of a topic without assessments (line 3)" in told_of
    assert "1 result is in an unknown document (line 2)" in told_of
    assert "1 result is not in the structure (line 4)" in told_of
    assert "1 line is out of order, and taken by rank in its session (line 2)" in told_of
    assert "3 views are no targets (lines 1 and 2)" in told_of
    assert "1 view is of a target in another document (line 4)" in told_of
    assert "1 stop is before the last rank of its list, and no stop (line 2)" in told_of
    assert "1 reading is of a result whose place is unknown (line 4)" in told_of


def test_verbose_names_every_line():
    lines = told(f"-v -u none {LOG}").err.splitlines()
    places = [line for line in lines if line.endswith(": result is no target itself")]
    assert (places[0], len(places)) == ("fixtures/fit/log.tsv:1: result is no target itself", 321)
    assert not told(f"--quiet -u none {LOG}").err


def test_steps_are_written_and_taken(tmp_path, write):
    log, steps = write(WALKS, "log"), tmp_path / "steps.tsv"
    output = told(f"-u graph --write-navigation {steps} fixtures/toy/qrels {log}")
    first = output.out.splitlines()[0]
    assert first == f"-u graph:damping=0.6,rank_decay=1 --navigation {steps} --navigation-kind step"
    assert steps.read_text() == STEPS
    evaluated = run(f"eval {first} -m eprum_map fixtures/toy/qrels fixtures/toy/run")
    assert evaluated.status == 0, evaluated.err
    without = told(f"-u graph fixtures/toy/qrels {log}")
    assert "prum-eval: warning: graph: eval needs the steps; write them with --write-navigation FILE" in without.err


def test_where_steps_cannot_be_written_nothing_is_printed(tmp_path, write):
    steps = tmp_path / "nowhere" / "steps.tsv"
    output = run(f"fit -u graph --write-navigation {steps} fixtures/toy/qrels {write(WALKS, 'log')}")
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[-1] == f"{steps}: cannot be written: No such file or directory"


WALKS = """\
s1	1	1	x	tides	moon	tides
s1	1	2	moon	tides	stop=1
s2	1	1	x	moon
s3	1	1	x	stop=1
s4	1	1	tides	tides	moon	stop=1
"""
STEPS = """\
moon	tides	0.6666666666666666
tides	moon	0.5
x	moon	0.3333333333333333
x	tides	0.3333333333333333
"""


def test_long_names_of_steps_are_numbers(write):
    log = write(
        "s\t101\t1\ttides#/article[1]\ttides#/article[1]/body[1]/section[1]\ttides#/article[1]/body[1]/section[2]\n",
        "log",
    )
    lines = told(f"-u graph {DEMO} {log}").out.splitlines()
    first = lines.index("1  tides")
    assert lines[first : first + 8] == [
        "1  tides",
        "2  tides#/article[1]/body[1]/section[1]",
        "3  tides#/article[1]/body[1]/section[2]",
        "",
        "step    probability  interval",
        "------  -----------  --------",
        "1 to 2       1.0000         -",
        "2 to 3       1.0000         -",
    ]
    assert max(map(len, lines)) <= 80


def test_only_sessions_with_assessed_topics_are_counted(write):
    log = write("s1\t101\t1\ttides\ns2\t999\t1\ttides\ns3\t101\t1\tharbours\n", "log")
    assert "\n2 sessions, 2 results consulted; " in told(f"-u none {DEMO} {log}").out


def test_rank_decay_may_be_nothing(write):
    """Nothing is viewed from behind the first rank, everything from there."""
    line = "tides#/article[1]\ttides#/article[1]/body[1]/section[1]"
    last = "harbours#/article[1]"
    log = write("".join(f"s{n}\t101\t1\t{line}\ns{n}\t101\t2\t{last}\n" for n in range(40)), "log")
    out = told(f"-u bep-distance {DEMO} {log}").out
    assert out.splitlines()[0].endswith(",rank_decay=0")
    (row,) = (row for row in out.splitlines() if row.startswith("rank_decay "))
    assert row.split() == ["rank_decay", "0.0000", "-", "views"]
    held = told(f"-u bep-distance:rank_decay=0 {DEMO} {log}").out.splitlines()
    assert held[0].endswith(",rank_decay=0")


@pytest.mark.parametrize(
    ("model", "line", "key", "sessions", "identified"),
    [
        ("bep-distance", "s{}\t101\t1\ttides#/article[1]\n", "A", 40, True),  # nothing is viewed
        ("hierarchical", "s{}\t101\t1\ttides#/article[1]\n", "exponent", 40, True),
        ("hierarchical", "s{}\t103\t1\tsourdough#/article[1]/title[1]\n", "exponent", 1, False),  # too little
        ("siblings", f"s{{}}\t101\t1\t{VIEWED}\n", "p", 40, False),  # no sibling is a target
    ],
)
def test_an_estimate_at_the_border_is_another_thing_than_none(model, line, key, sessions, identified, write):
    log = write("".join(line.format(session) for session in range(sessions)), "log")
    border = "estimated at the border of its range: values inside it are less likely"
    text = border if identified else "not identified: all its values are about as likely"
    assert f"prum-eval: warning: {model}: {key} is {text}\n" in told(f"-u {model} {DEMO} {log}").err


def test_readings_that_all_reach_the_end_of_the_document(write):
    log = write("s\t102\t1\twindmills#/article[1]\tread=1003\n", "log")
    output = run(f"fit -u {READER} {DEMO} {log}")
    assert (output.status, output.out) == (1, "")
    reason = "too few readings stopped before the end of their documents to estimate how far users read"
    assert output.err.splitlines()[-1] == f"prum-eval: {reason}"


def test_likelihoods_of_nothing_are_no_less(write):
    log = write("s\t101\t1\ttides#/article[1]\n", "log")
    out = told(f"-u bep-distance {DEMO} {log}").out
    (row,) = (row for row in out.splitlines() if row.startswith("bep-distance:A=1e-08"))
    assert row.split()[1:] == ["-", "4.00", "0.00", "2", "0.0000"]


def test_damping_of_links(tmp_path):
    index, log = tmp_path / "pages.index", tmp_path / "log"
    elements = "--elements //section --elements /html --links //a/@href"
    assert run(f"index fixtures/graph/pages -o {index} {elements}").status == 0
    made = run(f"simulate fixtures/graph/assessments.xml -s {index} --log {log} -u graph:damping=.6 --sessions 300 "
               "--persistence 0 --from relevant")  # fmt: skip
    assert made.status == 0, made.err
    output = told(f"-u graph --graph links -s {index} fixtures/graph/assessments.xml {log}")
    damping = float(re.search(r"damping=([0-9.]+)", output.out)[1])
    assert 0.3 < damping < 0.9
    assert "--navigation" not in output.out


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    first, second = (told(f"-f json -u t2i --evidence views {LOG} --trials 50 --seed 7").out for _ in range(2))
    assert first == second
    for name in ("a.svg", "b.svg"):
        told(f"-u t2i -u none {LOG} --trials 20 --plot {tmp_path / name}")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        (LOG, 2, "Error: Missing option '-u' / '--user-model'."),
        (f"-u nobody {LOG}", 2, None),
        (f"-u none:items=article {LOG}", 2,
         "prum-eval: -u none:items=article: a log is of results, not of items: items has no effect"),
        ("-u t2i fixtures/demo/assessments fixtures/fit/log.tsv", 1,
         ("prum-eval: user model t2i needs positions in the text, which assessments of elements, 2005-2007 do not "
          "give: give --structure")),
        (f"-u siblings --evidence reading {DEMO} {{log}}", 1,
         "prum-eval: the log has no read=, from which the parameter was to come"),
        (f"-u none --write-navigation x {LOG}", 2,
         "Error: --write-navigation: no model follows steps; give -u graph"),
        (f"-u graph --graph links {LOG}", 1, "prum-eval: the structure has no links: leave --graph links out"),
        (f"-u none {DEMO} nowhere", 1, "nowhere: cannot be read: No such file or directory"),
        (f"-u none --targets x {LOG}", 2, None),
        (f"-u none -o fixtures/fit/log.tsv {LOG}", 2,
         "Error: fixtures/fit/log.tsv is an input and would be overwritten"),
    ],
)  # fmt: skip
def test_what_is_refused(command, status, message, write):
    output = run(f"fit {command.format(log=write(WITHOUT_READING, 'log'))}")
    assert (output.status, output.out) == (status, "")
    assert "Traceback" not in output.err
    assert message is None or output.err.splitlines()[-1] == message


WITHOUT_READING = "s\t101\t1\ttides#/article[1]\n"


def test_a_bad_line_of_a_log(write):
    log = write("s\t101\t0\ttides\n", "log")
    output = run(f"fit -u none {DEMO} {log}")
    assert (output.status, output.out) == (1, "")
    assert output.err == f"{log}:1: rank: expected an integer from 1 to 2147483647, found '0'\n"


TABLE = """\
-u t2i:tolerance=399.6718346,decay=exponential,rank_decay=1

estimate        value         95 % interval  from
-----------  --------  --------------------  --------
tolerance    399.6718  362.9772 to 440.0760  readings
leak           0.0513      0.0118 to 0.0909  views
persistence    0.6866      0.6430 to 0.7272  ranks

1  t2i:tolerance=399.7,decay=exponential
2  hierarchical:exponent=0.4753

model     held out     AIC  likelihood  parameters  leaked
--------  --------  ------  ----------  ----------  ------
1          -140.91  284.34     -140.17           2  0.0442
2          -183.89  359.96     -177.98           2  0.0814
constant   -225.97  453.93     -225.97           1  1.0000

predicted   pairs    mean  observed
----------  -----  ------  --------
0.0 to 0.1     31  0.0513    0.0323
0.1 to 0.2     36  0.1604    0.1111
0.2 to 0.3     73  0.2547    0.3014
0.3 to 0.4      0       -         -
0.4 to 0.5     52  0.4488    0.4423
0.5 to 0.6     11  0.5023    0.4545
0.6 to 0.7      0       -         -
0.7 to 0.8      0       -         -
0.8 to 0.9      0       -         -
0.9 to 1.0    123  0.9274    0.9187

150 sessions, 448 results consulted; 326 pairs of a result and a target that had
not been seen, 168 of them views. The leak of the best model explains 0.0442 of
these. rank_decay stays 1: to estimate it would raise the log-likelihood by
0.02, no more than 2. Held out: the log-likelihood of each fifth of the sessions
by the model fitted to the others.
"""
