"""Validation without evaluation: every input read whole, every problem reported, what does not fit together named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prum_eval.collection.forest import Forest, forest_of
from prum_eval.collection.pointers import PointerError, position
from prum_eval.errors import InputError, Problems
from prum_eval.formats import read_assessments, read_navigation, read_run, read_structure
from prum_eval.records.assessments import Assessments, ElementTopic, FlatTopic
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.run import Run, RunKind
from prum_eval.records.structure import Structure
from prum_eval.relevance.targets import target_documents
from prum_eval.text.document_names import documents_of, find_document

NAMED = 5
"""How many of a kind a note names."""


def check_inputs(
    runs: Sequence[str],
    assessments: str | None,
    structure: str | None,
    navigation: str | None,
    problems: Problems,
) -> list[str]:
    """Read inputs, hand every problem to `problems`, and compare what fits together.

    Args:
        runs: paths of runs.
        assessments: path of the assessments: then topics that runs lack, or have without judgements, are noted.
        structure: path of the structure: then results that it lacks are noted, and relevant judgements that it lacks
            are problems, because an evaluation stops there.
        navigation: path of a navigation file.
        problems: called with every problem; it must return.

    Returns:
        Notes for the user: a line an input that could be read, and lines on what does not fit.
    """
    read = [read_run(path, problems=problems) for path in runs]
    judged = read_assessments(assessments, problems=problems) if assessments is not None else None
    listed = read_structure(structure, _documents(read, judged), problems=problems) if structure is not None else None
    notes = [note for run in read if run.topics for note in _run_notes(run, judged, listed)]
    if judged is not None and judged.topics:
        notes.append(_judged_note(judged))
        if listed is not None and listed.names:
            _check_judgements(judged, listed, problems)
    if listed is not None and listed.names:
        notes.append(
            f"{listed.path}: {_counted(len(listed.names), 'document')}, {_counted(listed.elements, 'element')}"
        )
    if navigation is not None:
        file = read_navigation(navigation, problems=problems)
        if file.source:
            notes.append(_navigation_note(file))
    return notes


def _documents(runs: Iterable[Run], judged: Assessments | None) -> set[str]:
    """Documents to look into; runs name the file of a document too."""
    named = documents_of(name for run in runs for name in run.documents)
    return named | (target_documents(judged) if judged is not None else set())


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _named(names: Sequence[str], separator: str = ", ") -> str:
    more = len(names) - NAMED
    return f"{len(names)} ({separator.join(names[:NAMED])}{f'{separator}{more} more' if more > 0 else ''})"


def _run_notes(run: Run, judged: Assessments | None, structure: Structure | None) -> Iterator[str]:
    topics, results = _counted(len(run.topics), "topic"), _counted(len(run.line), "result")
    yield f"{run.path}: run {run.run_id}, {topics}, {results}, {run.kind}"
    if judged is not None and judged.topics:
        lacking = [topic for topic in judged.topics if topic not in set(run.topics)]
        if lacking:
            yield f"{run.path}: judged topics missing from the run: {_named(sorted(lacking))}"
        unjudged = [topic for topic in run.topics if topic not in judged.topics]
        if unjudged:
            yield f"{run.path}: topics without judgements: {_named(sorted(unjudged))}"
    if structure is not None and structure.names:
        strays = [f"line {line}: {what}" for line, what in sorted(_strays(run, structure))]
        if strays:
            yield f"{run.path}: results that the structure lacks: {_named(strays, '; ')}"


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


def _judged_note(judged: Assessments) -> str:
    documents = sum(len(topic.documents) for topic in judged.topics.values())
    topics = _counted(len(judged.topics), "topic")
    return f"{judged.path}: judgements of {judged.kind}, {topics}, {_counted(documents, 'judged document')}"


def _navigation_note(file: NavigationFile) -> str:
    topics = {topic for topic in file.topic if topic is not None}
    own = f", some for {_counted(len(topics), 'topic')} only" if topics else ""
    return f"{file.path}: {_counted(len(file.source), 'step')}{own}"


def _check_judgements(judged: Assessments, structure: Structure, problems: Problems) -> None:
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
