"""A sweep in 80 columns: means by value, a column a run or, of a single run, a measure; and who changes places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from textwrap import wrap

from prum_eval.analysis.regression import Absent, ComparedRun, GoldCell, GoldCheck, MovedValue, Movement, UnmetThreshold
from prum_eval.experiments.fit import FittedModel, FittedModels
from prum_eval.experiments.fit_estimates import ParameterEstimate, Quality
from prum_eval.experiments.gallery import SITUATIONS, Answers, MeasureAnswer
from prum_eval.experiments.power import SETS_PER_SIZE, Power, SizePower
from prum_eval.experiments.sweep import PlaceChange, Sweep
from prum_eval.formats.gold import Gold
from prum_eval.parameters import format_parameter
from prum_eval.report.drawing import group_by_curve, unique_labels
from prum_eval.report.layout import (
    ALL,
    LATEX,
    LINE_WIDTH,
    MARKDOWN,
    PLAIN,
    Layout,
    format_value,
    labels_or_numbers,
    pad_cells,
    table_text,
    wrap_paragraph,
)
from prum_eval.report.panels import top_text
from prum_eval.tabular import plural

_NONE = "-"
_MAX_COLUMN_NAME = 30
"""Longer names of columns are numbers, which are explained."""
_MOST_CHANGES = 20
"""So many changes of places are listed; JSON has all."""


@dataclass(frozen=True)
class _MeansGrid:
    """A table of means below a title, if it has one: a line a value, a column a run, a measure or a point of one.

    `margins` has the half widths of the intervals, empty where there are none; `tau` one cell a line, or nothing.
    """

    title: str
    columns: Sequence[str]
    values: Sequence[str]
    cells: Sequence[Sequence[str]]
    margins: Sequence[Sequence[str]]
    tau: Sequence[str] = ()

    def with_margins(self) -> _MeansGrid:
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
    runs, explained = _number_long_names(unique_labels(sweep.runs, sweep.paths))
    if len(runs) == 1:
        apart = [
            name for one in group_by_curve(sweep.measures) if not one.is_curve for name in _names(sweep, one.numbers)
        ]
        columns, explained = _number_long_names(apart)
        grids = list(_single_run_grids(sweep, columns, layout))
    else:
        grids = _measure_grids(sweep, runs, layout)
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
    names = unique_labels(sweep.runs, sweep.paths)
    several, every = len(names) > 1, range(len(sweep.measures))
    grids = _measure_grids(sweep, names, layout) if several else [_grid(sweep, layout, [(one, 0) for one in every])]
    rows = [
        [*([grid.title] if several else []), value, *cells, *grid.tau[number : number + 1]]
        for grid in grids
        for number, (value, cells) in enumerate(zip(sweep.values, grid.cells, strict=True))
    ]
    columns = names if several else sweep.measures
    headers = [*(["measure"] if several else []), sweep.label, *columns, *(["tau"] if several else [])]
    return table_text(headers, rows, style, words=1 + several)


def _measure_grids(sweep: Sweep, runs: Sequence[str], layout: Layout) -> list[_MeansGrid]:
    """A table a measure, with a column a run."""
    grids = []
    for number, name in enumerate(sweep.measures):
        tau = [_NONE if one is None else format_value(one, layout.digits) for one in sweep.tau[name]]
        own = _grid(sweep, layout, [(number, run) for run in range(len(runs))], runs)
        grids.append(replace(own, title=name, tau=tau))
    return grids


def _single_run_grids(sweep: Sweep, columns: Sequence[str], layout: Layout) -> Iterator[_MeansGrid]:
    """A table with a column a measure, and one of each measure that is a curve, with a column a point."""
    curves = group_by_curve(sweep.measures)
    apart = [number for one in curves if not one.is_curve for number in one.numbers]
    if apart:
        yield _grid(sweep, layout, [(number, 0) for number in apart], columns)
    for one in curves:
        if one.is_curve:
            found = _grid(
                sweep, layout, [(number, 0) for number in one.numbers], list(map(format_parameter, one.points))
            )
            yield replace(found, title=one.name)


def _grid(sweep: Sweep, layout: Layout, places: Sequence[tuple[int, int]], columns: Sequence[str] = ()) -> _MeansGrid:
    """The means of these measures and runs, a column each."""
    known = {(one.value, one.measure, one.run): one for one in sweep.means}
    found = [[known[value, *place] for place in places] for value in range(len(sweep.values))]
    means = [[_NONE if one.mean is None else format_value(one.mean, layout.digits) for one in row] for row in found]
    margins = [["" if one.margin is None else format_value(one.margin, layout.digits) for one in row] for row in found]
    return _MeansGrid("", columns, [sweep.label, *sweep.values], means, margins)


def _names(sweep: Sweep, numbers: Sequence[int]) -> list[str]:
    return [sweep.measures[number] for number in numbers]


def _number_long_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names, or numbers where one is too long for a column, with the lines that explain them."""
    if max(map(len, names), default=0) <= _MAX_COLUMN_NAME:
        return list(names), []
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return numbers, [f"{number}  {name}" for number, name in zip(numbers, names, strict=True)]


