"""Results for programs: the trec format, and JSON and CSV at full precision.

``*_lines`` are the lines of the trec format: name, topic, value, as trec_eval prints them. ``*_dict`` are what the json
format prints; values that are not defined are None. Offsets in explanations are those of the document. Nothing here
imports numpy: a small evaluation prints with this module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from prum_eval.errors import escape_unprintable
from prum_eval.report.layout import ALL, Layout, blocks, csv_text, format_value, json_text
from prum_eval.report.registry import is_evaluation, to_dict
from prum_eval.schemas import COMPARISON_LAYOUT
from prum_eval.version import __version__

if TYPE_CHECKING:
    from prum_eval.analysis.comparison import Comparison
    from prum_eval.analysis.correlation import Correlation, Correlations
    from prum_eval.analysis.explain import TopicList, TwoExplanations
    from prum_eval.analysis.explanation import ExplainedFacet, Explanation, NamedLocation, Rank, ReadDocument, Target
    from prum_eval.evaluation.results import Evaluation
    from prum_eval.experiments.fit import FittedModel, FittedModels
    from prum_eval.experiments.power import Power
    from prum_eval.experiments.sweep import Sweep
    from prum_eval.tabular import Tabular

_LINE = "{:<22s}\t{}\t{}\n"
"""A line of the trec format: name, topic, value."""


def evaluation_lines(evaluation: Evaluation, layout: Layout) -> str:
    """Topics in byte order, measures in registry order, ``all`` last; one block per run, in argument order.

    Groups have no lines: readers of this format take all names but ``all`` for topics.
    """
    lines = []
    for run in evaluation.runs:
        for group, topic, values in blocks(run, layout):
            if topic == ALL and group is not None:
                continue
            if topic == ALL and evaluation.show_run_id:
                lines.append(_LINE.format("runid", ALL, escape_unprintable(run.run_id)))
            label = escape_unprintable(topic)
            lines += [_LINE.format(name, label, format_value(value, layout.digits)) for name, value in values.items()]
    return "".join(lines)


def comparison_lines(comparison: Comparison, layout: Layout) -> str:
    """Name, ``all``, value, one block per run; statistics of a measure are called ``map/difference``.

    Of all pairs of runs, the name of the other run follows: ``map/difference/bm25``.
    """
    lines, runs = [], comparison.matrix.runs
    for run, name in enumerate(runs):
        lines.append(_LINE.format("runid", ALL, name))
        measures: set[str] = set()
        for row in comparison.run_means:
            if row.run != run:
                continue
            if row.measure not in measures:
                lines.append(_LINE.format(row.measure, ALL, format_value(row.mean, layout.digits)))
                measures.add(row.measure)
            other = f"/{runs[row.against]}" if comparison.settings.pairs == "all" and row.against is not None else ""
            for key, value in row.difference.statistics().items() if row.difference is not None else ():
                if not isinstance(value, bool):
                    text = format_value(value, layout.digits)
                    lines.append(_LINE.format(f"{row.measure}/{key}{other}", ALL, text))
    return "".join(lines)


def csv_output(result: Tabular, layout: Layout) -> str:
    """The rows of a result; of an evaluation run, topic, measure, value and, with groups, group of the shown ones."""
    if is_evaluation(result):
        evaluation: Any = result
        more = ["group"] if evaluation.groups else []
        cells = (
            (run.run_id, topic, name, value, *[group] * len(more))
            for run in evaluation.runs
            for group, topic, values in blocks(run, layout)
            for name, value in values.items()
        )
        return csv_text(["run", "topic", "measure", "value", *more], cells, raw=layout.raw_csv)
    rows = list(result.rows())
    return csv_text(list(rows[0]), (list(row.values()) for row in rows), raw=layout.raw_csv)


def json_output(result: object, _layout: Layout) -> str:
    """Everything at full precision; null for values that are not defined."""
    is_nested = type(result).__name__ in {"Explanation", "TwoExplanations"}
    return json_text(to_dict(result), indent=1 if is_nested else 2)


def evaluation_jsonl(evaluation: Evaluation, _layout: Layout) -> str:
    """One line of JSON per run, each the evaluation of that run alone."""
    import json

    content = evaluation.to_dict()
    lines = (json.dumps({**content, "runs": [run.to_dict()]}, ensure_ascii=False) for run in evaluation.runs)
    return "".join(f"{line}\n" for line in lines)


# What -f json prints of each class of results.


def _run_list(names: Sequence[str], paths: Sequence[str]) -> list[dict[str, str]]:
    return [{"run_id": name, "path": path} for name, path in zip(names, paths, strict=True)]


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Values of all topics and averages."""
    return evaluation.to_dict()


