"""`check`: all problems, not just the first; what does not fit together; never an evaluation."""

from __future__ import annotations

from tests.gold import run

STRUCTURE = "--structure fixtures/demo/structure.tsv"
ASSESSMENTS = "--assessments fixtures/demo/assessments"


def write(folder, **files):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return " ".join(f"{folder}/{name}" for name in files)


def test_sound_inputs():
    runs = "fixtures/demo/run-a.xml fixtures/demo/run-a.offsets.run fixtures/toy/run"
    output = run(f"check {runs} --navigation fixtures/worked/W1/navigation.tsv")
    assert output.status == 0
    assert output.err == ""
    assert output.out.splitlines() == [
        "fixtures/demo/run-a.xml: run bm25-sections, 3 topics, 17 results, element paths",
        "fixtures/demo/run-a.offsets.run: run bm25-sections, 3 topics, 17 results, offsets",
        "fixtures/toy/run: run toy, 2 topics, 7 results, documents",
        "fixtures/worked/W1/navigation.tsv: 4 steps",
    ]


def test_assessments_and_structure():
    output = run(f"check {ASSESSMENTS} {STRUCTURE}")
    assert (output.status, output.err) == (0, "")
    assert output.out.splitlines() == [
        "fixtures/demo/assessments: assessments of elements, 2005-2007, 3 topics, 8 judged documents",
        "fixtures/demo/structure.tsv: 6 documents, 65 elements",
    ]


def test_every_problem_of_every_input_is_reported(tmp_path):
    write(
        tmp_path,
        run="1 Q0 a 1 high r\n1 Q0 b 2 1 r\n1 Q0 c\n1 Q0 b 3 0 r\n",
        qrels="1 0 a 1\n1 0 b much\n1 0 a 2\n",
        steps="a\tb\t2\nb\tc\t.5\n",
    )
    output = run(f"check {tmp_path}/run --assessments {tmp_path}/qrels --navigation {tmp_path}/steps {tmp_path}/none")
    assert output.status == 1
    assert output.err.splitlines() == [
        f"{tmp_path}/run:1: score: expected a finite number, found 'high'",
        f"{tmp_path}/run:3: expected 6 columns as on line 1, found 3",
        f"{tmp_path}/run:4: document 'b' is listed twice in topic '1' (first on line 2)",
        f"{tmp_path}/none: cannot be read: No such file or directory",
        f"{tmp_path}/qrels:2: relevance: expected an integer, found 'much'",
        f"{tmp_path}/qrels:3: document 'a' is judged twice in topic '1' (first on line 1)",
        f"{tmp_path}/steps:1: probability: expected a number from 0 to 1, found '2'",
        "prum-eval: problems found: 7",
    ]
    assert output.out.splitlines() == [
        f"{tmp_path}/run: run r, 1 topic, 2 results, documents",
        f"{tmp_path}/run: judged: 0 of 2 results (0 %); the run says 'b', the assessments 'a'",
        f"{tmp_path}/qrels: assessments of documents, 1 topic, 1 judged document",
        f"{tmp_path}/steps: 1 step",
    ]


def test_topics_on_one_side_only(tmp_path):
    body = "/article[1]/body[1]"
    lines = "".join(f"{topic} Q0 tides 1 1 r {body}\n" for topic in ("102", "7", "8"))
    path = write(tmp_path, run=lines)
    output = run(f"check {ASSESSMENTS} {path}")
    assert output.status == 0
    assert output.out.splitlines()[:3] == [
        f"{path}: run r, 3 topics, 3 results, element paths",
        f"{path}: judged topics missing from the run: 2 (101, 103)",
        f"{path}: topics without assessments: 2 (7, 8)",
    ]


def test_long_lists_are_cut_after_five(tmp_path):
    write(tmp_path, run="1 Q0 a 1 1 r\n", qrels="".join(f"{topic} 0 a 1\n" for topic in range(1, 9)))
    output = run(f"check --assessments {tmp_path}/qrels {tmp_path}/run")
    assert output.out.splitlines()[1] == (
        f"{tmp_path}/run: judged topics missing from the run: 7 (2, 3, 4, 5, 6, 2 more)"
    )


def test_results_that_the_structure_lacks(tmp_path):
    body = "/article[1]/body[1]"
    at = [f"tides {body}", f"tides.xml {body}/section[1]", f"TIDES {body}", f"tides {body}/section[9]",
          f"kites {body}/table[1]", f"kites {body.upper()}"]  # fmt: skip
    path = write(tmp_path, run="".join(f"101 Q0 {place.split()[0]} 1 1 r {place.split()[1]}\n" for place in at))
    output = run(f"check {STRUCTURE} {path}")
    assert output.status == 0
    assert output.out.splitlines()[1] == (
        f"{path}: results that the structure lacks: 3 (line 3: document TIDES; "
        f"line 4: {body}/section[9] of document tides; line 5: {body}/table[1] of document kites)"
    )