def _lines(grid: _MeansGrid) -> list[str]:
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
        lines += [pad_cells([grid.values[0], *columns], own), "  ".join("-" * width for width in own)]
        lines += [pad_cells([value, *row], own) for value, row in zip(grid.values[1:], rows, strict=True)]
        start = end
    return lines


def interval_sentence(sweep: Sweep) -> str | None:
    """What intervals are over; None where there are none."""
    counts = sorted({one.sample_size for one in sweep.means if one.margin is not None})
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
    lines += [wrap_paragraph(change_sentence(sweep, one, runs, layout.digits)) for one in shown]
    more = len(sweep.changes) - len(shown)
    return lines + ([f"... {more} more, in json"] if more else [])


def change_sentence(sweep: Sweep, one: PlaceChange, runs: Sequence[str], digits: int) -> str:
    """Who is above whom up to which value, and below from which on; `runs` are their names."""
    before, after = sweep.values[one.before], sweep.values[one.after]
    about = "" if one.at is None else f", at about {format_parameter(float(f'{one.at:.{max(digits, 1)}g}'))}"
    return f"{one.measure}: {runs[one.upper]} above {runs[one.lower]} at {before}, below at {after}{about}"


# User models fitted to a log in 80 columns: the one to use first, its parameters, how well they all predict.


_MOST_STEPS = 20
_NONE_fit = "-"


def fit_table(found: FittedModels, layout: Layout) -> str:
    """What to paste behind `eval`; the best model's parameters; all models with their quality; calibration."""
    best = found.best
    line = f"-u {best.spec}"
    if best.navigation is not None and layout.title:
        line += f" --navigation {layout.title} --navigation-kind step"
    parts = [[line], _estimates(found, layout), _models(found, layout), _calibration(best, layout)]
    if best.steps:
        parts.append(_steps(best, layout))
    return "\n".join("\n".join(lines) + "\n" for lines in [*parts, [_sentences(found, layout)]])


def short_spec(model: FittedModel) -> str:
    """A model with its parameters to four digits, for people."""
    values = {key: value for key, value in model.values.items() if value != 1 or key in _estimated_names(model)}
    said = [f"{key}={value if isinstance(value, str) else format(value, '.4g')}" for key, value in values.items()]
    return f"{model.name}:{','.join(said)}" if said else model.name


def _estimated_names(model: FittedModel) -> set[str]:
    return {one.name for one in model.estimates}


def _estimates(found: FittedModels, layout: Layout) -> list[str]:
    listed = [*found.best.estimates, *([] if found.persistence is None else [found.persistence])]
    percent = f"{100 * (1 - found.resampling.alpha):g} % interval"
    rows = [["estimate", "value", percent, "from"]]
    rows += [[one.name, _number(one.value, layout), _interval(one, layout), one.source] for one in listed]
    return _align_columns(rows, left=(0, 3))


def _interval(one: ParameterEstimate, layout: Layout) -> str:
    if one.low is None or one.high is None:
        return _NONE_fit
    return f"{_number(one.low, layout)} to {_number(one.high, layout)}"


def _number(value: float, layout: Layout) -> str:
    """With the digits asked for after the point, or as many that count where it is small."""
    if 0 < abs(value) < 10 ** (1 - layout.digits):
        return f"{value:.{max(1, layout.digits)}g}"
    return format_value(value, layout.digits)


