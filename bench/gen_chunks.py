"""Gold spans and a run of chunks as JSON Lines: windows that overlap by half, of a few long texts."""

from __future__ import annotations

import json
import random
from pathlib import Path

TEXTS, LENGTH, WINDOW = 5, 200_000, 400


def generate_chunks(out: Path, topics: int = 472, results: int = 500, seed: int = 1) -> None:
    """Write ``gold.jsonl`` and ``run.jsonl`` into the folder ``out``, made if need be."""
    out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    with (out / "gold.jsonl").open("w") as gold, (out / "run.jsonl").open("w") as run:
        for topic in range(topics):
            place = {"topic": f"q{topic}", "doc": f"text{topic % TEXTS}"}
            starts = sorted(draw.sample(range(0, LENGTH - WINDOW, WINDOW), draw.choice((1, 1, 2, 2, 3))))
            spans = [[start, start + draw.randrange(30, WINDOW)] for start in starts]
            gold.write(f"{json.dumps({**place, 'doc_length': LENGTH, 'spans': spans})}\n")
            for rank, start in enumerate(draw.sample(range(0, LENGTH - WINDOW, WINDOW // 2), results)):
                chunk = {"start": start, "end": start + WINDOW, "score": 1000 - rank, "tokens": WINDOW // 4}
                run.write(f"{json.dumps({**place, **chunk, 'run': 'windows'})}\n")