def comparison_dict(comparison: Comparison) -> dict[str, Any]:
    """Means, differences with their statistics, and means by group; runs of groups by their places."""
    from prum_eval.analysis.comparison import POWER

    matrix = comparison.matrix
    rows = [
        {
            **asdict(row),
            "run_id": matrix.runs[row.run],
            "against": None if row.against is None else matrix.runs[row.against],
            "against_run": row.against,
        }
        for row in comparison.run_means
    ]
    groups = {
        "groups": [asdict(mean) for mean in comparison.groups],
        "order_changes": [asdict(change) for change in comparison.order_changes],
    }
    return {
        "schema": COMPARISON_LAYOUT,
        "version": __version__,
        "signature": comparison.signature,
        "settings": asdict(comparison.settings),
        "runs": _run_list(matrix.runs, matrix.paths),
        "topics": list(matrix.topics),
        "ranked_by": comparison.measure_ranking.headline,
        "costs": [name for name in matrix.measures if name in matrix.lower_better],
        "front": [matrix.runs[run] for run in comparison.pareto_front],
        "detectable": {"power": POWER, "differences": dict(comparison.detectable)},
        "verdict": comparison.verdict,
        "rows": rows,
        **(groups if matrix.groups else {}),
    }


def rows_dict(result: Tabular) -> dict[str, Any]:
    """The rows of a result."""
    return {"version": __version__, "rows": list(result.rows())}


def correlations_dict(result: Correlations) -> dict[str, Any]:
    """Coefficients of all pairs of measures, over parts of the points too, and the points."""
    matrix = result.matrix

    def pair_dicts(pairs: Sequence[Correlation]) -> list[dict[str, Any]]:
        names = matrix.measures
        return [asdict(pair) | {"first": names[pair.first], "second": names[pair.second]} for pair in pairs]

    columns = [[None if math.isnan(value) else value for value in column] for column in result.points.T.tolist()]
    points = [
        {"run": int(run), "topic": None if topic < 0 else matrix.topics[topic], "values": values}
        for run, topic, values in zip(result.run, result.topic, columns, strict=True)
    ]
    parts = [{"part": part.name, "points": part.points, "pairs": pair_dicts(part.pairs)} for part in result.parts]
    return {
        "version": __version__,
        "signature": result.signature,
        "settings": asdict(result.settings) | {"by": result.by},
        "measures": list(matrix.measures),
        "runs": _run_list(matrix.runs, matrix.paths),
        "topics": list(matrix.topics),
        "pairs": pair_dicts(result.pairs),
        **({"parts": parts} if parts else {}),
        "points": points,
    }


def power_dict(power: Power) -> dict[str, Any]:
    """Power, swaps, errors and ties of the measures, by the size of topic sets too."""
    matrix = power.matrix
    return {
        "version": __version__,
        "signature": power.signature,
        "settings": asdict(power.settings),
        "runs": _run_list(matrix.runs, matrix.paths),
        "topics": list(matrix.topics),
        "pairs": power.pairs,
        "measures": [asdict(measure) for measure in power.measures],
    }


def sweep_dict(sweep: Sweep) -> dict[str, Any]:
    """Means by value, tau against the reference, and the runs that change places."""
    values = [sweep.value(place) for place in range(len(sweep.values))]
    return {
        "version": __version__,
        "signature": sweep.signature,
        **sweep.inputs,
        "parameter": sweep.label,
        "key": sweep.parameter.key,
        "values": values,
        "reference": values[sweep.reference],
        "alpha": sweep.alpha,
        "runs": _run_list(sweep.runs, sweep.paths),
        "means": [{key: cell for key, cell in row.items() if key != "tau"} for row in sweep.rows()],
        "tau": {
            name: [{"value": value, "tau": tau} for value, tau in zip(values, taus, strict=True)]
            for name, taus in sweep.tau.items()
        },
        "changes": [
            {
                "measure": change.measure,
                "upper": sweep.runs[change.upper],
                "lower": sweep.runs[change.lower],
                "before": values[change.before],
                "after": values[change.after],
                "at": change.at,
                "significant": change.differs,
            }
            for change in sweep.changes
        ],
    }


def fit_dict(fit: FittedModels) -> dict[str, Any]:
    """The models with estimates, quality, calibration and steps, and what the log reports."""
    return {
        "version": __version__,
        "spec": fit.spec,
        "signature": fit.signature,
        "inputs": fit.inputs,
        "choices": dict(fit.choices),
        "settings": asdict(fit.resampling),
        "size": asdict(fit.size),
        "models": [_model(model) for model in fit.models],
        "baseline": {"leak": fit.baseline_leak, **asdict(fit.baseline)},
        "persistence": None if fit.persistence is None else asdict(fit.persistence),
        "reports": [
            {
                "what": report.remark.name.lower(),
                "text": report.text,
                "count": len(report.lines),
                "lines": list(report.lines),
            }
            for report in fit.reports
        ],
    }


