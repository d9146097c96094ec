"""Explanations of scores in 80 columns: of a topic, of two runs side by side, and the list of topics.

Excerpts are shortened to one line, with ``[[ ]]`` around highlighted text. Long names lose their middle. Targets are
called T0, T1, ...
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest

from prum_eval.analysis.explain import TopicList, TwoExplanations
from prum_eval.analysis.explanation import (
    Excerpt,
    Explanation,
    NamedLocation,
    Rank,
    RankContributions,
    ReachedTarget,
    ReadDocument,
    Stretch,
    Target,
    make_excerpt,
)
from prum_eval.report.layout import LINE_WIDTH, PLAIN, Layout, format_value, table_text
from prum_eval.tabular import join_names, plural

_BLANKS = re.compile(" +")
_CUT = "..."
_BEGIN, _END = "[[", "]]"
_NEGLIGIBLE = 0.00005
"""What prints as 0.0000."""
_INDENT = " " * 7
_MAX_LISTED_RANKS = 4
_MAX_RANK_TARGETS = 10
_MAX_COMPARED_TARGETS = 20
_SIDE = 38
"""Columns of a run if two stand side by side."""
_MAX_RUN_NAME = 15
"""Columns of a run's name above its values."""


def explanation_text(explanation: Explanation, _layout: Layout) -> str:
    """What was asked, the values, the targets, rank by rank what is reached and added, and what remains unseen."""
    parts = [_head(explanation), _targets(explanation), _ranks(explanation), _unseen(explanation)]
    parts.append(document_lines(explanation.documents, LINE_WIDTH))
    return "\n".join(line for part in parts for line in part) + "\n"


