"""An evaluation for programs: JSON, and CSV with a row a value, both at full precision."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from prum_eval.analysis.comparison import POWER, Comparison
from prum_eval.analysis.correlation import Correlation, Correlations
from prum_eval.analysis.explain import TopicList, TwoExplanations
from prum_eval.analysis.explanation import Explanation, NamedLocation, Rank, ReadDocument, Target
from prum_eval.evaluation.results import Evaluation
from prum_eval.experiments.fit import FittedModel, FittedModels
from prum_eval.experiments.power import Power
from prum_eval.experiments.sweep import Sweep
from prum_eval.report.layout import ALL, LINE, Layout, blocks, csv_text, format_value, json_text
from prum_eval.report.text_comparison import pair_coefficients
from prum_eval.schemas import COMPARISON_LAYOUT
from prum_eval.version import __version__


def evaluation_json(evaluation: Evaluation, _layout: Layout) -> str:
    """Everything, topics and averages; a value that a topic does not have is null."""
    return json_text(evaluation.to_dict())


def evaluation_jsonl(evaluation: Evaluation, _layout: Layout) -> str:
    """The same, a line a run: each is the evaluation of that run alone."""
    found = evaluation.to_dict()
    lines = (json.dumps({**found, "runs": [run.to_dict()]}, ensure_ascii=False) for run in evaluation.runs)
    return "".join(f"{line}\n" for line in lines)


def evaluation_csv(evaluation: Evaluation, layout: Layout) -> str:
    """run,topic,measure,value, with groups also group: of the topic or of the average; empty where there is none."""
    more = ["group"] if evaluation.groups else []
    rows = (
        (run.run_id, topic, name, value, *[group] * len(more))
        for run in evaluation.runs
        for group, topic, values in blocks(run, layout)
        for name, value in values.items()
    )
    return csv_text(["run", "topic", "measure", "value", *more], rows, raw=layout.raw_csv)


# A comparison of runs for programs: trec_eval's lines, JSON.


def comparison_lines(comparison: Comparison, layout: Layout) -> str:
    """Name, ``all``, value, one block a run; a statistic of a measure is called ``map/difference``.

    Of all pairs of runs, the name of the other run follows: ``map/difference/bm25``.
    """
    lines, runs = [], comparison.matrix.runs
    several = comparison.settings.pairs == "all"
    for run, name in enumerate(runs):
        lines.append(LINE.format("runid", ALL, name))
        told: set[str] = set()
        for row in comparison.run_means:
            if row.run == run:
                if row.measure not in told:
                    lines.append(LINE.format(row.measure, ALL, format_value(row.mean, layout.digits)))
                    told.add(row.measure)
                other = f"/{runs[row.against]}" if several and row.against is not None else ""
                for key, value in row.difference.statistics().items() if row.difference is not None else ():
                    if not isinstance(value, bool):
                        text = format_value(value, layout.digits)
                        lines.append(LINE.format(f"{row.measure}/{key}{other}", ALL, text))
    return "".join(lines)


def _groups(comparison: Comparison) -> dict[str, object]:
    """Means by group, and the measures that change the order of runs between groups; runs by their places."""
    return {
        "groups": [asdict(one) for one in comparison.groups],
        "order_changes": [asdict(one) for one in comparison.order_changes],
    }


def comparison_json(comparison: Comparison, _layout: Layout) -> str:
    """Everything at full precision; null where a value is not defined."""
    matrix = comparison.matrix
    names = [*matrix.runs, None]
    return json_text(
        {
            "schema": COMPARISON_LAYOUT,
            "version": __version__,
            "signature": comparison.signature,
            "settings": asdict(comparison.settings),
            "runs": [{"run_id": name, "path": path} for name, path in zip(matrix.runs, matrix.paths, strict=True)],
            "topics": list(matrix.topics),
            "ranked_by": comparison.measure_ranking.headline,
            "costs": [name for name in matrix.measures if name in matrix.lower_better],
            "front": [matrix.runs[run] for run in comparison.pareto_front],
            "detectable": {"power": POWER, "differences": dict(comparison.detectable)},
            "rows": [
                {
                    **asdict(row),
                    "run_id": matrix.runs[row.run],
                    "against": names[-1 if row.against is None else row.against],
                    "against_run": row.against,
                }
                for row in comparison.run_means
            ],
            **(_groups(comparison) if matrix.groups else {}),
        }
    )


# Correlations of measures as JSON at full precision.


def correlations_json(found: Correlations, _layout: Layout) -> str:
    """Everything, with the points that the coefficients are of."""
    matrix = found.matrix
    points = [
        {"run": int(run), "topic": None if topic < 0 else matrix.topics[topic], "values": values}
        for run, topic, values in zip(found.run, found.topic, _columns(found), strict=True)
    ]
    parts = [{"part": one.name, "points": one.points, "pairs": _pairs(found, one.pairs)} for one in found.parts]
    return json_text(
        {
            "version": __version__,
            "signature": found.signature,
            "settings": asdict(found.settings) | {"by": found.by},
            "measures": list(matrix.measures),
            "runs": [{"run_id": name, "path": path} for name, path in zip(matrix.runs, matrix.paths, strict=True)],
            "topics": list(matrix.topics),
            "pairs": _pairs(found, found.pairs),
            **({"parts": parts} if parts else {}),
            "points": points,
        }
    )


def _pairs(found: Correlations, pairs: Sequence[Correlation]) -> list[dict[str, object]]:
    measures = found.matrix.measures
    return [
        {"first": measures[pair.first], "second": measures[pair.second]}
        | {key: asdict(one) for key, one in pair_coefficients(pair)}
        for pair in pairs
    ]


def _columns(found: Correlations) -> list[list[float | None]]:
    return [[None if math.isnan(value) else value for value in column] for column in found.points.T.tolist()]


# Why a score is what it is, as JSON at full precision.


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
        "highlighted": document.highlighted_size,
        "found": document.highlighted_read,
        "read": document.read_size,
        "read_again": document.reread_size,
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
            **({"way": list(one.link.path)} if one.link.path else {}),
            "seen_before": one.before,
            "seen_after": one.after,
        }
        for one in rank.reached_targets
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
            "distribution": list(rank.count.distribution),
        },
        "unseen": len(explanation.targets) - rank.count.mean,
        "added": {each.measure: added for each, added in zip(explanation.contributions, rank.additions, strict=True)},
    }


# User models fitted to a log as JSON at full precision.


def fit_json(found: FittedModels, _layout: Layout) -> str:
    """Everything; null where a value is not defined."""
    return json_text(
        {
            "version": __version__,
            "spec": found.spec,
            "signature": found.signature,
            "inputs": found.inputs,
            "choices": dict(found.choices),
            "settings": asdict(found.resampling),
            "size": asdict(found.size),
            "models": [_model(one) for one in found.models],
            "baseline": {"leak": found.baseline_leak, **asdict(found.baseline)},
            "persistence": None if found.persistence is None else asdict(found.persistence),
            "reports": [
                {"what": one.remark.name.lower(), "text": one.text, "count": len(one.lines), "lines": list(one.lines)}
                for one in found.reports
            ],
        }
    )


def _model(one: FittedModel) -> dict[str, Any]:
    file = one.navigation
    rows = [] if file is None else zip(file.source, file.target, file.probability.tolist(), strict=True)
    return {
        "spec": one.spec,
        "asked": one.requested_spec,
        "name": one.name,
        "values": dict(one.values),
        "estimates": [asdict(estimate) for estimate in one.estimates],
        "candidates": "all" if one.all_documents else "document",
        "parameters": one.parameters,
        **asdict(one.quality),
        "leaked": one.leaked_view_share,
        "decay_gain": one.decay_gain,
        "calibration": [asdict(tenth) for tenth in one.calibration],
        "steps": [asdict(step) for step in one.steps],
        "navigation": None if file is None else [list(row) for row in rows],
    }


# The power of measures as JSON at full precision.


def power_json(found: Power, _layout: Layout) -> str:
    """Everything; null where a value is not defined."""
    matrix = found.matrix
    return json_text(
        {
            "version": __version__,
            "signature": found.signature,
            "settings": asdict(found.settings),
            "runs": [{"run_id": name, "path": path} for name, path in zip(matrix.runs, matrix.paths, strict=True)],
            "topics": list(matrix.topics),
            "pairs": found.pairs,
            "measures": [asdict(one) for one in found.measures],
        }
    )


# A sweep as JSON at full precision.


def sweep_json(sweep: Sweep, _layout: Layout) -> str:
    """Everything; null where a value is not defined."""
    values = [sweep.value(place) for place in range(len(sweep.values))]
    return json_text(
        {
            "version": __version__,
            "signature": sweep.signature,
            **sweep.inputs,
            "parameter": sweep.label,
            "key": sweep.parameter.key,
            "values": values,
            "reference": values[sweep.reference],
            "alpha": sweep.alpha,
            "runs": [{"run_id": name, "path": path} for name, path in zip(sweep.runs, sweep.paths, strict=True)],
            "means": [{key: cell for key, cell in row.items() if key != "tau"} for row in sweep.rows()],
            "tau": {
                name: [{"value": value, "tau": tau} for value, tau in zip(values, own, strict=True)]
                for name, own in sweep.tau.items()
            },
            "changes": [
                {
                    "measure": one.measure,
                    "upper": sweep.runs[one.upper],
                    "lower": sweep.runs[one.lower],
                    "before": values[one.before],
                    "after": values[one.after],
                    "at": one.at,
                }
                for one in sweep.changes
            ],
        }
    )
