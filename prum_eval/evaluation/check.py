"""Validate inputs without an evaluation: read each completely, report every problem and all that does not fit."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import IntArray, group_numbers, sorted_unique
from prum_eval.collection.element_sizes import complete_sizes, passage_size_conflicts, size_conflicts
from prum_eval.collection.index_build import make_path_filter
from prum_eval.collection.locations import PointerError, pointer_offset
from prum_eval.collection.texts import Texts, reading_options_of_index
from prum_eval.collection.trees import Forest, make_forest
from prum_eval.errors import DataError, InputError, ProblemHandler, escape_unprintable
from prum_eval.evaluation.evaluate_run import name_run
from prum_eval.evaluation.notices import (
    document_lengths,
    find_out_of_range,
    ignored_key_notices,
    length_conflicts,
    passages_past_end,
    spans_file_notices,
)
from prum_eval.evaluation.result_texts import changed_documents
from prum_eval.evaluation.run_notices import judged_share
from prum_eval.formats.facets import KEEP
from prum_eval.formats.format import FormatKind
from prum_eval.formats.reading import (
    AssessmentsInput,
    PathName,
    RunInputs,
    assessment_files,
    combined_name,
    read_assessment_files,
    read_navigation,
    read_runs,
    read_structure,
    resolve_assessments_input,
    resolve_run_inputs,
)
from prum_eval.formats.registry import detect_file_kind, is_recognised
from prum_eval.records import (
    Assessments,
    ElementTopic,
    FlatTopic,
    NavigationFile,
    PassageTopic,
    Run,
    RunKind,
    Structure,
)
from prum_eval.relevance.targets import target_documents, use_structure_names
from prum_eval.tabular import RowValue, Table, Tabular, plural
from prum_eval.text.names import candidate_documents, find_document
from prum_eval.text.schema_process import SchemaProcess
from prum_eval.text.streams import (
    NO_REGULAR_FILE,
    STDIN,
    Content,
    is_folder,
    is_regular_file,
    is_special_file,
    open_with_head,
    read_content,
)

# Extents that cannot be, each with its line: results and passages that leave documents, documents of two lengths.


def check_extents(
    runs: Iterable[Run],
    assessments: Assessments | None,
    structure: Structure | None,
    problems: ProblemHandler,
    *,
    measured: Mapping[str, int],
) -> None:
    """Report extents that leave their document, by lengths of `measured` texts, else of assessments and structure."""
    trees = None if structure is None else make_forest(structure.documents)
    lengths = {**document_lengths(assessments, trees), **measured}
    for run in runs:
        found = find_out_of_range(run, lengths)
        for line, reason in () if found is None else found.reasons(run):
            problems(InputError(run.path, line, reason))
    if assessments is not None:
        for topic, row, reason in (*passages_past_end(assessments), *length_conflicts(assessments, trees)):
            problems(InputError(topic.path, int(topic.lines[row]), reason))
    if assessments is not None and trees is not None:
        for find_conflicts in (size_conflicts, passage_size_conflicts):
            for elements, line, reason in find_conflicts(assessments, trees):
                problems(InputError(elements.path, line, reason))


# How runs and assessments fit each other and a structure: notes and problems.


MAX_NAMED = 5
"""Most items of a kind that a note names."""


def summarise_names(names: Sequence[str], separator: str = ", ") -> str:
    """The number of items, and the first of them."""
    more = len(names) - MAX_NAMED
    return f"{len(names)} ({separator.join(names[:MAX_NAMED])}{f'{separator}{more} more' if more > 0 else ''})"


def run_notes(run: Run, judged: Assessments | None, structure: Structure | None) -> Iterator[str]:
    """Notes on a run: its contents, and which of them the assessments or the structure lack."""
    topics, results = plural(len(run.topics), "topic"), plural(len(run.line), "result")
    yield f"{run.path}: run {run.run_id}, {topics}, {results}, {run.kind}"
    yield from map(str, ignored_key_notices(run.path, run.ignored))
    if judged is not None and judged.topics:
        lacking = [topic for topic in judged.topics if topic not in set(run.topics)]
        if lacking:
            yield f"{run.path}: judged topics missing from the run: {summarise_names(sorted(lacking))}"
        unjudged = [topic for topic in run.topics if topic not in judged.topics]
        if unjudged:
            yield f"{run.path}: topics without assessments: {summarise_names(sorted(unjudged))}"
        share = judged_share(run, judged)
        results = f"{share.judged} of {plural(share.results, 'result')} ({share.percent})"
        yield f"{run.path}: judged: {results}{f'; {share.hint}' if share.hint else ''}"
    if structure is not None and structure.names:
        missing, barred = _results_not_in_structure(run, structure)
        for said, strays in {"that the structure lacks": missing, "that are not retrievable": barred}.items():
            if strays:
                words = summarise_names([f"line {line}: {what}" for line, what in sorted(strays)], "; ")
                yield f"{run.path}: results {said}: {words}"


_LinesWithNames = list[tuple[int, str]]


def _results_not_in_structure(run: Run, structure: Structure) -> tuple[_LinesWithNames, _LinesWithNames]:
    """Line and name of each result that the structure lacks, and of each that is not retrievable."""
    trees = make_forest(structure.documents)
    rows = zip(
        *(column.tolist() for column in (run.exists, run.document, run.first_path, run.last_path, run.line)),
        strict=True,
    )
    lacking: _LinesWithNames = []
    barred: _LinesWithNames = []
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
        elif len(paths) == 1 and not tree.is_retrievable(tree.find(paths[0])):
            barred.append((line, f"{paths[0]} of document {name}"))
    return lacking, barred


def assessment_notes(judged: Assessments) -> Iterator[str]:
    """Notes on assessments: their contents, and how they were read."""
    documents = sum(len(topic.documents) for topic in judged.topics.values())
    topics = plural(len(judged.topics), "topic")
    yield f"{judged.path}: assessments of {judged.kind}, {topics}, {plural(documents, 'judged document')}"
    yield from map(str, spans_file_notices(judged))
    if judged.has_facets:
        yield from _facet_notes(judged)


def _facet_notes(judged: Assessments) -> Iterator[str]:
    """Notes on facets: how many there are, and those that cannot mean what they say."""
    odd: dict[str, list[int]] = {}
    topics = facets_of_topics = alternatives = shared = 0
    for topic in judged.topics.values():
        facets = None if isinstance(topic, ElementTopic) else topic.facets
        if facets is None:
            continue
        topics, facets_of_topics = topics + 1, facets_of_topics + len(facets.names)
        targets: dict[int, set[tuple[int, ...]]] = {}
        lines: dict[int, int] = {}
        columns = (facets.alternative, facets.document, facets.start, facets.length, facets.grades, facets.lines)
        for way, *target, grade, line in zip(*(column.tolist() for column in columns), strict=True):
            if grade > 0 and target[-1] != 0:
                targets.setdefault(way, set()).add(tuple(target))
                lines.setdefault(way, line)
        alternatives += len(targets)
        counts = Counter(target for group in targets.values() for target in group)
        shared += sum(count > 1 for count in counts.values())
        satisfiable = {int(facets.facet_of[way]) for way in targets}
        for facet in range(len(facets.names)):
            ways = np.flatnonzero(facets.facet_of == facet).tolist()
            if facet not in satisfiable:
                rows = np.isin(facets.alternative, ways)
                odd.setdefault("facets without relevant text or document", []).append(int(facets.lines[rows].min()))
            for way in ways:
                if any(other != way and targets.get(other, {0}) < targets.get(way, set()) for other in ways):
                    odd.setdefault("alternatives that contain another one of their facet", []).append(lines[way])
    counted = f"{plural(facets_of_topics, 'facet')}, {plural(alternatives, 'alternative')}"
    yield f"{judged.path}: {plural(topics, 'topic')} with facets: {counted}, {plural(shared, 'shared target')}"
    for kind, numbers in odd.items():
        yield f"{judged.path}: {kind}: {len(numbers)}, the first on line {min(numbers)}"


def check_assessments(judged: Assessments, structure: Structure, problems: ProblemHandler) -> None:
    """Report relevant documents, elements and pointers that the structure lacks."""
    trees = make_forest(structure.documents)
    for topic in judged.topics.values():
        if isinstance(topic, FlatTopic):
            for name, grade, line in zip(topic.documents, topic.grades.tolist(), topic.lines.tolist(), strict=True):
                if grade > 0 and name not in trees:
                    problems(InputError(topic.path, line, f"document {name} is not in the structure"))
                elif grade > 0 and not trees[name].is_retrievable(0):
                    reason = f"element {trees[name].paths[0]} of document {name} is not retrievable"
                    problems(InputError(topic.path, line, reason))
        elif isinstance(topic, ElementTopic):
            for line, reason in _relevant_not_in_structure(topic, trees):
                problems(InputError(topic.path, line, reason))


def _relevant_not_in_structure(topic: ElementTopic, trees: Forest) -> Iterator[tuple[int, str]]:
    """Line and reason of each relevant item of a topic that is not in the structure."""
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
            if element < 0 or not trees[name].is_retrievable(element):
                lacks = "is not in the structure" if element < 0 else "is not retrievable"
                yield int(topic.lines[row]), f"element {topic.paths[row]} of document {name} {lacks}"
        for pointer, line in dict.fromkeys(pointers[number]):
            try:
                pointer_offset(trees[name], pointer)
            except PointerError as error:
                yield line, str(error)


# Inputs in XML against a schema of the user's own, whatever else they are.


_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MARKUP = (b"<", b"\x00<", *_UTF_16_MARKS)
_NO_MARKUP = "the schema is for XML, which this is not"


class SchemaValidator:
    """A schema, and the number of valid files."""

    def __init__(self, path: str, problems: ProblemHandler) -> None:
        self._problems = problems
        self._files = self._good = 0
        self._schema: SchemaProcess | None = None
        try:
            self._schema = SchemaProcess(path)
        except InputError as problem:
            problems(problem)

    def close(self) -> None:
        """End the process that validates."""
        if self._schema is not None:
            self._schema.close()

    @property
    def note(self) -> str | None:
        """One line on the schema and its valid files."""
        if self._schema is None:
            return None
        files = f"{self._files} file{'s'[: self._files != 1]}"
        return f"{self._schema.path}: {self._schema.kind}, {self._good} of {files} valid"

    def validate_runs(self, path: str) -> list[str | Content]:
        """Validate a file, or the documents of a directory; return what is a run."""
        if path != STDIN and is_folder(path):
            for file in _document_files(path, self._problems):
                self._validate(file)
            return []
        content = self._validate(path)
        if content is None:
            return []
        kept: str | Content = content if path == STDIN else path
        if is_recognised(FormatKind.RUN, content):
            return [kept]
        if not _is_markup(content):
            self._problems(InputError(content.name, 1, _NO_MARKUP))
        return []

    def validate_assessments(self, paths: Sequence[str]) -> list[tuple[str | Content, bool]]:
        """Validate the files of assessments and return them."""
        files: list[tuple[str | Content, bool]] = []
        for path, main in assessment_files(paths, self._problems):
            content = self._validate(path)
            if content is not None:
                files.append((content if path == STDIN else path, main))
        return files

    def _validate(self, path: str) -> Content | None:
        """Validate a file, if it is XML; its bytes, None if it cannot be read."""
        try:
            content = read_content(path)
            if self._schema is not None and _is_markup(content):
                self._files += 1
                found = self._schema.violations(content)
                self._good += not found
                for problem in found:
                    self._problems(problem)
        except InputError as problem:
            self._problems(problem)
            return None
        return content


def _document_files(path: str, problems: ProblemHandler) -> Iterator[str]:
    """Files below a directory that are documents by their endings; symbolic links are not followed."""
    is_document, found = make_path_filter(()), False
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if is_document(name):
                found = True
                file = Path(folder, name)
                if is_special_file(file):
                    problems(InputError(str(file), None, NO_REGULAR_FILE))
                else:
                    yield str(file)
    if not found:
        problems(InputError(path, None, "a directory without documents in XML"))


def _is_markup(content: Content) -> bool:
    if content.data.startswith(_UTF_16_MARKS):
        return True
    stream, head = open_with_head(content, lambda _: None)
    stream.close()
    return head.startswith(_MARKUP)


# What runs and assessments say of documents, against their texts: which there are, lengths, offsets in characters.


_ARE_BYTES = "are these offsets of bytes? They have to count characters"


class _Size(NamedTuple):
    """Lengths of a text, in characters and in bytes of UTF-8."""

    characters: int
    bytes: int


def check_texts(
    source: str, runs: Sequence[Run], judged: Assessments | None, structure: Structure | None, problems: ProblemHandler
) -> tuple[dict[str, int], list[str]]:
    """Report lengths that are not those of the texts and passages that leave them; results are left to `check_extents`.

    Returns:
        How many characters documents have, by every name that is given for them; and notes: what the texts lack.
    """
    topics = [] if judged is None else [one for one in judged.topics.values() if isinstance(one, PassageTopic)]
    measured = {name for run in runs if run.kind is RunKind.EXTENTS for name in run.documents}
    measured.update(*(topic.documents for topic in topics), () if structure is None else structure.documents)
    given = [(run.path, _existing_documents(run)) for run in runs]
    if judged is not None:
        given.append((judged.path, {name for topic in judged.topics.values() for name in topic.documents}))
    try:
        reading = reading_options_of_index(None if structure is None else structure.path)
        texts = Texts(source, measured.union(*(documents for _, documents in given)), reading)
    except InputError as problem:
        problems(problem)
        return {}, []
    with texts:
        lacking = [(path, sorted(name for name in documents if name not in texts)) for path, documents in given]
        sizes = dict(_text_sizes(texts, measured, problems))
        for path in dict.fromkeys(run.path for run in runs if run.kind is RunKind.EXTENTS):
            if is_regular_file(path):
                for document in changed_documents(path, texts):
                    problems(InputError(document.path, document.line, document.reason()))
    notes = [note for run in runs for note in _check_run(run, sizes, problems)]
    _check_topics(topics, sizes, texts.name, problems)
    if structure is not None:
        _check_structure(structure, sizes, texts.name, problems)
    notes += [
        f"{path}: documents that {texts.name} lacks: {summarise_names(names)}" for path, names in lacking if names
    ]
    compared = [f"{texts.name}: {plural(len(sizes), 'text')} compared"] if measured else []
    return {name: size.characters for name, size in sizes.items()}, notes + compared


def _existing_documents(run: Run) -> set[str]:
    """The documents of results that exist."""
    return {run.documents[code] for code in sorted_unique(run.document[run.exists]).tolist()}


def _text_sizes(texts: Texts, documents: Iterable[str], problems: ProblemHandler) -> Iterator[tuple[str, _Size]]:
    for name in sorted(documents):
        try:
            text = texts.text(name)
        except InputError as problem:
            problems(problem)
        else:
            if text is not None:
                yield name, _Size(len(text), len(text.encode(errors="surrogatepass")))


def _check_run(run: Run, sizes: Mapping[str, _Size], problems: ProblemHandler) -> Iterator[str]:
    """Count the results that leave the texts; report if none would with offsets in bytes."""
    if run.kind is not RunKind.EXTENTS:
        return
    known = np.array([sizes.get(name, _Size(-1, -1)) for name in run.documents], dtype=np.int64).reshape(-1, 2)
    characters, as_bytes = known[run.document].T
    there = run.exists & (characters >= 0)
    past = int((there & (run.start > characters - run.length)).sum())
    if past:
        end = "ends past the end of its text" if past == 1 else "end past the end of their texts"
        count = f"{plural(past, 'result')} {end}"
        yield f"{run.path}: {count}"
        if not (there & (run.start > as_bytes - run.length)).any():
            problems(InputError(run.path, None, f"{count}, but not counted in bytes of UTF-8: {_ARE_BYTES}"))


def _check_topics(
    topics: Iterable[PassageTopic], sizes: Mapping[str, _Size], source: str, problems: ProblemHandler
) -> None:
    wrong: dict[str, list[bool]] = {}  # of each file, whether a wrong length is that in bytes
    for topic in topics:
        for row, (name, length) in enumerate(zip(topic.documents, topic.lengths.tolist(), strict=True)):
            size = sizes.get(name)
            if size is not None and size.characters != length >= 0:
                reason = f"document {name} has {length} characters here, {size.characters} in {source}"
                problems(InputError(topic.path, int(topic.lines[row]), reason))
                wrong.setdefault(topic.path, []).append(size.bytes == length)
        for row, start, length in _passages(topic):
            size = sizes.get(topic.documents[row])
            # What passes the length in the file as well is told by `check_extents`.
            told = int(topic.lengths[row])
            if size is not None and size.characters < start + length and (told < 0 or start + length <= told):
                place = f"passage {start}:{length} ends past the end of document {topic.documents[row]}"
                reason = f"{place}, {size.characters} characters long in {source}"
                problems(InputError(topic.path, int(topic.lines[row]), reason))
    for path, are_bytes in wrong.items():
        if all(are_bytes):
            count = f"{plural(len(are_bytes), 'length')} {'is' if len(are_bytes) == 1 else 'are'}"
            problems(InputError(path, None, f"{count} that of the text in bytes of UTF-8: {_ARE_BYTES}"))


def _passages(topic: PassageTopic) -> Iterator[tuple[int, int, int]]:
    """Row of the document, start and length of each passage."""
    owner: IntArray = group_numbers(topic.bounds)
    yield from zip(owner.tolist(), topic.start.tolist(), topic.length.tolist(), strict=True)


def _check_structure(structure: Structure, sizes: Mapping[str, _Size], source: str, problems: ProblemHandler) -> None:
    differing = []
    for name, document in structure.documents.items():
        length, size = int(document.length[0]), sizes.get(name)
        if size is not None and size.characters != length:
            differing.append(f"{name} has {length} characters here, {size.characters} there")
    if differing:
        problems(
            InputError(
                structure.path,
                None,
                f"documents of another length than in {source}: {summarise_names(differing, '; ')}",
            )
        )


@dataclass(frozen=True, repr=False)
class Check(Tabular):
    """The result of `check`: every problem, and notes on contents and on what does not fit."""

    problems: tuple[InputError | DataError, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def problem_lines(self, most: int = 10) -> list[str]:
        """The problems as printed; of those equal but for their lines the first few, and their number."""
        counts: Counter[tuple[str, str]] = Counter()
        lines = []
        for problem in self.problems:
            same = (problem.path, problem.reason) if isinstance(problem, InputError) else ("", str(problem))
            counts[same] += 1
            if counts[same] <= most:
                lines.append(problem.message)
        more = [(path, reason, count - most) for (path, reason), count in counts.items() if count > most]
        return lines + [f"{escape_unprintable(path)}: {count} more: {reason}" for path, reason, count in more]

    def rows(self) -> Iterator[dict[str, RowValue]]:
        """One row per problem (with its file and line, if any) or note."""
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
    runs: RunInputs = (),
    *,
    assessments: AssessmentsInput | None = None,
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
            of runs and assessments are compared with them, and the `text` of each result that has one.

    Returns:
        Problems, and notes: a line an input that could be read, and lines on what does not fit.
    """
    if assessments is None and schema is None:
        assessments, runs = _split_arguments(runs)
    problems: list[InputError | DataError] = []
    grammar = None if schema is None else SchemaValidator(str(schema), problems.append)
    try:
        read, judged = _read(runs, assessments, grammar, problems, structured=structure is not None)
    finally:
        if grammar is not None:
            grammar.close()
    if structure is not None and not isinstance(structure, Structure):
        structure = read_structure(str(structure), _documents_of_inputs(read, judged), problems=problems.append)
    if structure is not None and judged is not None:
        judged = use_structure_names(judged, structure.documents)
    if judged is not None:
        try:
            judged = complete_sizes(judged, None if structure is None else structure.documents)
        except InputError as problem:
            problems.append(problem)
    measured: dict[str, int] = {}
    lacking: list[str] = []
    if texts is not None:
        measured, lacking = check_texts(str(texts), read, judged, structure, problems.append)
    check_extents(read, judged, structure, problems.append, measured=measured)
    runs_of_file = Counter(run.path for run in read)
    notes = [
        name_run(note, run) if runs_of_file[run.path] > 1 and number else note
        for run in read
        if run.topics
        for number, note in enumerate(run_notes(run, judged, structure))  # the first note names the run
    ]
    if judged is not None and judged.topics:
        notes += assessment_notes(judged)
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
    distinct = {str(problem): problem for problem in problems}  # two checks may notice the same
    return Check(tuple(distinct.values()), tuple(map(escape_unprintable, notes)))


