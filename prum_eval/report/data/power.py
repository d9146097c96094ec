"""The power of measures as JSON at full precision."""

from __future__ import annotations

from dataclasses import asdict

from prum_eval.analysis.power.result import Power
from prum_eval.report.layout import Layout
from prum_eval.report.writing import json_text
from prum_eval.version import __version__


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
