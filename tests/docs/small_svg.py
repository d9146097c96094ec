"""Pictures by matplotlib, smaller: for pictures that are kept beside the pages.

Letters become text (in the font that matplotlib has, else another one without serifs), styles become classes, places
have two decimals; names of parts, notes and blanks go. What is drawn stays where it is, to a hundredth of a point.
"""

from __future__ import annotations

import re
from html import escape, unescape

_FONT = "DejaVu Sans,Verdana,Arial,sans-serif"
_TEXT = re.compile(
    r'<!-- (?P<text>[^\n]*?) -->\s*<g(?: style="(?P<style>[^"]*)")? transform="(?P<place>[^"]*?) '
    r'scale\((?P<scale>[\d.]+) -[\d.]+\)">.*?</g>',
    re.DOTALL,
)
_EM = 100
"""Units of a letter's outline in an em, after matplotlib's scale."""


def small_svg(svg: str) -> str:
    """The picture in fewer bytes."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = _TEXT.sub(_as_text, svg)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)
    svg = re.sub(r"\s*\n\s*", " ", svg)
    svg = re.sub(r"> <", "><", svg)
    for _ in range(3):
        svg = re.sub(r"<g>(<[^>]*/>|<text[^>]*>[^<]*</text>|)</g>", r"\1", svg)
    svg = re.sub(r'(?<= d=")[^"]*|(?<= [xy]=")[^"]*|(?<=translate\()[^)]*', _rounded, svg)
    svg = _with_classes(svg).replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "").replace("xlink:href", "href")
    return svg.replace("><g", ">\n<g").replace("><text", ">\n<text").replace(' "', '"') + "\n"


def _as_text(match: re.Match[str]) -> str:
    style = f' style="{match["style"]}"' if match["style"] else ""
    size = f"{_EM * float(match['scale']):g}"
    text = escape(unescape(match["text"]), quote=False)
    return f'<text transform="{match["place"]}" font-size="{size}"{style}>{text}</text>'


def _rounded(match: re.Match[str]) -> str:
    return re.sub(r"-?\d+\.\d{2,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), match[0])


def _with_classes(svg: str) -> str:
    styles = list(dict.fromkeys(re.findall(r' style="([^"]*)"', svg)))
    names = {style: f"s{number}" for number, style in enumerate(styles)}
    rules = "".join(f".{name}{{{style.replace('; ', ';').replace(': ', ':')}}}" for style, name in names.items())
    svg = re.sub(r' style="([^"]*)"', lambda match: f' class="{names[match[1]]}"', svg)
    head = svg.index(">") + 1
    rules += f"text{{font-family:{_FONT};white-space:pre}}"
    return f"{svg[:head]}<style>{rules}</style>{svg[head:]}"
