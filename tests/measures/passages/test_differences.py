"""Where the official tool prints nonsense: what we say instead. Each is described in docs/decisions.md."""

import math

import pytest

import prum_eval
from tests.measures.passages.official import FIXTURES, ROOT, evaluate, parse, specs

EDGE = FIXTURES / "edge"
GOLD = EDGE / "gold"
TASKS = "tfrbi"
QRELS = "1 Q0 a 100 1000 10 10:60 200:40\n1 Q0 b 50 500 0 0:50\n1 Q0 c 0 300\n2 Q0 d 29 100 5 5:29\n"


def official(name):
    return parse((GOLD / name).read_text())


def refusal(task, qrels, run):
    with pytest.raises(prum_eval.InputError) as caught:
        evaluate(task, qrels, run)
    return caught.value


def written(folder, run, qrels=QRELS):
    """Paths of judgements and a run with these lines."""
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(run)
    return folder / "qrels", folder / "run"


@pytest.mark.parametrize("task", TASKS)
def test_topic_in_two_blocks(task):
    assert ("num_ret", "1") in official(f"q.blocks.{task}.txt")
    error = refusal(task, EDGE / "q.txt", EDGE / "blocks.run")
    assert (error.path, error.line) == (str(EDGE / "blocks.run"), 3)
    assert "second block" in error.reason


@pytest.mark.parametrize("task", TASKS)
def test_repeated_judgement(task):
    run = "basic" if task != "b" else "order"
    assert official(f"q_dup.{run}.{task}.txt")["num_rel", "1"] == 3  # of two articles
    error = refusal(task, EDGE / "q_dup.txt", EDGE / f"{run}.run")
    assert (error.path, error.line) == (str(EDGE / "q_dup.txt"), 6)


@pytest.mark.parametrize("task", "tf")
def test_sums_past_32_bits(task):
    wrong, own = official(f"q.big.{task}.txt"), evaluate(task, EDGE / "q.txt", EDGE / "big.run")
    label = ":overlap=novel" if task == "t" else ""
    assert wrong["ret_size", "1"] == 4_000_000_000 - 2**32
    assert wrong["char_prec", "1"] == wrong["char_f1", "1"] == 0
    values = own.topics["1"]
    assert values["ret_size" + label] == own.all["ret_size" + label] == 4_000_000_000
    assert values["char_prec" + label] == 150 / 4e9
    assert values["char_f1" + label] == pytest.approx(2 * (150 / 4e9) / (1 + 150 / 4e9), rel=1e-15)
    # Recall 2/3 with 100 of 2e9 characters, then 1 with 150 of 4e9: the wrapped sum has no precision at recall 1.
    assert values["maip" + label] == pytest.approx((67 * 5e-8 + 34 * 3.75e-8) / 101, rel=1e-12)
    assert wrong["AiP", "1"] == pytest.approx(67 * 5e-8 / 101, rel=1e-12)


@pytest.mark.parametrize("task", "ri")
def test_sums_past_32_bits_in_context(task):
    wrong, own = official(f"q.big.{task}.txt"), evaluate(task, EDGE / "q.txt", EDGE / "big.run")
    assert wrong["ret_size", "all"] < 0
    assert own.all["ret_size:counts=ranks"] == 4_000_000_000


def test_extents_past_the_largest_offset_are_refused(tmp_path):
    qrels, run = written(tmp_path, f"1 Q0 a 1 1 r 0 {2**62}\n1 Q0 b 2 1 r 0 {2**62}\n")
    error = refusal("f", qrels, run)
    assert (error.line, error.reason) == (
        1,
        f"offset '0' and length '{2**62}' end past the largest offset, {2**40}",
    )


@pytest.mark.parametrize("task", TASKS)
def test_topic_without_relevant_text(task):
    run, suffix = ("full", "_c") if task != "b" else ("order", "_c")
    wrong = official(f"q_norel.{run}.{task}{suffix}.txt")
    own = evaluate(task, EDGE / "q_norel.txt", EDGE / f"{run}.run", complete=True)
    label = {"t": ":overlap=novel", "f": ""}.get(task)
    left_out = ["art_rec", "char_rec"] if task in "tf" else [{"r": "magp", "b": "bic_magp", "i": "t2i_magp"}[task]]
    for name in left_out:
        printed = name if task in "tf" else "AgP"
        assert math.isnan(wrong[printed, "3"])
        assert math.isnan(wrong[name if task in "tf" else "MAgP", "all"])
        assert own.topics["3"][name + (label or "")] is None
        known = [own.topics[topic][name + (label or "")] for topic in "12"]
        assert own.all[name + (label or "")] == sum(known) / 2
    others = {name: value for name, value in own.topics["3"].items() if not name.startswith(tuple(left_out))}
    assert set(others.values()) == {0}
    assert own.all["num_q"] == 3


