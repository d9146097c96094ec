"""``--plot`` of eval and compare where quality has its cost: recall by what is read, quality by cost."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.gold import run
from tests.report.drawn import groups, on_one_scale, texts

RAG = "fixtures/rag/gold.jsonl fixtures/rag/windows.jsonl fixtures/rag/paragraphs.jsonl"
MEASURES = "-m char_rec.5 -m size.5 -m char_rec_at_size.500,1000"


@pytest.mark.parametrize("command", ["eval", "compare --trials 99"])
def test_lines_with_bands_and_the_front(tmp_path, command):
    output = run(f"{command} {MEASURES} --plot {tmp_path}/picture.svg {RAG}")
    assert output.status == 0, output.err
    svg = (tmp_path / "picture.svg").read_bytes()
    assert (
        set(groups(svg, "within")) == set(groups(svg, "band")) == set(groups(svg, "run")) == {"windows", "paragraphs"}
    )
    assert list(groups(svg, "front")) == [""]
    said = texts(svg)
    for text in (
        "char_rec_at_size, means over topics",
        "recall, in characters",
        "characters read (logarithmic)",
        "char_rec_5 by size_5, means over topics",
        "bands: 95 % interval of the mean",
        "Pareto front: no run has more for less",
        "windows",
        "paragraphs",
    ):
        assert text in said
    assert output.out == run(f"{command} {MEASURES} {RAG}").out  # what is printed stays as it is


def test_points_are_those_of_the_json(tmp_path):
    command = f"compare --trials 99 {MEASURES} -f json --plot {tmp_path}/picture.svg {RAG}"
    rows = json.loads(run(command).out)["rows"]
    signs = groups((tmp_path / "picture.svg").read_bytes(), "run")
    means = {(row["run_id"], row["measure"]): row["mean"] for row in rows}
    places = np.array([signs[name][0] for name in ("windows", "paragraphs")])
    for column, measure in enumerate(("size_5", "char_rec_5")):
        own = [means[name, measure] for name in ("windows", "paragraphs")]
        slope = on_one_scale(own, places[:, column])
        assert slope > 0 if column == 0 else slope < 0  # pictures count from above


def test_fifty_runs(tmp_path):
    rows = ["run,topic,measure,value\n"]
    for number in range(50):
        for topic in range(3):
            own = {"char_rec_5": number / 100, "size_5": 100 + (number * 37) % 50, "char_rec_at_size_500": number / 200}
            own["char_rec_at_size_1000"] = number / 120 + topic / 100
            rows += [f"run-{number},{topic},{measure},{value}\n" for measure, value in own.items()]
    (tmp_path / "values.csv").write_text("".join(rows), encoding="utf-8")
    output = run(f"compare --trials 9 --plot {tmp_path}/picture.svg --values {tmp_path}/values.csv")
    assert output.status == 0, output.err
    svg = (tmp_path / "picture.svg").read_bytes()
    assert len(groups(svg, "within")) == len(groups(svg, "run")) == 50
    assert sorted(groups(svg, "band")) == ["run-46", "run-47", "run-48", "run-49"]
    said = texts(svg)
    assert "one of 36 other runs" in said
    assert "bands: 95 % interval of the mean, of the best 4" in said
    assert "run-36" in said
    assert "run-35" not in said


def test_topics_and_other_measures_are_drawn_as_ever(tmp_path):
    assert run(f"eval -q {MEASURES} --plot {tmp_path}/topics.svg {RAG}").status == 0
    assert "one topic" in texts((tmp_path / "topics.svg").read_bytes())
    assert run(f"compare --trials 9 -m char_rec.5 --plot {tmp_path}/means.svg {RAG}").status == 0
    assert groups((tmp_path / "means.svg").read_bytes(), "mean")
