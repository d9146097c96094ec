"""The picture of panels as a file of its own: legible on light and on dark pages."""

from __future__ import annotations

import re
from pathlib import Path

from lxml import etree

import prum_eval.report.html_page as pages
from prum_eval import evaluate
from prum_eval.report.drawing import COLOURS, DARK_COLOURS, SIZES, Picture, curve_legend, line_style, mean_panels
from prum_eval.report.svg import picture_svg
from tests.gold import ROOT

_SVG = "{http://www.w3.org/2000/svg}"


def picture(runs):
    toy = ROOT / "fixtures" / "toy"
    several = {f"run-{number}": toy / "run" for number in range(runs)}
    panels = mean_panels(evaluate(toy / "qrels", several, measures="gen_recall.1,2", curves=True))
    return picture_svg(Picture(panels, curve_legend(panels)), SIZES["column"], dark=True)


def brightness(colour):
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def dark_rules(svg):
    style = etree.fromstring(svg.encode()).findtext(f"{_SVG}style")
    inside = re.fullmatch(r"@media \(prefers-color-scheme:dark\)\{(.*)\}", style)[1]
    return {(of, light): dark for of, light, dark in re.findall(r'\[(\w+)="(#\w+)"\]\{\1:(#\w+)\}', inside)}


def test_every_colour_of_a_picture_can_be_seen_on_dark_pages():
    svg = picture(runs=len(COLOURS))
    rules = dark_rules(svg)
    ground = brightness(rules["fill", "#ffffff"])
    assert ground < 40
    used = set(re.findall(r'(stroke|fill)="(#[0-9a-f]{6})"', svg.split("</style>")[1]))
    assert {colour for _, colour in used} >= set(COLOURS)
    faint = {"#e3e3e3"}
    dim = [
        one for one in used if one[1] not in {"#ffffff", *faint} and brightness(rules.get(one, one[1])) < ground + 90
    ]
    assert dim == []
    assert "text{fill:#e8e8e8}" in svg


def test_the_ground_of_a_picture_is_a_sheet_of_its_size():
    root = etree.fromstring(picture(runs=1).encode())
    sheet = root.find(f"{_SVG}rect")
    assert root.get("viewBox") == f"0 0 {sheet.get('width')} {sheet.get('height')}"
    assert sheet.get("fill") == "#ffffff"


def test_pages_have_the_same_dark_colours():
    style = (Path(pages.__file__).parent / "assets" / "evaluation.css").read_text(encoding="utf-8")
    said = dict(
        re.findall(r'svg \[stroke="(#\w+)"\][^{]*\{ stroke: (#\w+); \}', style.split("prefers-color-scheme: dark")[1])
    )
    assert {colour: DARK_COLOURS.get(colour) for colour in said} == said
    assert set(said) == set(DARK_COLOURS)
    assert {line_style(number).colour for number in range(7)} == set(COLOURS)