def _models(found: FittedModels, layout: Layout) -> list[str]:
    """The models, the best first, and the constant."""
    rows = [_quality(one.quality, one.parameters, one.leaked_view_share, layout) for one in found.models]
    rows.append(_quality(found.baseline, 1, 1.0, layout))
    headers = ["held out", "AIC", "likelihood", "parameters", "leaked"]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    specs = [short_spec(one) for one in found.models]
    names = labels_or_numbers(specs, LINE_WIDTH - sum(widths) - 2 * len(widths))
    lines = [] if names == specs else [*(f"{name}  {own}" for name, own in zip(names, specs, strict=True)), ""]
    widths.insert(0, max(map(len, [*names, "constant", "model"])))
    lines += [pad_cells(["model", *headers], widths), "  ".join("-" * width for width in widths)]
    lines += [pad_cells([name, *row], widths) for name, row in zip([*names, "constant"], rows, strict=True)]
    return lines


def _quality(quality: Quality, parameters: int, leaked: float, layout: Layout) -> list[str]:
    numbers = quality.shared, quality.aic, quality.log_likelihood
    shown = [_NONE_fit if one is None else format_value(round(one, 2) + 0.0, 2) for one in numbers]  # 0.00, not -0.00
    return [*shown, str(parameters), format_value(leaked, layout.digits)]


def _calibration(best: FittedModel, layout: Layout) -> list[str]:
    rows = [["predicted", "pairs", "mean", "observed"]]
    for one in best.calibration:
        shares = [
            _NONE_fit if share is None else format_value(share, layout.digits)
            for share in (one.predicted, one.observed)
        ]
        rows.append([f"{one.low:.1f} to {one.high:.1f}", str(one.pairs), *shares])
    return _align_columns(rows, left=(0,))


def _steps(best: FittedModel, layout: Layout) -> list[str]:
    """Steps from node to node; where their names are too long for a line, nodes are numbers, which are explained."""
    file, steps = best.navigation, best.steps[:_MOST_STEPS]
    cells = [[format_value(one.value, layout.digits), _interval(one, layout)] for one in steps]
    head = ["step", "probability", "interval"]
    more = len(best.steps) - len(steps)
    end = [f"... {more} more"] if more > 0 else []
    lines = _align_columns([head, *([one.name, *own] for one, own in zip(steps, cells, strict=True))], left=(0,))
    if file is None or max(map(len, lines)) <= LINE_WIDTH:
        return [*lines, *end]
    ways = list(zip(file.source, file.target, strict=True))[: len(steps)]
    number = {name: str(place) for place, name in enumerate(dict.fromkeys(name for way in ways for name in way), 1)}
    named = [[f"{number[source]} to {number[target]}", *own] for (source, target), own in zip(ways, cells, strict=True)]
    explained = [f"{place}  {name}" for name, place in number.items()]
    return [*explained, "", *_align_columns([head, *named], left=(0,)), *end]


def _sentences(found: FittedModels, layout: Layout) -> str:
    size, best = found.size, found.best
    pairs = f"{plural(size.pairs, 'pair')} of a result and a target that had not been seen, {size.views} of them views"
    said = [
        f"{plural(size.sessions, 'session')}, {plural(size.consulted, 'result')} consulted; {pairs}.",
        f"The leak of the best model explains {format_value(best.leaked_view_share, layout.digits)} of these.",
    ]
    if best.decay_gain and "rank_decay" not in _estimated_names(best):
        gain = format_value(best.decay_gain, 2)
        said.append(f"rank_decay stays 1: to estimate it would raise the log-likelihood by {gain}, no more than 2.")
    said.append("Held out: the log-likelihood of each fifth of the sessions by the model fitted to the others.")
    if len({one.all_documents for one in found.models}) > 1:
        along = next(one.name for one in found.models if one.all_documents)
        said.append(f"It is of targets in the document of the result; {along} is fitted to those of all documents.")
    return wrap_paragraph(" ".join(said))


