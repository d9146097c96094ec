"""Correlations of measures as JSON at full precision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from prum_eval.analysis.correlation.correlations import Correlation, Correlations
from prum_eval.report.layout import Layout
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
        | {key: asdict(one) for key, one in estimates(pair)}
        for pair in pairs
    ]


def _columns(found: Correlations) -> list[list[float | None]]:
    return [[None if math.isnan(value) else value for value in column] for column in found.points.T.tolist()]
