"""User models fitted to a log in 80 columns: the one to use first, its parameters, how well they all predict."""

from __future__ import annotations

from collections.abc import Sequence

from prum_eval.fitting.estimates import ParameterEstimate
from prum_eval.fitting.quality import Quality
from prum_eval.fitting.result import FittedModel, FittedModels
from prum_eval.report.layout import Layout, formatted
from prum_eval.report.writing import LINE_WIDTH, labels, padded, paragraph
from prum_eval.tabular import plural

_MOST_STEPS = 20
_NONE = "-"


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
    values = {key: value for key, value in model.values.items() if value != 1 or key in _estimated(model)}
    said = [f"{key}={value if isinstance(value, str) else format(value, '.4g')}" for key, value in values.items()]
    return f"{model.name}:{','.join(said)}" if said else model.name


def _estimated(model: FittedModel) -> set[str]:
    return {one.name for one in model.estimates}


def _estimates(found: FittedModels, layout: Layout) -> list[str]:
    listed = [*found.best.estimates, *([] if found.persistence is None else [found.persistence])]
    percent = f"{100 * (1 - found.resampling.alpha):g} % interval"
    rows = [["estimate", "value", percent, "from"]]
    rows += [[one.name, _number(one.value, layout), _interval(one, layout), one.source] for one in listed]
    return _aligned(rows, left=(0, 3))


def _interval(one: ParameterEstimate, layout: Layout) -> str:
    if one.low is None or one.high is None:
        return _NONE
    return f"{_number(one.low, layout)} to {_number(one.high, layout)}"


def _number(value: float, layout: Layout) -> str:
    """With the digits asked for after the point, or as many that count where it is small."""
    if 0 < abs(value) < 10 ** (1 - layout.digits):
        return f"{value:.{max(1, layout.digits)}g}"
    return formatted(value, layout.digits)


def _models(found: FittedModels, layout: Layout) -> list[str]:
    """The models, the best first, and the constant."""
    rows = [_quality(one.quality, one.parameters, one.leaked, layout) for one in found.models]
    rows.append(_quality(found.baseline, 1, 1.0, layout))
    headers = ["held out", "AIC", "likelihood", "parameters", "leaked"]
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    specs = [short_spec(one) for one in found.models]
    names = labels(specs, LINE_WIDTH - sum(widths) - 2 * len(widths))
    lines = [] if names == specs else [*(f"{name}  {own}" for name, own in zip(names, specs, strict=True)), ""]
    widths.insert(0, max(map(len, [*names, "constant", "model"])))
    lines += [padded(["model", *headers], widths), "  ".join("-" * width for width in widths)]
    lines += [padded([name, *row], widths) for name, row in zip([*names, "constant"], rows, strict=True)]
    return lines


def _quality(quality: Quality, parameters: int, leaked: float, layout: Layout) -> list[str]:
    numbers = quality.shared, quality.aic, quality.log_likelihood
    shown = [_NONE if one is None else formatted(round(one, 2) + 0.0, 2) for one in numbers]  # 0.00, not -0.00
    return [*shown, str(parameters), formatted(leaked, layout.digits)]


def _calibration(best: FittedModel, layout: Layout) -> list[str]:
    rows = [["predicted", "pairs", "mean", "observed"]]
    for one in best.calibration:
        shares = [
            _NONE if share is None else formatted(share, layout.digits) for share in (one.predicted, one.observed)
        ]
        rows.append([f"{one.low:.1f} to {one.high:.1f}", str(one.pairs), *shares])
    return _aligned(rows, left=(0,))


def _steps(best: FittedModel, layout: Layout) -> list[str]:
    """Steps from node to node; where their names are too long for a line, nodes are numbers, which are explained."""
    file, steps = best.navigation, best.steps[:_MOST_STEPS]
    cells = [[formatted(one.value, layout.digits), _interval(one, layout)] for one in steps]
    head = ["step", "probability", "interval"]
    more = len(best.steps) - len(steps)
    end = [f"... {more} more"] if more > 0 else []
    lines = _aligned([head, *([one.name, *own] for one, own in zip(steps, cells, strict=True))], left=(0,))
    if file is None or max(map(len, lines)) <= LINE_WIDTH:
        return [*lines, *end]
    ways = list(zip(file.source, file.target, strict=True))[: len(steps)]
    number = {name: str(place) for place, name in enumerate(dict.fromkeys(name for way in ways for name in way), 1)}
    named = [[f"{number[source]} to {number[target]}", *own] for (source, target), own in zip(ways, cells, strict=True)]
    explained = [f"{place}  {name}" for name, place in number.items()]
    return [*explained, "", *_aligned([head, *named], left=(0,)), *end]


def _sentences(found: FittedModels, layout: Layout) -> str:
    size, best = found.size, found.best
    pairs = f"{plural(size.pairs, 'pair')} of a result and a target that had not been seen, {size.views} of them views"
    said = [
        f"{plural(size.sessions, 'session')}, {plural(size.consulted, 'result')} consulted; {pairs}.",
        f"The leak of the best model explains {formatted(best.leaked, layout.digits)} of these.",
    ]
    if best.decay_gain and "rank_decay" not in _estimated(best):
        gain = formatted(best.decay_gain, 2)
        said.append(f"rank_decay stays 1: to estimate it would raise the log-likelihood by {gain}, no more than 2.")
    said.append("Held out: the log-likelihood of each fifth of the sessions by the model fitted to the others.")
    if len({one.everywhere for one in found.models}) > 1:
        along = next(one.name for one in found.models if one.everywhere)
        said.append(f"It is of targets in the document of the result; {along} is fitted to those of all documents.")
    return paragraph(" ".join(said))


def _aligned(rows: Sequence[Sequence[str]], left: Sequence[int]) -> list[str]:
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
