"""Validation without evaluation: every input read whole, every problem reported, what does not fit together named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from prum_eval.errors import DataError, InputError, Problems, printable
from prum_eval.evaluation.checks.extents import check_extents
from prum_eval.evaluation.checks.fit import check_assessments, judged_notes, run_notes
from prum_eval.evaluation.checks.grammar import Grammar
from prum_eval.evaluation.checks.texts import check_texts
from prum_eval.formats.assessments.read import assessment_files, joint_name, read_assessment_files
from prum_eval.formats.format import FormatKind
from prum_eval.formats.given import GivenAssessments, GivenRuns, PathName, given_assessments, given_runs
from prum_eval.formats.odd import kind_of_file
from prum_eval.formats.reading import read_navigation, read_runs, read_structure
from prum_eval.records.assessments import Assessments, PassageTopic
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.run import Run
from prum_eval.records.structure import Structure
from prum_eval.relevance.assessed_documents import named_as
from prum_eval.relevance.targets import target_documents
from prum_eval.tabular import RowValue, Table, Tabular, plural
from prum_eval.text.document_names import possible_documents
from prum_eval.text.streams import STDIN


@dataclass(frozen=True, repr=False)
class Check(Tabular):
    """What `check` returns: every problem, and notes on what was read and what does not fit together."""

    problems: tuple[InputError | DataError, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def told(self, most: int = 10) -> list[str]:
        """The problems as they are printed; of those that are equal but for their lines so many, and their number."""
        counts: Counter[tuple[str, str]] = Counter()
        lines = []
        for problem in self.problems:
            same = (problem.path, problem.reason) if isinstance(problem, InputError) else ("", str(problem))
            counts[same] += 1
            if counts[same] <= most:
                lines.append(problem.message)
        more = [(path, reason, count - most) for (path, reason), count in counts.items() if count > most]
        return lines + [f"{printable(path)}: {count} more: {reason}" for path, reason, count in more]

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row a problem (with its file and line, where it has some) or note."""
        for problem in self.problems:
            if isinstance(problem, InputError):
                yield {"kind": "problem", "file": problem.path, "line": problem.line, "text": problem.reason}
            else:
                yield {"kind": "problem", "file": None, "line": None, "text": str(problem)}
        for note in self.notes:
            yield {"kind": "note", "file": None, "line": None, "text": note}

    def _summary(self) -> str:
        return f"{plural(len(self.problems), 'problem')}, {plural(len(self.notes), 'note')}"

    def _table(self) -> Table:
        said = [("problem", self.problems), ("note", self.notes)]
        return ("kind", "text"), ((kind, str(one)) for kind, listed in said for one in listed)


