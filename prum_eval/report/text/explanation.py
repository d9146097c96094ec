"""Why a score is what it is, in 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from prum_eval.analysis.explanation.explain import Explanation, Rank, Reached, Target
from prum_eval.analysis.explanation.named_locations import NamedLocation
from prum_eval.report.layout import Layout
from prum_eval.report.text.excerpts import shortened, snippet
from prum_eval.report.text.read_documents import document_lines

_WIDTH = 80
_NAMED = 10
"""How many targets of a rank are named."""
_NOTHING = 0.00005
"""What prints as 0.0000."""
_INDENT = " " * 7


def explanation_text(explanation: Explanation, _layout: Layout) -> str:
    """What was asked, the values, the targets, rank by rank what is reached and added, and what remains unseen."""
    parts = [_head(explanation), _targets(explanation), _ranks(explanation), _unseen(explanation)]
    parts.append(document_lines(explanation.documents, _WIDTH))
    return "\n".join(line for part in parts for line in part) + "\n"


def counted(count: int, what: str) -> str:
    """``1 target``, ``2 targets``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def settings(explanation: Explanation) -> str:
    """The settings in one line."""
    size = explanation.collection_size
    parts = [
        f"user model {explanation.user_model}",
        f"targets {explanation.targets_kind}",
        f"quantisation {explanation.quantisation}",
        *([] if size is None else [f"N {size}"]),
    ]
    return ", ".join(parts)


def _head(explanation: Explanation) -> Iterator[str]:
    yield shortened(f"topic {explanation.topic}, run {explanation.run_id} ({explanation.path})", _WIDTH)
    yield from textwrap.wrap(settings(explanation), _WIDTH)
    yield ""
    width = max((len(each.measure) for each in explanation.contributions), default=0)
    for each in explanation.contributions:
        rest = f"  ({each.rest:.4f} from the elements after the list)" if each.rest >= _NOTHING else ""
        yield f"{each.measure:<{width}}  {each.value:.4f}{rest}"


def _targets(explanation: Explanation) -> Iterator[str]:
    graded = any(target.weight != 1 for target in explanation.targets)
    reached = [target for target in explanation.targets if target.ranks]
    total = counted(len(explanation.targets), "target")
    marked = ["[[ ]] is what was highlighted", ""] if any(one.marks for one in explanation.excerpts.values()) else []
    said = f"{len(reached)} of {total} can be reached; the probability that it is seen in the end"
    yield from ("", *marked, said)
    for target in reached:
        worth = f"  worth {target.weight:.2f}" if graded else ""
        yield _row(f"  {name(target.number):<5}{target.seen:.4f}{worth}  ", target.location.words)
        yield from _excerpt(explanation, target.location)


def _ranks(explanation: Explanation) -> Iterator[str]:
    yield from ("", "Rank by rank: what it reaches, what is seen by then, what it adds")
    for tells, group in groupby(explanation.ranks, key=lambda rank: bool(rank.reached) or any(rank.added)):
        ranks = list(group)
        if tells:
            for rank in ranks:
                yield from _rank(rank, explanation)
        elif len(ranks) == 1:
            yield _row(f"{ranks[0].number:>5}  reaches nothing: ", _pointed(ranks[0])[0])
        else:
            yield f"{ranks[0].number:>5}-{ranks[-1].number}  reach nothing"


def _rank(rank: Rank, explanation: Explanation) -> Iterator[str]:
    for row, (words, result) in enumerate(zip(_pointed(rank), rank.results, strict=True)):
        yield _row(f"{rank.number if row == 0 else '':>5}  ", words)
        yield from _excerpt(explanation, result.location)
    listed = sorted(rank.reached, key=lambda one: (one.before - one.after, one.target))
    for one in listed[:_NAMED]:
        yield f"{_INDENT}{name(one.target):<5}{one.probability:.4f} {one.link.words:<18}  {_sight(one)}"
        if len(one.link.way) > 2:
            yield _row(f"{_INDENT}     by ", " > ".join(one.link.way[1:-1]))
    if len(listed) > _NAMED:
        more = sum(one.after - one.before for one in listed[_NAMED:])
        yield f"{_INDENT}     and {counted(len(listed) - _NAMED, 'target')} more, seen {more:+.4f} in all"
    count = rank.count
    likely = f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"
    seen = f"seen {count.mean:.4f} of {len(explanation.targets)} (likely {likely})"
    yield f"{_INDENT}{'' if listed else 'reaches nothing; '}{seen}"
    yield from _added(rank, explanation)


def _excerpt(explanation: Explanation, location: NamedLocation) -> Iterator[str]:
    """What stands there, in one line."""
    found = explanation.excerpts.get(location)
    words = "" if found is None else snippet(found, _WIDTH - len(_INDENT) - 2).strip()
    if words:
        yield f"{_INDENT}| {words}"


def _added(rank: Rank, explanation: Explanation) -> Iterator[str]:
    """What the rank adds, measure beside measure in columns of one width, without those to which it adds nothing."""
    names = [each.measure for each in explanation.contributions]
    width = max(map(len, names), default=0)
    added = [pair for pair in zip(names, rank.added, strict=True) if abs(pair[1]) >= _NOTHING]
    cells = [f"{one:<{width}} {value:+.4f}" for one, value in added] or ["nothing"]
    columns = max(1, (_WIDTH - len(_INDENT) - 5 + 2) // (width + 10))
    for start in range(0, len(cells), columns):
        yield f"{_INDENT}{'adds' if start == 0 else '    '} {'  '.join(cells[start : start + columns])}"


def _sight(one: Reached) -> str:
    return f"seen {one.before:.4f} -> {one.after:.4f}"


def _unseen(explanation: Explanation) -> Iterator[str]:
    total = len(explanation.targets)
    left = sum(1 - target.seen for target in explanation.targets)
    yield from ("", f"Unseen in the end: {left:.4f} of {counted(total, 'target')} expected")
    unseen = [target for target in explanation.targets if 1 - target.seen >= _NOTHING]
    for target in sorted(unseen, key=lambda one: (one.seen, one.number)):
        yield _row(f"  {name(target.number):<5}{1 - target.seen:.4f}  {_fate(target):<15}  ", target.location.words)
        if not target.ranks:
            yield from _excerpt(explanation, target.location)


def _fate(target: Target) -> str:
    return counted(len(target.ranks), "rank") if target.ranks else "never reached"


def _pointed(rank: Rank) -> list[str]:
    return [
        one.location.words if one.exists else f"{one.location.words} (not in the collection)" for one in rank.results
    ]


def _row(front: str, words: str) -> str:
    return front + shortened(words, _WIDTH - len(front))


def name(target: int) -> str:
    """What a target is called in a report."""
    return f"T{target}"
