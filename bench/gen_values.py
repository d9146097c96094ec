"""Values by topic of many runs, as ``compare --values`` reads them: topics differ more than runs do."""

from __future__ import annotations

import random
from pathlib import Path

MEASURES = ("map", "ndcg", "recip_rank")


def generate_values(out: Path, runs: int = 50, topics: int = 300, seed: int = 1) -> None:
    """Write ``values.csv`` into the folder ``out``, made if need be."""
    out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    hardness = {(topic, measure): draw.gauss(0.35, 0.15) for topic in range(topics) for measure in MEASURES}
    with (out / "values.csv").open("w", encoding="utf-8", newline="\n") as file:
        file.write("run,topic,measure,value\n")
        for run in range(runs):
            better = draw.gauss(0, 0.02)
            for (topic, measure), hard in hardness.items():
                value = min(1.0, max(0.0, hard + better + draw.gauss(0, 0.08)))
                file.write(f"run-{run:02d},{topic},{measure},{value:.4f}\n")
