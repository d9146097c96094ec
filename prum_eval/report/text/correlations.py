"""Correlations of measures in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from prum_eval.analysis.correlation.correlations import Correlation, Correlations
from prum_eval.analysis.correlation.estimates import Estimate
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.writing import padded

_COEFFICIENTS = {
    "pearson": "Pearson r",
    "tau_b": "Kendall tau-b",
    "tau_ap": "tau-ap",
    "tau_ap_first": "tau-ap {0}|{1}",
    "tau_ap_second": "tau-ap {1}|{0}",
}


def estimates(pair: Correlation) -> Iterator[tuple[str, Estimate]]:
    """The coefficients of a pair by name."""
    yield from ((name, getattr(pair, name)) for name in _COEFFICIENTS)


def correlations_table(found: Correlations, layout: Layout) -> str:
    """The measures by number, then five rows a pair; the same for each part of the points."""
    measures = found.matrix.measures
    wide = len(str(len(measures)))
    lines = [f"{number:>{wide}}  {name}" for number, name in enumerate(measures, 1)]
    widths = [max(4, 2 * wide + 1), 13, *[max(7, layout.digits + 3)] * 3]
    lines += ["", padded(["pair", "coefficient", "value", "low", "high"], widths, words=2)]
    lines.append("  ".join("-" * width for width in widths))
    parts = [(f"the {one.points} {one.name} {_points(found)} by {found.by}", one.pairs) for one in found.parts]
    for title, pairs in [("", found.pairs), *parts]:
        lines += ["", title] if title else []
        for pair in pairs:
            name = f"{pair.first + 1:>{wide}} {pair.second + 1:>{wide}}"
            for key, one in estimates(pair):
                values = [formatted(value, layout.digits) for value in (one.value, one.low, one.high)]
                coefficient = _COEFFICIENTS[key].format(pair.first + 1, pair.second + 1)
                lines.append(padded([name, coefficient, *values], widths, words=2))
                name = ""
    settings = found.settings
    trials = f"{settings.trials} trials, seed {settings.seed}"
    what = "means" if found.over == "means" else f"values on {len(found.matrix.topics)} topics"
    runs = f"{len(found.matrix.runs)} runs" + ("" if found.top is None else f" that are best by {found.by}")
    lines += [
        "",
        f"over the {what} of {runs}",
        "tau-ap: mean of both directions; 1|2: of the order by 1, by 2 being the truth",
        f"low to high: {100 * (1 - settings.alpha):g} % bootstrap interval over {found.resample} ({trials})",
    ]
    return "\n".join(lines) + "\n"


def _points(found: Correlations) -> str:
    return "runs" if found.over == "means" else "values"
