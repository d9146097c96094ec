"""A comparison of runs for programs: trec_eval's lines, JSON."""

from __future__ import annotations

from dataclasses import asdict

from prum_eval.analysis.comparison import Comparison
from prum_eval.report.registry import ALL, Layout, formatted
from prum_eval.report.text.trec import LINE
from prum_eval.report.writing import json_text
from prum_eval.version import __version__


def comparison_lines(comparison: Comparison, layout: Layout) -> str:
    """Name, ``all``, value, one block a run; a statistic of a measure is called ``map/difference``."""
    lines = []
    for run, name in enumerate(comparison.matrix.runs):
        lines.append(LINE.format("runid", ALL, name))
        for row in comparison.measured:
            if row.run == run:
                lines.append(LINE.format(row.measure, ALL, formatted(row.mean, layout.digits)))
                for key, value in row.difference.statistics().items() if row.difference is not None else ():
                    if not isinstance(value, bool):
                        lines.append(LINE.format(f"{row.measure}/{key}", ALL, formatted(value, layout.digits)))
    return "".join(lines)


def comparison_json(comparison: Comparison, _layout: Layout) -> str:
    """Everything at full precision; null where a value is not defined."""
    matrix = comparison.matrix
    return json_text(
        {
            "version": __version__,
            "signature": comparison.signature,
            "settings": asdict(comparison.settings),
            "runs": [{"run_id": name, "path": path} for name, path in zip(matrix.runs, matrix.paths, strict=True)],
            "topics": list(matrix.topics),
            "rows": [{**asdict(row), "run_id": matrix.runs[row.run]} for row in comparison.measured],
        }
    )
