"""The greedy ideal list, grown as the definition says, in exact fractions."""

from fractions import Fraction

from tests.oracles import transcription


def greedy_list(rows, r):
    """Places of the candidates in the order in which the list takes them.

    `rows[i]` is R of candidate i on the targets, candidates in the order that decides the last ties.
    """
    chosen, left = [], list(range(len(rows)))
    seen = [Fraction(0)] * len(rows[0])
    reached = Fraction(0)
    while reached < 1:
        after = {i: [p + (1 - p) * Fraction(q) for p, q in zip(seen, rows[i], strict=True)] for i in left}
        growth = {i: sum(transcription.law(p)[r:]) for i, p in after.items()}
        best = max(left, key=lambda i: (growth[i], sum(after[i]), -i))
        chosen.append(best)
        left.remove(best)
        seen, reached = after[best], growth[best]
    return chosen
