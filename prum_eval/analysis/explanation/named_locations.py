"""What results and targets are called."""

from __future__ import annotations

from dataclasses import dataclass

from prum_eval.collection.locations import LocationRow, Locations
from prum_eval.records.run import Run
from prum_eval.relevance.targets import TargetSet


@dataclass(frozen=True, slots=True)
class NamedLocation:
    """A document, an element of it by path, or some of its text by offset; None for what is not told.

    `last` is the path of the last element, where a range of elements is meant.
    """

    document: str
    path: str | None = None
    last: str | None = None
    start: int | None = None
    length: int | None = None

    @property
    def within(self) -> str:
        """Where in the document; empty for all of it.

        >>> NamedLocation("d", "/a[1]/p[2]").within, NamedLocation("d", start=20, length=5).within
        ('/a[1]/p[2]', '20+5')
        >>> NamedLocation("d", start=7, length=0).within
        '@7'
        """
        if self.path is not None:
            return self.path if self.last is None else f"{self.path} to {self.last}"
        if self.start is None:
            return ""
        return f"{self.start}+{self.length}" if self.length else f"@{self.start}"

    @property
    def words(self) -> str:
        """Document and place in it, in one text."""
        return f"{self.document} {self.within}".rstrip()


def named_results(run: Run, rows: slice, locations: Locations, targets: TargetSet) -> list[NamedLocation]:
    """What some rows of a run point to: in documents with targets as those name it, elsewhere as the run does."""
    named = []
    columns = (run.document[rows], run.first_path[rows], run.last_path[rows], run.start[rows], run.length[rows])
    listed = zip(locations.rows(), *(column.tolist() for column in columns), strict=True)
    for place, document, first, last, start, length in listed:
        name = targets.documents[place[0]] if 0 <= place[0] < len(targets.documents) else run.documents[document]
        known = _in_tree(place, targets)
        if known is not None:
            named.append(known)
            continue
        path = run.paths[first] if first >= 0 else None
        to = run.paths[last] if last >= 0 and last != first else None
        extent = (place[3], place[4]) if place[5] else (start, length)  # placed: a range of elements, or a passage
        told = extent if min(extent) >= 0 else (None, None)
        named.append(NamedLocation(name, path, to, *told))
    return named


def named_targets(targets: TargetSet) -> list[NamedLocation]:
    """What targets are: elements by path, passages and points by offset, documents by name."""
    named = []
    for place in targets.locations.rows():
        extent = (place[3], place[4]) if place[5] else (None, None)
        named.append(_in_tree(place, targets) or NamedLocation(targets.documents[place[0]], None, None, *extent))
    return named


def _in_tree(place: LocationRow, targets: TargetSet) -> NamedLocation | None:
    """An element of a document whose tree is known."""
    document, element, _, start, length, located = place
    tree = targets.trees[document] if 0 <= document < len(targets.trees) else None
    if tree is None or element < 0:
        return None
    extent = (start, length) if located else (None, None)
    return NamedLocation(targets.documents[document], tree.paths[element], None, *extent)
