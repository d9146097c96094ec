"""Values of topics as other tools print them: three columns, CSV, JSON; every error names file and line."""

from __future__ import annotations

import gzip

import pytest

from prum_eval import InputError, evaluate
from prum_eval.formats.scores import read_scores
from prum_eval.report.layout import Layout
from prum_eval.report.registry import render
from prum_eval.text.streams import read_all_text
from tests.gold import ROOT

TREC = "map \t1\t0.5\nmap\t2\t0.25\nrunid                 \tall\tbm25\nmap                   \tall\t0.375\n"


def put(folder, text, name="values.txt"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_three_columns(tmp_path):
    [run] = read_scores(put(tmp_path, TREC))
    assert (run.run_id, run.topics) == ("bm25", {"1": {"map": 0.5}, "2": {"map": 0.25}})


def test_without_runid_a_run_is_called_by_its_file(tmp_path):
    [run] = read_scores(put(tmp_path, "map 1 .5\n", "mine.eval"))
    assert run.run_id == "mine"


def test_averages_end_a_run(tmp_path):
    runs = read_scores(put(tmp_path, TREC + TREC.replace("bm25", "other").replace("0.5\n", "nan\n")))
    assert [run.run_id for run in runs] == ["bm25", "other"]
    assert runs[1].topics == {"1": {"map": None}, "2": {"map": 0.25}}


def test_a_runid_may_come_first(tmp_path):
    [run] = read_scores(put(tmp_path, "runid all bm25\nmap 1 .5\nmap all .5\n"))
    assert (run.run_id, run.topics) == ("bm25", {"1": {"map": 0.5}})


def test_compressed(tmp_path):
    assert read_scores(put(tmp_path, gzip.compress(TREC.encode())))[0].run_id == "bm25"


@pytest.mark.parametrize("style", ["trec", "csv", "json"])
def test_what_eval_prints_is_read_back(tmp_path, style):
    demo = ROOT / "fixtures" / "demo"
    runs = [demo / "run-a.xml", demo / "run-b.xml"]
    done = evaluate(demo / "assessments", runs, structure=demo / "structure.tsv", measures=["official", "map"])
    found = read_scores(put(tmp_path, render(done, style, Layout(per_topic=True, digits=17))))
    assert [run.run_id for run in found] == [run.run_id for run in done.runs]
    assert [run.topics for run in found] == [run.topics for run in done.runs]


def test_csv_of_another_tool(tmp_path):
    [run] = read_scores(put(tmp_path, 'measure,value,topic,note\nP_5,0.2,"a,b",x\nP_5,,c,\n'))
    assert run.topics == {"a,b": {"P_5": 0.2}, "c": {"P_5": None}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "F:1: the file is empty"),
        (" \n", "F:1: the file is empty"),
        ("map 1 .5\nmap 2\n", "F:2: expected 3 columns (measure, topic, value), found 2"),
        ("map 1 .5\n\nmap 2 .5\n", "F:2: expected 3 columns (measure, topic, value), found 0"),
        ("map 1 high\n", "F:1: value 'high' of map is not a number"),
        ("map 1 inf\n", "F:1: value 'inf' of map is not a number"),
        ("map 1 .5\nmap 1 .6\n", "F:2: map of topic 1 is given twice"),
        ("map all .5\n", "F: no values of topics, only averages; write them with -q"),
        (b"map 1 .5\nm\xff 1 .5\n", "F:2: the text is not UTF-8"),
        ("topic,name,value\n1,map,.5\n", "F:1: no column measure in the header of the CSV"),
        ("topic,measure,value\n1,map\n", "F:2: expected 3 columns, found 2"),
        ('topic,measure,value\n1,"map,.5\n', "F:2: no CSV: unexpected end of data"),
        ('{"runs": [\n', "F:2: not JSON: Expecting value"),
        ('{"a": 1}', "F: not the JSON of eval -f json: no runs with run_id and topics"),
        ('{"runs": [1]}', "F: not the JSON of eval -f json: no runs with run_id and topics"),
        (
            '{"runs": [{"run_id": "r", "topics": {"1": {"map": "x"}}}]}',
            "F: value 'x' of map of topic 1 is not a number",
        ),
        ("map 1 1_0\n", "F:1: value '1_0' of map is not a number"),
        ("map 1 \u0661\n", "F:1: value '\u0661' of map is not a number"),
        ("map 1 1e999\n", "F:1: value '1e999' of map is not a number"),
        ("topic,measure,value\n1,map,infinity\n", "F:2: value 'infinity' of map is not a number"),
        ('{"runs": ' + "[" * 100_000, "F: not JSON: nested too deeply"),
        ('{"runs": [], "runs": []}', "F: not JSON: the key 'runs' appears twice"),
        ('{"runs": [1e999]}', "F: not JSON: '1e999' is not a finite number"),
        ('{"runs": [-Infinity]}', "F: not JSON: -Infinity is not a number of JSON"),
        ('{"runs": [' + "9" * 20 + "]}", f"F: not JSON: '{'9' * 20}' is not an integer of 64 bits"),
        ('{"runs": [' + "9" * 400 + "]}", f"F: not JSON: '{'9' * 80}...' is not an integer of 64 bits"),
        ('{"runs": [' + "9" * 9999 + "]}", f"F: not JSON: '{'9' * 80}...' is not an integer of 64 bits"),
        ("m\0a\0p\0", "F:1: the text is UTF-16, expected UTF-8"),
        ('{"runs": []}', "F: no values of topics, only averages; write them with -q"),
    ],
)
def test_bad_files(tmp_path, text, message):
    path = put(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_scores(path)
    assert str(error.value) == message.replace("F", path, 1)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        read_scores(str(tmp_path / "none"))


def test_a_file_that_is_too_large_to_be_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(read_all_text, "__defaults__", (1000,))
    path = put(tmp_path, gzip.compress(b" " * 10_000))
    with pytest.raises(InputError) as error:
        read_scores(path)
    assert str(error.value) == f"{path}: more than 1000 bytes, the limit for such a file"


def test_a_value_that_is_not_there_in_json(tmp_path):
    path = put(tmp_path, '{"runs": [{"run_id": "r", "topics": {"1": {"map": NaN, "P_5": null, "P_10": 1}}}]}')
    assert read_scores(path)[0].topics == {"1": {"map": None, "P_5": None, "P_10": 1.0}}


def test_signs_that_end_no_line(tmp_path):
    [run] = read_scores(put(tmp_path, "topic,measure,value\n1\u20282\x0b3,map,1\n"))
    assert run.topics == {"1\u20282\x0b3": {"map": 1.0}}