def _model(model: FittedModel) -> dict[str, Any]:
    file = model.navigation
    steps = () if file is None else zip(file.source, file.target, file.probability.tolist(), strict=True)
    return {
        "spec": model.spec,
        "asked": model.requested_spec,
        "name": model.name,
        "values": dict(model.values),
        "estimates": [asdict(estimate) for estimate in model.estimates],
        "candidates": "all" if model.all_documents else "document",
        "parameters": model.parameters,
        **asdict(model.quality),
        "leaked": model.leaked_view_share,
        "decay_gain": model.decay_gain,
        "calibration": [asdict(tenth) for tenth in model.calibration],
        "steps": [asdict(step) for step in model.steps],
        "navigation": None if file is None else list(map(list, steps)),
    }


def topic_list_dict(topics: TopicList) -> dict[str, Any]:
    """The topics in their order, with their values."""
    return {
        "version": __version__,
        "signature": topics.signature,
        "runs": _run_list(topics.runs, topics.paths),
        "ordered_by": topics.measures[0],
        "topics": list(topics.rows()),
        "unanswered": list(topics.unanswered),
    }


def two_explanations_dict(pair: TwoExplanations) -> dict[str, Any]:
    """Both explanations of a topic."""
    first, second = explanation_dict(pair.first), explanation_dict(pair.second)
    return {"version": __version__, "topic": pair.topic, "first": first, "second": second}


def explanation_dict(explanation: Explanation) -> dict[str, Any]:
    """The whole explanation; docs/explain.md describes each key."""
    documents = [_document(document) for document in explanation.documents]
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
        "measures": [
            {"name": each.measure, "value": each.value, "rest": each.rest} for each in explanation.contributions
        ],
        "targets": [_target(target, explanation) for target in explanation.targets],
        "ranks": [_rank(rank, explanation) for rank in explanation.ranks],
        "never_reached": [target.number for target in explanation.targets if not target.ranks],
        **({"facets": [_facet(facet) for facet in explanation.facets]} if explanation.facets else {}),
        **({"documents": documents} if documents else {}),
    }


def _facet(facet: ExplainedFacet) -> dict[str, Any]:
    """A facet, its alternatives, and the place of the best one among these, from 1."""
    return {
        "facet": facet.number,
        **({"name": facet.name} if facet.name else {}),
        "weight": facet.weight,
        "satisfied": facet.satisfied,
        "best": facet.alternatives.index(facet.best) + 1,
        "alternatives": [
            {
                **({"name": each.name} if each.name else {}),
                "targets": list(each.targets),
                "satisfied": each.satisfied,
                "rank": each.rank,
                "missing": list(each.missing),
            }
            for each in facet.alternatives
        ],
    }


def _location(location: NamedLocation) -> dict[str, Any]:
    return {key: value for key, value in asdict(location).items() if value is not None}


def _excerpt(location: NamedLocation, explanation: Explanation) -> dict[str, Any]:
    """Excerpt at a location if there are texts; offsets are those of the document."""
    excerpt = explanation.excerpts.get(location)
    if excerpt is None:
        return {}
    marks = [[excerpt.start + low, high - low] for low, high in excerpt.marks]
    left_out = {"before": excerpt.before, "after": excerpt.after}
    return {"excerpt": {"start": excerpt.start, "text": excerpt.text, "highlighted": marks, "left_out": left_out}}


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
    """Highlighted and read stretches of a document."""
    return {
        "document": document.name,
        "length": len(document.text),
        "highlighted": document.highlighted_size,
        "found": document.highlighted_read,
        "read": document.read_size,
        "read_again": document.reread_size,
        "stretches": [
            {
                "start": stretch.start,
                "length": len(stretch),
                "highlighted": stretch.highlighted,
                "ranks": list(stretch.ranks),
            }
            for stretch in document.stretches
            if stretch.highlighted or stretch.ranks
        ],
    }


def _rank(rank: Rank, explanation: Explanation) -> dict[str, Any]:
    reached = [
        {
            "target": target.target,
            "probability": target.probability,
            "relation": str(target.link.relation),
            **({} if target.link.distance is None else {"distance": target.link.distance}),
            **({"way": list(target.link.path)} if target.link.path else {}),
            "seen_before": target.before,
            "seen_after": target.after,
        }
        for target in rank.reached_targets
    ]
    results = [
        {
            **_location(result.location),
            **_excerpt(result.location, explanation),
            "exists": result.exists,
            "line": result.line,
        }
        for result in rank.results
    ]
    if explanation.gains:
        for entries, gain in zip(results, explanation.gains[rank.number - 1], strict=True):
            entries |= {key: value for key, value in asdict(gain).items() if value is not None}
    count, measures = rank.count, [contribution.measure for contribution in explanation.contributions]
    return {
        "rank": rank.number,
        "results": results,
        "reached": reached,
        "seen": {
            "mean": count.mean,
            "low": count.low,
            "high": count.high,
            "distribution": list(count.distribution),
        },
        "unseen": len(explanation.targets) - count.mean,
        "added": dict(zip(measures, rank.additions, strict=True)),
    }
