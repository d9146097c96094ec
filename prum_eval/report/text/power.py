"""The power of measures in 80 columns: side by side, then each by the size of the topic set."""

from __future__ import annotations

from textwrap import wrap

from prum_eval.analysis.power.discriminative import SETS
from prum_eval.analysis.power.result import Power, SizePower
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.writing import LINE_WIDTH, labels, padded
from prum_eval.tabular import plural

_HEADERS = ("topics", "power", "required", "swap", "error", "ties", "tau")
_NONE = "-"


def power_table(found: Power, layout: Layout) -> str:
    """The measures, the best first; the same by size of topic sets; what the columns mean."""
    rows = [[_cells(one.topics, one.power, one.required, one.sizes[-1], layout)] for one in found.measures]
    for row, one in zip(rows, found.measures, strict=True):
        for own in one.sizes:
            cells = _cells(own.size, own.power, None, own, layout)
            row.append([*cells[:2], "", *cells[3:]])
    columns = zip(_HEADERS, *(cells for row in rows for cells in row), strict=True)
    widths = [max(map(len, column)) for column in columns]
    measures = [one.measure for one in found.measures]
    names = labels(measures, LINE_WIDTH - sum(widths) - 2 * len(widths))
    widths.insert(0, max(map(len, [*names, "measure"])))
    lines = [] if names == measures else [*(f"{name}  {own}" for name, own in zip(names, measures, strict=True)), ""]
    lines += [padded(["measure", *_HEADERS], widths), "  ".join("-" * width for width in widths)]
    lines += [padded([name, *row[0]], widths) for name, row in zip(names, rows, strict=True)]
    for name, row in zip(names, rows, strict=True):
        called = name if names == measures else f"measure {name}"
        lines += ["", f"{called} by topics", *(padded(["", *cells], widths) for cells in row[1:])]
    return "\n".join([*lines, "", *_legend(found), ""])


def _cells(topics: int, power: float, required: float | None, sets: SizePower, layout: Layout) -> list[str]:
    values = (power, required, sets.swap_rate, sets.error_rate, sets.ties, sets.tau)
    return [str(topics), *(_NONE if value is None else formatted(value, layout.digits) for value in values)]


def _legend(found: Power) -> list[str]:
    settings = found.settings
    pairs = plural(found.pairs, "pair")
    meanings = {
        "power": f"share of {pairs} of runs with p < {settings.alpha:g} by the paired {settings.test} test; by topics, "
        f"the mean of {SETS} random sets",
        "required": "difference that the paired bootstrap test takes for that, the largest of all pairs",
        "swap": "share of pairs that two disjoint sets of topics put the other way round",
        "error": "share of pairs that a set of topics puts as most sets do not",
        "ties": f"share of pairs whose means differ by {100 * settings.fuzziness:g} % of the larger or less; they are "
        "no errors",
        "tau": "Kendall's tau-b of the runs by two disjoint sets",
    }
    lines = [
        line
        for name, text in meanings.items()
        for line in wrap(text, LINE_WIDTH, initial_indent=f"{name:<10}", subsequent_indent=" " * 10)
    ]
    last = f"swap to tau: {plural(settings.trials, 'trial')} a size, seed {settings.seed}; side by side, of the largest"
    return [*lines, last]