def check(
    runs: GivenRuns = (),
    *,
    assessments: GivenAssessments | None = None,
    structure: PathName | Structure | None = None,
    navigation: PathName | NavigationFile | None = None,
    schema: PathName | None = None,
    texts: PathName | None = None,
) -> Check:
    """Read inputs, find every problem in them, and compare what fits together; nothing is evaluated.

    >>> from prum_eval import check
    >>> check("fixtures/toy/run", assessments="fixtures/toy/qrels").ok
    True

    Args:
        runs: as `prum_eval.evaluate` takes them; the first path may be that of assessments, as other commands have it.
        assessments: likewise: then topics that runs lack, or have without assessments, are noted.
        structure: likewise: then results that it lacks are noted, and relevant elements that it lacks are problems,
            because an evaluation stops there. What passes the end of its document is a problem as well.
        navigation: a navigation file.
        schema: a grammar of your own, RELAX NG (.rng), XML Schema (.xsd) or DTD: everything in XML that is given as
            `runs` or `assessments` has to follow it. `runs` may then be any XML, also directories of documents.
        texts: a directory, a tar or zip archive of documents, or JSON Lines with `doc` and `text`: lengths and offsets
            of runs and assessments are compared with them.

    Returns:
        Problems, and notes: a line an input that could be read, and lines on what does not fit.
    """
    if assessments is None and schema is None:
        assessments, runs = _in_order(runs)
    problems: list[InputError | DataError] = []
    grammar = None if schema is None else Grammar(str(schema), problems.append)
    read, judged = _read(runs, assessments, grammar, problems)
    if structure is not None and not isinstance(structure, Structure):
        structure = read_structure(str(structure), _documents(read, judged), problems=problems.append)
    if structure is not None and judged is not None:
        judged = named_as(judged, structure.documents)
    measured: dict[str, int] = {}
    lacking: list[str] = []
    if texts is not None:
        measured, lacking = check_texts(str(texts), read, judged, structure, problems.append)
    check_extents(read, judged, structure, problems.append, measured=measured)
    notes = [note for run in read if run.topics for note in run_notes(run, judged, structure)]
    if judged is not None and judged.topics:
        notes += judged_notes(judged)
        if structure is not None and structure.names:
            check_assessments(judged, structure, problems.append)
    if structure is not None and structure.names:
        size = f"{plural(len(structure.names), 'document')}, {plural(structure.elements, 'element')}"
        notes.append(f"{structure.path}: {size}")
    if navigation is not None:
        notes += _navigation_notes(navigation, problems.append)
    notes += lacking
    if grammar is not None and grammar.note is not None:
        notes.append(grammar.note)
    return Check(tuple(problems), tuple(map(printable, notes)))


def _in_order(given: GivenRuns) -> tuple[PathName | None, GivenRuns]:
    """Assessments that stand before the runs, and the runs."""
    listed = [given] if isinstance(given, str | PathLike) else list(given) if isinstance(given, list | tuple) else []
    first = listed[0] if listed else None
    if not isinstance(first, str | PathLike) or str(first) == STDIN:
        return None, given
    try:
        judged = Path(first).is_dir() or kind_of_file(str(first)) is FormatKind.ASSESSMENTS
    except InputError:
        judged = False  # what reads it says why
    return (first, listed[1:]) if judged else (None, given)


def _read(
    runs: GivenRuns,
    assessments: GivenAssessments | None,
    grammar: Grammar | None,
    problems: list[InputError | DataError],
) -> tuple[list[Run], Assessments | None]:
    """What could be read; of rows the first bad one is a problem, after which no other is looked at."""
    read: list[Run] = []
    try:
        for one in given_runs(runs):
            if isinstance(one, InputError):
                problems.append(one)
            elif isinstance(one, Run):
                read.append(one)
            else:
                paths = [str(one)] if grammar is None else grammar.runs(str(one))
                read += [run for path in paths for run in read_runs(path, problems=problems.append)]
        judged = None if assessments is None else given_assessments(assessments)
        if not isinstance(judged, list):
            return read, judged
        files = assessment_files(judged, problems.append) if grammar is None else grammar.assessments(judged)
        return read, read_assessment_files(files, joint_name(judged), problems.append)
    except DataError as error:
        problems.append(error)
        return read, None


def _documents(runs: Iterable[Run], judged: Assessments | None) -> set[str]:
    """Documents to look into; runs name the file of a document too, and what is judged may tell another length."""
    named = possible_documents(name for run in runs for name in run.documents)
    if judged is None:
        return named
    lengths = (topic.documents for topic in judged.topics.values() if isinstance(topic, PassageTopic))
    return named.union(possible_documents(target_documents(judged)), *lengths)


def _navigation_notes(given: PathName | NavigationFile, problems: Problems) -> Iterator[str]:
    file = given if isinstance(given, NavigationFile) else read_navigation(str(given), problems=problems)
    if file.source:
        topics = {topic for topic in file.topic if topic is not None}
        own = f", some for {plural(len(topics), 'topic')} only" if topics else ""
        yield f"{file.path}: {plural(len(file.source), 'step')}{own}"
