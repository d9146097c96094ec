"""What an SVG picture holds."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    """All texts of the picture, line by line."""
    return [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314 - our own output


def groups(svg, kind):
    """Places of each mark whose name begins so, in units of the picture: of its markers, else corners of its path."""
    places = {}
    for mark in ET.fromstring(svg).iter():  # noqa: S314 - our own output
        start, _, name = mark.get("data-name", "").partition(":")
        if start and start.startswith(kind):
            moved = re.findall(
                r"translate\((-?[\d.]+),(-?[\d.]+)\)", " ".join(part.get("transform", "") for part in mark)
            )
            path = mark.get("d") or next((part.get("d") for part in mark if part.get("d")), "")
            corners = (
                [(mark.get("x"), mark.get("y"))] if mark.get("x") else re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path)
            )
            places[name] = np.array(moved or corners, dtype=float)
    return places


def on_one_scale(values, places):
    """Whether one straight rule leads from values to places; gives back its slope."""
    slope, start = np.polyfit(values, places, 1)
    assert np.allclose(slope * np.array(values) + start, places, atol=0.15)
    return slope
