"""A comparison of runs as text: for people in 80 columns, for papers, for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from prum_eval.analysis.comparison import Comparison, Difference, MeasuredRun, Tested
from prum_eval.report.layout import ALL, DIGITS, formatted
from prum_eval.report.text.trec import line
from prum_eval.version import __version__

WIDTH = 80
TESTS = ("randomisation", "bootstrap")


@dataclass(frozen=True)
class Printing:
    """Digits after the point, the test whose p-values tables show, and the signature, which json holds."""

    digits: int = DIGITS
    test: str = TESTS[0]
    signature: str = ""


def labels(names: Sequence[str], room: int) -> list[str]:
    """The names, or their numbers from 1 where they repeat or one of them is longer than the room."""
    if len(set(names)) == len(names) and max(map(len, names)) <= room:
        return list(names)
    return [str(number) for number in range(1, len(names) + 1)]


def table(comparison: Comparison, printing: Printing) -> str:
    """A block of rows for each measure, with what the columns mean below."""
    headers = ["mean", "diff", "low", "high", "p", "Holm ", "d", "+/=/-"]
    cells = [_cells(row, comparison, printing) for row in comparison.measured]
    widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
    runs = comparison.matrix.runs
    names = labels(runs, WIDTH - sum(widths) - 2 * len(widths))
    first = max(map(len, [*names, "run"]))

    def text(name: str, listed: Sequence[str]) -> str:
        padded = (cell.rjust(width) for cell, width in zip(listed, widths, strict=True))
        return "  ".join([name.ljust(first), *padded]).rstrip()

    lines = []
    if names != list(runs):
        lines += [f"{number}  {name}" for number, name in zip(names, runs, strict=True)] + [""]
    lines += [text("run", headers), text("-" * first, ["-" * width for width in widths])]
    for row, own in zip(comparison.measured, cells, strict=True):
        if row.run == 0:
            lines += ["", f"{row.measure} ({row.topics} topic{'s'[: row.topics != 1]})"]
        lines.append(text(names[row.run], own))
    return "\n".join([*lines, "", *_legend(comparison, printing)]) + "\n"


def _legend(comparison: Comparison, printing: Printing) -> list[str]:
    settings = comparison.settings
    exact = {row.difference.exact for row in comparison.measured if row.difference is not None}
    trials, count = f"{settings.trials} trials, seed {settings.seed}", _comparisons(comparison)
    how = trials if printing.test == "bootstrap" or exact == {False} else "exact"
    if printing.test == "randomisation" and len(exact) == 2:
        how = f"exact where few topics differ, else {trials}"
    return [
        "diff   mean difference to the first run; +/=/- topics won, tied, lost",
        f"low    to high: its {100 * (1 - settings.alpha):g} % bootstrap interval ({trials})",
        f"p      paired {printing.test} test, two-sided ({how})",
        f"Holm   p corrected for {count} comparison{'s'[: count != 1]}; * below {settings.alpha:g}",
        "d      Cohen's d of paired values: mean / standard deviation of differences",
    ]


def _comparisons(comparison: Comparison) -> int:
    return sum(row.difference is not None for row in comparison.measured)


def _tested(one: Difference, test: str) -> Tested:
    return one.randomisation if test == "randomisation" else one.bootstrap


def probability(value: float | None, digits: int) -> str:
    """A p-value, which is never printed as 0.

    >>> probability(0.04321, 3), probability(0.00001, 3)
    ('0.043', '<0.001')
    """
    small = value is not None and round(value, digits) == 0 and digits > 0
    return f"<{10**-digits:.{digits}f}" if small else formatted(value, digits)


def _cells(
    row: MeasuredRun, comparison: Comparison, printing: Printing, mark: str = "*", blank: str = " "
) -> list[str]:
    digits, one = printing.digits, row.difference
    if one is None:
        return [formatted(row.mean, digits), *[""] * 7]
    tested = _tested(one, printing.test)
    below = tested.holm is not None and tested.holm < comparison.settings.alpha
    return [
        formatted(row.mean, digits),
        *(formatted(value, digits) for value in (one.mean, one.low, one.high)),
        probability(tested.p, digits),
        probability(tested.holm, digits) + (mark if below else blank),
        formatted(one.cohen_d, min(digits, 2)),
        f"{one.wins}/{one.ties}/{one.losses}",
    ]


def _grid(comparison: Comparison, printing: Printing, style: str, mark: str) -> str:
    from tabulate import tabulate

    headers = ["measure", "run", "mean", "diff", "low", "high", f"p ({printing.test})", "Holm", "d", "+/=/-"]
    rows = [
        [row.measure, comparison.matrix.runs[row.run], *_cells(row, comparison, printing, mark, "")]
        for row in comparison.measured
    ]
    align = ["left"] * 2 + ["right"] * 8
    return tabulate(rows, headers, tablefmt=style, disable_numparse=True, colalign=align) + "\n"


def markdown(comparison: Comparison, printing: Printing) -> str:
    """One table for Markdown documents."""
    return _grid(comparison, printing, "github", r"\*")


def latex(comparison: Comparison, printing: Printing) -> str:
    """One table for LaTeX documents (package booktabs)."""
    return _grid(comparison, printing, "latex_booktabs", "*")


def _statistics(one: Difference) -> dict[str, float | int | None]:
    return {
        "difference": one.mean,
        "low": one.low,
        "high": one.high,
        "p_randomisation": one.randomisation.p,
        "holm_randomisation": one.randomisation.holm,
        "p_bootstrap": one.bootstrap.p,
        "holm_bootstrap": one.bootstrap.holm,
        "cohen_d": one.cohen_d,
        "wins": one.wins,
        "ties": one.ties,
        "losses": one.losses,
    }


def trec(comparison: Comparison, printing: Printing) -> str:
    """Name, ``all``, value, one block a run; a statistic of a measure is called ``map/difference``."""
    lines = []
    for run, name in enumerate(comparison.matrix.runs):
        lines.append(line("runid", ALL, name))
        for row in comparison.measured:
            if row.run != run:
                continue
            lines.append(line(row.measure, ALL, formatted(row.mean, printing.digits)))
            found = {} if row.difference is None else _statistics(row.difference)
            lines += [
                line(f"{row.measure}/{key}", ALL, formatted(value, printing.digits)) for key, value in found.items()
            ]
    return "".join(lines)


def as_csv(comparison: Comparison, _printing: Printing) -> str:
    """One row a measure and run, at full precision; nothing where a value is not defined."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = list(_statistics(Difference(0, 0, 0, Tested(0, 0), True, Tested(0, 0), 0, 0, 0, 0)))  # noqa: FBT003
    writer.writerow(["measure", "run", "topics", "mean", *names, "exact"])
    for row in comparison.measured:
        found: dict[str, Any] = {} if row.difference is None else _statistics(row.difference)
        if row.difference is not None:
            found["exact"] = str(row.difference.exact).lower()
        values = [row.mean, *(found.get(name) for name in [*names, "exact"])]
        shown_values = ["" if value is None else value if isinstance(value, str) else repr(value) for value in values]
        writer.writerow([row.measure, comparison.matrix.runs[row.run], row.topics, *shown_values])
    return text.getvalue()


def as_json(comparison: Comparison, printing: Printing) -> str:
    """Everything at full precision; null where a value is not defined."""
    matrix = comparison.matrix
    content = {
        "version": __version__,
        "signature": printing.signature,
        "settings": asdict(comparison.settings),
        "runs": [{"run_id": name, "path": path} for name, path in zip(matrix.runs, matrix.paths, strict=True)],
        "topics": list(matrix.topics),
        "rows": [{**asdict(row), "run_id": matrix.runs[row.run]} for row in comparison.measured],
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


FORMATS: dict[str, Callable[[Comparison, Printing], str]] = {
    "table": table,
    "trec": trec,
    "json": as_json,
    "csv": as_csv,
    "latex": latex,
    "markdown": markdown,
}
"""The formats by name."""
