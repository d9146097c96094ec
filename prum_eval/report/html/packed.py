"""Values by topic in the few bytes that a page of many runs has for them: whole numbers in signs of fixed width.

A page of 50 runs, 300 topics and 23 values has 345,000 of them; as cells of tables they would be twenty megabytes. They
are packed as they are printed, with the digits of the page; the script of the page unpacks the measure that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prum_eval.evaluation.results import MeasuredValue
from prum_eval.report.layout import formatted

SIGNS = "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~"
"""The digits of the numbers: what stands in JSON and in HTML as it is."""
_EXACT = 1 << 52
"""Numbers of scripts are so exact up to here that their quotient by a power of ten prints as it should."""


def packed(columns: Sequence[Sequence[MeasuredValue]], digits: int) -> dict[str, Any]:
    """The values of a measure, a list a run with one value a topic.

    Returns:
        ``digits`` after the point, ``low``, ``width`` and ``runs``, a text a run: each value is `width` signs, the
        number n in base ``len(SIGNS)``; 0 is no value, else the value is (n - 1 + low) / 10**digits. Where numbers are
        too large for that, ``runs`` are lists of the printed values instead, and ``width`` is 0.

    >>> packed([[0.5, None], [0.25, 0.75]], 2)
    {'digits': 2, 'low': 25, 'width': 1, 'runs': ['@!', '#Y']}
    """
    counts = all(isinstance(value, int) for column in columns for value in column if value is not None)
    of = int if counts else float
    texts = [[None if value is None else formatted(of(value), digits) for value in column] for column in columns]
    if any(not text.replace(".", "").lstrip("-").isdigit() for column in texts for text in column if text):
        return {"digits": digits, "low": 0, "width": 0, "runs": texts}
    whole = [[None if text is None else int(text.replace(".", "")) for text in column] for column in texts]
    known = [number for column in whole for number in column if number is not None]
    low, high = min(known, default=0), max(known, default=0)
    if max(high - low + 1, abs(low), abs(high)) >= _EXACT:
        return {"digits": digits, "low": 0, "width": 0, "runs": texts}
    width = 1
    while len(SIGNS) ** width < high - low + 2:
        width += 1
    written = {number: _signs(0 if number is None else number - low + 1, width) for number in {*known, None}}
    runs = ["".join(written[number] for number in column) for column in whole]
    return {"digits": 0 if counts else digits, "low": low, "width": width, "runs": runs}


def _signs(number: int, width: int) -> str:
    found = ""
    for _ in range(width):
        number, place = divmod(number, len(SIGNS))
        found = SIGNS[place] + found
    return found
