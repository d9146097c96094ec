"""Why a score is what it is, as JSON at full precision."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from prum_eval.analysis.explanation.explain import Explanation, Rank, Target
from prum_eval.analysis.explanation.named_locations import NamedLocation
from prum_eval.analysis.explanation.read_documents import ReadDocument
from prum_eval.analysis.explanation.topic_list import TopicList
from prum_eval.analysis.explanation.two_runs import TwoExplanations
from prum_eval.report.layout import Layout
from prum_eval.report.writing import json_text
from prum_eval.version import __version__


def explanation_json(explanation: Explanation, _layout: Layout) -> str:
    """The whole explanation; see docs/explain.md for what each key means."""
    return json_text(_explanation(explanation), indent=1)


def two_explanations_json(pair: TwoExplanations, _layout: Layout) -> str:
    """Both explanations, each whole."""
    both = {"first": _explanation(pair.first), "second": _explanation(pair.second)}
    return json_text({"version": __version__, "topic": pair.topic, **both}, indent=1)


def topic_list_json(found: TopicList, _layout: Layout) -> str:
    """The topics in their order, a row each."""
    runs = [{"run_id": run, "path": path} for run, path in zip(found.runs, found.paths, strict=True)]
    return json_text(
        {
            "version": __version__,
            "signature": found.signature,
            "runs": runs,
            "ordered_by": found.measures[0],
            "topics": list(found.rows()),
            "unanswered": list(found.unanswered),
        }
    )


def _explanation(explanation: Explanation) -> dict[str, Any]:
    return {
        "version": __version__,
        "signature": explanation.signature,
        "topic": explanation.topic,
        "run_id": explanation.run_id,
        "path": explanation.path,
        "user_model": explanation.user_model,
        "targets_kind": explanation.targets_kind,
        "quantisation": explanation.quantisation,
        "collection_size": explanation.collection_size,
        "measures": [{"name": one.measure, "value": one.value, "rest": one.rest} for one in explanation.contributions],
        "targets": [_target(target, explanation) for target in explanation.targets],
        "ranks": [_rank(rank, explanation) for rank in explanation.ranks],
        "never_reached": [target.number for target in explanation.targets if not target.ranks],
        **({"documents": [_document(one) for one in explanation.documents]} if explanation.documents else {}),
    }


def _location(location: NamedLocation) -> dict[str, Any]:
    return {key: value for key, value in asdict(location).items() if value is not None}


def _excerpt(location: NamedLocation, explanation: Explanation) -> dict[str, Any]:
    """What stands there, where texts were given; all offsets are those of the document."""
    found = explanation.excerpts.get(location)
    if found is None:
        return {}
    marks = [[found.start + low, high - low] for low, high in found.marks]
    left_out = {"before": found.before, "after": found.after}
    return {"excerpt": {"start": found.start, "text": found.text, "highlighted": marks, "left_out": left_out}}


def _target(target: Target, explanation: Explanation) -> dict[str, Any]:
    return {
        "target": target.number,
        **_location(target.location),
        **_excerpt(target.location, explanation),
        "weight": target.weight,
        "seen": target.seen,
        "ranks": list(target.ranks),
    }


def _document(document: ReadDocument) -> dict[str, Any]:
    """What of it is highlighted and read; only such stretches are listed."""
    return {
        "document": document.name,
        "length": len(document.text),
        "highlighted": document.highlighted,
        "found": document.found,
        "read": document.read,
        "read_again": document.again,
        "stretches": [
            {"start": one.start, "length": len(one), "highlighted": one.highlighted, "ranks": list(one.ranks)}
            for one in document.stretches
            if one.highlighted or one.ranks
        ],
    }


def _rank(rank: Rank, explanation: Explanation) -> dict[str, Any]:
    reached = [
        {
            "target": one.target,
            "probability": one.probability,
            "relation": str(one.link.relation),
            **({} if one.link.distance is None else {"distance": one.link.distance}),
            **({"way": list(one.link.way)} if one.link.way else {}),
            "seen_before": one.before,
            "seen_after": one.after,
        }
        for one in rank.reached
    ]
    return {
        "rank": rank.number,
        "results": [
            {
                **_location(one.location),
                **_excerpt(one.location, explanation),
                "exists": one.exists,
                "line": one.line,
            }
            for one in rank.results
        ],
        "reached": reached,
        "seen": {
            "mean": rank.count.mean,
            "low": rank.count.low,
            "high": rank.count.high,
            "distribution": list(rank.count.law),
        },
        "unseen": len(explanation.targets) - rank.count.mean,
        "added": {each.measure: added for each, added in zip(explanation.contributions, rank.added, strict=True)},
    }
