"""Relevant spans and a run of chunks as JSON Lines: windows that overlap by half, of a few long texts."""

from __future__ import annotations

import json
import random
from pathlib import Path

TEXTS, LENGTH, WINDOW = 5, 200_000, 400


def generate_chunk_runs(out: Path, topics: int = 472, results: int = 20, runs: int = 7, seed: int = 1) -> None:
    """Write ``gold.jsonl``, ``run0.jsonl``, ..., ``quotes.tsv`` and ``texts`` into the folder ``out``."""
    for number in range(runs):  # the gold is the same of every run
        generate_chunks(out, topics, results, seed, f"run{number}.jsonl")
    draw, texts = random.Random(seed), []
    (out / "texts").mkdir(exist_ok=True)
    for number in range(TEXTS):
        texts.append(" ".join(f"word{draw.randrange(10**6)}" for _ in range(LENGTH // 11)))
        (out / "texts" / f"text{number}.txt").write_text(texts[-1])
    with (out / "quotes.tsv").open("w") as quotes:
        for topic in range(topics):
            text = texts[topic % TEXTS]
            start = text.index(" ", draw.randrange(len(text) - 2 * WINDOW)) + 1
            quotes.write(f"q{topic}\ttext{topic % TEXTS}\t{text[start : start + WINDOW].strip()}\n")


def generate_chunks(out: Path, topics: int = 472, results: int = 500, seed: int = 1, name: str = "run.jsonl") -> None:
    """Write ``gold.jsonl`` and the run of that name into the folder ``out``, made if need be."""
    out.mkdir(parents=True, exist_ok=True)
    draw, ranked = random.Random(seed), random.Random(f"{seed} {name}")
    with (out / "gold.jsonl").open("w") as gold, (out / name).open("w") as run:
        for topic in range(topics):
            place = {"topic": f"q{topic}", "doc": f"text{topic % TEXTS}"}
            starts = sorted(draw.sample(range(0, LENGTH - WINDOW, WINDOW), draw.choice((1, 1, 2, 2, 3))))
            spans = [[start, start + draw.randrange(30, WINDOW)] for start in starts]
            gold.write(f"{json.dumps({**place, 'doc_length': LENGTH, 'spans': spans})}\n")
            for rank, start in enumerate(ranked.sample(range(0, LENGTH - WINDOW, WINDOW // 2), results)):
                chunk = {"start": start, "end": start + WINDOW, "score": 1000 - rank, "tokens": WINDOW // 4}
                run.write(f"{json.dumps({**place, **chunk, 'run': name.removesuffix('.jsonl')})}\n")
