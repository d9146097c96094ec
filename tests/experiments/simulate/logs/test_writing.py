"""`simulate --log`: what is written, and what is refused."""

import pytest

import prum_eval
from prum_eval.errors import DataError, UsageError
from prum_eval.formats.log import write_log_lines
from tests.gold import ROOT, run

DEMO = "fixtures/demo/assessments -s fixtures/demo/structure.tsv"


def written(arguments):
    output = run(f"simulate {arguments}")
    assert output.status == 0, output.err
    return output


def test_a_log(tmp_path):
    path = tmp_path / "log"
    output = written(f"{DEMO} --from relevant --log {path} -u siblings:p=.5 --sessions 3 --leak .1 --persistence .6")
    assert output.out == ""
    assert output.err == "prum-eval: 3 sessions, 10 lines of siblings:p=.5\n"
    assert path.read_text() == LOG
    assert prum_eval.read_log(path).lines[0].viewed[0].text == "tides#/article[1]/body[1]/section[1]"


LOG = """\
s1\t101\t1\ttides#/article[1]/body[1]/section[1]/p[1]\ttides#/article[1]/body[1]/section[1]
s1\t101\t2\ttides#/article[1]/body[1]/section[2]/p[1]\tstop=1
s2\t102\t1\twindmills#/article[1]/body[1]/section[1]
s2\t102\t2\twindmills#/article[1]/body[1]/section[1]/title[1]
s2\t102\t3\twindmills#/article[1]/body[1]/section[1]/p[1]
s2\t102\t4\twindmills#/article[1]/body[1]/section[1]/p[2]
s2\t102\t5\twindmills#/article[1]/body[1]
s2\t102\t6\twindmills#/article[1]
s2\t102\t7\tkites#/article[1]/body[1]/section[1]/p[1]\tstop=1
s3\t103\t1\tsourdough#/article[1]/body[1]/section[1]/p[2]\tstop=1
"""


def test_standard_output():
    output = written(f"{DEMO} --log - -u none --sessions 2 --persistence 0")
    assert [[*line.split("\t")[:3], line.split("\t")[-1]] for line in output.out.splitlines()] == [
        ["s1", "101", "1", "stop=1"],
        ["s2", "102", "1", "stop=1"],
    ]


def test_runs_and_log_together(tmp_path):
    folder, path = tmp_path / "runs", tmp_path / "log"
    written(f"{DEMO} -o {folder} --copies 2 --change shuffle --log {path} -u none --sessions 12 --persistence 0")
    first = {line.split("\t")[3] for line in path.read_text().splitlines()}
    runs = "".join((folder / name).read_text() for name in ("ideal-1.run", "ideal-2.run"))
    best = {tuple(line.split()[index] for index in (2, 6)) for line in runs.splitlines() if line.split()[3] == "1"}
    assert first == {f"{document}#{path}" for document, path in best}


def test_one_and_two_processes_write_the_same(tmp_path):
    for jobs in (1, 2):
        written(f"{DEMO} --log {tmp_path / str(jobs)} -u bep-distance --sessions 600 -j {jobs} --leak .02")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (DEMO, 2, "Error: nothing to write: give -o DIR for runs, --log FILE for a log"),
        (f"{DEMO} --log x", 2, "Error: --log needs --user-model, and --user-model needs --log"),
        (f"{DEMO} -o x -u none", 2, "Error: --log needs --user-model, and --user-model needs --log"),
        (f"{DEMO} --log x -u nobody", 2, None),
        (f"{DEMO} --log x -u none:items=article", 2,
         "prum-eval: a log is of results, not of items: items has no effect"),
        (f"{DEMO} --log x -u graph", 1,
         "prum-eval: user model graph needs a navigation file (--navigation) or a structure with links"),
        ("fixtures/demo/assessments --log x -u t2i", 1,
         ("prum-eval: user model t2i needs positions in the text, which assessments of elements, 2005-2007 do not "
          "give: give --structure")),
        (f"{DEMO} --log x -u none --leak .5", 2,
         "Error: Invalid value for '--leak': 0.5 is not in the range 0<=x<0.5."),
        (f"{DEMO} --log fixtures/demo/structure.tsv -u none", 2,
         "Error: fixtures/demo/structure.tsv is an input and would be overwritten"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path, monkeypatch, arguments, status, message):
    output = run(f"simulate {arguments}")
    assert (output.status, output.out) == (status, "")
    assert message is None or output.err.splitlines()[-1] == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sessions": 0}, "sessions=0: sessions is a whole number from 1 to 10000000"),
        ({"persistence": 1.0}, "persistence=1.0: persistence is a number from 0 on and below 1"),
        ({"leak": 0.5}, "leak=0.5: leak is a number from 0 on and below 0.5"),
        ({"seed": -1}, "seed=-1: seed is a whole number from 0 to 9223372036854775807"),
        ({"navigation_kind": "x"}, "navigation_kind=x: navigation_kind is reach or step"),
        ({"jobs": -1}, "jobs=-1: jobs is a number of processes, or 0 for one per processor"),
    ],
)
def test_illegal_values(options, message):
    with pytest.raises(UsageError) as error:
        prum_eval.simulate_log({"1": {"a": 1}}, user_model="none", **options)
    assert str(error.value) == message


def test_ranges_have_no_name_in_a_log(monkeypatch, write):
    monkeypatch.chdir(ROOT)
    path = write("101 Q0 tides 1 1 r /article[1]/title[1] /article[1]/body[1]\n")
    with pytest.raises(DataError, match="a range of elements has no name in a log; log lists of elements or passages"):
        prum_eval.simulate_log(
            "fixtures/demo/assessments", path, structure="fixtures/demo/structure.tsv", user_model="none"
        )


@pytest.mark.parametrize("name", ["a#b", "#a", "a#/b", "a@1:2", "read=5", "stop=1"])
def test_documents_that_a_log_would_read_as_something_else(name):
    with pytest.raises(DataError) as error:
        prum_eval.simulate_log({"1": {"a": 1, name: 1}}, user_model="none")
    assert str(error.value) == f"document {name} has no name in a log, which would read it as something else"


def test_other_signs_in_names_of_documents(tmp_path):
    judged = {"1": {"a@b": 1, "a:1": 1, "a=5": 1, "\u00fc": 1}}
    made = prum_eval.simulate_log(judged, user_model="none", sessions=3)
    path = tmp_path / "log"
    path.write_bytes(write_log_lines(made))
    assert [one.result for one in prum_eval.read_log(path).lines] == [one.result for one in made.lines]
