"""Gold from places: those of a topic that overlap become one span."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from prum_eval.chunks.quotes import Quote
from prum_eval.chunks.search import Place
from prum_eval.errors import InputError
from prum_eval.formats.assessments.read import read_assessment_files
from prum_eval.records.assessments import Assessments
from prum_eval.text.numbers import shown
from prum_eval.text.streams import Content


def gold_of(
    name: str, taken: Iterable[tuple[Quote, Place]], lengths: Mapping[str, int]
) -> tuple[Assessments, list[str]]:
    """Assessments of the places of quotes, and a note on each that overlaps one before.

    Topics and their documents are in the order of the quotes, spans in that of the text.

    Raises:
        InputError: a topic is in two groups.
    """
    spans: dict[tuple[str, str], list[tuple[Place, int]]] = {}
    groups: dict[str, tuple[str, int]] = {}
    notes = []
    for quote, place in taken:
        own = spans.setdefault((quote.topic, place.document), [])
        for other in [one for one in own if one[0].start < place.end and place.start < one[0].end]:
            before, line = other
            where = f"{before.document} {before.start}:{before.end}"
            notes.append(f"{name}:{quote.line}: overlaps the quote of line {line}, {where}; they are merged")
            own.remove(other)
            place = Place(place.document, min(place.start, before.start), max(place.end, before.end))  # noqa: PLW2901
        own.append((place, quote.line))
        if quote.group is not None:
            known, line = groups.setdefault(quote.topic, (quote.group, quote.line))
            if known != quote.group:
                reason = f"group {shown(quote.group)} of topic {shown(quote.topic)}, but {shown(known)} on line {line}"
                raise InputError(name, quote.line, reason)
    order = {topic: number for number, topic in enumerate(dict.fromkeys(topic for topic, _ in spans))}
    lines = [
        {
            "topic": topic,
            "doc": document,
            "doc_length": lengths[document],
            "spans": sorted([place.start, place.end] for place, _ in spans[topic, document]),
            **({"group": groups[topic][0]} if topic in groups else {}),
        }
        for topic, document in sorted(spans, key=lambda key: order[key[0]])
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return read_assessment_files([(Content(name, text), False)], name), notes
