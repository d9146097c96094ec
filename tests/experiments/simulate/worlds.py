"""A seeded random collection of elements with assessments of 2003, larger than those that hypothesis draws."""

from __future__ import annotations

import random

from tests.measures.collections import Element, assessments_of, structure_of

GRADES = [(1, 1), (1, 3), (2, 2), (2, 3), (3, 1), (3, 3)]


def grown(rng, document, path="/e[1]", start=0, depth=0):
    """An element with its descendants; some leaves are empty."""
    children, at = [], start + rng.randint(0, 9)
    for number in range(rng.randint(2, 4) if depth < 3 else 0):
        child = grown(rng, document, f"{path}/e[{number + 1}]", at, depth + 1)
        children.append(child)
        at += child.length + rng.randint(0, 5)
    length = at - start if children else rng.choice([0, *range(40)])
    return Element(document, path, start, length, children)


class World:
    """Elements by key, a structure, assessments, and what is assessed of each topic."""

    def __init__(self, documents=8, topics=3, targets=9, seed=5):
        rng = random.Random(seed)
        roots = [grown(rng, f"d{number}") for number in range(documents)]
        self.elements = {element.key: element for root in roots for element in root.walk()}
        self.structure = structure_of(list(self.elements.values()))
        held = [one for one in self.elements.values() if one.document in {"d0", "d1", "d2", "d3"} and one.length]
        self.judged = {
            str(topic): {
                element.key: rng.choice(GRADES)
                for element in sorted(rng.sample(held, targets), key=lambda one: (one.document, one.start, one.path))
            }
            for topic in range(1, topics + 1)
        }
        self.assessments = assessments_of(self.judged)


def lists(run):
    """{topic: [(document, path)]} of a run; X for what does not exist, and offset and length for what has no path."""
    found = {}
    for number, topic in enumerate(run.topics):
        found[topic] = [_key(run, row) for row in range(run.bounds[number], run.bounds[number + 1])]
    return found


def _key(run, row):
    document = run.documents[run.document[row]]
    if not run.exists[row]:
        return "X"
    if run.first_path[row] >= 0:
        return document, run.paths[run.first_path[row]]
    return (document, int(run.start[row]), int(run.length[row])) if run.start[row] >= 0 else document
