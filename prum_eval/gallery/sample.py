"""The collection that the gallery simulates runs on: made up, regular, the same for every measure.

Every topic has twelve relevant documents with one target each, so that no run brings two results of a document together
unless a change does: a whole section, a whole paragraph, half a paragraph, and again. Documents of the other topics are
there for noise. It has all that a measure may need: trees, lengths, highlighted passages, exhaustivity, entry points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from prum_eval.formats.assessments.read import read_assessment_files
from prum_eval.formats.reading import read_structure
from prum_eval.records.assessments import Assessments
from prum_eval.records.structure import Structure
from prum_eval.text.streams import Content

_TOPICS, _DOCUMENTS = 6, 12
_SECTIONS, _PARAGRAPHS = 4, 4
_TITLE = 20
_PLACE = "sample"


@dataclass(frozen=True)
class Sample:
    """The collection and its assessments."""

    structure: Structure
    assessments: Assessments


def sample() -> Sample:
    """Make the collection; the same every time."""
    lines, files = [], []
    for topic in range(_TOPICS):
        judged = []
        for number in range(_DOCUMENTS):
            name = f"d{topic * _DOCUMENTS + number:02d}"
            extents = _extents(topic, number)
            lines += [f"{name}\t{path}\t{start}\t{length}\n" for path, (start, length) in extents.items()]
            judged.append(_judged(name, extents, number))
        topic_id = str(topic + 1)
        text = f'<assessments topic="{topic_id}">\n{"".join(judged)}</assessments>\n'
        files.append((Content(f"{_PLACE}/{topic_id}.xml", text.encode()), False))
    structure = read_structure(Content(f"{_PLACE}.tsv", "".join(lines).encode()))
    return Sample(structure, read_assessment_files(files, _PLACE))


def _extents(topic: int, number: int) -> dict[str, tuple[int, int]]:
    """Start and length of each element of a document, in document order: sections of a title and paragraphs."""
    lengths = [
        [100 + 40 * ((7 * topic + 5 * number + 3 * section + 2 * one) % 11) for one in range(_PARAGRAPHS)]
        for section in range(_SECTIONS)
    ]
    found: dict[str, tuple[int, int]] = {"/article[1]": (0, 0), "/article[1]/title[1]": (0, _TITLE)}
    found["/article[1]/body[1]"] = (_TITLE, 0)
    place = _TITLE
    for section, own in enumerate(lengths, 1):
        path = f"/article[1]/body[1]/section[{section}]"
        found[path] = (place, _TITLE + sum(own))
        found[f"{path}/title[1]"] = (place, _TITLE)
        starts = accumulate(own[:-1], initial=place + _TITLE)
        found |= {f"{path}/p[{one}]": extent for one, extent in enumerate(zip(starts, own, strict=True), 1)}
        place += _TITLE + sum(own)
    found["/article[1]"], found["/article[1]/body[1]"] = (0, place), (_TITLE, place - _TITLE)
    return found


def _judged(name: str, extents: dict[str, tuple[int, int]], number: int) -> str:
    """The assessments of a document: one passage, where reading should begin, and what every element has of it."""
    section = f"/article[1]/body[1]/section[{number % _SECTIONS + 1}]"
    paragraph = f"{section}/p[{number // 4 % _PARAGRAPHS + 1}]"
    whole, half = number % 4 == 0, number % 4 == 2
    target = section if whole else paragraph
    start, length = extents[target]
    end = start + (length // 2 if half else length)
    first, last = (f"{section}/title[1]", f"{section}/p[{_PARAGRAPHS}]") if whole else (paragraph, paragraph)
    marked = end - extents[last][0]
    return (
        f'<file collection="sample" name="{name}">\n<best-entry-point path="{first}/text()[1].0"/>\n'
        f'<passage start="{first}/text()[1].0" end="{last}/text()[1].{marked}" size="{end - start}"/>\n'
        f"{''.join(_elements(extents, target, start, end))}</file>\n"
    )


def _elements(extents: dict[str, tuple[int, int]], target: str, start: int, end: int) -> Iterator[str]:
    """An element that holds highlighted text: as much as it can below the target, which is the best place to be."""
    for path, (own, length) in extents.items():
        held = min(own + length, end) - max(own, start)
        if held > 0:
            exhaustivity = 1 if path.startswith(f"{target}/") else 2
            yield f'<element path="{path}" exhaustivity="{exhaustivity}" size="{length}" rsize="{held}"/>\n'
