"""How runs and assessments fit each other and a structure: notes and problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.collection.forest import Forest, forest_of
from prum_eval.collection.pointers import PointerError, position
from prum_eval.errors import InputError, Problems
from prum_eval.evaluation.notices.judged import judged_share
from prum_eval.evaluation.notices.notice import gold_notices, ignored_keys
from prum_eval.records.assessments import Assessments, ElementTopic, FlatTopic
from prum_eval.records.run import Run, RunKind
from prum_eval.records.structure import Structure
from prum_eval.tabular import plural
from prum_eval.text.document_names import find_document

NAMED = 5
"""How many of a kind a note names."""


def named(names: Sequence[str], separator: str = ", ") -> str:
    """How many there are, and the first of them."""
    more = len(names) - NAMED
    return f"{len(names)} ({separator.join(names[:NAMED])}{f'{separator}{more} more' if more > 0 else ''})"


def run_notes(run: Run, judged: Assessments | None, structure: Structure | None) -> Iterator[str]:
    """What a run holds, and what of it the assessments or the structure lack."""
    topics, results = plural(len(run.topics), "topic"), plural(len(run.line), "result")
    yield f"{run.path}: run {run.run_id}, {topics}, {results}, {run.kind}"
    yield from map(str, ignored_keys(run.path, run.ignored))
    if judged is not None and judged.topics:
        lacking = [topic for topic in judged.topics if topic not in set(run.topics)]
        if lacking:
            yield f"{run.path}: judged topics missing from the run: {named(sorted(lacking))}"
        unjudged = [topic for topic in run.topics if topic not in judged.topics]
        if unjudged:
            yield f"{run.path}: topics without assessments: {named(sorted(unjudged))}"
        share = judged_share(run, judged)
        results = f"{share.judged} of {plural(share.results, 'result')} ({share.percent})"
        yield f"{run.path}: judged: {results}{f'; {share.hint}' if share.hint else ''}"
    if structure is not None and structure.names:
        missing, barred = _strays(run, structure)
        for said, strays in {"that the structure lacks": missing, "that are not retrievable": barred}.items():
            if strays:
                words = named([f"line {line}: {what}" for line, what in sorted(strays)], "; ")
                yield f"{run.path}: results {said}: {words}"


_Strays = list[tuple[int, str]]


def _strays(run: Run, structure: Structure) -> tuple[_Strays, _Strays]:
    """Line and name of each result that the structure lacks, and of each that is not retrievable."""
    trees = forest_of(structure.documents)
    rows = zip(
        *(column.tolist() for column in (run.exists, run.document, run.first_path, run.last_path, run.line)),
        strict=True,
    )
    lacking: _Strays = []
    barred: _Strays = []
    for exists, code, first, last, line in rows:
        if not exists:
            continue
        name = run.documents[code]
        tree = find_document(trees, name)
        if tree is None:
            lacking.append((line, f"document {name}"))
            continue
        if run.kind is RunKind.EXTENTS:
            continue
        paths = [run.paths[end] for end in dict.fromkeys((first, last))] if first >= 0 else tree.paths[:1]
        lost = [path for path in paths if tree.find(path) < 0]
        if lost:
            lacking.append((line, f"{lost[0]} of document {name}"))
        elif len(paths) == 1 and not tree.may_be_returned(tree.find(paths[0])):
            barred.append((line, f"{paths[0]} of document {name}"))
    return lacking, barred


def judged_notes(judged: Assessments) -> Iterator[str]:
    """What assessments hold, and how they were read."""
    documents = sum(len(topic.documents) for topic in judged.topics.values())
    topics = plural(len(judged.topics), "topic")
    yield f"{judged.path}: assessments of {judged.kind}, {topics}, {plural(documents, 'judged document')}"
    yield from map(str, gold_notices(judged))


def check_assessments(judged: Assessments, structure: Structure, problems: Problems) -> None:
    """Report relevant documents, elements and pointers that the structure lacks."""
    trees = forest_of(structure.documents)
    for topic in judged.topics.values():
        if isinstance(topic, FlatTopic):
            for name, grade, line in zip(topic.documents, topic.grades.tolist(), topic.lines.tolist(), strict=True):
                if grade > 0 and name not in trees:
                    problems(InputError(topic.path, line, f"document {name} is not in the structure"))
                elif grade > 0 and not trees[name].may_be_returned(0):
                    reason = f"element {trees[name].paths[0]} of document {name} is not retrievable"
                    problems(InputError(topic.path, line, reason))
        elif isinstance(topic, ElementTopic):
            for line, reason in _lost(topic, trees):
                problems(InputError(topic.path, line, reason))


def _lost(topic: ElementTopic, trees: Forest) -> Iterator[tuple[int, str]]:
    """Line and reason of what is judged relevant in a topic and is not in the structure."""
    pointers: list[list[tuple[str, int]]] = [[] for _ in topic.documents]
    for point in topic.entry_points:
        pointers[point.document].append((point.pointer, point.line))
    for mark in topic.highlights:
        pointers[mark.document] += [(mark.first, mark.line), (mark.last, mark.line)]
    for number, name in enumerate(topic.documents):
        rows = range(int(topic.bounds[number]), int(topic.bounds[number + 1]))
        relevant = [row for row in rows if topic.exhaustivity[row] != 0]
        if not relevant and not pointers[number]:
            continue
        if name not in trees:
            yield int(topic.document_lines[number]), f"document {name} is not in the structure"
            continue
        for row in relevant:
            element = trees[name].find(topic.paths[row])
            if element < 0 or not trees[name].may_be_returned(element):
                lacks = "is not in the structure" if element < 0 else "is not retrievable"
                yield int(topic.lines[row]), f"element {topic.paths[row]} of document {name} {lacks}"
        for pointer, line in dict.fromkeys(pointers[number]):
            try:
                position(trees[name], pointer)
            except PointerError as error:
                yield line, str(error)