def count_with_noun(count: int, what: str) -> str:
    """``1 target``, ``2 targets``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def settings_line(explanation: Explanation) -> str:
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
    yield shorten_middle(f"topic {explanation.topic}, run {explanation.run_id} ({explanation.path})", LINE_WIDTH)
    yield from textwrap.wrap(settings_line(explanation), LINE_WIDTH)
    yield ""
    width = max((len(each.measure) for each in explanation.contributions), default=0)
    for each in explanation.contributions:
        rest = f"  ({each.rest:.4f} from the elements after the list)" if each.rest >= _NEGLIGIBLE else ""
        yield f"{each.measure:<{width}}  {each.value:.4f}{rest}"


def _targets(explanation: Explanation) -> Iterator[str]:
    graded = any(target.weight != 1 for target in explanation.targets)
    reached = [target for target in explanation.targets if target.ranks]
    total = count_with_noun(len(explanation.targets), "target")
    marked = ["[[ ]] is what was highlighted", ""] if any(one.marks for one in explanation.excerpts.values()) else []
    said = f"{len(reached)} of {total} can be reached; the probability that it is seen in the end"
    yield from ("", *marked, said)
    for target in reached:
        worth = f"  worth {target.weight:.2f}" if graded else ""
        yield _labelled_line(
            f"  {target_name(target.number):<5}{target.seen:.4f}{worth}  ", target.location.description
        )
        yield from _excerpt(explanation, target.location)


def _ranks(explanation: Explanation) -> Iterator[str]:
    yield from ("", "Rank by rank: what it reaches, what is seen by then, what it adds")
    for tells, group in groupby(explanation.ranks, key=lambda rank: bool(rank.reached_targets) or any(rank.additions)):
        ranks = list(group)
        if tells:
            for rank in ranks:
                yield from _rank(rank, explanation)
        elif len(ranks) == 1:
            yield _labelled_line(f"{ranks[0].number:>5}  reaches nothing: ", _result_words(ranks[0])[0])
        else:
            yield f"{ranks[0].number:>5}-{ranks[-1].number}  reach nothing"


def _rank(rank: Rank, explanation: Explanation) -> Iterator[str]:
    for row, (words, result) in enumerate(zip(_result_words(rank), rank.results, strict=True)):
        yield _labelled_line(f"{rank.number if row == 0 else '':>5}  ", words)
        yield from _excerpt(explanation, result.location)
    listed = sorted(rank.reached_targets, key=lambda one: (one.before - one.after, one.target))
    for one in listed[:_MAX_RANK_TARGETS]:
        yield f"{_INDENT}{target_name(one.target):<5}{one.probability:.4f} {one.link.description:<18}  {_seen_change(one)}"
        if len(one.link.path) > 2:
            yield _labelled_line(f"{_INDENT}     by ", " > ".join(one.link.path[1:-1]))
    if len(listed) > _MAX_RANK_TARGETS:
        more = sum(one.after - one.before for one in listed[_MAX_RANK_TARGETS:])
        yield f"{_INDENT}     and {count_with_noun(len(listed) - _MAX_RANK_TARGETS, 'target')} more, seen {more:+.4f} in all"
    count = rank.count
    likely = f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"
    seen = f"seen {count.mean:.4f} of {len(explanation.targets)} (likely {likely})"
    yield f"{_INDENT}{'' if listed else 'reaches nothing; '}{seen}"
    yield from _contribution_lines(rank, explanation)


def _excerpt(explanation: Explanation, location: NamedLocation) -> Iterator[str]:
    """What stands there, in one line."""
    found = explanation.excerpts.get(location)
    words = "" if found is None else snippet(found, LINE_WIDTH - len(_INDENT) - 2).strip()
    if words:
        yield f"{_INDENT}| {words}"


def _contribution_lines(rank: Rank, explanation: Explanation) -> Iterator[str]:
    """What the rank adds, measure beside measure in columns of one width, without those to which it adds nothing."""
    names = [each.measure for each in explanation.contributions]
    width = max(map(len, names), default=0)
    added = [pair for pair in zip(names, rank.additions, strict=True) if abs(pair[1]) >= _NEGLIGIBLE]
    cells = [f"{one:<{width}} {value:+.4f}" for one, value in added] or ["nothing"]
    columns = max(1, (LINE_WIDTH - len(_INDENT) - 5 + 2) // (width + 10))
    for start in range(0, len(cells), columns):
        yield f"{_INDENT}{'adds' if start == 0 else '    '} {'  '.join(cells[start : start + columns])}"


def _seen_change(one: ReachedTarget) -> str:
    return f"seen {one.before:.4f} -> {one.after:.4f}"


def _unseen(explanation: Explanation) -> Iterator[str]:
    total = len(explanation.targets)
    left = sum(1 - target.seen for target in explanation.targets)
    yield from ("", f"Unseen in the end: {left:.4f} of {count_with_noun(total, 'target')} expected")
    unseen = [target for target in explanation.targets if 1 - target.seen >= _NEGLIGIBLE]
    for target in sorted(unseen, key=lambda one: (one.seen, one.number)):
        yield _labelled_line(
            f"  {target_name(target.number):<5}{1 - target.seen:.4f}  {_reaching_ranks(target):<15}  ",
            target.location.description,
        )
        if not target.ranks:
            yield from _excerpt(explanation, target.location)


def _reaching_ranks(target: Target) -> str:
    return count_with_noun(len(target.ranks), "rank") if target.ranks else "never reached"


def _result_words(rank: Rank) -> list[str]:
    return [
        one.location.description if one.exists else f"{one.location.description} (not in the collection)"
        for one in rank.results
    ]


def _labelled_line(front: str, words: str) -> str:
    return front + shorten_middle(words, LINE_WIDTH - len(front))


def target_name(target: int) -> str:
    """What a target is called in a report."""
    return f"T{target}"


# Texts of documents.


def document_lines(documents: Sequence[ReadDocument], width: int) -> Iterator[str]:
    """Each document that has something highlighted: what of it is read at which ranks, and missed; then all others.

    Nothing where nothing is highlighted: no text says then why a score is what it is.
    """
    if not any(document.highlighted_size for document in documents):
        return
    yield from ("", "The texts: what is highlighted, at which ranks it is read, what is missed")
    for document in documents:
        if document.highlighted_size:
            said = document_counts_text(document)
            yield f"  {shorten_middle(document.name, width - len(said) - 4)}: {said}"
            for one in document.stretches:
                if one.highlighted or one.ranks:
                    yield _line(one, document, width)
    others = [one for one in documents if not one.highlighted_size and one.read_size]
    if others:
        vain = plural(sum(one.read_size for one in others), "character")
        ranks = format_ranks(tuple(sorted({rank for one in others for rank in one.ranks})))
        yield f"  nothing highlighted in {vain} of {plural(len(others), 'other document')}, {ranks}"


def document_counts_text(document: ReadDocument) -> str:
    """``137 highlighted, 78 found, 59 missed; 240 read, 0 of them again``: characters."""
    missed = document.highlighted_size - document.highlighted_read
    found = f"{document.highlighted_size} highlighted, {document.highlighted_read} found, {missed} missed"
    return f"{found}; {document.read_size + document.reread_size} read, {document.reread_size} of them again"


def format_ranks(ranks: Sequence[int]) -> str:
    """``rank 3``, ``ranks 3, 5``; of more than four the first and how many more; ``missed`` where there is none."""
    if not ranks:
        return "missed"
    more = f" and {len(ranks) - _MAX_LISTED_RANKS} more" if len(ranks) > _MAX_LISTED_RANKS else ""
    return f"rank{'' if len(ranks) == 1 else 's'} {', '.join(map(str, ranks[:_MAX_LISTED_RANKS]))}{more}"


def _line(one: Stretch, document: ReadDocument, width: int) -> str:
    marks = [(one.start, one.end)] if one.highlighted else []
    front = f"    {f'{one.start}+{len(one)}':<11} {format_ranks(one.ranks):<11} | "
    words = snippet(make_excerpt(document.text, one.start, len(one), marks), width - len(front)).strip()
    return (front + words).rstrip()


# Topics of a run, and two runs on one topic.


def topic_list_text(found: TopicList, layout: Layout) -> str:
    """The topics in their order, with values of as many measures as fit; then those that a run does not answer."""
    runs = [f"{run} ({path})" for run, path in zip(found.runs, found.paths, strict=True)]
    if len(runs) == 1:
        lines = [f"{runs[0]}: topics by {found.measures[0]}, the worst first", ""]
        headers = ["topic", *found.measures]
        rows = [[one.topic, *_values(one.values, layout.digits)] for one in found.topics]
    else:
        wins, ties, losses = found.wins
        lines = [runs[0], f"  less {runs[1]}", f"topics by {found.measures[0]}, the largest differences first", ""]
        headers = ["topic", *(shorten_middle(run, _MAX_RUN_NAME) for run in found.runs), "difference"]
        rows = [
            [
                one.topic,
                *_values((one.values[0], one.against), layout.digits),
                _format_signed(one.difference, layout.digits),
            ]
            for one in found.topics
        ]
    table = table_text(headers, rows, PLAIN).splitlines()
    while len(runs) == 1 and len(headers) > 2 and max(map(len, table)) > LINE_WIDTH:
        headers, rows = headers[:-1], [row[:-1] for row in rows]
        table = table_text(headers, rows, PLAIN).splitlines()
    lines += table
    if len(runs) > 1:
        lines += ["", f"higher in {plural(wins, 'topic')}, equal in {ties}, lower in {losses}"]
    if found.unanswered:
        lines += ["", f"not answered{' by both' if len(runs) > 1 else ''}: {join_names(found.unanswered)}"]
    return "\n".join(lines) + "\n"


def two_explanations_text(pair: TwoExplanations, layout: Layout) -> str:
    """Values of both runs, what each sees of the targets, and their ranks side by side with what these add."""
    first, second = pair.first, pair.second
    lines = [f"topic {pair.topic}", f"A  {first.run_id} ({first.path})", f"B  {second.run_id} ({second.path})"]
    lines += [settings_line(first), "", *_values_table(first, second, layout.digits)]
    if first.targets == second.targets or [one.location for one in first.targets] == [
        one.location for one in second.targets
    ]:
        lines += ["", *_compared_targets(first, second)]
    lines += ["", *_compared_ranks(first, second)]
    return "\n".join(shorten_middle(line, LINE_WIDTH) for line in lines) + "\n"


def _values(values: Sequence[float | None], digits: int) -> list[str]:
    return [format_value(value, digits) for value in values]


def _format_signed(value: float | None, digits: int) -> str:
    return "nan" if value is None else f"{value:+.{digits}f}"


def _values_table(first: Explanation, second: Explanation, digits: int) -> list[str]:
    """A row a measure; one that only one of them has, as it is about the whole list, stands apart."""
    other = {each.measure: each.value for each in second.contributions}
    rows = [
        [
            each.measure,
            *_values((each.value, other[each.measure]), digits),
            _format_signed(each.value - other[each.measure], digits),
        ]
        for each in first.contributions
        if each.measure in other
    ]
    return table_text(["measure", "A", "B", "A - B"], rows, PLAIN).splitlines()


def _compared_targets(first: Explanation, second: Explanation) -> Iterator[str]:
    """What each run sees of every target in the end, and the first rank that leads there; largest differences first."""
    pairs = list(zip(first.targets, second.targets, strict=True))
    yield "Targets: probability to be seen in the end, and the first rank that leads there"
    yield f"  {'':<6}{'A':>6}  {'rank':<6}{'B':>6}  rank"
    pairs.sort(key=lambda pair: (-abs(pair[0].seen - pair[1].seen), pair[0].number))
    for one, other in pairs[:_MAX_COMPARED_TARGETS]:
        seen = "".join(f"{each.seen:.4f}  {min(each.ranks, default='-'):<6}" for each in (one, other))
        front = f"  {target_name(one.number):<6}{seen}"
        yield front + shorten_middle(one.location.description, LINE_WIDTH - len(front))
    if len(pairs) > _MAX_COMPARED_TARGETS:
        yield f"  and {len(pairs) - _MAX_COMPARED_TARGETS} more, on which they differ less"


def _compared_ranks(first: Explanation, second: Explanation) -> Iterator[str]:
    """The ranks of both beside each other, with what each adds to the first measure that both have."""
    shared = [each.measure for each in second.contributions]
    column = next((each for each in first.contributions if each.measure in shared), None)
    if column is None:
        return
    other = second.contributions[shared.index(column.measure)]
    yield f"Rank by rank: what it points to, and what it adds to {column.measure}"
    yield f"{'':<6}{'A':<{_SIDE}}B"
    rows = zip_longest(_sides(first, column), _sides(second, other))
    for tells, group in groupby(enumerate(rows, 1), key=lambda row: any(side and side[1] for side in row[1])):
        numbered = list(group)
        if tells or len(numbered) < 3:
            for number, sides in numbered:
                cells = [_cell(side) for side in sides]
                yield f"{number:>4}  {cells[0]:<{_SIDE - 2}}  {cells[1]}".rstrip()
        else:
            yield f"{numbered[0][0]:>4}-{numbered[-1][0]}  add nothing"


_Side = tuple[str, str]


def _sides(explanation: Explanation, column: RankContributions) -> Iterator[_Side]:
    """What a rank points to, and what it adds; empty where that is nothing."""
    for rank, value in zip(explanation.ranks, column.additions.tolist(), strict=True):
        yield _rank_text(rank), f"{value:+.4f}" if abs(value) >= _NEGLIGIBLE else ""


def _rank_text(rank: Rank) -> str:
    more = f" +{len(rank.results) - 1}" if len(rank.results) > 1 else ""
    return rank.results[0].location.description + more if rank.results else ""


def _cell(side: _Side | None) -> str:
    if side is None:
        return ""
    words, added = side
    return f"{added:>7} {shorten_middle(words, _SIDE - 12)}"


# Excerpts and long names in one line.


def shorten_middle(words: str, width: int) -> str:
    """A text that fits: the middle is left out, more of the end stays than of the beginning.

    >>> shorten_middle("d /article[1]/body[1]/section[2]/p[3]", 24)
    'd /artic...ction[2]/p[3]'
    """
    if len(words) <= width:
        return words
    front = (width - 3) * 2 // 5
    return f"{words[:front]}...{words[len(words) - (width - 3 - front) :]}"


def snippet(excerpt: Excerpt, width: int) -> str:
    """As much of an excerpt as fits, from its beginning or shortly before what is highlighted, which stands in [[ ]].

    >>> snippet(Excerpt(0, "The tides rise twice a day.", ((4, 14),)), 24)
    'The [[tides rise]] tw...'
    """
    first = excerpt.marks[0][0] if excerpt.marks else 0
    begin = 0
    if first > width // 2:
        begin = excerpt.text.find(" ", first - width // 4, first) + 1 or first
    line = _CUT if begin or excerpt.before else ""
    rest = bool(excerpt.after)
    pieces = list(excerpt.pieces(begin))
    for number, (piece, marked) in enumerate(pieces):
        words = _BLANKS.sub(" ", "".join(sign if sign.isprintable() else " " for sign in piece))
        around = len(_BEGIN + _END) if marked else 0
        last = number == len(pieces) - 1 and not rest
        room = width - len(line) - around - (0 if last else len(_CUT))
        if len(words) > room:
            words, rest = words[: max(0, room - (len(_CUT) if last else 0))], True
            line += f"{_BEGIN}{words}{_END}" if marked and words else words
            break
        line += f"{_BEGIN}{words}{_END}" if marked else words
    return line + (_CUT if rest else "")
