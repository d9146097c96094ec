"""Sweeps, fitted user models, power, galleries and gold checks in 80 columns.

Each ``*_table`` or ``*_text`` prints a result for people: sentences, and tables in which numbers with a legend replace
long names. `sweep_tables` is the sweep as a grid for Markdown and LaTeX.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from textwrap import wrap

from prum_eval.analysis.regression import Absent, ComparedRun, GoldCell, GoldCheck, Movement, UnmetThreshold
from prum_eval.experiments.fit import FittedModel, FittedModels
from prum_eval.experiments.fit_estimates import ParameterEstimate, Quality
from prum_eval.experiments.gallery import SITUATIONS, Answers, MeasureAnswer
from prum_eval.experiments.power import RATES, SETS_PER_SIZE, MeasurePower, Power, SizePower
from prum_eval.experiments.sweep import PlaceChange, Sweep
from prum_eval.formats.gold import Gold
from prum_eval.parameters import format_parameter
from prum_eval.report.drawing import group_by_curve
from prum_eval.report.grid import Grid, TableCell
from prum_eval.report.layout import (
    ALL,
    LINE_WIDTH,
    PLAIN,
    Layout,
    format_value,
    labels_or_numbers,
    pad_cells,
    table_lines,
    table_text,
    wrap_paragraph,
)
from prum_eval.report.panels import MAX_MEAN_LINES, top_text
from prum_eval.tabular import plural, unique_labels

_UNDEFINED = "-"


def _format_cell(value: float | None, layout: Layout) -> str:
    return _UNDEFINED if value is None else format_value(value, layout.digits)


def _explained(labels: Sequence[str], names: Sequence[str]) -> list[str]:
    """Legend of labels that are numbers, and an empty line; nothing if labels are the names."""
    if list(labels) == list(names):
        return []
    return [*(f"{label}  {name}" for label, name in zip(labels, names, strict=True)), ""]


# Sweeps.


_MAX_COLUMN_NAME = 30
"""Longer names of columns are replaced by numbers with a legend."""
_MAX_LISTED_CHANGES = 20
"""Changes of places listed at most; JSON has all."""


@dataclass(frozen=True)
class _MeansTable:
    """Means of a sweep: one row per value, one column per run, measure or cut-off.

    `values`: header and cells of the first column. `margins`: half widths of the intervals, empty if there are none.
    `tau`: one cell per row, or nothing.
    """

    title: str
    columns: Sequence[str]
    values: Sequence[str]
    cells: Sequence[Sequence[str]]
    margins: Sequence[Sequence[str]]
    tau: Sequence[str] = ()

    def with_margins(self) -> _MeansTable:
        """The table with half widths of intervals in its cells."""
        width = max(len(cell) for row in self.margins for cell in row)
        empty = " " * (width + 2) * bool(width)
        pairs = (zip(*row, strict=True) for row in zip(self.cells, self.margins, strict=True))
        cells = [[f"{mean} ±{margin:>{width}}" if margin else mean + empty for mean, margin in row] for row in pairs]
        return replace(self, cells=cells)

    @property
    def widths(self) -> list[int]:
        """Widths of values, columns and tau; 0 for tau if there is none."""
        columns = [self.values, *([name, *cells] for name, *cells in zip(self.columns, *self.cells, strict=True))]
        return [*(max(map(len, column)) for column in columns), max(map(len, ["tau", *self.tau])) if self.tau else 0]

    @property
    def width(self) -> int:
        """Width of a whole row."""
        first, *others = self.widths
        return first + sum(2 + width for width in others if width)

    def lines(self) -> list[str]:
        """Lines of the table with its title; columns that do not fit in a line follow below."""
        first, *widths, tau_width = self.widths
        lines, start = [self.title] if self.title else [], 0
        while start < len(widths):
            end, line_width = start, first + (2 + tau_width if tau_width else 0)
            while end < len(widths) and (end == start or line_width + 2 + widths[end] <= LINE_WIDTH):
                line_width += 2 + widths[end]
                end += 1
            with_tau = tau_width > 0 and end == len(widths)
            tau = self.tau if with_tau else [""] * len(self.cells)
            rows = [
                [value, *cells[start:end], *([cell] if with_tau else [])]
                for value, cells, cell in zip(self.values[1:], self.cells, tau, strict=True)
            ]
            headers = [self.values[0], *self.columns[start:end], *(["tau"] if with_tau else [])]
            lines += [""] if start else []
            lines += table_lines(headers, rows, widths=[first, *widths[start:end], *([tau_width] if with_tau else [])])
            start = end
        return lines


def sweep_table(sweep: Sweep, layout: Layout) -> str:
    """Means with half their intervals if they fit, tau against the reference, and changes of places."""
    runs, columns = unique_labels(sweep.runs, sweep.paths), list[str]()
    if len(runs) == 1:
        curves = group_by_curve(sweep.measures)
        columns = [sweep.measures[number] for curve in curves if not curve.is_curve for number in curve.numbers]
    names = columns if len(runs) == 1 else runs
    is_long = max(map(len, names), default=0) > _MAX_COLUMN_NAME
    labels = [str(number) for number in range(1, len(names) + 1)] if is_long else names
    lines = _explained(labels, names) if is_long else []
    if len(runs) == 1:
        tables = list(_single_run_tables(sweep, labels, layout))
    else:
        runs, tables = labels, _measure_tables(sweep, labels, layout)
    wide = [table.with_margins() for table in tables]
    has_margins = any(mean.margin is not None for mean in sweep.means)
    fits = has_margins and all(table.width <= LINE_WIDTH for table in wide)
    for table in wide if fits else tables:
        lines += [*table.lines(), ""]
    if (interval := interval_sentence(sweep)) is not None:
        lines.append(f"±    {interval}" if fits else "intervals, for which there is no room here, are in json and csv")
    if len(runs) > 1:
        lines.append(f"tau  Kendall's tau-b of the runs against their order at {sweep.values[sweep.reference]}")
        lines += ["", *_change_lines(sweep, runs, layout)]
    return "\n".join([*lines, ""])


def sweep_tables(sweep: Sweep, layout: Layout) -> list[Grid]:
    """One grid: measures of several runs below each other, of a single run side by side."""
    names = unique_labels(sweep.runs, sweep.paths)
    if len(names) > 1:
        labels, columns = ["measure", sweep.label], [*names, "tau"]
        tables = _measure_tables(sweep, names, layout)
        titles = [[table.title] for table in tables]
    else:
        labels, columns = [sweep.label], list(sweep.measures)
        tables = [_means_table(sweep, layout, [(number, 0) for number in range(len(sweep.measures))])]
        titles = [[]]
    rows = [
        ([*title, value], [TableCell(cell) for cell in [*cells, *table.tau[number : number + 1]]])
        for title, table in zip(titles, tables, strict=True)
        for number, (value, cells) in enumerate(zip(sweep.values, table.cells, strict=True))
    ]
    return [Grid(labels, columns, rows, [0])]


def _measure_tables(sweep: Sweep, runs: Sequence[str], layout: Layout) -> list[_MeansTable]:
    """One table per measure, with one column per run."""
    tables = []
    for number, name in enumerate(sweep.measures):
        tau = [_format_cell(value, layout) for value in sweep.tau[name]]
        table = _means_table(sweep, layout, [(number, run) for run in range(len(runs))], runs)
        tables.append(replace(table, title=name, tau=tau))
    return tables


def _single_run_tables(sweep: Sweep, columns: Sequence[str], layout: Layout) -> Iterator[_MeansTable]:
    """A table with one column per measure, and of each curve one with one column per cut-off."""
    curves = group_by_curve(sweep.measures)
    if single := [number for curve in curves if not curve.is_curve for number in curve.numbers]:
        yield _means_table(sweep, layout, [(number, 0) for number in single], columns)
    for curve in curves:
        if curve.is_curve:
            points = list(map(format_parameter, curve.points))
            table = _means_table(sweep, layout, [(number, 0) for number in curve.numbers], points)
            yield replace(table, title=curve.name)


def _means_table(
    sweep: Sweep, layout: Layout, places: Sequence[tuple[int, int]], columns: Sequence[str] = ()
) -> _MeansTable:
    """The means with one column per measure and run of `places`."""
    means = {(mean.value, mean.measure, mean.run): mean for mean in sweep.means}
    rows = [[means[value, *place] for place in places] for value in range(len(sweep.values))]
    cells = [[_format_cell(mean.mean, layout) for mean in row] for row in rows]
    margins = [
        ["" if mean.margin is None else format_value(mean.margin, layout.digits) for mean in row] for row in rows
    ]
    return _MeansTable("", columns, [sweep.label, *sweep.values], cells, margins)


def interval_sentence(sweep: Sweep) -> str | None:
    """Which intervals are shown, over how many copies or topics; None if there are none."""
    counts = sorted({mean.sample_size for mean in sweep.means if mean.margin is not None})
    if not counts:
        return None
    number = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    over = f"{number} {'copies' if sweep.copies else 'topics'}"
    return f"half of Student's {100 * (1 - sweep.alpha):g} % interval over {over}"


def _change_lines(sweep: Sweep, runs: Sequence[str], layout: Layout) -> list[str]:
    changes, note = listed_changes(sweep)
    shown = changes[:_MAX_LISTED_CHANGES]
    lines = [f"Runs that change places ({len(changes)}):"] if changes else []
    lines += [wrap_paragraph(change_sentence(sweep, change, runs, layout.digits)) for change in shown]
    more = len(changes) - len(shown)
    return [*lines, *([f"... {more} more, in json"] if more else []), *([wrap_paragraph(note)] if note else [])]


def listed_changes(sweep: Sweep) -> tuple[Sequence[PlaceChange], str]:
    """The changes of places that reports list, and a sentence on the others; of many runs those of runs that differ."""
    changes = sweep.changes
    if len(sweep.runs) > MAX_MEAN_LINES:
        changes = tuple(change for change in changes if change.differs)
    if not sweep.changes:
        return changes, "No two runs change places."
    hidden = len(sweep.changes) - len(changes)
    without = f"without a significant difference (paired t test, p < {sweep.alpha:g}, at either value): see json."
    return changes, f"{plural(hidden, 'change')} of places {without}" if hidden else ""


def change_sentence(sweep: Sweep, change: PlaceChange, runs: Sequence[str], digits: int) -> str:
    """Which run is above which at one value, and below at the next; `runs` are their names."""
    before, after = sweep.values[change.before], sweep.values[change.after]
    about = ""
    if change.at is not None:
        about = f", at about {format_parameter(float(f'{change.at:.{max(digits, 1)}g}'))}"
    pair = f"{runs[change.upper]} above {runs[change.lower]}"
    return f"{change.measure}: {pair} at {before}, below at {after}{about}"


# Fitted user models.


_MAX_LISTED_STEPS = 20


def fit_table(fit: FittedModels, layout: Layout) -> str:
    """Options for `eval`, estimates of the best model, quality of all models, calibration and steps."""
    best = fit.best
    options = f"-u {best.spec}"
    if best.navigation is not None and layout.title:
        options += f" --navigation {layout.title} --navigation-kind step"
    calibration = [
        [f"{tenth.low:.1f} to {tenth.high:.1f}", str(tenth.pairs)]
        + [_format_cell(share, layout) for share in (tenth.predicted, tenth.observed)]
        for tenth in best.calibration
    ]
    parts = [
        [options],
        _estimate_lines(fit, layout),
        _model_lines(fit, layout),
        table_lines(["predicted", "pairs", "mean", "observed"], calibration),
    ]
    if best.steps:
        parts.append(_step_lines(best, layout))
    parts.append([_fit_sentences(fit, layout)])
    return "\n".join("\n".join(lines) + "\n" for lines in parts)


def short_spec(model: FittedModel) -> str:
    """A model with its parameters to four digits."""
    estimated = _estimated_names(model)
    values = {key: value for key, value in model.values.items() if value != 1 or key in estimated}
    texts = [f"{key}={value if isinstance(value, str) else format(value, '.4g')}" for key, value in values.items()]
    return f"{model.name}:{','.join(texts)}" if texts else model.name


def _estimated_names(model: FittedModel) -> set[str]:
    return {estimate.name for estimate in model.estimates}


def _estimate_lines(fit: FittedModels, layout: Layout) -> list[str]:
    estimates = [*fit.best.estimates, *([] if fit.persistence is None else [fit.persistence])]
    headers = ["estimate", "value", f"{100 * (1 - fit.resampling.alpha):g} % interval", "from"]
    rows = [
        [estimate.name, _estimate(estimate.value, layout), _interval(estimate, layout), estimate.source]
        for estimate in estimates
    ]
    width = max(map(len, [headers[3], *(row[3] for row in rows)]))
    return table_lines([*headers[:3], headers[3].ljust(width)], [[*row[:3], row[3].ljust(width)] for row in rows])


def _interval(estimate: ParameterEstimate, layout: Layout) -> str:
    if estimate.low is None or estimate.high is None:
        return _UNDEFINED
    return f"{_estimate(estimate.low, layout)} to {_estimate(estimate.high, layout)}"


def _estimate(value: float, layout: Layout) -> str:
    """Value with fixed digits, or with as many significant digits if it is small."""
    if 0 < abs(value) < 10 ** (1 - layout.digits):
        return f"{value:.{max(1, layout.digits)}g}"
    return format_value(value, layout.digits)


def _model_lines(fit: FittedModels, layout: Layout) -> list[str]:
    """The models, the best first, and the constant."""

    def cells(quality: Quality, parameters: int, leaked: float) -> list[str]:
        numbers = quality.shared, quality.aic, quality.log_likelihood
        texts = [  # 0.00, not -0.00
            _UNDEFINED if number is None else format_value(round(number, 2) + 0.0, 2) for number in numbers
        ]
        return [*texts, str(parameters), format_value(leaked, layout.digits)]

    rows = [cells(model.quality, model.parameters, model.leaked_view_share) for model in fit.models]
    rows.append(cells(fit.baseline, 1, 1.0))
    headers = ["held out", "AIC", "likelihood", "parameters", "leaked"]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    specs = [short_spec(model) for model in fit.models]
    names = labels_or_numbers(specs, LINE_WIDTH - sum(widths) - 2 * len(widths))
    rows = [[name, *row] for name, row in zip([*names, "constant"], rows, strict=True)]
    return _explained(names, specs) + table_lines(["model", *headers], rows)


def _step_lines(best: FittedModel, layout: Layout) -> list[str]:
    """Steps from node to node; long names of nodes are replaced by numbers with a legend."""
    file, steps = best.navigation, best.steps[:_MAX_LISTED_STEPS]
    cells = [[format_value(step.value, layout.digits), _interval(step, layout)] for step in steps]
    headers = ["step", "probability", "interval"]
    more = len(best.steps) - len(steps)
    end = [f"... {more} more"] if more > 0 else []
    lines = table_lines(headers, [[step.name, *row] for step, row in zip(steps, cells, strict=True)])
    if file is None or max(map(len, lines)) <= LINE_WIDTH:
        return [*lines, *end]
    links = list(zip(file.source, file.target, strict=True))[: len(steps)]
    number = {name: str(place) for place, name in enumerate(dict.fromkeys(name for link in links for name in link), 1)}
    rows = [[f"{number[source]} to {number[target]}", *row] for (source, target), row in zip(links, cells, strict=True)]
    return [*(f"{place}  {name}" for name, place in number.items()), "", *table_lines(headers, rows), *end]


def _fit_sentences(fit: FittedModels, layout: Layout) -> str:
    size, best = fit.size, fit.best
    pairs = f"{plural(size.pairs, 'pair')} of a result and a target that had not been seen, {size.views} of them views"
    sentences = [
        f"{plural(size.sessions, 'session')}, {plural(size.consulted, 'result')} consulted; {pairs}.",
        f"The leak of the best model explains {format_value(best.leaked_view_share, layout.digits)} of these.",
    ]
    if best.decay_gain and "rank_decay" not in _estimated_names(best):
        gain = format_value(best.decay_gain, 2)
        sentences.append(
            f"rank_decay stays 1: to estimate it would raise the log-likelihood by {gain}, no more than 2."
        )
    sentences.append("Held out: the log-likelihood of each fifth of the sessions by the model fitted to the others.")
    if len({model.all_documents for model in fit.models}) > 1:
        along = next(model.name for model in fit.models if model.all_documents)
        sentences.append(
            f"It is of targets in the document of the result; {along} is fitted to those of all documents."
        )
    return wrap_paragraph(" ".join(sentences))


# Power of measures.


_POWER_HEADERS = ("topics", "power", "required", "swap", "error", "ties", "tau")


def power_table(power: Power, layout: Layout) -> str:
    """The measures, the best first; the same by size of topic sets; what the columns mean."""

    def rows_of(topics: int, tested: MeasurePower | SizePower, size: SizePower) -> list[list[str]]:
        """The rates, and below them their standard errors."""
        records = [tested, tested, *[size] * 4]
        rows = []
        for head, end in ((str(topics), ""), ("se", "_se")):
            cells = [
                _format_cell(getattr(record, f"{name}{end}"), layout) if hasattr(record, name) else ""
                for name, record in zip(RATES, records, strict=True)
            ]
            rows.append([head, *cells])
        return rows

    rows = [rows_of(measure.topics, measure, measure.sizes[-1]) for measure in power.measures]
    size_rows = [
        [row for size in measure.sizes for row in rows_of(size.size, size, size)] for measure in power.measures
    ]
    all_rows = [row for block in [*rows, *size_rows] for row in block]
    widths = [max(map(len, column)) for column in zip(_POWER_HEADERS, *all_rows, strict=True)]
    measures = [measure.measure for measure in power.measures]
    names = labels_or_numbers(measures, LINE_WIDTH - sum(widths) - 2 * len(widths))
    widths.insert(0, max(map(len, [*names, "measure"])))
    lines = _explained(names, measures)
    table = [
        [label, *row]
        for name, block in zip(names, rows, strict=True)
        for label, row in zip((name, ""), block, strict=True)
    ]
    lines += table_lines(["measure", *_POWER_HEADERS], table, widths=widths)
    for name, block in zip(names, size_rows, strict=True):
        title = name if names == measures else f"measure {name}"
        lines += ["", f"{title} by topics", *(pad_cells(["", *row], widths) for row in block)]
    return "\n".join([*lines, "", *_power_legend(power), ""])


def _power_legend(power: Power) -> list[str]:
    settings = power.settings
    pairs = plural(power.pairs, "pair")
    meanings = {
        "power": f"share of {pairs} of runs with p < {settings.alpha:g} by the paired {settings.test} test; by topics, "
        f"the mean of {SETS_PER_SIZE} random sets",
        "required": "difference that the paired bootstrap test takes for that, the largest of all pairs",
        "swap": "share of pairs that two disjoint sets of topics put the other way round",
        "error": "share of pairs that a set of topics puts as most sets do not",
        "ties": f"share of pairs whose means differ by {100 * settings.fuzziness:g} % of the larger or less; they are "
        "no errors",
        "tau": "Kendall's tau-b of the runs by two disjoint sets",
        "se": "standard errors: how far other random trials and sets would be off",
    }
    lines = [
        line
        for name, text in meanings.items()
        for line in wrap(text, LINE_WIDTH, initial_indent=f"{name:<10}", subsequent_indent=" " * 10)
    ]
    last = f"swap to tau: {plural(settings.trials, 'trial')} a size, seed {settings.seed}; side by side, of the largest"
    order = "The order is by power, then tau; what differs by at most two standard errors is in the order asked."
    return [*lines, last, *wrap(order, LINE_WIDTH)]


# Galleries of measures: situations side by side, values as bars.


_SITUATION_WIDTH = 15
"""Columns of a situation; one blank separates two."""
_STEP_WIDTH, _BAR_WIDTH = 6, 4
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def answers_text(answers: Answers, _layout: Layout) -> str:
    """One block per measure, and what the situations are."""
    lines: list[str] = []
    for name, situations in answers.by_measure.items():
        top = situations[0].top
        scale = "" if top == 1 else f" (1 stands for {top_text(top)})"
        columns = [[answer.situation.name[:_SITUATION_WIDTH], *_step_lines_of(answer)] for answer in situations]
        rows = zip_longest(*columns, fillvalue="")
        lines += [f"{name}{scale}", *(" ".join(cell.ljust(_SITUATION_WIDTH) for cell in row).rstrip() for row in rows)]
        names_of: dict[str, list[str]] = {}
        for answer in situations:
            if answer.reason is not None:
                names_of.setdefault(answer.reason, []).append(answer.situation.name)
        for reason, names in names_of.items():
            lines += wrap(f"refused ({', '.join(names)}): {reason}", LINE_WIDTH, subsequent_indent="  ")
        lines.append("")
    for situation in SITUATIONS:
        head = f"{situation.name:<16}"
        lines += wrap(situation.meaning, LINE_WIDTH, initial_indent=head, subsequent_indent=" " * 16)
    return "".join(f"{line}\n" for line in lines)


def _step_lines_of(answer: MeasureAnswer) -> list[str]:
    lines = []
    for step, value in zip(answer.situation.step_names, answer.values, strict=True):
        if value is None:
            lines.append(f"{step:<{_STEP_WIDTH}} refused")
        else:
            share = value / answer.top
            lines.append(f"{step:<{_STEP_WIDTH}}{share:.2f} {bar(share, _BAR_WIDTH)}")
    return lines


def bar(share: float, width: int) -> str:
    """Bar that is `width` columns long for a share of 1.

    >>> bar(0.5, 4), bar(0.03125, 4)
    ('██', '▏')
    """
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


# Gold checks.


_MAX_LISTED_TOPICS = 10
"""Topics of a measure that a short report names."""
_GOLD_DIGITS = 10


def gold_check_text(check: GoldCheck, layout: Layout) -> str:
    """Notes, thresholds not met, and per run the values that fail: means, then topics, the largest changes first.

    A measure shows at most ten topics unless `layout.per_topic`.
    """
    lines = [f"{layout.title}: {check_sentence(check)}", *(f"  {note}" for note in check.notes)]
    if check.unmet_thresholds:
        rows = [
            [unmet.run_id, unmet.threshold.text, format_gold_value(unmet.value)] for unmet in check.unmet_thresholds
        ]
        lines += ["", *table_text(["run", "not met", "now"], rows, PLAIN, words=2).splitlines()]
    for run in check.runs:
        if run.failing_values:
            how = "moved" if run.failing_values == run.moved_values else "worse"
            failing = f"{len(run.failing_values)} of {plural(run.values, 'value')} {how}"
            lines += ["", f"{run.run_id} ({run.path}): {failing}", *_failing_values(run, full=layout.per_topic)]
    return "\n".join(lines) + "\n"


def _failing_values(run: ComparedRun, *, full: bool) -> list[str]:
    rows: list[list[str]] = []
    for measure, values in groupby(run.failing_values, key=lambda value: value.measure):
        values_list = list(values)
        means = [value for value in values_list if value.topic == ALL]
        topics = [value for value in values_list if value.topic != ALL]
        topics.sort(key=lambda value: (value.difference is not None, -abs(value.difference or 0.0)))
        shown = topics if full else topics[:_MAX_LISTED_TOPICS]
        for value in [*means, *shown]:
            cells = format_gold_value(value.gold), format_gold_value(value.now), format_change(value.difference)
            rows.append([measure, value.topic, *cells])
        if len(shown) < len(topics):
            rows.append([measure, f"({len(topics) - len(shown)} more)", "", "", ""])
    return table_text(["measure", "topic", "gold", "now", "difference"], rows, PLAIN, words=2).splitlines()


def check_sentence(check: GoldCheck) -> str:
    """Numbers of runs and values compared, of values that moved, and of thresholds not met."""
    parts = [plural(len(check.runs), "run"), plural(check.compared_count, "value"), _movement_counts(check.movements)]
    failing = sum(len(run.failing_values) for run in check.runs)
    if failing < check.moved_count:
        parts.append(f"{failing or 'none'} worse")
    if check.thresholds:
        total = plural(len(check.thresholds) * len(check.runs), "threshold")
        unmet = len(check.unmet_thresholds)
        parts.append(f"{unmet} of {total} not met" if unmet else f"{total} met")
    return ", ".join(parts)


def _movement_counts(movements: Counter[Movement]) -> str:
    """Number of values that moved, in all and by kind.

    >>> _movement_counts(Counter({Movement.ROSE: 2, Movement.GONE: 1})), _movement_counts(Counter())
    ('3 moved (2 rose, 1 gone)', 'none moved')
    """
    total = movements.total()
    kinds = ", ".join(f"{movements[kind]} {kind.value}" for kind in Movement if movements[kind])
    return f"{total} moved ({kinds})" if total else "none moved"


def contents_sentence(gold: Gold) -> str:
    """Numbers of runs, topics, measures and thresholds written."""
    topics = {topic for run in gold.runs for topic in run.topics}
    measures = {name for run in gold.runs for name in run.all}
    parts = [plural(len(gold.runs), "run"), plural(len(topics), "topic"), plural(len(measures), "measure")]
    parts += [plural(len(gold.thresholds), "threshold")] if gold.thresholds else []
    return f"written: {', '.join(parts)}"


def unmet_line(unmet: UnmetThreshold) -> str:
    """A threshold that a run does not meet, in one line."""
    return f"{unmet.run_id} ({unmet.path}): {unmet.threshold.text} is not met: {format_gold_value(unmet.value)}"


def format_gold_value(value: GoldCell) -> str:
    """A value with ten decimals, or ``absent``."""
    return value.value if isinstance(value, Absent) else format_value(value, _GOLD_DIGITS)


def format_change(difference: float | None) -> str:
    """A difference with its sign and enough digits to see a rounding error.

    >>> format_change(-1.25e-13), format_change(2), format_change(None)
    ('-1.25e-13', '+2', '')
    """
    if difference is None:
        return ""
    return f"{difference:+d}" if isinstance(difference, int) else f"{difference:+.3g}"
