"""How runs and assessments fit each other and a structure: notes and problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.collection.forest import Forest, forest_of
from prum_eval.collection.pointers import PointerError, position
from prum_eval.errors import InputError, Problems
from prum_eval.evaluation.notices.judged import judged_share
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
        strays = [f"line {line}: {what}" for line, what in sorted(_strays(run, structure))]
        if strays:
            yield f"{run.path}: results that the structure lacks: {named(strays, '; ')}"


def _strays(run: Run, structure: Structure) -> Iterator[tuple[int, str]]:
    """Line and name of each result whose document or element the structure lacks."""
    trees = forest_of(structure.documents)
    rows = zip(
        *(column.tolist() for column in (run.exists, run.document, run.first_path, run.last_path, run.line)),
        strict=True,
    )
    for exists, code, first, last, line in rows:
        if not exists:
            continue
        name = run.documents[code]
        tree = find_document(trees, name)
        if tree is None:
            yield line, f"document {name}"
        elif run.kind is RunKind.ELEMENTS:
            lost = [run.paths[end] for end in dict.fromkeys((first, last)) if tree.find(run.paths[end]) < 0]
            if lost:
                yield line, f"{lost[0]} of document {name}"


def judged_note(judged: Assessments) -> str:
    """What assessments hold."""
    documents = sum(len(topic.documents) for topic in judged.topics.values())
    topics = plural(len(judged.topics), "topic")
    return f"{judged.path}: assessments of {judged.kind}, {topics}, {plural(documents, 'judged document')}"


def check_assessments(judged: Assessments, structure: Structure, problems: Problems) -> None:
    """Report relevant documents, elements and pointers that the structure lacks."""
    trees = forest_of(structure.documents)
    for topic in judged.topics.values():
        if isinstance(topic, FlatTopic):
            for name, grade, line in zip(topic.documents, topic.grades.tolist(), topic.lines.tolist(), strict=True):
                if grade > 0 and name not in trees:
                    problems(InputError(topic.path, line, f"document {name} is not in the structure"))
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
            if trees[name].find(topic.paths[row]) < 0:
                reason = f"element {topic.paths[row]} of document {name} is not in the structure"
                yield int(topic.lines[row]), reason
        for pointer, line in dict.fromkeys(pointers[number]):
            try:
                position(trees[name], pointer)
            except PointerError as error:
                yield line, str(error)
