"""What an SVG picture by matplotlib holds."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    """What the picture says: matplotlib draws letters as shapes and notes each text in a comment."""
    return [text.strip() for text in re.findall(r"<!--(.*?)-->", svg.decode(), flags=re.DOTALL)]


def groups(svg, kind):
    """Places of each drawn thing whose name begins so, in units of the picture: corners of its path, or its signs."""
    found = {}
    for group in ET.fromstring(svg).iter(f"{SVG}g"):  # noqa: S314 - our own output
        start, _, name = group.get("id", "").partition(":")
        if start.startswith(kind):
            signs = [(use.get("x"), use.get("y")) for use in group.iter(f"{SVG}use")]
            path = next((one.get("d") for one in group.iter(f"{SVG}path") if one.get("clip-path") or not signs), "")
            found[name] = np.array(signs or re.findall(r"[ML] (-?[\d.]+) (-?[\d.]+)", path), dtype=float)
    return found


def on_one_scale(values, places):
    """Whether one straight rule leads from values to places; gives back its slope."""
    slope, start = np.polyfit(values, places, 1)
    assert np.allclose(slope * np.array(values) + start, places, atol=0.01)
    return slope
