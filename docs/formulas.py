"""Formulas of the pages: TeX as GitHub shows it as mathematics, and MathML, which browsers show by themselves.

A formula in a line stands as $`TeX`$, one of its own in a fenced block marked ``math``. Unlike single dollars these
forms keep Markdown away from the TeX. :func:`marked` puts a mark in the place of each formula before Markdown is read,
and :func:`shown` puts MathML in the place of each mark in the page that comes out. What the converter does not
understand it would hand on as it stands; :func:`mathml` finds that and raises :class:`FormulaError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from latex2mathml.converter import convert
from lxml import etree

FORMULA = re.compile(r"^```math\n(?P<block>.*?)^```$|\$`(?P<inline>[^`]+)`\$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"(?:<p>)?\uE000(?P<block>[0-9a-f]+)\uE001(?:</p>)?|\uE002(?P<inline>[0-9a-f]+)\uE003")
"""A formula as hexadecimal digits between letters that no page has: nothing in it means anything to Markdown."""
_CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
"""How many children an element must have; another number of them shows as an error in browsers."""


class FormulaError(ValueError):
    """TeX that the converter does not understand, or turns into what is no MathML."""


def formulas(page: str) -> Iterator[tuple[str, bool]]:
    """The formulas of a page of Markdown in their order: TeX, and does it stand by itself?"""
    for found in FORMULA.finditer(page):
        yield (found["block"] or found["inline"]).strip(), found["block"] is not None


def mathml(tex: str, *, block: bool) -> str:
    """A formula as an element ``math``; :class:`FormulaError` if anything in it was not understood."""
    try:
        math = etree.fromstring(convert(tex, display="block" if block else "inline"))
    except Exception as problem:  # the errors of the converter have no base of their own
        raise FormulaError(f"{tex}: {problem!r}") from problem
    for part in math.iter("{*}*"):
        name = etree.QName(part).localname
        if set(part.text or "") & {"\\", "&", "#"}:
            raise FormulaError(f"{tex}: {part.text} is not known")
        if len(part) != _CHILDREN.get(name, len(part)):
            raise FormulaError(f"{tex}: {name} of {len(part)} parts")
        if name == "mo" and (part.text == "|" or (part.text or "").isalpha()):  # no signs with a term on each side
            part.attrib.update(dict.fromkeys(("lspace", "rspace"), "0" if part.text == "|" else "0.12em"))
    bare = re.sub(r"\\[{}]", "", tex)
    if bare.count("{") != bare.count("}"):
        raise FormulaError(f"{tex}: a brace is open")
    return etree.tostring(math, encoding="unicode")


def marked(page: str) -> str:
    """A page of Markdown with a mark in the place of each formula."""

    def mark(found: re.Match[str]) -> str:
        tex = (found["block"] or found["inline"]).strip().encode().hex()
        return f"\ue000{tex}\ue001" if found["block"] else f"\ue002{tex}\ue003"

    return FORMULA.sub(mark, page)


def shown(html: str) -> str:
    """The page that Markdown made of a marked one, with MathML in the place of each mark."""

    def formula(found: re.Match[str]) -> str:
        tex = bytes.fromhex(found["block"] or found["inline"]).decode()
        math = mathml(tex, block=found["block"] is not None)
        return f'<div class="formula">{math}</div>' if found["block"] else math

    return _MARK.sub(formula, html)