def test_strays_are_named_in_the_order_of_the_file(tmp_path):
    path = write(tmp_path, run="1 Q0 moon 1 1 r\n1 Q0 kites 2 2 r\n1 Q0 sun 3 9 r\n")
    output = run(f"check {STRUCTURE} {path}")
    strays = "2 (line 1: document moon; line 3: document sun)"
    assert output.out.splitlines()[1] == f"{path}: results that the structure lacks: {strays}"


def test_marks_of_results_that_do_not_exist_are_no_strays(tmp_path):
    path = write(tmp_path, run="101 Q0 tides 1 1 r X X\n101 Q0 nowhere 2 1 r -1 -1\n101 Q0 tides 3 0 r 25 412\n")
    output = run(f"check {STRUCTURE} {path}")
    assert output.out.splitlines()[0] == f"{path}: run r, 1 topic, 3 results, offsets"
    assert len(output.out.splitlines()) == 2


def test_assessments_that_the_structure_lacks_are_problems(tmp_path):
    lines = [
        f"tides\t{path}\t{start}\t{length}\n"
        for path, start, length in [("/article[1]", 0, 1743), ("/article[1]/body[1]", 5, 1738)]
    ]
    write(tmp_path, structure="".join(lines))
    output = run(f"check {ASSESSMENTS} --structure {tmp_path}/structure")
    assert output.status == 1
    file = "fixtures/demo/assessments/topic-101.xml"
    section = "/article[1]/body[1]/section[1]"
    found = output.err.splitlines()
    assert found[:3] == [
        f"{file}:13: element {section} of document tides is not in the structure",
        f"{file}:14: element {section}/p[1] of document tides is not in the structure",
        f"{file}:15: element {section}/p[2] of document tides is not in the structure",
    ]
    assert f"{file}:8: {section}/p[1] is not in the structure of document tides" in found
    assert f"{file}:19: document harbours is not in the structure" in found
    assert f"{file}:27: document kites is not in the structure" not in found  # nothing relevant in it


def test_flat_assessments_that_the_structure_lacks(tmp_path):
    write(tmp_path, qrels="1 0 tides 1\n1 0 moon 0\n1 0 sun 2\n")
    output = run(f"check --assessments {tmp_path}/qrels {STRUCTURE}")
    assert output.status == 1
    assert output.err.splitlines()[0] == f"{tmp_path}/qrels:3: document sun is not in the structure"
    assert output.err.splitlines()[1:] == ["prum-eval: problems found: 1"]


def test_nothing_is_evaluated(tmp_path):
    # steps that sum to more than 1 stop an evaluation only
    write(tmp_path, steps="a\tb\t.6\na\tc\t.6\n")
    assert run(f"check --navigation {tmp_path}/steps").status == 0


def test_assessments_may_stand_first(tmp_path):
    plain = run("check --assessments fixtures/toy/qrels fixtures/toy/run")
    assert run("check fixtures/toy/qrels fixtures/toy/run") == plain
    assert plain.status == 0
    assert run("check fixtures/demo/assessments fixtures/demo/run-a.xml").status == 0
    both = run("check --assessments fixtures/toy/qrels fixtures/toy/qrels fixtures/toy/run")
    assert both.err.splitlines()[0] == "fixtures/toy/qrels: these are assessments; expected a run"
    later = run("check fixtures/toy/run fixtures/toy/qrels")
    assert (later.status, later.err.splitlines()[0]) == (1, both.err.splitlines()[0])


def test_equal_problems_are_counted(tmp_path):
    lines = [f"1 Q0 d{number} 1 1" if number % 2 else f"1 Q0 d{number} 1 x r" for number in range(30)]
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n" + "\n".join(lines) + "\n", encoding="utf-8")
    output = run(f"check {tmp_path / 'run'}")
    told = output.err.splitlines()
    assert output.status == 1
    assert len(told) == 10 + 10 + 2 + 1
    assert told[-3:] == [
        f"{tmp_path / 'run'}: 5 more: score: expected a finite number, found 'x'",
        f"{tmp_path / 'run'}: 5 more: expected 6 columns as on line 1, found 5",
        "prum-eval: problems found: 30",
    ]
    every = run(f"check --full {tmp_path / 'run'}").err.splitlines()
    assert len(every) == 31
    assert set(told[:20]) <= set(every)
