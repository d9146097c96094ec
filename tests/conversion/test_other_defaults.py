"""Between JSON Lines and INEX text the default user model changes: convert says so."""

from __future__ import annotations

import prum_eval
from tests.gold import run

LINES = "fixtures/worked/C1/qrels"


def test_the_note_names_both_models(tmp_path):
    output = run(f"convert {LINES} --to qrels-inex -o {tmp_path}/gold.txt")
    assert (output.status, output.out) == (0, "")
    assert output.err == (
        f"prum-eval: warning: {LINES}: from qrels-inex the default user model is hierarchical, not coverage "
        "(-u coverage keeps it)\n"
    )
    back = run(f"convert {tmp_path}/gold.txt --to qrels-jsonl")
    assert back.status == 0
    assert back.err == (
        f"prum-eval: warning: {tmp_path}/gold.txt: from qrels-jsonl the default user model is coverage, not "
        "hierarchical (-u hierarchical keeps it), and without a measure eval prints the task chunks\n"
    )


def test_nothing_is_said_where_nothing_changes():
    assert prum_eval.convert(LINES, "qrels-jsonl").notes == ()
    assert prum_eval.convert("fixtures/demo/judged.txt", "qrels-inex").notes == ()
    assert prum_eval.convert(LINES, "qrels-trec", lossy=True).notes == ()
