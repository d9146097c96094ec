"""New gold values in place of old ones: what an update would change, and the file that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from prum_eval.analysis.regression.checking import compare_with_gold
from prum_eval.analysis.regression.evaluating import evaluate_again, gold_values
from prum_eval.analysis.regression.moved import GoldCheck
from prum_eval.analysis.regression.rules import EXACT, Rules
from prum_eval.formats.values.gold import Gold, gold_text, read_gold
from prum_eval.formats.values.thresholds import Threshold


@dataclass(frozen=True, slots=True)
class GoldUpdate:
    """A gold file with the values of now, and what of them moved since; `same` if the file need not be written."""

    gold: Gold
    check: GoldCheck
    same: bool


def update_gold(path: str, directory: str = "", thresholds: Sequence[Threshold] = ()) -> GoldUpdate:
    """Evaluate again what a gold file tells, and put its successor together; nothing is written.

    Args:
        path: the gold file.
        directory: where relative paths in it lead on from.
        thresholds: take the place of those of the file for the same measure and sign, or are added to them.

    Raises:
        InputError, DataError: as `check_gold`.
    """
    before = read_gold(path)
    evaluation = evaluate_again(before, path, directory)
    kept = {(one.measure, one.sign): one for one in (*before.thresholds, *thresholds)}
    after = gold_values(evaluation, before.arguments, tuple(kept.values()), directory)
    asked = replace(before, thresholds=after.thresholds)
    moved = compare_with_gold(asked, evaluation, path, directory, Rules(EXACT, EXACT))
    return GoldUpdate(after, moved, same=gold_text(after) == gold_text(before))
