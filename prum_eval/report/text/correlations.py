"""Correlations of measures as text: a table in 80 columns, csv, json."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict

from prum_eval.analysis.correlation import Correlation, Correlations, Estimate
from prum_eval.report.layout import formatted
from prum_eval.report.text.comparison import Printing
from prum_eval.version import __version__

COEFFICIENTS = {"pearson": "Pearson r", "tau_b": "Kendall tau-b", "tau_ap": "tau-ap"}


def estimates(pair: Correlation) -> Iterator[tuple[str, Estimate]]:
    """The coefficients of a pair by name."""
    yield from ((name, getattr(pair, name)) for name in COEFFICIENTS)


def table(found: Correlations, printing: Printing) -> str:
    """The measures by number, then three rows a pair."""
    measures, digits = found.matrix.measures, printing.digits
    wide = len(str(len(measures)))
    lines = [f"{number:>{wide}}  {name}" for number, name in enumerate(measures, 1)]
    width = max(7, digits + 3)
    pair_width = max(4, 2 * wide + 1)
    heads = (f"{head:>{width}}" for head in ("value", "low", "high"))
    head = "  ".join(["pair".ljust(pair_width), "coefficient  ", *heads])
    lines += ["", head, "  ".join(["-" * pair_width, "-" * 13, *["-" * width] * 3])]
    for pair in found.pairs:
        name = f"{pair.first + 1:>{wide}} {pair.second + 1:>{wide}}"
        for key, one in estimates(pair):
            cells = (f"{formatted(value, digits):>{width}}" for value in (one.value, one.low, one.high))
            lines.append("  ".join([name.ljust(pair_width), COEFFICIENTS[key].ljust(13), *cells]))
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


def as_csv(found: Correlations, _printing: Printing) -> str:
    """A row a pair and coefficient, at full precision; nothing where a value is not defined."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["first", "second", "coefficient", "value", "low", "high"])
    names = found.matrix.measures
    for pair in found.pairs:
        for key, one in estimates(pair):
            values = ("" if value is None else repr(value) for value in (one.value, one.low, one.high))
            writer.writerow([names[pair.first], names[pair.second], key, *values])
    return text.getvalue()


def as_json(found: Correlations, printing: Printing) -> str:
    """Everything, with the points that the coefficients are of."""
    matrix = found.matrix
    points = [
        {"run": int(run), "topic": None if topic < 0 else matrix.topics[topic], "values": values}
        for run, topic, values in zip(found.run, found.topic, _columns(found), strict=True)
    ]
    pairs = [
        {"first": matrix.measures[pair.first], "second": matrix.measures[pair.second]}
        | {key: asdict(one) for key, one in estimates(pair)}
        for pair in found.pairs
    ]
    content = {
        "version": __version__,
        "signature": printing.signature,
        "settings": {**asdict(found.settings), "over": found.over, "top": found.top, "by": found.by},
        "measures": list(matrix.measures),
        "runs": [{"run_id": name, "path": path} for name, path in zip(matrix.runs, matrix.paths, strict=True)],
        "topics": list(matrix.topics),
        "pairs": pairs,
        "points": points,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _columns(found: Correlations) -> list[list[float | None]]:
    return [[None if math.isnan(value) else value for value in column] for column in found.points.T.tolist()]


FORMATS: dict[str, Callable[[Correlations, Printing], str]] = {"table": table, "json": as_json, "csv": as_csv}
"""The formats by name."""
