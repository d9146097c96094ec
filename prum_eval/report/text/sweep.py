"""A sweep in 80 columns: means by value, a column a run or, of a single run, a measure; and who changes places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from prum_eval.analysis.sensitivity.result import PlaceChange, Sweep
from prum_eval.parameters import show
from prum_eval.report.drawing.named_curves import by_curve
from prum_eval.report.drawing.panels import told_apart
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.writing import LATEX, LINE_WIDTH, MARKDOWN, padded, paragraph, table_text

_NONE = "-"
_LONGEST = 30
"""Longer names of columns are numbers, which are explained."""
_MOST_CHANGES = 20
"""So many changes of places are listed; JSON has all."""


@dataclass(frozen=True)
class _Grid:
    """A table of means below a title, if it has one: a line a value, a column a run, a measure or a point of one.

    `margins` has the half widths of the intervals, empty where there are none; `tau` one cell a line, or nothing.
    """

    title: str
    columns: Sequence[str]
    values: Sequence[str]
    cells: Sequence[Sequence[str]]
    margins: Sequence[Sequence[str]]
    tau: Sequence[str] = ()

    def with_margins(self) -> _Grid:
        """With the half widths of intervals in its cells."""
        width = max(len(cell) for row in self.margins for cell in row)
        empty = " " * (width + 2) * bool(width)
        pairs = (zip(*row, strict=True) for row in zip(self.cells, self.margins, strict=True))
        cells = [[f"{mean} ±{margin:>{width}}" if margin else mean + empty for mean, margin in row] for row in pairs]
        return replace(self, cells=cells)

    @property
    def widths(self) -> list[int]:
        """How wide values, columns and tau are; that of tau is 0 where there is none."""
        columns = [self.values, *([name, *cells] for name, *cells in zip(self.columns, *self.cells, strict=True))]
        return [*(max(map(len, column)) for column in columns), max(map(len, ["tau", *self.tau])) if self.tau else 0]

    @property
    def width(self) -> int:
        """How wide it is."""
        first, *others = self.widths
        return first + sum(2 + width for width in others if width)


def sweep_table(sweep: Sweep, layout: Layout) -> str:
    """Means with half their intervals, if there is room; the order of runs against the reference; changes of places."""
    runs, explained = _numbered(told_apart(sweep.runs, sweep.paths))
    if len(runs) == 1:
        apart = [name for one in by_curve(sweep.measures) if not one.is_curve for name in _names(sweep, one.numbers)]
        columns, explained = _numbered(apart)
        grids = list(_of_one_run(sweep, columns, layout))
    else:
        grids = _of_measures(sweep, runs, layout)
    wide = [grid.with_margins() for grid in grids]
    has_margins = any(one.margin is not None for one in sweep.means)
    room = has_margins and all(grid.width <= LINE_WIDTH for grid in wide)
    lines = [*explained, *([""] if explained else [])]
    for grid in wide if room else grids:
        lines += [*([grid.title] if grid.title else []), *_lines(grid), ""]
    if (interval := interval_sentence(sweep)) is not None:
        lines.append(f"±    {interval}" if room else "intervals, for which there is no room here, are in json and csv")
    if len(runs) > 1:
        lines.append(f"tau  Kendall's tau-b of the runs against their order at {sweep.values[sweep.reference]}")
        lines += ["", *_changes(sweep, runs, layout)]
    return "\n".join([*lines, ""])


def sweep_markdown(sweep: Sweep, layout: Layout) -> str:
    """The table for Markdown documents."""
    return _document(sweep, layout, MARKDOWN)


def sweep_latex(sweep: Sweep, layout: Layout) -> str:
    """The table for LaTeX documents (package booktabs)."""
    return _document(sweep, layout, LATEX)


def _document(sweep: Sweep, layout: Layout, style: str) -> str:
    """One table: of several runs, measures below each other; of one, side by side."""
    names = told_apart(sweep.runs, sweep.paths)
    several, every = len(names) > 1, range(len(sweep.measures))
    grids = _of_measures(sweep, names, layout) if several else [_grid(sweep, layout, [(one, 0) for one in every])]
    rows = [
        [*([grid.title] if several else []), value, *cells, *grid.tau[number : number + 1]]
        for grid in grids
        for number, (value, cells) in enumerate(zip(sweep.values, grid.cells, strict=True))
    ]
    columns = names if several else sweep.measures
    headers = [*(["measure"] if several else []), sweep.label, *columns, *(["tau"] if several else [])]
    return table_text(headers, rows, style, words=1 + several)


def _of_measures(sweep: Sweep, runs: Sequence[str], layout: Layout) -> list[_Grid]:
    """A table a measure, with a column a run."""
    grids = []
    for number, name in enumerate(sweep.measures):
        tau = [_NONE if one is None else formatted(one, layout.digits) for one in sweep.tau[name]]
        own = _grid(sweep, layout, [(number, run) for run in range(len(runs))], runs)
        grids.append(replace(own, title=name, tau=tau))
    return grids


def _of_one_run(sweep: Sweep, columns: Sequence[str], layout: Layout) -> Iterator[_Grid]:
    """A table with a column a measure, and one of each measure that is a curve, with a column a point."""
    curves = by_curve(sweep.measures)
    apart = [number for one in curves if not one.is_curve for number in one.numbers]
    if apart:
        yield _grid(sweep, layout, [(number, 0) for number in apart], columns)
    for one in curves:
        if one.is_curve:
            found = _grid(sweep, layout, [(number, 0) for number in one.numbers], list(map(show, one.points)))
            yield replace(found, title=one.name)


def _grid(sweep: Sweep, layout: Layout, places: Sequence[tuple[int, int]], columns: Sequence[str] = ()) -> _Grid:
    """The means of these measures and runs, a column each."""
    known = {(one.value, one.measure, one.run): one for one in sweep.means}
    found = [[known[value, *place] for place in places] for value in range(len(sweep.values))]
    means = [[_NONE if one.mean is None else formatted(one.mean, layout.digits) for one in row] for row in found]
    margins = [["" if one.margin is None else formatted(one.margin, layout.digits) for one in row] for row in found]
    return _Grid("", columns, [sweep.label, *sweep.values], means, margins)


def _names(sweep: Sweep, numbers: Sequence[int]) -> list[str]:
    return [sweep.measures[number] for number in numbers]


def _numbered(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names, or numbers where one is too long for a column, with the lines that explain them."""
    if max(map(len, names), default=0) <= _LONGEST:
        return list(names), []
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return numbers, [f"{number}  {name}" for number, name in zip(numbers, names, strict=True)]


