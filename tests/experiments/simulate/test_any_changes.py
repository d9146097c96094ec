"""Whatever changes come one after the other: what holds of every list, file and repetition."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval import evaluate, read_run, simulate
from prum_eval.errors import DataError
from tests.experiments.simulate.worlds import World, lists
from tests.measures.collections import examples

WORLD = World(documents=14, targets=12)
STEPS = st.sampled_from(
    [
        "move:m=.4", "move:m=.7,axis=siblings", "parents", "children", "siblings", "articles", "ancestors",
        "ancestors:place=before", "ancestors:place=around", "drop:p=.4", "keep:n=7", "keep:share=.6", "noise:n=2",
        "noise:n=1,place=between", "noise:n=3,place=end", "reverse", "shuffle",
    ]
)  # fmt: skip
MAKING = st.fixed_dictionaries(
    {
        "changes": st.lists(STEPS, max_size=5).filter(lambda steps: sum("noise" in step for step in steps) < 2),
        "source": st.sampled_from(["ideal", "relevant", "perfect"]),
        "duplicates": st.sampled_from(["drop", "hold"]),
        "seed": st.integers(0, 2**63 - 1),
    }
)


@examples(150)
@given(MAKING)
def test_lists_hold_elements_once_under_falling_scores(making):
    (one,) = made = simulate(WORLD.assessments, structure=WORLD.structure, **making)
    for number, keys in enumerate(lists(one.run).values()):
        score = one.run.score[one.run.bounds[number] : one.run.bounds[number + 1]].tolist()
        assert sorted(set(score), reverse=True) == list(range(len(set(score)), 0, -1))
        assert score == sorted(score, reverse=True)
        there = [key for key in keys if key != "X"]
        assert len(set(there)) == len(there)
        assert set(there) <= set(WORLD.elements)
        assert making["duplicates"] == "hold" or len(there) == len(keys)
    (again,) = made
    assert lists(again.run) == lists(one.run)


@examples(60)
@given(MAKING, st.sampled_from(["run-paths", "run-ranges", "run-offsets", "run-xml", "run-jsonl", "run-trec"]))
def test_what_is_written_is_what_is_in_memory(making, form):
    if making["duplicates"] == "hold" and form in {"run-xml", "run-jsonl", "run-trec"}:
        return
    made = simulate(WORLD.assessments, structure=WORLD.structure, to=form, **making)
    (one,) = made
    with tempfile.TemporaryDirectory() as folder:
        if not one.run.topics:
            with pytest.raises(DataError, match=f"^{one.file}: no result is left$"):
                made.write(folder)
            return
        notes = made.write(folder)
        read = read_run(str(Path(folder) / one.file))
    assert read.run_id == one.run.run_id
    assert read.topics == one.run.topics
    if form in {"run-paths", "run-ranges", "run-xml"}:
        assert lists(read) == lists(one.run)
        assert [note for note in notes if note.startswith("lost")] == []
    elif form != "run-trec" and not any("share their extent" in note for note in notes):
        known = {key: (one.document, one.start, one.length) for key, one in WORLD.elements.items()}
        assert lists(read) == {
            topic: [key if key == "X" else known[key] for key in keys] for topic, keys in lists(one.run).items()
        }


@pytest.mark.parametrize("limit", [None, 3])
def test_simulated_runs_are_evaluated_like_others(tmp_path, limit):
    made = simulate(WORLD.assessments, structure=WORLD.structure, changes=["move", "ancestors"], vary="move.m=0,.5")
    made.write(tmp_path)
    options = {"structure": WORLD.structure, "measures": "all", "user_model": "none", "limit": limit}
    memory = evaluate(WORLD.assessments, [one.run for one in made], **options)
    files = evaluate(WORLD.assessments, [tmp_path / one.file for one in made], **options)
    assert [run.topics for run in memory.runs] == [run.topics for run in files.runs]
