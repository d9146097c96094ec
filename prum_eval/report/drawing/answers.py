"""How measures answer to what can be wrong with a list, as one small SVG: a row a measure, a column a situation.

Drawn by hand, for pages that must not need matplotlib: the same answers are the same bytes. All axes are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prum_eval.gallery.answers import Answers, MeasureAnswer
from prum_eval.gallery.situations import SITUATIONS
from prum_eval.parameters import show
from prum_eval.report.drawing.line_styles import COLOURS
from prum_eval.report.drawing.svg import dark_style
from prum_eval.report.markup import Markup, fill

_NAMES, _WIDTH, _HEIGHT, _GAP = 128, 118, 52, 18
_HEAD, _FOOT, _RIGHT = 34, 34, 12
_COLOUR = COLOURS[2]
_FILE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
    'font-family="system-ui, sans-serif" font-size="11" role="img" aria-label="{about}">\n'
    '{style}\n<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>\n'
    '<defs><path id="g" d="{grid}" stroke="#e3e3e3" fill="none"/></defs>\n{parts}</svg>\n'
)
_NAME = '<text x="4" y="{y}" font-weight="bold">{name}</text>\n'
_TOP = '<text x="{x}" y="{y}" text-anchor="end" fill="#555">{text}</text>\n'
_MIDDLE = '<text x="{x}" y="{y}" text-anchor="middle"{more}>{text}</text>\n'
_PANEL = '<g transform="translate({x},{y})"><title>{told}</title><use href="#g"/>{lines}</g>\n'
_LINE = (
    '<path d="{area}" fill="{colour}" fill-opacity=".13"/><path d="{line}" fill="none" stroke="{colour}" '
    'stroke-width="1.6"/><path d="{dots}" stroke="{colour}" stroke-width="5" stroke-linecap="round"/>'
)
_REFUSED = '<text x="{x}" y="{y}" text-anchor="middle" fill="#777" font-style="italic">refused</text>'


def answers_svg(answers: Answers) -> str:
    """The picture: situations in columns, their steps below the last row; in a row, what is at its top besides 1."""
    rows = list(answers.by_measure.items())
    width = _NAMES + len(SITUATIONS) * (_WIDTH + _GAP) - _GAP + _RIGHT
    height = _HEAD + len(rows) * (_HEIGHT + _GAP) - _GAP + _FOOT
    grid = "".join(f"M0,{y}H{_WIDTH}" for y in (0, _HEIGHT // 2, _HEIGHT)) + f"M0,0V{_HEIGHT}"
    about = f"answers of {', '.join(name for name, _ in rows)} to {', '.join(one.name for one in SITUATIONS)}"
    parts = Markup("".join([*_head(), *(part for row in enumerate(rows) for part in _row(*row)), *_foot(height)]))
    return fill(_FILE, width=width, height=height, grid=grid, about=about, style=Markup(dark_style()), parts=parts)


def top_text(top: float) -> str:
    """The value at the top of a row.

    >>> top_text(1.0), top_text(3.18181), top_text(37400.0)
    ('1', '3.18', '37,400')
    """
    return f"{top:,.0f}" if top >= 100 else f"{top:.3g}"


def _left(column: int) -> int:
    return _NAMES + column * (_WIDTH + _GAP)


def _head() -> Iterator[str]:
    bold = Markup(' font-weight="bold"')
    for column, one in enumerate(SITUATIONS):
        yield fill(_MIDDLE, x=_left(column) + _WIDTH // 2, y=16, more=bold, text=one.name)


def _foot(height: int) -> Iterator[str]:
    for column, one in enumerate(SITUATIONS):
        for number, step in enumerate(one.places):
            x = _left(column) + _place(number, len(one.places))
            yield fill(_MIDDLE, x=f"{x:.0f}", y=height - _FOOT + 14, more=Markup(' fill="#555"'), text=step)
        yield fill(_MIDDLE, x=_left(column) + _WIDTH // 2, y=height - 6, more=Markup(' fill="#555"'), text=one.axis)


def _row(number: int, row: tuple[str, Sequence[MeasureAnswer]]) -> Iterator[str]:
    name, own = row
    y = _HEAD + number * (_HEIGHT + _GAP)
    for part, text in enumerate(_parted(name)):
        yield fill(_NAME, y=y + 14 + 13 * part, name=text)
    top = own[0].top
    yield fill(_TOP, x=_NAMES - 5, y=y + 4, text=top_text(top))
    yield fill(_TOP, x=_NAMES - 5, y=y + _HEIGHT + 4, text="0")
    for column, one in enumerate(own):
        yield _panel(_left(column), y, one)


def _parted(name: str) -> list[str]:
    """A name in lines that have room beside the panels.

    >>> _parted("eprum_prec_at_recall_0.20"), _parted("map")
    (['eprum_prec_at_', 'recall_0.20'], ['map'])
    """
    lines, rest = [], name
    while len(rest) > 15:
        cut = max(rest.rfind(sign, 0, 15) for sign in "_:,=") + 1 or 15
        lines.append(rest[:cut])
        rest = rest[cut:]
    return [*lines, rest]


def _place(number: int, count: int) -> float:
    """Where a step stands: a little away from both ends."""
    return 8 + (_WIDTH - 16) * number / (count - 1)


def _panel(x: int, y: int, one: MeasureAnswer) -> str:
    """A panel, with its values in a title that browsers show under the pointer."""
    count = len(one.values)
    known = [(_place(number, count), value) for number, value in enumerate(one.values) if value is not None]
    points = [f"{place:.0f},{_HEIGHT * (1 - max(value, 0.0) / one.top):.1f}" for place, value in known]
    lines = ""
    if points:
        ends = f"{known[-1][0]:.0f},{_HEIGHT}L{known[0][0]:.0f},{_HEIGHT}"
        line = f"M{'L'.join(points)}"
        lines = _LINE.format(
            colour=_COLOUR, area=f"{line}L{ends}Z", line=line, dots="".join(f"M{point}h0" for point in points)
        )
    if len(known) < count:
        first = len(known)  # steps are refused from some one on
        middle = (_place(min(first, count - 1), count) + _place(count - 1, count)) / 2
        lines += _REFUSED.format(x=f"{middle:.0f}", y=_HEIGHT // 2 - 4)
    said = ", ".join(
        f"{step}: {'refused' if value is None else show(float(f'{value:.4g}'))}"
        for step, value in zip(one.situation.places, one.values, strict=True)
    )
    return fill(_PANEL, x=x, y=y, told=f"{one.measure}, {one.situation.name}: {said}", lines=Markup(lines))