@pytest.mark.parametrize("task", TASKS)
def test_empty_run(task):
    assert any(math.isnan(value) for value in official(f"q.empty.{task}.txt").values())
    error = refusal(task, EDGE / "q.txt", EDGE / "empty.run")
    assert (error.line, error.reason) == (1, "the file is empty")


@pytest.mark.parametrize("task", TASKS)
def test_bad_offset_of_an_unjudged_topic(task):
    assert ("num_ret", "1") in official(f"q.unknown8.{task}.txt")
    error = refusal(task, EDGE / "q.txt", EDGE / "unknown8.run")
    assert (error.line, error.reason) == (3, "offset: expected an integer, X or -1, found 'zzz'")


def test_other_columns_of_an_unjudged_topic_are_checked(tmp_path):
    qrels, run = written(tmp_path, "1 Q0 a 1 1 r 0 100\n9 Q0 a 1 1 r 5 -1\n")
    assert refusal("f", qrels, run).line == 2


@pytest.mark.parametrize("task", TASKS)
def test_leading_blanks(task, tmp_path):
    """The run with a leading blank gives what the run without it gives; the official tool stops."""
    assert "<eval" not in (GOLD / f"q.lead.{task}.txt").read_text()
    _, run = written(tmp_path, (EDGE / "lead.run").read_text().lstrip())
    assert evaluate(task, EDGE / "q.txt", EDGE / "lead.run").topics == evaluate(task, EDGE / "q.txt", run).topics


def test_recall_above_one(tmp_path):
    """Judgements that contradict themselves: what passes recall 1 stays out of iP, as in the official tool."""
    qrels, run = written(tmp_path, "1 Q0 a 1 1 r 0 5\n1 Q0 a 2 1 r 5 20\n", "1 Q0 a 20 100 0 0:50\n")
    own = evaluate("f", qrels, run).topics["1"]
    assert own["char_rec"] == 1.25
    assert own["iP_0.25"] == 1
    assert own["iP_0.26"] == 0


def test_x_scores_nothing_in_best_in_context_whatever_n(tmp_path):
    """The official tool puts X at -10000, so that a large -n would give it a score."""
    qrels, run = written(tmp_path, "1 Q0 a 1 1 r X X\n")
    own = evaluate("b", qrels, run, parameter=":n=50000").topics["1"]
    assert own["bic_gP_1:n=50000"] == 0


@pytest.mark.parametrize("mark", ["X", "-1"])
def test_marks_are_no_duplicates_of_each_other(mark, tmp_path):
    qrels, run = written(tmp_path, f"1 Q0 a 1 1 r {mark} 3\n1 Q0 a 2 1 r {mark} 3\n1 Q0 c 3 1 r {mark} 3\n")
    assert evaluate("f", qrels, run).topics["1"]["ret_size"] == 3 * 18
    assert evaluate("t", qrels, run).topics["1"]["ret_size:overlap=novel"] == 18
    assert evaluate("r", qrels, run).topics["1"]["num_ret:counts=ranks"] == 2


def test_order_of_topics_and_of_judgements(tmp_path):
    """Neither changes a value; the official tool's sums run in the order of the topics."""
    lines = (EDGE / "full.run").read_text().splitlines(keepends=True)
    judged = (EDGE / "q.txt").read_text().splitlines(keepends=True)
    qrels, run = written(tmp_path, "".join(lines[3:] + lines[:3]), "".join(reversed(judged)))
    for task in "tfri":
        before, after = evaluate(task, EDGE / "q.txt", EDGE / "full.run"), evaluate(task, qrels, run)
        assert (before.topics, before.all) == (after.topics, after.all)


def test_every_difference_is_documented():
    """The document names every fixture that is answered differently."""
    text = (ROOT / "docs" / "decisions.md").read_text()
    for name in (
        "blocks.run",
        "q_dup.txt",
        "big.run",
        "q_norel.txt",
        "empty.run",
        "unknown8.run",
        "lead.run",
        "path.run",
    ):
        assert f"`{name}`" in text


def test_specifications_of_a_task_name_every_official_value():
    assert [len(specs(task)) for task in TASKS] == [115, 115, 33, 33, 33]
