"""HTML and SVG from templates: the one place where texts are made safe to stand in them."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.resources import files


class Markup(str):
    """Text that is HTML or SVG already, and stands in a page as it is."""

    __slots__ = ()


def fill(template: str, **values: object) -> Markup:
    """A template of `str.format` with values: text is escaped, markup and numbers stand as they are, pieces are joined.

    >>> fill('<b title="{title}">{pieces}{share:.1f}</b>', title='a"b', pieces=[Markup("<hr>"), "<"], share=0.25)
    '<b title="a&quot;b"><hr>&lt;0.2</b>'
    """
    return Markup(template.format(**{name: _safe(value) for name, value in values.items()}))


def breakable(text: str, *, before: str = "", after: str = "") -> Markup:
    """A text in which a line may end before or after these signs.

    >>> breakable("/a/b", before="/")
    '<wbr>/a<wbr>/b'
    """
    safe = escape(text)
    for sign in before:
        safe = safe.replace(sign, f"<wbr>{sign}")
    for sign in after:
        safe = safe.replace(sign, f"{sign}<wbr>")
    return Markup(safe)


def lines(pieces: Iterable[str]) -> Markup:
    """Pieces of markup, each in lines of its own."""
    return Markup("\n".join(pieces))


def page(name: str, **values: object) -> Markup:
    """The page of that name: ``NAME.html`` filled with values, and with ``NAME.css`` and ``NAME.js``."""
    html, style, script = (
        files("prum_eval.report.html").joinpath(f"{name}.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    )
    return fill(html, style=Markup(style), script=Markup(script), **values)


def _safe(value: object) -> object:
    if isinstance(value, str):
        return value if isinstance(value, Markup) else escape(value)
    return "".join(str(_safe(piece)) for piece in value) if isinstance(value, Iterable) else value
