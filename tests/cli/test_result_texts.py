"""check --texts and eval --texts: results whose text is no longer that of their document."""

from __future__ import annotations

import json

import pytest

from tests.gold import run

TEXTS = {
    "a": "Trams run all night. Dogs travel free too.",
    "b": "A day pass costs six crowns.\nAsk the driver.",
    "c": "x" * 50,
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    rows = []
    for number, (name, text) in enumerate(TEXTS.items()):
        (tmp_path / "docs" / f"{name}.txt").write_text(text, encoding="utf-8")
        rows += [
            {"topic": "q", "doc": name, "start": start, "end": start + 20, "text": text[start : start + 20].strip()}
            for start in (0, 10, 20)
        ]
        rows[-1 - number].pop("text")  # nothing to compare
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    gold = {"topic": "q", "doc": "a", "spans": [[0, 20]]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold) + "\n", encoding="utf-8")
    return tmp_path


def edit(folder):
    """Another word in a, of the same length, and a new first sentence in b."""
    (folder / "docs" / "a.txt").write_text(TEXTS["a"].replace("night", "month"), encoding="utf-8")
    (folder / "docs" / "b.txt").write_text("New. " + TEXTS["b"], encoding="utf-8")


def test_texts_that_fit(folder):
    output = run(f"check --texts {folder}/docs {folder}/run.jsonl")
    assert (output.status, output.err) == (0, "")
    loud, quiet = (
        run(f"eval -m hit_1 {more} {folder}/gold.jsonl {folder}/run.jsonl") for more in (f"--texts {folder}/docs", "")
    )
    assert loud == quiet


def test_check_names_texts_that_no_longer_fit(folder):
    edit(folder)
    output = run(f"check --texts {folder}/docs {folder}/run.jsonl")
    assert output.status == 1
    assert output.err.splitlines() == [
        f"{folder}/run.jsonl:1: the text is not that of document 'a' from 0 to 20; likewise 1 more result",
        f"{folder}/run.jsonl:4: the text is not that of document 'b' from 0 to 20; likewise 1 more result",
        "prum-eval: problems found: 2",
    ]


def test_eval_warns_of_them(folder):
    edit(folder)
    output = run(f"eval -m hit_1 --texts {folder}/docs {folder}/gold.jsonl {folder}/run.jsonl")
    assert (output.status, output.out) == (0, "hit_1                 \tall\t1.0000\n")
    assert (
        f"prum-eval: warning: {folder}/run.jsonl: the texts of 4 results are not those of {folder}/docs: a (line 1), b "
        "(line 4)\n"
    ) in output.err


def test_texts_that_are_not_there(folder):
    output = run(f"eval -m hit_1 --texts {folder}/nowhere {folder}/gold.jsonl {folder}/run.jsonl")
    assert (output.status, output.out) == (1, "")
    assert output.err.splitlines()[-1] == f"{folder}/nowhere: cannot be read: No such file or directory"
