"""The same judgements on the two scales of INEX 2003: exhaustiveness and specificity from 0 to 3, and no passages.

Specificity is the share of an element that is highlighted, in thirds. Exhaustiveness is drawn from the root down: the
article's as often as at INEX 2003 (27, 21 and 52 of 100 relevant articles were 3, 2 and 1), an element's that of its
parent or less; what is too small when graded as in 2005 is 0 and 0 here. The random numbers come from a stream of their
own, so that nothing else of a workload depends on them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.inex_assessments import SHORTEST_GRADED, Assessments, overlap
from bench.inex_documents import Document
from bench.inex_workload import Workload

ARTICLES = {3: 27, 2: 21, 1: 52}
"""How often a relevant article had each exhaustiveness in 2003, of 100 (Goevert et al. 2006, table 1)."""
SAME_AS_PARENT = 0.6
"""Probability that an element is as exhaustive as its parent without a further draw."""


def levels(document: Document, extents: Sequence[tuple[int, int]], draw: random.Random) -> list[tuple[str, int, int]]:
    """Path, exhaustiveness and specificity, both from 1 to 3, of the elements with highlighted text, in order."""
    found = []
    exhaustiveness: dict[int, int] = {}
    for element, path in enumerate(document.paths):
        relevant = overlap(document.extent(element), extents)
        if relevant == 0 or document.lengths[element] < SHORTEST_GRADED:
            continue
        parent = document.parents[element]
        if parent not in exhaustiveness:
            (own,) = draw.choices(list(ARTICLES), list(ARTICLES.values()))
        elif draw.random() < SAME_AS_PARENT:
            own = exhaustiveness[parent]
        else:
            own = draw.randint(1, exhaustiveness[parent])
        exhaustiveness[element] = own
        found.append((path, own, math.ceil(3 * relevant / document.lengths[element])))
    return found


def write_assessments_2003(
    out: Path, workload: Workload, documents: Mapping[int, Document], judged: Mapping[int, Assessments]
) -> int:
    """Write ``assessments-2003/topic-T.xml`` and return the number of elements that they hold."""
    folder = out / "assessments-2003"
    folder.mkdir(exist_ok=True)
    count = 0
    for topic, assessments in judged.items():
        draw = random.Random(workload.seed * 1000003 + topic * 1009 + 2003)
        xml = ['<?xml version="1.0"?>\n', f'<assessments topic="{topic}">\n']
        for number, extents in assessments.items():
            rows = levels(documents[number], extents, draw)
            count += len(rows)
            xml.append(f' <file file="{number}">\n')
            xml += [f'  <path path="{path}" exhaustiveness="{e}" specificity="{s}"/>\n' for path, e, s in rows]
            xml.append(" </file>\n")
        xml.append("</assessments>\n")
        (folder / f"topic-{topic}.xml").write_text("".join(xml), encoding="utf-8", newline="\n")
    return count
