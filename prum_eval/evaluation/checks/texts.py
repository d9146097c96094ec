"""What runs and assessments say of documents, against their texts: which there are, lengths, offsets in characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import IntArray, distinct, groups_of_rows
from prum_eval.collection.texts.reading import reading_of_index
from prum_eval.collection.texts.texts import Texts
from prum_eval.errors import InputError, Problems
from prum_eval.evaluation.checks.fit import named
from prum_eval.records.assessments import Assessments, PassageTopic
from prum_eval.records.run import Run, RunKind
from prum_eval.records.structure import Structure
from prum_eval.tabular import plural

_ARE_BYTES = "are these offsets of bytes? They have to count characters"


class _Size(NamedTuple):
    """Of a text, in characters and in bytes of UTF-8."""

    characters: int
    bytes: int


def check_texts(
    source: str, runs: Sequence[Run], judged: Assessments | None, structure: Structure | None, problems: Problems
) -> tuple[dict[str, int], list[str]]:
    """Report lengths that are not those of the texts and passages that leave them; results are left to `check_extents`.

    Returns:
        How many characters documents have, by every name that is given for them; and notes: what the texts lack.
    """
    topics = [] if judged is None else [one for one in judged.topics.values() if isinstance(one, PassageTopic)]
    measured = {name for run in runs if run.kind is RunKind.EXTENTS for name in run.documents}
    measured.update(*(topic.documents for topic in topics), () if structure is None else structure.documents)
    given = [(run.path, _existing(run)) for run in runs]
    if judged is not None:
        given.append((judged.path, {name for topic in judged.topics.values() for name in topic.documents}))
    try:
        reading = reading_of_index(None if structure is None else structure.path)
        texts = Texts(source, measured.union(*(documents for _, documents in given)), reading)
    except InputError as problem:
        problems(problem)
        return {}, []
    with texts:
        lacking = [(path, sorted(name for name in documents if name not in texts)) for path, documents in given]
        sizes = dict(_sizes(texts, measured, problems))
    notes = [note for run in runs for note in _check_run(run, sizes, problems)]
    _check_topics(topics, sizes, texts.name, problems)
    if structure is not None:
        _check_structure(structure, sizes, texts.name, problems)
    notes += [f"{path}: documents that {texts.name} lacks: {named(names)}" for path, names in lacking if names]
    compared = [f"{texts.name}: {plural(len(sizes), 'text')} compared"] if measured else []
    return {name: size.characters for name, size in sizes.items()}, notes + compared


def _existing(run: Run) -> set[str]:
    """The documents of results that exist."""
    return {run.documents[code] for code in distinct(run.document[run.exists]).tolist()}


def _sizes(texts: Texts, documents: Iterable[str], problems: Problems) -> Iterator[tuple[str, _Size]]:
    for name in sorted(documents):
        try:
            text = texts.text(name)
        except InputError as problem:
            problems(problem)
        else:
            if text is not None:
                yield name, _Size(len(text), len(text.encode(errors="surrogatepass")))


def _check_run(run: Run, sizes: Mapping[str, _Size], problems: Problems) -> Iterator[str]:
    """Count the results that leave the texts; report it if none would leave them in bytes."""
    if run.kind is not RunKind.EXTENTS:
        return
    known = [sizes.get(name, _Size(-1, -1)) for name in run.documents]
    characters, as_bytes = (np.array(column, dtype=np.int64)[run.document] for column in zip(*known, strict=True))
    there = run.exists & (characters >= 0)
    past = int((there & (run.start > characters - run.length)).sum())
    if past:
        end = "ends past the end of its text" if past == 1 else "end past the end of their texts"
        count = f"{plural(past, 'result')} {end}"
        yield f"{run.path}: {count}"
        if not (there & (run.start > as_bytes - run.length)).any():
            problems(InputError(run.path, None, f"{count}, but not counted in bytes of UTF-8: {_ARE_BYTES}"))


def _check_topics(topics: Iterable[PassageTopic], sizes: Mapping[str, _Size], source: str, problems: Problems) -> None:
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
    owner: IntArray = groups_of_rows(topic.bounds)
    yield from zip(owner.tolist(), topic.start.tolist(), topic.length.tolist(), strict=True)


def _check_structure(structure: Structure, sizes: Mapping[str, _Size], source: str, problems: Problems) -> None:
    differing = []
    for name, document in structure.documents.items():
        length, size = int(document.length[0]), sizes.get(name)
        if size is not None and size.characters != length:
            differing.append(f"{name} has {length} characters here, {size.characters} there")
    if differing:
        problems(
            InputError(structure.path, None, f"documents of another length than in {source}: {named(differing, '; ')}")
        )
