"""The toy of the official tool: every task on every run, and the averages over all judged topics (-c)."""

import re

import pytest

from prum_eval import PrumEvalError
from tests.measures.passages.official import FIXTURES, blocks, differences, evaluate

TOY = FIXTURES / "toy"
BLOCKS = [
    (*re.fullmatch(r"task -(\w) run (\w+)(?: \((\S+)\))?", head).groups(), text)
    for file in ("toy.out", "extra.out")
    for head, text in blocks(TOY / file)
]
OVERLAP = "has results that overlap; --set overlap=novel takes them"
IN_CONTEXT = "has results that overlap; --merge document takes them"
SECOND = "has a second result; best in context takes one a document"
_TOGETHER = "in context, the results of a document stand together: --merge document brings them there"
BACK = f"comes back after another one; {_TOGETHER}"
REFUSED = {
    ("f", "D"): (2, OVERLAP), ("r", "D"): (2, IN_CONTEXT), ("i", "D"): (2, IN_CONTEXT),
    ("r", "A"): (4, BACK), ("b", "A"): (4, BACK), ("i", "A"): (4, BACK),
    ("b", "B"): (2, SECOND), ("b", "D"): (2, SECOND),
}  # fmt: skip


@pytest.mark.parametrize(("task", "run", "qrels", "text"), BLOCKS, ids=[f"{b[0]}-{b[1]}" for b in BLOCKS])
def test_same_values_or_a_reason(task, run, qrels, text):
    qrels, path = TOY / (qrels or "toy.qrels"), TOY / f"{run}.run"
    refused = REFUSED.get((task, run))
    if refused:
        assert "ERROR" in text
        with pytest.raises(PrumEvalError) as caught:
            evaluate(task, qrels, path)
        line, why = refused
        assert str(caught.value) == f"{path}:{line}: document '10' of topic 'T1', retrieved on line 1, {why}"
    elif qrels.name == "dup.qrels":  # a repeated judgement: the official tool counts the article twice
        with pytest.raises(PrumEvalError, match="document '10' is judged twice in topic 'T1'"):
            evaluate(task, qrels, path)
    else:
        compared, wrong = differences(task, text, evaluate(task, qrels, path))
        assert compared > 50
        assert wrong == []


@pytest.mark.parametrize("task", "frbi")
def test_all_judged_topics(task):
    (text,) = [text for head, text in blocks(TOY / "complete.out") if head == f"-c -{task}"]
    printed = [float(value) for value in re.findall(r"MA[ig]P\t\tall\t(\S+)", text)]
    accepted = [run for run in "ABC" if (task, run) not in REFUSED]
    results = [evaluate(task, TOY / "toy.qrels", TOY / f"{run}.run", complete=True) for run in accepted]
    name = {"f": "maip", "r": "magp", "b": "bic_magp", "i": "t2i_magp"}[task]
    assert [result.all[name] for result in results] == pytest.approx(printed, rel=1e-12)
    assert {result.all["num_q"] for result in results} == {3}
