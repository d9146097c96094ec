"""All pairs of runs on a page: a map of which run is better than which."""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.analysis.comparison import Comparison
from prum_eval.report.drawing.panels import one_line
from prum_eval.report.markup import Markup, fill, lines
from prum_eval.report.tables.pairs import ALIKE, BETTER, WORSE, pair_signs, pairs_legend, pairs_sentence

_MAP = """<p class="quiet">{legend}</p>
<div class="scroll" role="region" aria-label="Pairs of runs" tabindex="0">
<table class="pairs">
<caption class="unseen">Which run is better than which</caption>
<tr><th scope="col">run</th>{heads}</tr>
{rows}
</table>
</div>
{told}"""
_ROW = '<tr><th scope="row">{number} {name}</th>{cells}</tr>'
_CELLS = {
    BETTER: '<td class="better" title="{title}">{sign}</td>',
    WORSE: '<td class="worse" title="{title}">{sign}</td>',
    ALIKE: '<td title="{title}">{sign}</td>',
    " ": "<td></td>",
}
_SAID = {BETTER: "better than", WORSE: "worse than", ALIKE: "not told apart from", " ": ""}


def pairs_section(comparison: Comparison, measure: str, names: Sequence[str]) -> Markup:
    """The map by one measure, the best runs first, and in words where runs are few."""
    signs = pair_signs(comparison, measure)
    order = list(signs)
    heads = [
        fill('<th scope="col" title="{name}">{number}</th>', name=names[run], number=n)
        for n, run in enumerate(order, 1)
    ]
    rows = []
    for number, (run, own) in enumerate(signs.items(), 1):
        cells = [
            fill(_CELLS[sign], sign=sign, title=f"{names[run]} {_SAID[sign]} {names[other]}")
            for other, sign in zip(order, own, strict=True)
        ]
        rows.append(fill(_ROW, number=number, name=one_line(names[run]), cells=cells))
    told = pairs_sentence(comparison, measure, names)
    return fill(
        _MAP,
        legend=pairs_legend(comparison, measure),
        heads=heads,
        rows=lines(rows),
        told=fill("<p>{told}</p>", told=told) if told else "",
    )
