"""How measures answer to what can be wrong with a list, by matplotlib: a row a measure, a column a situation."""

from __future__ import annotations

from prum_eval.errors import UsageError
from prum_eval.gallery.answers import Answers
from prum_eval.gallery.situations import SITUATIONS
from prum_eval.report.drawing.answers import top_text
from prum_eval.report.drawing.line_styles import COLOURS
from prum_eval.report.layout import Layout
from prum_eval.report.plots.pictures import SIZES, house_style, picture
from prum_eval.report.writing import wrapped

_MOST = 20
"""So many rows are legible."""
_ROW = 1.05


def answers_picture(answers: Answers, layout: Layout) -> bytes:
    """Small panels, all with the same axes; the value at the top of a row is 1, or the largest one of its measure.

    Raises:
        UsageError: too many measures, or no matplotlib.
    """
    size, rows = SIZES[layout.size], answers.by_measure
    if len(rows) > _MOST:
        raise UsageError(f"--plot: {len(rows)} measures are too many for one picture, which holds {_MOST}")
    with house_style(size, len(SITUATIONS)):
        from matplotlib.figure import Figure

        whole = (size.width, size.height) if size.fixed else (2.2 * size.width, _ROW * len(rows) + 0.6)
        figure = Figure(figsize=whole, layout="constrained")
        cells = figure.subplots(len(rows), len(SITUATIONS), squeeze=False)
        for number, ((name, own), row) in enumerate(zip(rows.items(), cells, strict=True)):
            for one, axes in zip(own, row, strict=True):
                places = range(len(one.values))
                known = [(place, value) for place, value in zip(places, one.values, strict=True) if value is not None]
                xs, ys = zip(*known, strict=True) if known else ((), ())
                identity = f"answer-{number}:{one.situation.name}:{name}"
                axes.plot(xs, ys, color=COLOURS[2], marker="o", clip_on=False, gid=identity)
                axes.fill_between(xs, ys, color=COLOURS[2], alpha=0.13, linewidth=0)
                if len(known) < len(one.values):
                    middle = (len(known) + len(one.values) - 1) / 2
                    axes.text(middle, 0.55 * one.top, "refused", ha="center", color="#777777", style="italic")
                axes.set(xlim=(-0.4, len(one.values) - 0.6), ylim=(0, one.top))
                axes.set_yticks([0, one.top / 2, one.top], ["0", "", top_text(one.top)] if one is own[0] else [""] * 3)
                last = number == len(rows) - 1
                axes.set_xticks(list(places), one.situation.places if last else [""] * len(one.values))
                if last:
                    axes.set_xlabel(one.situation.axis)
                if number == 0:
                    axes.set_title(one.situation.name)
            row[0].set_ylabel(wrapped(name, 14), rotation=0, ha="right", va="center")
        return picture(figure, layout.format)
