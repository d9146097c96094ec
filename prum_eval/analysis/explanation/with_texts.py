"""The texts at the results and targets of an explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from prum_eval.analysis.explanation.excerpts import Excerpt, Spans, make_excerpt
from prum_eval.analysis.explanation.explain import Explanation
from prum_eval.analysis.explanation.named_locations import NamedLocation
from prum_eval.analysis.explanation.read_documents import ReadDocument, read_document
from prum_eval.collection.texts.texts import Texts
from prum_eval.errors import InputError
from prum_eval.evaluation.notices.notice import Notice
from prum_eval.evaluation.settings.setting import Setting
from prum_eval.records.assessments import ElementTopic, PassageTopic, Topic
from prum_eval.relevance.targets import TargetKind, TargetSet, make_targets

_NAMED = 5


def highlights(topic: Topic, targets: TargetSet, setting: Setting) -> dict[str, list[tuple[int, int]]]:
    """Begin and end of what is relevant in each document: what was highlighted, else the targets."""
    found = targets
    has_passages = isinstance(topic, PassageTopic) or (isinstance(topic, ElementTopic) and len(topic.highlights) > 0)
    if has_passages and (isinstance(topic, PassageTopic) or (targets.forest is not None and targets.forest.complete)):
        try:
            found = make_targets(topic, TargetKind.PASSAGES, setting.quantisation, targets.forest)
        except InputError:  # a pointer that leads nowhere, in a document that no target is in
            found = targets
    spans: dict[str, list[tuple[int, int]]] = {}
    for document, _, _, start, length, located in found.locations.rows():
        if located and length > 0:
            spans.setdefault(found.documents[document], []).append((start, start + length))
    return spans


def locations_of(explanation: Explanation) -> list[NamedLocation]:
    """Where the targets and the results are, without those that do not exist."""
    places = [target.location for target in explanation.targets]
    return places + [one.location for rank in explanation.ranks for one in rank.results if one.exists]


def with_excerpts(explanation: Explanation, texts: Texts, spans: Mapping[str, Spans]) -> Explanation:
    """The explanation with documents and the text at every result and target; warnings say what texts lack.

    Args:
        explanation: as it is without texts.
        texts: of its documents.
        spans: what is highlighted in each document; where nothing is known of one, its targets.

    Raises:
        InputError: a document cannot be read.
    """
    by_document: dict[str, dict[NamedLocation, None]] = {}
    for place in locations_of(explanation):
        by_document.setdefault(place.document, {})[place] = None
    targets = {target.location for target in explanation.targets}
    ranks: dict[NamedLocation, list[int]] = {}
    for rank in explanation.ranks:
        for one in rank.results:
            ranks.setdefault(one.location, []).append(rank.number)
    excerpts: dict[NamedLocation, Excerpt] = {}
    documents: list[str] = []
    elements: list[str] = []
    read: list[ReadDocument] = []
    for document, inside in by_document.items():
        text = texts.text(document)
        if text is None:
            documents.append(document)
            continue
        extents = {place: _extent(place, texts) for place in inside}
        elements += [place.words for place, extent in extents.items() if extent is None]
        placed = [(place, *extent) for place, extent in extents.items() if extent is not None]
        own = [(start, start + (length or 0)) for place, start, length in placed if place in targets]
        marks = spans.get(document, own)
        for place, start, length in placed:
            excerpts[place] = make_excerpt(text, start, length, marks)
        results = [
            (rank, start, len(text) if length is None else start + length)
            for place, start, length in placed
            for rank in ranks.get(place, ())
        ]
        read.append(read_document(document, text, marks, results))
    lacking = [_lacking(texts.name, kind, named) for kind, named in (("documents", documents), ("elements", elements))]
    read.sort(key=lambda one: (not one.ranks, one.ranks[:1]))  # what no rank has comes last
    warnings = [*explanation.warnings, *filter(None, lacking)]
    return replace(explanation, excerpts=excerpts, documents=tuple(read), warnings=warnings)


def _extent(place: NamedLocation, texts: Texts) -> tuple[int, int | None] | None:
    """Where a place begins and how long it is, None for all of the document; None where the texts lack it."""
    if place.start is not None:
        return place.start, place.length
    return (0, None) if place.path is None else texts.element(place.document, place.path, place.last)


def _lacking(source: str, kind: str, named: Sequence[str]) -> Notice | None:
    if not named:
        return None
    more = f", {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return Notice("no text", f"{source}: {kind} that it lacks: {len(named)} ({', '.join(named[:_NAMED])}{more})")
