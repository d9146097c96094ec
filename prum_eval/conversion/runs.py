"""Runs in the shape that a form holds."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from prum_eval.collection.forest import Forest
from prum_eval.conversion.locations import (
    ElementEnds,
    Extent,
    Fate,
    ReversedRangeError,
    elements_at,
    extent_of,
    is_whole,
    root_of,
)
from prum_eval.conversion.losses import Loss, lost
from prum_eval.conversion.rows import without_repeated
from prum_eval.errors import InputError
from prum_eval.records.run import Run, RunKind
from prum_eval.text.document_names import find_document

_RUN_ID = "names of runs with white space: it becomes _"


def as_extents(run: Run, trees: Forest) -> tuple[Run, list[Loss]]:
    """Elements, ranges and whole documents as offset and length."""
    paths = [*run.paths, ""]  # code -1 is the last
    known: dict[tuple[int, int, int], Extent] = {}
    found: list[Extent] = []
    keys = zip(run.document.tolist(), run.first_path.tolist(), run.last_path.tolist(), strict=True)
    for key, exists, line in zip(keys, run.exists.tolist(), run.line.tolist(), strict=True):
        if not exists:
            found.append(Extent(-1, -1, Fate.HELD))
            continue
        if key not in known:
            try:
                known[key] = extent_of(find_document(trees, run.documents[key[0]]), paths[key[1]], paths[key[2]])
            except ReversedRangeError as error:
                raise InputError(run.path, line, str(error)) from error
        found.append(known[key])
    start = np.array([one.start for one in found], dtype=np.int64)
    length = np.array([one.length for one in found], dtype=np.int64)
    none = np.full(len(found), -1, dtype=np.int64)
    changed = dataclasses.replace(
        run,
        kind=RunKind.EXTENTS,
        paths=(),
        first_path=none,
        last_path=none,
        start=start,
        length=length,
        exists=start != -1,
    )
    return changed, _losses(run, [one.fate for one in found])


def as_elements(run: Run, trees: Forest, *, ranges: bool) -> tuple[Run, list[Loss]]:
    """Offsets and whole documents as elements or, with `ranges`, as ranges of elements."""
    flat = run.kind is RunKind.FLAT
    known: dict[tuple[int, int, int], ElementEnds] = {}
    found: list[ElementEnds] = []
    keys = zip(run.document.tolist(), run.start.tolist(), run.length.tolist(), strict=True)
    for key, exists in zip(keys, run.exists.tolist(), strict=True):
        if not exists:
            found.append(ElementEnds("", "", Fate.HELD))
            continue
        if key not in known:
            tree = find_document(trees, run.documents[key[0]])
            known[key] = root_of(tree) if flat else elements_at(tree, key[1], key[2], ranges=ranges)
        found.append(known[key])
    codes: dict[str, int] = {"": -1}
    for one in found:
        for path in (one.first, one.last):
            codes.setdefault(path, len(codes) - 1)
    first = np.array([codes[one.first] for one in found], dtype=np.int64)
    last = np.array([codes[one.last] for one in found], dtype=np.int64)
    none = np.full(len(found), -1, dtype=np.int64)
    changed = dataclasses.replace(
        run, kind=RunKind.ELEMENTS, paths=tuple(codes)[1:], first_path=first, last_path=last, start=none, length=none,
        exists=first >= 0,
    )  # fmt: skip
    whole, losses = without_repeated(changed)
    return whole, _losses(run, [one.fate for one in found]) + losses


def as_single_elements(run: Run) -> tuple[Run, list[Loss]]:
    """Ranges as their first elements."""
    ranges = run.first_path != run.last_path
    changed, losses = without_repeated(dataclasses.replace(run, last_path=run.first_path))
    return changed, lost(run.path, run.line[ranges], Fate.RANGE.value) + losses


def as_documents(run: Run, trees: Forest | None) -> tuple[Run, list[Loss]]:
    """Documents at the rank of their first result; every result exists."""
    if run.kind is RunKind.ELEMENTS:
        roots = np.array([path.count("/") == 1 for path in run.paths] + [False], dtype=np.bool_)
        whole = roots[run.first_path] & (run.first_path == run.last_path)
    else:
        extents = zip(run.document.tolist(), run.start.tolist(), run.length.tolist(), strict=True)
        found = (
            is_whole(find_document(trees, run.documents[code]) if trees else None, *extent) for code, *extent in extents
        )
        whole = np.fromiter(found, dtype=np.bool_, count=len(run.line))
    none = np.full(len(run.line), -1, dtype=np.int64)
    flat = dataclasses.replace(
        run, kind=RunKind.FLAT, paths=(), first_path=none, last_path=none, start=none, length=none
    )
    changed, losses = without_repeated(flat)
    return changed, lost(run.path, run.line[~whole], Fate.PART.value) + losses


def with_plain_name(run: Run) -> tuple[Run, list[Loss]]:
    """The run under a name that a column can hold."""
    name = re.sub(r"[ \t\n\v\f\r]+", "_", run.run_id)
    losses = [Loss(run.path, 1, 1, _RUN_ID)] if name != run.run_id else []
    return dataclasses.replace(run, run_id=name), losses


def _losses(run: Run, fates: list[Fate]) -> list[Loss]:
    lines: dict[Fate, list[int]] = {}
    for fate, line in zip(fates, run.line.tolist(), strict=True):
        if fate is not Fate.HELD:
            lines.setdefault(fate, []).append(line)
    return [loss for fate in lines for loss in lost(run.path, np.array(lines[fate]), fate.value)]
