"""Passages and entry points at some distance from where they belong."""

from __future__ import annotations

from prum_eval.parameters import ParameterValues
from prum_eval.simulation.change import ListedTopic
from prum_eval.simulation.draws import Draws
from prum_eval.simulation.results import ListedResult, NamedResult, Ranks
from prum_eval.text.document_names import find_document


def jitter(ranks: Ranks, values: ParameterValues, topic: ListedTopic, draws: Draws) -> Ranks:
    """Each extent moved by a number of characters, all from -c to c equally likely, and kept within its document."""
    most = int(values["characters"])

    def moved(item: ListedResult) -> ListedResult:
        if not isinstance(item, NamedResult):
            return item
        start = item.start + draws.below(2 * most + 1) - most
        length = find_document(topic.lengths, item.document)
        if length is not None:
            start = min(start, length - item.length)
        return item._replace(start=max(start, 0))

    return [[moved(item) for item in rank] for rank in ranks]
