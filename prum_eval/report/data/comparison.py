"""A comparison of runs for programs: trec_eval's lines, JSON."""

from __future__ import annotations

from dataclasses import asdict

from prum_eval.analysis.comparison import Comparison
from prum_eval.analysis.limits import POWER
from prum_eval.report.layout import ALL, Layout, formatted
from prum_eval.report.text.trec import LINE
from prum_eval.report.writing import json_text
from prum_eval.schemas import COMPARISON_LAYOUT
from prum_eval.version import __version__


def comparison_lines(comparison: Comparison, layout: Layout) -> str:
    """Name, ``all``, value, one block a run; a statistic of a measure is called ``map/difference``.

    Of all pairs of runs, the name of the other run follows: ``map/difference/bm25``.
    """
    lines, runs = [], comparison.matrix.runs
    several = comparison.settings.pairs == "all"
    for run, name in enumerate(runs):
        lines.append(LINE.format("runid", ALL, name))
        told: set[str] = set()
        for row in comparison.measured:
            if row.run == run:
                if row.measure not in told:
                    lines.append(LINE.format(row.measure, ALL, formatted(row.mean, layout.digits)))
                    told.add(row.measure)
                other = f"/{runs[row.against]}" if several and row.against is not None else ""
                for key, value in row.difference.statistics().items() if row.difference is not None else ():
                    if not isinstance(value, bool):
                        text = formatted(value, layout.digits)
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
            "ranked_by": comparison.telling.headline,
            "costs": [name for name in matrix.measures if name in matrix.lower_better],
            "front": [matrix.runs[run] for run in comparison.front],
            "detectable": {"power": POWER, "differences": dict(comparison.detectable)},
            "rows": [
                {
                    **asdict(row),
                    "run_id": matrix.runs[row.run],
                    "against": names[-1 if row.against is None else row.against],
                    "against_run": row.against,
                }
                for row in comparison.measured
            ],
            **(_groups(comparison) if matrix.groups else {}),
        }
    )
