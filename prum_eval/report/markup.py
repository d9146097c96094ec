"""HTML and SVG from templates: the one place where texts are made safe to stand in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
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


def json_data(name: str, content: object) -> Markup:
    r"""Data for the script of a page, which finds it by that name; no text in it can end it or begin an element.

    >>> json_data("data", {"run": "</script>"})
    '<script type="application/json" id="data">{"run":"\\u003c/script>"}</script>'
    """
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    safe = re.sub("[<&\u2028\u2029\x7f-\x9f]", lambda sign: f"\\u{ord(sign[0]):04x}", text)
    return Markup(f'<script type="application/json" id="{escape(name)}">{safe}</script>')


def page(template: str, styles: Sequence[str], scripts: Sequence[str], **values: object) -> Markup:
    """A page: ``TEMPLATE.html`` filled with values, with style sheets and scripts by their names without endings."""
    style, script = (
        Markup("".join(_file(f"{name}.{kind}") for name in names)) for kind, names in (("css", styles), ("js", scripts))
    )
    return fill(_file(f"{template}.html"), style=style, script=script, **values)


def _file(name: str) -> str:
    return files("prum_eval.report.html").joinpath(name).read_text(encoding="utf-8")


def _safe(value: object) -> object:
    if isinstance(value, str):
        return value if isinstance(value, Markup) else escape(value)
    return "".join(str(_safe(piece)) for piece in value) if isinstance(value, Iterable) else value