def _split_arguments(given: RunInputs) -> tuple[PathName | None, RunInputs]:
    """The assessments before the runs, and the runs."""
    listed = [given] if isinstance(given, str | PathLike) else list(given) if isinstance(given, list | tuple) else []
    first = listed[0] if listed else None
    if not isinstance(first, str | PathLike) or str(first) == STDIN:
        return None, given
    try:
        judged = is_folder(first) or detect_file_kind(str(first)) is FormatKind.ASSESSMENTS
    except InputError:
        judged = False  # what reads it says why
    return (first, listed[1:]) if judged else (None, given)


def _read(
    runs: RunInputs,
    assessments: AssessmentsInput | None,
    grammar: SchemaValidator | None,
    problems: list[InputError | DataError],
    *,
    structured: bool,
) -> tuple[list[Run], Assessments | None]:
    """The readable inputs; of rows only the first bad one is a problem. `structured`: there is a structure too."""
    read: list[Run] = []
    try:
        for one in resolve_run_inputs(runs):
            if isinstance(one, InputError):
                problems.append(one)
            elif isinstance(one, Run):
                read.append(one)
            else:
                paths = [str(one)] if grammar is None else grammar.validate_runs(str(one))
                read += [run for path in paths for run in read_runs(path, problems=problems.append)]
        judged = None if assessments is None else resolve_assessments_input(assessments, KEEP)
        if not isinstance(judged, list):
            return read, judged
        files = assessment_files(judged, problems.append) if grammar is None else grammar.validate_assessments(judged)
        name = combined_name(judged)
        return read, read_assessment_files(files, name, problems.append, structured=structured, facets=KEEP)
    except DataError as error:
        problems.append(error)
        return read, None


def _documents_of_inputs(runs: Iterable[Run], judged: Assessments | None) -> set[str]:
    """Documents to look into: those of runs, by the names of their files too, and judged ones."""
    named = candidate_documents(name for run in runs for name in run.documents)
    if judged is None:
        return named
    lengths = (topic.documents for topic in judged.topics.values() if isinstance(topic, PassageTopic))
    return named.union(candidate_documents(target_documents(judged)), *lengths)


def _navigation_notes(given: PathName | NavigationFile, problems: ProblemHandler) -> Iterator[str]:
    file = given if isinstance(given, NavigationFile) else read_navigation(str(given), problems=problems)
    if file.source:
        topics = {topic for topic in file.topic if topic is not None}
        own = f", some for {plural(len(topics), 'topic')} only" if topics else ""
        yield f"{file.path}: {plural(len(file.source), 'step')}{own}"
