"""What a mistake is likely to mean is said with it."""

from __future__ import annotations

import pytest

from tests.gold import run

TOY = "fixtures/toy/qrels fixtures/toy/run"


@pytest.mark.parametrize(("arguments", "hint"), [
    (TOY, f"No such command 'fixtures/toy/qrels'. To score runs: prum-eval eval {TOY}"),
    ("qrelz run b", "No such command 'qrelz'. To score runs: prum-eval eval qrelz run b"),
    ("fixtures/toy/qrels", "No such command 'fixtures/toy/qrels'. To score runs: prum-eval eval fixtures/toy/qrels"),
    ("evl fixtures/toy/qrels", "No such command 'evl'. Did you mean 'eval'?"),
    ("qrelz", "No such command 'qrelz'."),
])  # fmt: skip
def test_a_file_in_place_of_a_command(arguments, hint):
    output = run(arguments)
    assert (output.status, output.out, output.err.splitlines()[-1]) == (2, "", f"Error: {hint}")


@pytest.mark.parametrize("command", ["eval", "compare", "explain --topic 1"])
def test_a_directory_in_place_of_a_structure(command):
    runs = "fixtures/toy/run" + " fixtures/toy/run" * (command == "compare")
    output = run(f"{command} -s fixtures/demo fixtures/toy/qrels {runs}")
    reason = "a directory, which is no structure: make an index with prum-eval index fixtures/demo -o INDEX"
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[-1] == f"fixtures/demo: {reason}, and give that"


def rows(output):
    assert output.status == 0, output.err
    return output.out.splitlines()[2:4]


def test_a_parameter_may_be_varied_with_its_owner():
    alone = run(f"sweep --vary p=.5,.8 -m rbp {TOY}")
    assert rows(run(f"sweep --vary rbp.p=.5,.8 {TOY}")) == rows(alone)
    assert rows(run(f"sweep --vary rbp.p=.5,.8 -m rbp {TOY}")) == rows(alone)
    demo = "-m eprum_map -s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
    owner, model = (
        run(f"sweep --vary t2i.tolerance=100,300 {demo}"),
        run(f"sweep --vary tolerance=100,300 -u t2i {demo}"),
    )
    assert rows(owner) == rows(model)
    assert rows(run(f"sweep --vary t2i.tolerance=100,300 -u t2i {demo}")) == rows(model)


@pytest.mark.parametrize(("vary", "message"), [
    ("rbq.p=.5,.8", "no measure rbq; did you mean rbp?"),
    ("qqqq.p=.5,.8", "no measure qqqq; prum-eval measures lists them"),
    ("rbp.q=.5,.8", "--vary q: unknown parameter for the selected measures and user models; there are: "),
])  # fmt: skip
def test_an_owner_that_is_none(vary, message):
    output = run(f"sweep --vary {vary} {TOY}")
    assert (output.status, output.out) == (2, "")
    assert output.err.startswith(f"prum-eval: {message}")


def test_pages_mark_what_differs_from_the_baseline(write):
    qrels, chance, right = [], [], []
    for topic in range(30):
        for document in range(10):
            qrels.append(f"{topic} 0 d{document} {int(document < 3)}\n")
            chance.append(f"{topic} Q0 d{document} 1 {(document * 7 + topic * 3) % 11} chance\n")
            right.append(f"{topic} Q0 d{document} 1 {-document} right\n")
    paths = [write("".join(lines), name) for lines, name in ((qrels, "q"), (chance, "a"), (right, "b"))]
    page = run(f"eval -f html --baseline chance -m map {' '.join(paths)}")
    assert page.status == 0, page.err
    assert '<th scope="row" data-value="right">right</th><td class="best" data-value="1.0">1.0000*' in page.out
    assert "paired randomisation test" in page.out
    assert "1.0000*" not in run(f"eval -f html -m map {' '.join(paths)}").out
