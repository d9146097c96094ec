"""Runs, assessments and structures at random, as records; and what counts of a record when it is read back."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from hypothesis import strategies as st

from prum_eval.records import (
    AssessmentKind,
    Assessments,
    FlatTopic,
    Link,
    PassageTopic,
    Run,
    Structure,
    StructureDocument,
)

BLANKS = " \t\n\v\f\r"
COLUMN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=BLANKS), min_size=1, max_size=5)
FIRST_COLUMN = COLUMN.filter(lambda name: name[0] not in "#<{\ufeff" and name[:2] not in ("[{", "[]"))
TAB_COLUMN = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(
    lambda name: name[0] not in "<#\ufeff" and name.strip()
)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)
XML_TEXT = TEXT.filter(lambda name: name == name.strip() and not set(name) & set("\ufffe\uffff"))
NUMBERS = st.integers(0, 2**39)  # of which two add up to the largest offset
SCORES = st.floats(allow_nan=False, allow_infinity=False)
STEPS = st.builds("{}[{}]".format, st.sampled_from(["a", "sec", "größe", "x-1.y"]), st.integers(1, 12))
PATHS = st.lists(STEPS, min_size=1, max_size=3).map(lambda steps: "".join(f"/{step}" for step in steps))


def reading(read, content, **options):
    """What a reader makes of some bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return read("-", **options)


def integers(values):
    return np.array(list(values), dtype=np.int64)


def run_of(shape, results, run_id):
    """A run of results {topic: [(document, first path, last path, start, length, exists, score)]}."""
    rows = [row for listed in results.values() for row in listed]
    documents = tuple(dict.fromkeys(row[0] for row in rows))
    paths = tuple(dict.fromkeys(path for row in rows for path in row[1:3] if path))
    codes = {"": -1, **{path: code for code, path in enumerate(paths)}}
    return Run(
        path="input", run_id=run_id, kind=shape, topics=tuple(results),
        bounds=integers(np.cumsum([0, *map(len, results.values())])), documents=documents,
        document=integers(documents.index(row[0]) for row in rows), paths=paths,
        first_path=integers(codes[row[1]] for row in rows), last_path=integers(codes[row[2]] for row in rows),
        start=integers(row[3] for row in rows), length=integers(row[4] for row in rows),
        exists=np.array([row[5] for row in rows], dtype=bool), score=np.array([row[6] for row in rows], dtype=float),
        line=np.arange(1, len(rows) + 1), tied=0,
    )  # fmt: skip


def results_of(run):
    """The results of a run by topic, as `run_of` takes them."""
    paths = [*run.paths, ""]
    columns = (run.document, run.first_path, run.last_path, run.start, run.length, run.exists, run.score)
    rows = [
        (run.documents[document], paths[first], paths[last], *rest)
        for document, first, last, *rest in zip(*(column.tolist() for column in columns), strict=True)
    ]
    bounds = run.bounds.tolist()
    return {
        topic: rows[begin:end] for topic, begin, end in zip(run.topics, bounds[:-1], bounds[1:], strict=True)
    }  # fmt: skip


def runs(shape, row, topics=FIRST_COLUMN, run_ids=COLUMN, unique_by=None, order=None):
    """Runs of rows of one strategy, `order` sorting those of a topic."""
    listed = st.lists(row, min_size=1, max_size=4, unique_by=unique_by)
    results = st.dictionaries(topics, listed.map(order or list), min_size=1, max_size=3)
    return st.builds(run_of, st.just(shape), results, run_ids)


def passages_of(listed, path="input"):
    """A topic of passages from documents [(document, relevant, length, bep, [(start, length)])]."""
    spans = [span for row in listed for span in row[4]]
    return PassageTopic(
        path, tuple(row[0] for row in listed), *(integers(row[column] for row in listed) for column in (1, 2, 3)),
        integers(np.cumsum([0, *(len(row[4]) for row in listed)])),
        integers(span[0] for span in spans), integers(span[1] for span in spans),
        np.arange(1, len(listed) + 1),
    )  # fmt: skip


def judged_of(topics):
    """Assessments from topics of `passages_of` rows."""
    return Assessments("input", AssessmentKind.PASSAGES, {name: passages_of(listed) for name, listed in topics.items()})


def passages_rows(topic):
    """The documents of a topic, as `passages_of` takes them."""
    spans = list(zip(topic.start.tolist(), topic.length.tolist(), strict=True))
    bounds = topic.bounds.tolist()
    return [
        (name, *numbers, spans[bounds[row] : bounds[row + 1]])
        for row, (name, *numbers) in enumerate(
            zip(topic.documents, *(c.tolist() for c in (topic.relevant, topic.lengths, topic.bep)), strict=True)
        )
    ]  # fmt: skip


def graded_of(topics):
    """Assessments from topics [(document, grade)]."""
    return Assessments("input", AssessmentKind.FLAT, {
        name: FlatTopic("input", tuple(row[0] for row in listed), integers(row[1] for row in listed),
                        np.arange(1, len(listed) + 1))
        for name, listed in topics.items()
    })  # fmt: skip


@st.composite
def trees(draw, name, *, gaps):
    """A document of nested elements; with `gaps` positions may leave some out."""
    rows = []

    def grow(tag, parent, start, length, depth):
        path = f"{parent}/{tag}"
        rows.append((path, start, length))
        counts, at = {}, start
        while depth < 3 and draw(st.booleans()):
            child = draw(st.sampled_from(["p", "sec"]))
            counts[child] = counts.get(child, 0) + (draw(st.integers(1, 2)) if gaps else 1)
            begin = draw(st.integers(at, start + length))
            at = draw(st.integers(begin, start + length))
            grow(f"{child}[{counts[child]}]", path, begin, at - begin, depth + 1)

    grow("article[1]", "", 0, draw(st.integers(0, 30)), 1)
    paths, starts, lengths = zip(*rows, strict=True)
    return StructureDocument(name, paths, integers(starts), integers(lengths), np.arange(1, len(rows) + 1))


@st.composite
def structures(draw, names, *, links=False, gaps=False):
    """A structure of some documents."""
    documents = {
        name: draw(trees(name, gaps=gaps)) for name in draw(st.lists(names, min_size=1, max_size=3, unique=True))
    }
    found = []
    while links and len(found) < 3 and draw(st.booleans()):
        source, target = (documents[draw(st.sampled_from(sorted(documents)))] for _ in range(2))
        target_path = draw(st.none() | st.sampled_from(target.paths))
        path = draw(st.sampled_from(source.paths))
        found.append(Link(source.name, path, target.name, target_path, draw(st.floats(0, 1)), 1))
    found.sort(key=lambda link: list(documents).index(link.document))
    elements = sum(len(one.paths) for one in documents.values())
    characters = sum(int(one.length[0]) for one in documents.values())
    return Structure("input", elements, characters, frozenset(documents), documents, tuple(found))


def structure_rows(structure):
    """Elements in the order of the file, and links."""
    links = [(link.document, link.path, link.target, link.target_path, link.probability) for link in structure.links]
    elements = [
        (name, *row)
        for name, one in structure.documents.items()
        for row in zip(one.paths, one.start.tolist(), one.length.tolist(), strict=True)
    ]
    return elements, links, structure.elements, structure.characters
