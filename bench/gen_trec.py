"""A flat TREC run and its qrels: graded assessments, a run that prefers what is relevant, about 1 % tied scores."""

from __future__ import annotations

import random
from pathlib import Path

COLLECTION = 1_000_000


def generate_trec(out: Path, topics: int, results: int = 1000, judged: int = 500, seed: int = 1) -> None:
    """Write ``run`` and ``qrels`` into the folder ``out``, made if need be."""
    out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    with (out / "qrels").open("w") as qrels, (out / "run").open("w") as run:
        for topic in range(301, 301 + topics):
            documents = draw.sample(range(COLLECTION), judged + results)
            grades = {document: draw.choice((1, 1, 2)) if draw.random() < 0.1 else 0 for document in documents[:judged]}
            qrels.writelines(f"{topic} 0 DOC-{document:07d} {grades[document]}\n" for document in sorted(grades))
            bonus = {document: 1.2 if grade else 0.4 for document, grade in grades.items()}
            scored = [(draw.gauss(0, 1) + bonus.get(document, 0), document) for document in documents]
            ranked = sorted(scored, reverse=True)[:results]
            above = ranked[0][0]
            for rank, (own, document) in enumerate(ranked, 1):
                score = above if draw.random() < 0.01 else own
                run.write(f"{topic} Q0 DOC-{document:07d} {rank} {score:.6f} syn\n")
                above = score
