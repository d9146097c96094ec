"""Correlations of measures as JSON at full precision."""

from __future__ import annotations

import math
from dataclasses import asdict

from prum_eval.analysis.correlation import Correlations
from prum_eval.report.registry import Layout
from prum_eval.report.text.correlations import estimates
from prum_eval.report.writing import json_text
from prum_eval.version import __version__


def correlations_json(found: Correlations, _layout: Layout) -> str:
    """Everything, with the points that the coefficients are of."""
    matrix = found.matrix
    points = [
        {"run": int(run), "topic": None if topic < 0 else matrix.topics[topic], "values": values}
        for run, topic, values in zip(found.run, found.topic, _columns(found), strict=True)
    ]
    pairs: list[dict[str, object]] = [
        {"first": matrix.measures[pair.first], "second": matrix.measures[pair.second]}
        | {key: asdict(one) for key, one in estimates(pair)}
        for pair in found.pairs
    ]
    return json_text(
        {
            "version": __version__,
            "signature": found.signature,
            "settings": asdict(found.settings) | {"over": found.over, "top": found.top, "by": found.by},
            "measures": list(matrix.measures),
            "runs": [{"run_id": name, "path": path} for name, path in zip(matrix.runs, matrix.paths, strict=True)],
            "topics": list(matrix.topics),
            "pairs": pairs,
            "points": points,
        }
    )


def _columns(found: Correlations) -> list[list[float | None]]:
    return [[None if math.isnan(value) else value for value in column] for column in found.points.T.tolist()]
