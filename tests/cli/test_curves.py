"""eval --curves DIR: files of numbers a curve, and a script that draws them."""

from __future__ import annotations

import json

from tests.gold import run

TOY = "fixtures/toy/qrels fixtures/toy/run"
DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments"
LEVELS = [level / 10 for level in range(11)]


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def numbers(path):
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    return head, [tuple(map(float, line.split())) for line in lines]


def test_a_file_a_curve_and_a_script_a_run(tmp_path):
    command = f"eval -m map -m P.1,3 -m iprec_at_recall {DEMO} fixtures/demo/run-a.xml fixtures/demo/run-b.xml"
    plain = run(command)
    assert run(f"{command} --curves {tmp_path}/new/curves") == plain
    assert plain.status == 0
    assert files(tmp_path / "new" / "curves") == [
        f"{name}/{file}"
        for name in ("article-only", "bm25-sections")
        for file in ("P.dat", "curves.gp", "iprec_at_recall.dat")
    ]


def test_numbers_are_those_of_the_averages_at_full_precision(tmp_path):
    command = f"eval -m P.2,10 -m nxcg.5 -m nxcg.5:overlap=off {DEMO} fixtures/demo/run-a.xml"
    values = json.loads(run(f"{command} -f json").out)["runs"][0]["all"]
    run(f"{command} --curves {tmp_path}")
    folder = tmp_path / "bm25-sections"
    assert numbers(folder / "P.dat") == ("# rank P", [(2, values["P_2"]), (10, values["P_10"])])
    assert numbers(folder / "nxcg.dat") == ("# rank nxcg", [(5, values["nxcg_5"])])
    assert numbers(folder / "nxcg_overlap=off.dat") == ("# rank nxcg:overlap=off", [(5, values["nxcg_5:overlap=off"])])


def test_recall_curves_have_all_their_levels_whatever_is_printed(tmp_path):
    hundredths = [i / 100 for i in range(1, 101)]
    command = f"eval -f json -m eprum_prec_at_recall.0.33 -m ep_at_gr.0.5 {DEMO} fixtures/demo/run-a.xml"
    printed = run(f"{command} --curves {tmp_path}")
    assert printed.out == run(command).out
    wanted = f"eval -f json -m eprum_prec_at_recall -m eprum_prec_at_recall.0.33 {DEMO}"
    wanted = f"{wanted} -m ep_at_gr.{','.join(map(str, hundredths))}"
    values = json.loads(run(f"{wanted} fixtures/demo/run-a.xml").out)["runs"][0]["all"]
    head, found = numbers(tmp_path / "bm25-sections" / "eprum_prec_at_recall.dat")
    assert head == "# recall eprum_prec_at_recall"
    assert found == [(level, values[f"eprum_prec_at_recall_{level:.2f}"]) for level in sorted([*LEVELS, 0.33])]
    _, found = numbers(tmp_path / "bm25-sections" / "ep_at_gr.dat")
    assert found == [(level, values[f"ep_at_gr_{level:.2f}"]) for level in hundredths]


def test_topics_have_files_of_their_own(tmp_path):
    run(f"eval -q -m P.1,3 {TOY} --curves {tmp_path}/q")
    run(f"eval -q -n -m P.1,3 {TOY} --curves {tmp_path}/n")
    (name,) = {path.name for path in (tmp_path / "q").iterdir()}
    assert files(tmp_path / "q" / name) == ["P.1.dat", "P.2.dat", "P.dat", "curves.gp"]
    assert files(tmp_path / "n" / name) == ["P.1.dat", "P.2.dat", "curves.gp"]
    assert numbers(tmp_path / "q" / name / "P.2.dat") == ("# rank P, topic 2", [(1, 0), (3, 1 / 3)])


def test_the_script_draws_every_curve_once(tmp_path):
    run(f"eval -q -m P.1,3 -m P.1,3:quantisation=strict {TOY} --curves {tmp_path}")
    (folder,) = tmp_path.iterdir()
    script = (folder / "curves.gp").read_text(encoding="utf-8")
    for name in files(folder):
        assert script.count(f"'{name}'") == name.endswith(".dat")
    assert "set output 'P.png'\n" in script
    assert "'P.dat' using 1:2 with linespoints linetype 1 title 'P', \\\n" in script
    assert "title 'P:quantisation=strict'\n" in script
    assert script.count("set output") == 1


def submission(path, run_id):
    path.write_text(f"1 Q0 a 1 1 {run_id}\n", encoding="utf-8")
    return path


def test_runs_of_one_name_and_names_that_are_no_file_names(tmp_path):
    names = ["x", "X", "../x", "it's"]
    runs = [submission(tmp_path / f"run{number}", name) for number, name in enumerate(names)]
    (tmp_path / "qrels").write_text("1 0 a 1\n", encoding="utf-8")
    output = run(f"eval -m P.1 {tmp_path}/qrels {' '.join(map(str, runs))} --curves {tmp_path}/curves")
    assert output.status == 0
    assert sorted(path.name for path in (tmp_path / "curves").iterdir()) == ["X-2", "_x", "it_s", "x"]
    assert "set title 'P, it''s'" in (tmp_path / "curves" / "it_s" / "curves.gp").read_text(encoding="utf-8")


def test_a_curve_without_values_is_not_drawn(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 0\n", encoding="utf-8")
    runs = submission(tmp_path / "run", "r")
    run(f"eval -q -m gen_recall.1 -m P.1 {tmp_path}/qrels {runs} --curves {tmp_path}/curves")
    folder = tmp_path / "curves" / "r"
    assert numbers(folder / "gen_recall.dat") == ("# rank gen_recall", [])
    script = (folder / "curves.gp").read_text(encoding="utf-8")
    assert "gen_recall" not in script
    assert "'P.dat'" in script


def test_nothing_is_written_where_an_input_is_bad(tmp_path):
    output = run(f"eval -m P fixtures/toy/qrels {tmp_path}/missing --curves {tmp_path}/curves")
    assert output.status == 1
    assert not (tmp_path / "curves").exists()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    output = run(f"eval -m P {TOY} --curves {tmp_path}/file")
    assert (output.status, output.out) == (1, "")
    (folder,) = {line.split(": ")[0] for line in output.err.splitlines() if "cannot be made" in line}
    assert folder.startswith(f"{tmp_path}/file/")
    assert output.err.endswith(": cannot be made: Not a directory\n")
