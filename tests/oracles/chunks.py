"""The measures of chunks on sets of characters, straight from the definitions.

A result is (document, start, end, tokens), a span (document, start, end); characters are pairs (document, position).
"""

from __future__ import annotations

from fractions import Fraction


def characters(stretches):
    """The characters of all stretches, each once."""
    return {(document, c) for document, start, end, *_ in stretches for c in range(start, end)}


def size(results):
    """Characters of all results, each result in full."""
    return sum(end - start for _, start, end, _ in results)


def merged(spans):
    """Spans with overlapping ones merged; those that touch stay apart, those without length are none."""
    found = []
    for document, start, end in sorted(span for span in spans if span[2] > span[1]):
        if found and found[-1][0] == document and start < found[-1][2]:
            found[-1] = (document, found[-1][1], max(end, found[-1][2]))
        else:
            found.append((document, start, end))
    return found


def quotient(part, whole):
    """0 / 0 is 0."""
    return Fraction(part, whole) if whole else Fraction(0)


def text_at(spans, results, k, *, overlap):
    """(recall, precision, F1, intersection over union) of the first k results."""
    gold, first = characters(spans), results[:k]
    both = len(gold & characters(first))
    read = len(characters(first)) if overlap == "novel" else size(first)
    recall, precision = Fraction(both, len(gold)), quotient(both, read)
    f1 = quotient(2 * precision * recall, precision + recall)
    return recall, precision, f1, Fraction(both, read + len(gold) - both)


def precision_omega(spans, results):
    """Of the results that hold a character of the spans: what they share with the spans / both together."""
    gold = characters(spans)
    retrieved = characters(one for one in results if gold & characters([one]))
    return Fraction(len(gold & retrieved), len(gold | retrieved))


def costs_at(results, k):
    """(characters, redundancy, tokens) of the first k results."""
    first = results[:k]
    novel = len(characters(first))
    redundancy = 1 - Fraction(novel, size(first)) if size(first) else Fraction(0)
    return size(first), redundancy, sum(tokens for _, start, end, tokens in first if end > start)


def within(spans, results, budget, cost, *, cut):
    """Recall of what is read within a budget; `cost`: of a result, in the budget's unit."""
    read, left = set(), budget
    for document, start, end, tokens in results:
        if start == end:
            continue
        price = cost((document, start, end, tokens))
        if price <= left:
            read |= characters([(document, start, end)])
            left -= price
            continue
        if cut == "inside":
            read |= characters([(document, start, start + (end - start) * left // price)])
        break
    gold = characters(spans)
    return Fraction(len(read & gold), len(gold))


def finds(result, span, touch):
    """Does a result find a span?"""
    shared, length = len(characters([result]) & characters([span])), span[2] - span[1]
    return {"any": shared > 0, "half": 2 * shared >= length, "whole": shared == length}[touch]


def spans_at(spans, results, k, *, touch):
    """(hit, share of the spans that are found) of the first k results."""
    found = [any(finds(result, span, touch) for result in results[:k]) for span in merged(spans)]
    return int(any(found)), Fraction(sum(found), len(found))


def reciprocal_rank(spans, results, *, touch):
    """1 / rank of the first result that finds a span."""
    ranks = [k for k, one in enumerate(results, 1) if any(finds(one, span, touch) for span in merged(spans))]
    return Fraction(1, ranks[0]) if ranks else Fraction(0)


def answered(spans, results, k):
    """Do the first k results together hold every span?"""
    return int(characters(spans) <= characters(results[:k]))
