"""The html format of a comparison: a summary in words, averages, differences with intervals, a map of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from prum_eval.analysis.comparison import Comparison, RunMean
from prum_eval.analysis.matrix import best_runs, mean_matrix
from prum_eval.analysis.verdict import (
    better_pairs,
    corrected_p,
    leaderboard_rows,
    significant_runs,
    sort_compared_runs,
    verdict_sentences,
)
from prum_eval.report.drawing import Axis, linear_axis
from prum_eval.report.html_page import (
    Cell,
    details_element,
    facts,
    part_links,
    sortable_table,
    value_cell,
    warnings_section,
)
from prum_eval.report.layout import Layout, Markup, add_line_breaks, column_digits, fill, fill_page, join_lines
from prum_eval.report.ranking import (
    ENDS_EARLY,
    ENDS_EARLY_NOTE,
    SIGNIFICANT,
    join_letters,
    letters_note,
    marks_note,
    run_letters,
)
from prum_eval.report.text_comparison import (
    ALIKE,
    BETTER,
    WORSE,
    interval_name,
    order_sentence,
    p_value_texts,
    pair_markers,
    pairs_legend,
)
from prum_eval.tabular import plural, to_single_line, unique_labels
from prum_eval.version import __version__

_MAP = """<p class="quiet">{legend}</p>
<div class="scroll" role="region" aria-label="Pairs of runs" tabindex="0">
<table class="pairs">
<caption class="unseen">Which run is better than which</caption>
<tr><th scope="col">run</th>{heads}</tr>
{rows}
</table>
</div>"""
_ROW = '<tr><th scope="row">{number} {name}</th>{cells}</tr>'
_CELLS = {
    BETTER: '<td class="better" title="{title}">{marker}</td>',
    WORSE: '<td class="worse" title="{title}">{marker}</td>',
    ALIKE: '<td title="{title}">{marker}</td>',
    " ": "<td></td>",
}
_RELATION_WORDS = {BETTER: "better than", WORSE: "worse than", ALIKE: "no significant difference to", " ": ""}


def pairs_section(comparison: Comparison, measure: str, names: Sequence[str]) -> Markup:
    """The map by one measure, the best runs first."""
    markers = pair_markers(comparison, measure)
    order = list(markers)
    heads = [
        fill('<th scope="col" title="{name}">{number}</th>', name=names[run], number=n)
        for n, run in enumerate(order, 1)
    ]
    rows = []
    for number, (run, row) in enumerate(markers.items(), 1):
        cells = [
            fill(_CELLS[marker], marker=marker, title=f"{names[run]} {_RELATION_WORDS[marker]} {names[other]}")
            for other, marker in zip(order, row, strict=True)
        ]
        rows.append(fill(_ROW, number=number, name=to_single_line(names[run]), cells=cells))
    return fill(
        _MAP,
        legend=pairs_legend(comparison, measure),
        heads=heads,
        rows=join_lines(rows),
    )


_SECTION = '<section id="{key}">\n<h2>{title}</h2>\n{content}\n</section>'
_WORDS = '<div class="words">{paragraphs}</div>'
_NOTE = '<p class="quiet">{note}</p>'
MAX_DRAWN_MEASURES = 4
"""Of so many measures the table of averages draws intervals, so that it fits in a window of 1280 pixels."""
FEW_RUNS = 4
"""So few runs by more measures than that have one table with a row per measure, or per measure and run."""
_RANGE = (
    '<svg class="interval{differs}" aria-hidden="true"><line class="zero" x1="{zero:.1f}%" x2="{zero:.1f}%" y2="100%"/>'
    '<line class="bar" x1="{low:.1f}%" x2="{high:.1f}%" y1="50%" y2="50%"/>'
    '<circle class="mean" cx="{mean:.1f}%" cy="50%" r="4"/></svg>'
)
_BASE = (
    '<svg class="interval" aria-hidden="true"><line class="zero" x1="{zero:.1f}%" x2="{zero:.1f}%" y2="100%"/>'
    '<rect class="base" x="{zero:.1f}%" y="50%" width="9" height="9" transform="translate(-4.5 -4.5)"/></svg>'
)


def comparison_page(comparison: Comparison, layout: Layout) -> str:
    """The page, with the runs in the order of the measure that ranks them, the best first."""
    comparison = comparison.ranked(layout.sort)
    matrix = comparison.matrix
    names = unique_labels(matrix.runs, matrix.paths)
    order = sort_compared_runs(comparison, layout.sort or comparison.measure_ranking.headline)
    parts = {
        "words": ("In words", _summary_paragraphs(comparison, names, layout)),
        "averages": ("Averages", _averages(comparison, names, order, layout)),
        "groups": ("Groups", _groups(comparison, names, order, layout.digits)),
        "details": ("Details", _details(comparison, names, layout)),
    }
    if comparison.settings.pairs == "all" and comparison.measure_ranking.headline is not None:
        parts["pairs"] = "All pairs", pairs_section(comparison, comparison.measure_ranking.headline, names)
    parts = {key: part for key, part in parts.items() if part[1]}
    settings = comparison.settings
    base = "the best run by each measure" if settings.pairs != "first" else names[next(iter(comparison.base.values()))]
    return fill_page(
        "report",
        ["all", "tables", "comparison"],
        ["tables"],
        title=f"prum-eval: {plural(len(names), 'run')} compared",
        facts=facts({}, matrix.paths, plural(len(matrix.topics), "topic"), layout.date, {"Compared with": base}),
        contents=part_links({key: title for key, (title, _) in parts.items()}),
        warnings=warnings_section(comparison.warnings),
        parts=join_lines(fill(_SECTION, key=key, title=title, content=text) for key, (title, text) in parts.items()),
        signature=add_line_breaks(to_single_line(comparison.signature), after="|,"),
        version=__version__,
    )


def _summary_paragraphs(comparison: Comparison, names: Sequence[str], layout: Layout) -> Markup:
    headline = comparison.measure_ranking.headline
    order = order_sentence(comparison.order_changes, names, layout.digits, headline)
    texts = [*verdict_sentences(comparison, names, layout.digits), order]
    return fill(_WORDS, paragraphs=[fill("<p>{text}</p>", text=text) for text in texts if text])


def _averages(comparison: Comparison, names: Sequence[str], order: Sequence[int], layout: Layout) -> Markup:
    """A row per run, the most informative measures first, with best values marked and differences drawn."""
    matrix, values = comparison.matrix, mean_matrix(comparison.matrix)
    by_measure = _has_measure_rows(comparison)
    drawn = {} if by_measure else _drawings(comparison)
    significant = significant_runs(comparison)
    columns = comparison.measure_ranking.order
    place = {name: number for number, name in enumerate(matrix.measures)}
    digits = {name: column_digits(values[place[name]].tolist(), layout.digits) for name in columns}
    letters = run_letters(order) if _is_every_pair(comparison) and comparison.families else {}
    better = {name: better_pairs(comparison, name) for name in columns} if letters else {}
    rows = []
    for run in order:
        cells = []
        for name in columns:
            is_score = name not in matrix.counts
            mark = SIGNIFICANT if is_score and run in significant[name] else ""
            mark = "" if letters else mark
            mark += ENDS_EARLY * matrix.ends_early(name, run)
            best = is_score and run in best_runs(matrix, name)
            cell = value_cell(float(values[place[name], run]), digits[name], mark, best=best)
            if letters and (worse := join_letters(letters[other] for other in better[name][run])):
                cell = replace(cell, text=fill("{text}<sup>{letters}</sup>", text=cell.text, letters=worse))
            cells += [cell, drawn[name][1][run]] if name in drawn else [cell]
        rows.append(cells)
    row_names = [f"{names[run]} ({letters[run]})" if letters else names[run] for run in order]
    heads = [head for name in columns for head in ((name, drawn[name][0]) if name in drawn else (name,))]
    if by_measure:
        table = sortable_table("Averages over topics", "measure", row_names, columns, list(zip(*rows, strict=True)))
    else:
        table = sortable_table("Averages over topics", "run", heads, row_names, rows, runs=order)
    if any(matrix.ends_early(name, run) for name in columns for run in order):
        table = Markup(table + fill(_NOTE, note=f"{ENDS_EARLY} {ENDS_EARLY_NOTE}."))
    if not comparison.families:
        return table
    if letters:
        note = f"Superscript letters: {letters_note(comparison)}"
    else:
        note = f"{SIGNIFICANT} {marks_note(comparison, names)}"
    to = "the best run by each measure" if comparison.settings.pairs != "first" else names[comparison.base[columns[0]]]
    lines = f"Drawn: difference to {to} (square), {interval_name(comparison)}; filled: significant."
    return Markup(table + fill(_NOTE, note=note) + (fill(_NOTE, note=lines) if drawn else ""))


def _has_measure_rows(comparison: Comparison) -> bool:
    """Whether measures are rows, because there are many of them and few runs."""
    return len(comparison.matrix.runs) <= FEW_RUNS < len(comparison.measure_ranking.order)


def _drawings(comparison: Comparison) -> dict[str, tuple[str, list[Cell]]]:
    """By measure, the head of a column and per run the drawing of its difference with the interval."""
    significant, drawings = significant_runs(comparison), {}
    rows_of = comparison.rows_against()
    scores = [name for name in comparison.measure_ranking.order if name in comparison.families]
    for measure in scores[:MAX_DRAWN_MEASURES]:
        differences = [row.difference for row in rows_of[measure] if row.difference is not None]
        ends = [end for own in differences for end in (own.mean, own.low, own.high) if end is not None]
        axis = linear_axis(min(0.0, *ends), max(0.0, *ends))
        cells = {row.run: _drawing(row, axis, differs=row.run in significant[measure]) for row in rows_of[measure]}
        drawings[measure] = f"{axis.texts[0]} to {axis.texts[-1]}", [cells[run] for run in sorted(cells)]
    return drawings


def _drawing(row: RunMean, axis: Axis, *, differs: bool) -> Cell:
    """The difference of a run with its interval; of the run that others are compared with, a square at 0."""
    difference = row.difference
    if difference is None:
        return Cell(fill(_BASE, zero=100 * axis.place(0)), "0")
    low, high = (difference.mean if end is None else end for end in (difference.low, difference.high))
    drawing = fill(
        _RANGE,
        differs=" differs" if differs else "",
        zero=100 * axis.place(0),
        low=100 * axis.place(low),
        high=100 * axis.place(high),
        mean=100 * axis.place(difference.mean),
    )
    return Cell(drawing, repr(difference.mean))


def _groups(comparison: Comparison, names: Sequence[str], order: Sequence[int], digits: int) -> Markup:
    """Means by group of topics of the measure that ranks the runs; empty if topics have no groups."""
    headline = comparison.measure_ranking.headline
    means = {(mean.group, mean.run): mean for mean in comparison.groups if mean.measure == headline}
    if not means:
        return Markup("")
    groups = list(dict.fromkeys(group for group, _ in means))
    heads = [f"{group} ({plural(means[group, 0].topics, 'topic')})" for group in groups]
    rows = [[value_cell(means[group, run].mean, digits) for group in groups] for run in order]
    row_names = [names[run] for run in order]
    return sortable_table(f"Averages of {headline} by group", "run", heads, row_names, rows, runs=order)


def _details(comparison: Comparison, names: Sequence[str], layout: Layout) -> Markup:
    """Tables of differences with intervals, tests, effect sizes, topics won and lost.

    One folded table per measure, or of few runs by many measures one table of all.
    """
    significant = significant_runs(comparison)
    p_heads = ["HSD"] if _is_every_pair(comparison) else [f"p ({comparison.settings.test})", "Holm"]
    heads = ["mean", "difference", "low", "high", *p_heads, "d", "won", "tied", "lost"]
    rows_of = leaderboard_rows(comparison, layout.sort)
    cells_of = {
        measure: [_row(row, layout, comparison, differs=row.run in significant[measure]) for row in rows]
        for measure, rows in rows_of.items()
    }
    parts = []
    if _has_measure_rows(comparison):
        differences = [
            (measure, [Cell(to_single_line(names[row.run]), names[row.run]), *cells])
            for measure, rows in rows_of.items()
            for row, cells in zip(rows, cells_of[measure], strict=True)
            if row.difference is not None
        ]
        measures, cells = zip(*differences, strict=True)
        parts.append(sortable_table("Differences", "measure", ["run", *heads], measures, cells, words=["run"]))
    else:
        for measure, rows in rows_of.items():
            runs = [row.run for row in rows]
            row_names = [names[run] for run in runs]
            table = sortable_table(f"Differences by {measure}", "run", heads, row_names, cells_of[measure], runs=runs)
            parts.append(details_element(f"{to_single_line(measure)} ({plural(rows[0].topics, 'topic')})", table))
    if comparison.families:
        parts.append(fill(_NOTE, note=f"low to high: {interval_name(comparison)}."))
    return join_lines(parts)


def _is_every_pair(comparison: Comparison) -> bool:
    return comparison.settings.pairs == "all"


def _row(row: RunMean, layout: Layout, comparison: Comparison, *, differs: bool) -> list[Cell]:
    difference = row.difference
    digits = column_digits([row.mean] if row.measure in comparison.matrix.lower_better else [], layout.digits)
    best = row.measure not in comparison.matrix.counts and row.run in best_runs(comparison.matrix, row.measure)
    mean = value_cell(row.mean, digits, ENDS_EARLY * comparison.matrix.ends_early(row.measure, row.run), best=best)
    if difference is None:
        return [mean, *[Cell("", "")] * (8 if _is_every_pair(comparison) else 9)]
    p_values = [corrected_p(difference, comparison)]
    if not _is_every_pair(comparison):
        p_values.insert(0, difference.p_values(comparison.settings.test).p)
    *texts, corrected = p_value_texts(difference, comparison, layout.digits)
    texts.append(corrected + SIGNIFICANT * differs)
    return [
        mean,
        *(value_cell(value, digits) for value in (difference.mean, difference.low, difference.high)),
        *(Cell(text, "" if p is None else repr(p)) for text, p in zip(texts, p_values, strict=True)),
        value_cell(difference.cohen_d, 2),
        *(Cell(str(count), str(count)) for count in (difference.wins, difference.ties, difference.losses)),
    ]
