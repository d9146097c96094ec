"""Correlations of measures in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from prum_eval.analysis.correlation import Correlation, Correlations, Estimate
from prum_eval.report.registry import Layout, formatted
from prum_eval.report.writing import padded

_COEFFICIENTS = {"pearson": "Pearson r", "tau_b": "Kendall tau-b", "tau_ap": "tau-ap"}


def estimates(pair: Correlation) -> Iterator[tuple[str, Estimate]]:
    """The coefficients of a pair by name."""
    yield from ((name, getattr(pair, name)) for name in _COEFFICIENTS)


def correlations_table(found: Correlations, layout: Layout) -> str:
    """The measures by number, then three rows a pair."""
    measures = found.matrix.measures
    wide = len(str(len(measures)))
    lines = [f"{number:>{wide}}  {name}" for number, name in enumerate(measures, 1)]
    widths = [max(4, 2 * wide + 1), 13, *[max(7, layout.digits + 3)] * 3]
    lines += ["", padded(["pair", "coefficient", "value", "low", "high"], widths, words=2)]
    lines.append("  ".join("-" * width for width in widths))
    for pair in found.pairs:
        name = f"{pair.first + 1:>{wide}} {pair.second + 1:>{wide}}"
        for key, one in estimates(pair):
            values = [formatted(value, layout.digits) for value in (one.value, one.low, one.high)]
            lines.append(padded([name, _COEFFICIENTS[key], *values], widths, words=2))
            name = ""
    settings = found.settings
    trials = f"{settings.trials} trials, seed {settings.seed}"
    what = "means" if found.over == "means" else f"values on {len(found.matrix.topics)} topics"
    runs = f"{len(found.matrix.runs)} runs" + ("" if found.top is None else f" that are best by {found.by}")
    lines += [
        "",
        f"over the {what} of {runs}",
        f"low to high: {100 * (1 - settings.alpha):g} % bootstrap interval over runs ({trials})",
    ]
    return "\n".join(lines) + "\n"
