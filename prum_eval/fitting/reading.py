"""How far users read, from `read=`: where they stopped, or where the document ended and nobody knows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.fitting.logged.reports import Remark, Remarks
from prum_eval.fitting.logged.visits import Visits
from prum_eval.numerics.estimation.roots import falling_root
from prum_eval.numerics.estimation.survival import survival_median
from prum_eval.text.document_names import find_document
from prum_eval.user_models.model import ReadingLaw

_FARTHEST = 60.0
"""The largest logarithm of a parameter."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Results that were read: so many characters, whether reading `stopped` there, and by which session."""

    read: FloatArray
    stopped: BoolArray
    session: IntArray

    def __len__(self) -> int:
        return len(self.read)

    def take(self, rows: IntArray | BoolArray) -> Readings:
        """Some of them."""
        return Readings(self.read[rows], self.stopped[rows], self.session[rows])


def readings_of(visits: Visits, lengths: dict[str, int], remarks: Remarks) -> Readings:
    """What a log tells of readings; reading that came to the end of a document, or is said to go on, is cut off there.

    `lengths`: characters of documents, as far as they are known.
    """
    rows = []
    for one in visits.lists:
        results = one.places.ranked.results
        for line in one.lines:
            if line.read is None:
                continue
            place = one.places.number[line.result]
            if not results.located[place] or not one.places.known[place]:
                remarks.add(Remark.LOST_READING, line.line)
                continue
            length = find_document(lengths, line.result.document)
            if length is None:
                remarks.add(Remark.ENDLESS_READING, line.line)
                rows.append((line.read, True, one.session))
                continue
            room = max(0, length - int(results.start[place]))
            remarks.add(Remark.LONG_READING, line.line, int(line.read > room))
            rows.append((min(line.read, room), line.read < room, one.session))
    read, ended, session = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Readings(read.astype(np.float64), ended > 0, session)


def read_parameter(law: ReadingLaw, readings: Readings, weight: FloatArray | None = None) -> float | None:
    """The parameter of a law that readings tell; None where too few stopped to tell it.

    The most likely one; where the parameter is the median, that of Kaplan and Meier. `weight`: how often each counts.
    """
    weights = np.ones(len(readings)) if weight is None else weight
    if not (weights * readings.stopped).any():
        return None
    score = law.score
    if score is None:
        return survival_median(readings.read, readings.stopped, weights)

    def slope(logarithm: float) -> tuple[float, float]:
        first, second = score(readings.read, readings.stopped, math.exp(logarithm))
        return float(weights @ first), -float(weights @ second)

    return math.exp(falling_root(slope, -_FARTHEST, _FARTHEST))


def scores_of_readings(law: ReadingLaw, readings: Readings, value: float) -> tuple[FloatArray, float] | None:
    """Scores of all readings in the logarithm of the parameter, and their information; None for a median."""
    if law.score is None:
        return None
    first, second = law.score(readings.read, readings.stopped, value)
    return first, float(second.sum())
