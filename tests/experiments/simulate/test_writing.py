"""The folder that `prum-eval simulate` writes: names, forms, simulated.tsv, what is said; and all or nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from prum_eval import evaluate, read_run, simulate
from prum_eval.errors import DataError, InputError, UsageError
from tests.experiments.simulate.worlds import lists
from tests.gold import ROOT, run

DEMO = "fixtures/demo/assessments"
STRUCTURE = "fixtures/demo/structure.tsv"
FORMS = ("run-trec", "run-paths", "run-ranges", "run-offsets", "run-xml", "run-jsonl")


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.fixture
def said(tmp_path):
    """Status and standard error of the command that writes into a new folder, which is called DIR there."""

    def said(*options, assessments=DEMO, folder=tmp_path / "made"):
        output = run(" ".join(["simulate", assessments, "-o", str(folder), *options]))
        assert not output.out
        return output.status, output.err.replace(str(folder), "DIR").splitlines()

    return said


def test_runs_are_called_by_source_value_and_copy(said, tmp_path):
    options = ["-s", STRUCTURE, "--change", "move", "--vary", "move.m=0:.2:.1", "--copies", "2", "--seed", "7"]
    assert said(*options) == (0, ["prum-eval: 6 runs of 3 topics from ideal, run-paths"])
    assert (tmp_path / "made" / "simulated.tsv").read_text() == (
        "file\tfrom\tchanges\tvalue\tcopy\tseed\n"
        "ideal-0-1.run\tideal\tmove:m=0\t0\t1\t7\n"
        "ideal-0-2.run\tideal\tmove:m=0\t0\t2\t7\n"
        "ideal-0.1-1.run\tideal\tmove:m=0.1\t0.1\t1\t7\n"
        "ideal-0.1-2.run\tideal\tmove:m=0.1\t0.1\t2\t7\n"
        "ideal-0.2-1.run\tideal\tmove:m=0.2\t0.2\t1\t7\n"
        "ideal-0.2-2.run\tideal\tmove:m=0.2\t0.2\t2\t7\n"
    )
    files = contents(tmp_path / "made")
    assert len(files) == 7
    for name in files:
        if name.endswith(".run"):
            assert read_run(str(tmp_path / "made" / name)).run_id == name.removesuffix(".run")


def test_a_name_takes_the_place_of_that_of_the_source(said, tmp_path):
    options = ["-s", STRUCTURE, "--change", "ancestors", "--name", "with-ancestors_2.0", "--copies", "2"]
    assert said(*options) == (0, ["prum-eval: 2 runs of 3 topics from ideal, run-paths"])
    made = tmp_path / "made"
    assert (made / "simulated.tsv").read_text().splitlines()[1:] == [
        "with-ancestors_2.0-1.run\tideal\tancestors\t\t1\t1",
        "with-ancestors_2.0-2.run\tideal\tancestors\t\t2\t1",
    ]
    assert read_run(str(made / "with-ancestors_2.0-2.run")).run_id == "with-ancestors_2.0-2"
    own = simulate(DEMO, structure=STRUCTURE, changes="ancestors")
    for named, plain in zip(simulate(DEMO, structure=STRUCTURE, changes="ancestors", name="b"), own, strict=True):
        assert (named.file, plain.file) == ("b-1.run", "ideal-1.run")
        assert lists(named.run) == lists(plain.run)


@pytest.mark.parametrize(("name", "said"), [("a/b",) * 2, ("a b",) * 2, ("", ""), ("a\tb", r"a\tb"), ("a\n", r"a\n")])
def test_a_name_that_is_none_of_a_file_is_refused(name, said, tmp_path):
    with pytest.raises(UsageError) as refused:
        simulate(DEMO, name=name)
    assert str(refused.value) == f"name={said}: a name has letters, digits and _ . + = - only"
    output = run(f"simulate {DEMO} -o {tmp_path / 'made'} --name a/b")
    assert (output.status, output.out) == (2, "")
    assert output.err.splitlines()[-1] == "prum-eval: name=a/b: a name has letters, digits and _ . + = - only"
    assert not (tmp_path / "made").exists()


def test_without_values_there_are_none_in_names_and_list(said, tmp_path):
    source = tmp_path / "my runs" / "a b.run"
    source.parent.mkdir()
    source.write_bytes(Path(ROOT / "fixtures/demo/run-a.paths.run").read_bytes())
    assert simulate(DEMO, source, structure=STRUCTURE, changes=["reverse", "keep:n=3"]).write(tmp_path / "made") == []
    assert (tmp_path / "made" / "simulated.tsv").read_text() == (
        f"file\tfrom\tchanges\tvalue\tcopy\tseed\na_b-1.run\t{source}\treverse keep:n=3\t\t1\t1\n"
    )
    assert read_run(str(tmp_path / "made" / "a_b-1.run")).run_id == "a_b-1"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("source", ["ideal", "passages", "bep", "fixtures/demo/run-b.xml"])
def test_every_form_is_written_as_convert_does(tmp_path, source, form):
    simulation = simulate(DEMO, source, structure=STRUCTURE, changes="noise:n=2", to=form)
    simulation.write(tmp_path)
    (one,) = simulation
    whole = simulate(DEMO, source, structure=STRUCTURE, changes="noise:n=2")
    whole.write(tmp_path / "whole")
    file = tmp_path / "whole" / one.file
    converted = run(f"convert {file} --to {form} -s {STRUCTURE} --lossy --quiet".replace(" --quiet", ""))
    assert (tmp_path / one.file).read_bytes() == converted.out.encode()


def test_results_in_memory_are_those_that_are_written(tmp_path):
    simulation = simulate(
        DEMO, "relevant", structure=STRUCTURE, changes=["move:m=.5", "ancestors", "noise:n=1"], duplicates="hold"
    )
    simulation.write(tmp_path)
    for one in simulation:
        read = read_run(str(tmp_path / one.file))
        assert lists(read) == lists(one.run)
        assert read.score.tolist() == one.run.score.tolist()
        options = {"structure": STRUCTURE, "measures": "all"}
        assert evaluate(DEMO, read, **options).runs[0].topics == evaluate(DEMO, one.run, **options).runs[0].topics


def test_what_a_form_cannot_hold_is_said(said):
    listed = lists(next(iter(simulate(DEMO, "relevant"))).run)
    parts = sum(path.count("/") > 1 for keys in listed.values() for _, path in keys)
    again = sum(len(keys) - len({document for document, _ in keys}) for keys in listed.values())
    assert said("--to", "run-trec", "--from", "relevant") == (0, [
        f"prum-eval: warning: lost: parts of documents: {parts}; only the documents are kept",
        f"prum-eval: warning: lost: results that repeat an earlier one: {again}; they are left out",
        "prum-eval: 1 run of 3 topics from relevant, run-trec",
    ])  # fmt: skip


def test_a_form_of_other_results_needs_the_structure_and_leaves_nothing(said, tmp_path):
    status, lines = said("--to", "run-offsets")
    assert (status, lines) == (1, [
        "prum-eval: ideal-1: the run gives element paths, run-offsets needs offsets: give --structure",
    ])  # fmt: skip
    assert not (tmp_path / "made").exists()


def test_a_folder_with_something_in_it_is_refused(said, tmp_path):
    folder = tmp_path / "made"
    folder.mkdir()
    assert said()[0] == 0
    before = contents(folder)
    message = "DIR: is not empty; simulated runs are written into a new or empty folder"
    assert said() == (1, [message])
    assert contents(folder) == before


def test_what_cannot_be_written_is_said(said, tmp_path):
    (tmp_path / "file").write_text("")
    assert said(folder=tmp_path / "file" / "in") == (1, ["DIR: cannot be made: Not a directory"])
    assert said(folder=tmp_path / "file") == (1, ["DIR: cannot be made: File exists"])


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    folder = tmp_path / "made"
    write = Path.write_bytes

    def full(path, content):
        if path.name == "ideal-2.run":
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError) as caught:
        simulate(DEMO, copies=3).write(folder)
    assert str(caught.value) == f"{folder / 'ideal-2.run'}: cannot be written: No space left on device"
    assert not folder.exists()
    folder.mkdir()
    with pytest.raises(InputError):
        simulate(DEMO, copies=3).write(folder)
    assert not list(folder.iterdir())


def test_a_run_without_results_is_an_error_and_leaves_nothing(said, tmp_path):
    with pytest.raises(DataError) as caught:
        simulate(DEMO, changes="keep", vary="keep.n=2,0").write(tmp_path / "made")
    assert str(caught.value) == "ideal-0-1.run: no result is left"
    assert not (tmp_path / "made").exists()
    assert said("--change", "drop:p=1") == (1, ["prum-eval: ideal-1.run: no result is left"])


def test_emptied_topics_have_no_line_and_are_said(said, tmp_path):
    status, lines = said("--change", "drop:p=.8", "--copies", "3", "--from", "relevant", "--seed", "4")
    assert status == 0
    kept = [read_run(str(path)).topics for path in sorted((tmp_path / "made").glob("*.run"))]
    lost = [3 - len(topics) for topics in kept if len(topics) < 3]
    assert lost
    note = f"no result is left in {sum(lost)} topics of {len(lost)} runs; eval -c counts them as empty lists"
    assert lines[0] == f"prum-eval: warning: {note}"


def test_topics_without_targets_or_assessments_are_said(said, write):
    judged = write("1 0 a 1\n2 0 a 0\n3 0 b 0\n4 0 b 1\n")
    assert said(assessments=judged) == (0, [
        "prum-eval: warning: 2 topics have no targets and are left out: 2 and 3",
        "prum-eval: 1 run of 2 topics from ideal, run-trec",
    ])  # fmt: skip
    given = write("1 Q0 a 1 2 x\n2 Q0 b 1 2 x\n9 Q0 a 1 2 x\n", "run")
    simulation = simulate(judged, given)
    assert simulation.notes == (
        "1 topic has no targets and is left out: 2",
        "1 topic has no assessments and is left out: 9",
    )
    assert [topic.name for topic in simulation.topics] == ["1"]


def test_topics_without_anything_most_specific_are_said(write):
    judged = write(
        '<assessments pool="1" topic="1" version="1"><file file="a" name="a">'
        '<element path="/a[1]" exhaustivity="2" size="10" rsize="4"/></file></assessments>',
        "1.xml",
    )
    with pytest.raises(DataError) as caught:
        simulate(judged, "perfect")
    reason = "1 topic has no result to begin with and is left out: 1"
    assert str(caught.value) == f"{judged}: no topic is left; {reason}"


def test_what_the_assessments_say_of_themselves_is_said(write):
    spans = '{"topic": "1", "doc": "d", "doc_length": 90, "spans": [[0, 9], [5, 20]]}'
    (note,) = simulate(write(spans)).notes
    assert note.endswith(": 1 span overlaps another one and is merged with it")


def test_no_topic_of_a_run_may_be_left(write):
    judged = write("1 0 a 1\n")
    with pytest.raises(DataError) as caught:
        simulate(judged, write("2 Q0 a 1 2 x\n", "run"))
    reason = "1 topic has no assessments and is left out: 2"
    assert str(caught.value) == f"{judged}: no topic is left; {reason}"


def test_a_result_held_is_written_as_x(said, tmp_path):
    assert said("-s", STRUCTURE, "--from", "relevant", "--change", "articles", "--duplicates", "hold")[0] == 0
    text = (tmp_path / "made" / "relevant-1.run").read_text().splitlines()
    assert sum(line.endswith(" X") for line in text) > 5
    assert len({line.split()[2] for line in text if not line.endswith("X")}) > 1
    dropped = simulate(DEMO, "relevant", structure=STRUCTURE, changes="articles")
    assert [line.split()[0::2][1:2] for line in text if not line.endswith("X")] == [
        [document] for keys in lists(next(iter(dropped)).run).values() for document, _ in keys
    ]


def test_quiet_says_nothing_and_options_are_usage_errors(said):
    assert said("--quiet", "--to", "run-trec") == (0, [])
    status, lines = said("--change", "move:m=2")
    assert (status, lines) == (2, ["prum-eval: move: m=2: m is a number from 0 to 1"])
    assert said("--copies", "0")[0] == 2


def test_a_simulation_is_a_table():
    simulation = simulate(DEMO, structure=STRUCTURE, changes="move", vary="move.m=0,.5")
    assert repr(simulation) == "<Simulation: 2 runs of 3 topics from ideal, run-paths>"
    assert list(simulation.rows())[1] == {
        "file": "ideal-0.5-1.run", "from": "ideal", "changes": "move:m=0.5", "value": "0.5", "copy": 1, "seed": 1,
    }  # fmt: skip
    assert len(simulation) == 2
    assert [one.run.run_id for one in simulation] == ["ideal-0-1", "ideal-0.5-1"]


def test_the_same_seed_gives_the_same_bytes_in_any_process_at_any_time(tmp_path):
    """Two processes at once, of different hash seeds, and one that makes other things before."""
    changes = ["--change", "move:m=.6", "--change", "drop:p=.2", "--change", "shuffle", "--change", "noise:n=3"]
    options = ["-s", STRUCTURE, *changes, "--copies", "3", "--seed", "42", "--from", "relevant"]
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "prum_eval", "simulate", DEMO, "-o", str(tmp_path / name), *options],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": name},
        )
        for name in ("1", "2")
    ]
    assert [one.wait() for one in started] == [0, 0]
    simulate(DEMO, changes="shuffle").write(tmp_path / "other")
    simulate(
        DEMO, "relevant", structure=STRUCTURE, changes=changes[1::2], copies=3, seed=42
    ).write(tmp_path / "3")  # fmt: skip
    first, second, third = (contents(tmp_path / name) for name in ("1", "2", "3"))
    assert first == second == third
    assert len({content for name, content in first.items() if name.endswith(".run")}) == 3


def test_a_topic_has_the_same_numbers_whatever_the_others_are(write):
    grades = "".join(f"{topic} 0 d{number} 1\n" for topic in (1, 2) for number in range(9))
    both = simulate(write(grades), changes="shuffle", copies=2)
    alone = simulate(write(grades[len(grades) // 2 :], "2"), changes="shuffle", copies=2)
    assert [lists(one.run)["2"] for one in both] == [lists(one.run)["2"] for one in alone]
    (first, second) = (lists(one.run) for one in both)
    assert first["1"] != first["2"]
    assert first["1"] != second["1"]
    other = simulate(write(grades), changes="shuffle", copies=2, seed=2)
    assert lists(next(iter(other)).run)["1"] != first["1"]
