"""What a comparison over so few topics cannot show, said before anybody concludes from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from prum_eval.analysis.difference import Difference
from prum_eval.analysis.settings import TrialSettings
from prum_eval.arrays import FloatArray
from prum_eval.numerics.bootstrap import is_constant
from prum_eval.numerics.power import detectable_effect
from prum_eval.tabular import plural

FEW_TOPICS = 20
POWER = 0.8
"""The power that is meant where a comparison says which difference it would have found."""


def few_topics(topics: int) -> Iterator[str]:
    """A warning where topics are fewer than `FEW_TOPICS`.

    >>> list(few_topics(3)), list(few_topics(20))
    (['only 3 topics: below 20, intervals and p-values are rough'], [])
    """
    if topics < FEW_TOPICS:
        yield f"only {plural(topics, 'topic')}: below {FEW_TOPICS}, intervals and p-values are rough"


def hopeless(families: Mapping[str, Sequence[Difference]], settings: TrialSettings) -> Iterator[str]:
    """A warning where no p-value of the randomisation test could be below alpha, whatever the signs of differences.

    If n topics differ, the least p is 2 of 2^n arrangements, and not below 1 of all trials where they are drawn; the
    correction multiplies it by the comparisons of the family.
    """
    told: dict[str, list[str]] = {}
    for name, differences in families.items():
        least, why = min(_least(one, settings) for one in differences)
        corrected = min(1.0, least * len(differences))
        if corrected >= settings.alpha:
            reason = f"{corrected:g} ({why}, {plural(len(differences), 'comparison')})"
            told.setdefault(reason, []).append(name)
    for reason, names in told.items():
        yield f"{', '.join(names)}: no p-value of the randomisation test can be below {reason}"


def _least(difference: Difference, settings: TrialSettings) -> tuple[float, str]:
    """The least p-value that there could be, and what it comes from."""
    differ = difference.wins + difference.losses
    least = min(1.0, 2.0 ** (1 - differ))
    if difference.exact or least * (1 + settings.trials) > 1:
        return least, f"{plural(differ, 'topic')} differ{'s'[: differ == 1]}"
    return 1 / (1 + settings.trials), plural(settings.trials, "trial")


def detectable_difference(differences: FloatArray, alpha: float) -> float | None:
    """The mean difference that the paired t test finds with power `POWER` over these topics; None if nothing varies.

    `differences` has shape (comparisons, topics) without NaN; their deviation is the root of the mean variance.
    """
    topics = differences.shape[1]
    if topics < 2:
        return None
    variances = np.where(is_constant(differences), 0.0, differences.var(axis=1, ddof=1))
    deviation = math.sqrt(variances.mean())
    return deviation * detectable_effect(topics, POWER, alpha) if deviation > 0 else None