def _align_columns(rows: Sequence[Sequence[str]], left: Sequence[int]) -> list[str]:
    """A table with a line below its head; the columns `left` are words."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


# The power of measures in 80 columns: side by side, then each by the size of the topic set.


_HEADERS = ("topics", "power", "required", "swap", "error", "ties", "tau")
_NONE_power = "-"


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
    names = labels_or_numbers(measures, LINE_WIDTH - sum(widths) - 2 * len(widths))
    widths.insert(0, max(map(len, [*names, "measure"])))
    lines = [] if names == measures else [*(f"{name}  {own}" for name, own in zip(names, measures, strict=True)), ""]
    lines += [pad_cells(["measure", *_HEADERS], widths), "  ".join("-" * width for width in widths)]
    lines += [pad_cells([name, *row[0]], widths) for name, row in zip(names, rows, strict=True)]
    for name, row in zip(names, rows, strict=True):
        called = name if names == measures else f"measure {name}"
        lines += ["", f"{called} by topics", *(pad_cells(["", *cells], widths) for cells in row[1:])]
    return "\n".join([*lines, "", *_legend(found), ""])


def _cells(topics: int, power: float, required: float | None, sets: SizePower, layout: Layout) -> list[str]:
    values = (power, required, sets.swap_rate, sets.error_rate, sets.ties, sets.tau)
    return [str(topics), *(_NONE_power if value is None else format_value(value, layout.digits) for value in values)]


def _legend(found: Power) -> list[str]:
    settings = found.settings
    pairs = plural(found.pairs, "pair")
    meanings = {
        "power": f"share of {pairs} of runs with p < {settings.alpha:g} by the paired {settings.test} test; by topics, "
        f"the mean of {SETS_PER_SIZE} random sets",
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


# How measures answer to what can be wrong with a list, in 80 columns: the situations side by side, values as bars.


_WIDTH = 15
"""Columns of a situation; a blank is between two."""
_LABEL, _BAR = 6, 4
_PARTS = " ▏▎▍▌▋▊▉█"
"""Eighths of a bar."""


def answers_text(answers: Answers, _layout: Layout) -> str:
    """A block a measure, and what the situations are."""
    lines: list[str] = []
    for name, own in answers.by_measure.items():
        lines += [f"{name}{_scale(own[0].top)}", *_measure_block(own), *_refusals(own), ""]
    for one in SITUATIONS:
        lines += wrap(one.meaning, LINE_WIDTH, initial_indent=f"{one.name:<16}", subsequent_indent=" " * 16)
    return "".join(f"{line}\n" for line in lines)


def _scale(top: float) -> str:
    return "" if top == 1 else f" (1 stands for {top_text(top)})"


def _measure_block(own: Sequence[MeasureAnswer]) -> list[str]:
    """A line a step, situations side by side."""
    columns = [[one.situation.name[:_WIDTH], *_lines_answers(one)] for one in own]
    return [" ".join(cell.ljust(_WIDTH) for cell in cells).rstrip() for cells in zip_longest(*columns, fillvalue="")]


def _lines_answers(one: MeasureAnswer) -> list[str]:
    lines = []
    for step, value in zip(one.situation.step_names, one.values, strict=True):
        if value is None:
            lines.append(f"{step:<{_LABEL}} refused")
        else:
            lines.append(f"{step:<{_LABEL}}{value / one.top:.2f} {bar(value / one.top, _BAR)}")
    return lines


def bar(share: float, width: int) -> str:
    """A bar of so many columns, as much of it filled as the share says.

    >>> bar(0.5, 4), bar(0.03125, 4)
    ('██', '▏')
    """
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return ("█" * (eighths // 8) + _PARTS[eighths % 8]).rstrip()


def _refusals(own: Sequence[MeasureAnswer]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for one in own:
        if one.reason is not None:
            reasons.setdefault(one.reason, []).append(one.situation.name)
    return [
        line
        for reason, names in reasons.items()
        for line in wrap(f"refused ({', '.join(names)}): {reason}", LINE_WIDTH, subsequent_indent="  ")
    ]


# What moved between gold values and an evaluation, for people.


_TOPICS = 10
"""How many topics of a measure a short report names."""
_DIGITS = 10


def contents_sentence(gold: Gold) -> str:
    """What was written: how many runs, topics, measures and bounds."""
    topics = {topic for run in gold.runs for topic in run.topics}
    measures = {name for run in gold.runs for name in run.all}
    parts = [plural(len(gold.runs), "run"), plural(len(topics), "topic"), plural(len(measures), "measure")]
    bounds = [plural(len(gold.thresholds), "bound")] if gold.thresholds else []
    return f"written: {', '.join([*parts, *bounds])}"


def check_sentence(check: GoldCheck) -> str:
    """One sentence: how many runs and values were compared, which way any moved, how many thresholds are not met."""
    parts = [plural(len(check.runs), "run"), plural(check.compared_count, "value"), _movement_counts(check.movements)]
    failing = sum(len(run.failing_values) for run in check.runs)
    if failing < check.moved_count:
        parts.append(f"{failing or 'none'} worse")
    if check.thresholds:
        bounds = len(check.thresholds) * len(check.runs)
        unmet = f"{len(check.unmet_thresholds)} of {plural(bounds, 'bound')} not met"
        parts.append(unmet if check.unmet_thresholds else f"{plural(bounds, 'bound')} met")
    return ", ".join(parts)


def _movement_counts(movements: Counter[Movement]) -> str:
    """How many values moved, and how many each way.

    >>> _movement_counts(Counter({Movement.ROSE: 2, Movement.GONE: 1})), _movement_counts(Counter())
    ('3 moved (2 rose, 1 gone)', 'none moved')
    """
    total = movements.total()
    ways = ", ".join(f"{movements[way]} {way.value}" for way in Movement if movements[way])
    return f"{total} moved ({ways})" if total else "none moved"


def gold_check_text(check: GoldCheck, layout: Layout) -> str:
    """Notes, bounds that are not met, then a table for each run: of each measure the mean, then topics, by how far.

    Only what fails the check is listed. Unless topics are asked for, a measure shows at most ten.
    """
    lines = [f"{layout.title}: {check_sentence(check)}", *(f"  {note}" for note in check.notes)]
    if check.unmet_thresholds:
        lines += ["", *_unmet_table(check.unmet_thresholds).splitlines()]
    for run in check.runs:
        if run.failing_values:
            how = "moved" if run.failing_values == run.moved_values else "worse"
            failing = f"{len(run.failing_values)} of {plural(run.values, 'value')} {how}"
            lines += ["", f"{run.run_id} ({run.path}): {failing}", *_run_table(run, full=layout.per_topic).splitlines()]
    return "\n".join(lines) + "\n"


def unmet_line(unmet: UnmetThreshold) -> str:
    """One bound that a run does not meet, in one line."""
    return f"{unmet.run_id} ({unmet.path}): {unmet.threshold.text} is not met: {format_gold_value(unmet.value)}"


def _unmet_table(listed: Sequence[UnmetThreshold]) -> str:
    rows = [[one.run_id, one.threshold.text, format_gold_value(one.value)] for one in listed]
    return table_text(["run", "not met", "now"], rows, PLAIN, words=2)


def _run_table(run: ComparedRun, *, full: bool) -> str:
    """The values of one run that fail, measure by measure."""
    rows: list[list[str]] = []
    for measure, cells in groupby(run.failing_values, key=lambda cell: cell.measure):
        listed = list(cells)
        means = [cell for cell in listed if cell.topic == ALL]
        topics = sorted((cell for cell in listed if cell.topic != ALL), key=_size_sort_key)
        kept = topics if full else topics[:_TOPICS]
        rows += [
            [
                measure,
                cell.topic,
                format_gold_value(cell.gold),
                format_gold_value(cell.now),
                format_change(cell.difference),
            ]
            for cell in [*means, *kept]
        ]
        if len(kept) < len(topics):
            rows.append([measure, f"({len(topics) - len(kept)} more)", "", "", ""])
    return table_text(["measure", "topic", "gold", "now", "difference"], rows, PLAIN, words=2)


def _size_sort_key(cell: MovedValue) -> tuple[bool, float]:
    size = cell.difference
    return size is not None, -abs(size or 0.0)


def format_gold_value(value: GoldCell) -> str:
    """A value with ten digits after the point; ``absent`` where a side does not have it at all."""
    return value.value if isinstance(value, Absent) else format_value(value, _DIGITS)


def format_change(difference: float | None) -> str:
    """How far a value moved, with its sign; enough digits to see a rounding error.

    >>> format_change(-1.25e-13), format_change(2), format_change(None)
    ('-1.25e-13', '+2', '')
    """
    if difference is None:
        return ""
    return f"{difference:+d}" if isinstance(difference, int) else f"{difference:+.3g}"


def notes_line(notes: Sequence[str]) -> str:
    """The notes in one line."""
    return "; ".join(notes)