def _lines(grid: _Grid) -> list[str]:
    """The lines of a table; one that is too wide goes on below itself."""
    first, *widths, last = grid.widths
    lines, start = list[str](), 0
    while start < len(widths):
        end, taken = start, first + (2 + last if last else 0)
        while end < len(widths) and (end == start or taken + 2 + widths[end] <= LINE_WIDTH):
            taken += 2 + widths[end]
            end += 1
        with_tau = last > 0 and end == len(widths)
        own = [first, *widths[start:end], *([last] if with_tau else [])]
        columns = [*grid.columns[start:end], *(["tau"] if with_tau else [])]
        rows = [
            [*cells[start:end], *(grid.tau[number : number + 1] if with_tau else [])]
            for number, cells in enumerate(grid.cells)
        ]
        lines += [""] if start else []
        lines += [padded([grid.values[0], *columns], own), "  ".join("-" * width for width in own)]
        lines += [padded([value, *row], own) for value, row in zip(grid.values[1:], rows, strict=True)]
        start = end
    return lines


def interval_sentence(sweep: Sweep) -> str | None:
    """What intervals are over; None where there are none."""
    counts = sorted({one.over for one in sweep.means if one.margin is not None})
    if not counts:
        return None
    many = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    over = f"{many} {'copies' if sweep.copies else 'topics'}"
    return f"half of Student's {100 * (1 - sweep.alpha):g} % interval over {over}"


def _changes(sweep: Sweep, runs: Sequence[str], layout: Layout) -> list[str]:
    """Who changes places, in sentences."""
    if not sweep.changes:
        return ["No two runs change places."]
    shown = sweep.changes[:_MOST_CHANGES]
    lines = [f"Runs that change places ({len(sweep.changes)}):"]
    lines += [paragraph(change_sentence(sweep, one, runs, layout.digits)) for one in shown]
    more = len(sweep.changes) - len(shown)
    return lines + ([f"... {more} more, in json"] if more else [])


def change_sentence(sweep: Sweep, one: PlaceChange, runs: Sequence[str], digits: int) -> str:
    """Who is above whom up to which value, and below from which on; `runs` are their names."""
    before, after = sweep.values[one.before], sweep.values[one.after]
    about = "" if one.at is None else f", at about {show(float(f'{one.at:.{max(digits, 1)}g}'))}"
    return f"{one.measure}: {runs[one.upper]} above {runs[one.lower]} at {before}, below at {after}{about}"
