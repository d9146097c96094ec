"""One large topic: thousands of relevant passages, tens of thousands of results, as INEX 2009 writes them.

The targets lie in few long documents, as in books; 60 % of the results lie in these documents too, and
are as long as paragraphs, sections or articles, so that many contain targets and many are left of one.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

PASSAGES = 500  # targets of a document
LENGTH = 1_000_000  # characters of a document
LENGTHS = (120, 600, 3000, 12_000, 100_000)  # of results


def generate_topic(out: Path, targets: int = 5000, results: int = 20_000, seed: int = 1) -> None:
    """Write ``qrels`` (passages) and ``run`` (offset and length) into the folder ``out``, made if need be."""
    out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    relevant = max(1, targets // PASSAGES)
    with (out / "qrels").open("w", encoding="utf-8", newline="\n") as qrels:
        for document in range(relevant):
            here = targets // relevant + (document < targets % relevant)
            step = LENGTH // here
            starts = [step * number + draw.randrange(step // 2) for number in range(here)]
            spans = [(start, draw.randint(step // 8, step // 2 - 1)) for start in starts]
            listed = " ".join(f"{start}:{length}" for start, length in spans)
            qrels.write(f"301 Q0 {document} {sum(length for _, length in spans)} {LENGTH} {starts[0]} {listed}\n")
    seen: set[tuple[int, int, int]] = set()
    with (out / "run").open("w", encoding="utf-8", newline="\n") as run:
        while len(seen) < results:
            document = draw.randrange(relevant) if draw.random() < 0.6 else relevant + draw.randrange(results)
            length = draw.choice(LENGTHS)
            start = draw.randrange(0, LENGTH - length, 10)
            if (document, start, length) not in seen:
                seen.add((document, start, length))
                rank = len(seen)
                run.write(f"301 Q0 {document} {rank} {results - rank + 1} large {start} {length}\n")


def main() -> None:
    """Command line of the generator."""
    parser = argparse.ArgumentParser(prog="python -m bench.gen_topic", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--targets", type=int, default=5000)
    parser.add_argument("--results", type=int, default=20_000)
    asked = parser.parse_args()
    generate_topic(asked.out, asked.targets, asked.results)


if __name__ == "__main__":
    main()
