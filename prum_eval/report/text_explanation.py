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
    ExplainedFacet,
    Explanation,
    NamedLocation,
    Rank,
    RankContributions,
    ReadDocument,
    ResultGain,
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
    """Settings, values, targets, what each rank reaches and adds, unseen targets, and documents."""
    if explanation.gains:
        parts = [_head(explanation), _relevant(explanation), _gaining_ranks(explanation)]
    else:
        parts = [_head(explanation), _targets(explanation), _facets(explanation)]
        parts += [_ranks(explanation), _unseen(explanation)]
    parts.append(_document_lines(explanation.documents))
    return "\n".join(line for part in parts for line in part) + "\n"


def settings_line(explanation: Explanation) -> str:
    """The settings in one line."""
    size = explanation.collection_size
    parts = [
        "no user model" if explanation.gains else f"user model {explanation.user_model}",
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
    is_graded = any(target.weight != 1 for target in explanation.targets)
    reached = [target for target in explanation.targets if target.ranks]
    yield ""
    if any(excerpt.marks for excerpt in explanation.excerpts.values()):
        yield from ("[[ ]] is what was highlighted", "")
    total = plural(len(explanation.targets), "target")
    yield f"{len(reached)} of {total} can be reached; the probability that it is seen in the end"
    for target in reached:
        worth = f"  worth {target.weight:.2f}" if is_graded else ""
        yield _labelled_line(
            f"  {target_name(target.number):<5}{target.seen:.4f}{worth}  ", target.location.description
        )
        yield from _excerpt(explanation, target.location)


def _facets(explanation: Explanation) -> Iterator[str]:
    if not explanation.facets:
        return
    satisfied = sum(facet.satisfied for facet in explanation.facets)
    yield from ("", f"Facets: {satisfied:.4f} of {len(explanation.facets)} satisfied, expected")
    weighted = any(facet.weight != 1 for facet in explanation.facets)
    for facet in explanation.facets:
        worth = f"  worth {facet.weight:.2f}" if weighted else ""
        label = f"  F{facet.number:<4}{facet.satisfied:.4f}{worth}  "
        yield _labelled_line(label, facet_description(facet))


def facet_description(facet: ExplainedFacet) -> str:
    """Name of a facet, the alternative that satisfies it with its rank, and what is missing."""
    best, name = facet.best, f"{facet.name}: " if facet.name else ""
    targets = " and ".join(map(target_name, best.targets)) + (f" ({best.name})" if best.name else "")
    if best.rank is None:
        others = len(facet.alternatives) - 1
        least = min(facet.alternatives, key=lambda each: len(each.missing))
        missing = join_names([target_name(target) for target in least.missing])
        choice = f", or {plural(others, 'other alternative')}" if others else ""
        return f"{name}never satisfied: {missing} missing{choice}"
    text = f"{name}by {targets} at rank {best.rank}"
    return f"{text}, {join_names(list(map(target_name, best.missing)))} not surely seen" if best.missing else text


def _ranks(explanation: Explanation) -> Iterator[str]:
    yield from ("", "Rank by rank: what it reaches, what is seen by then, what it adds")
    for has_effect, group in groupby(
        explanation.ranks, key=lambda rank: bool(rank.reached_targets) or any(rank.additions)
    ):
        ranks = list(group)
        if has_effect:
            for rank in ranks:
                yield from _rank(rank, explanation)
        elif len(ranks) == 1:
            yield _labelled_line(f"{ranks[0].number:>5}  reaches nothing: ", _result_names(ranks[0])[0])
        else:
            yield f"{ranks[0].number:>5}-{ranks[-1].number}  reach nothing"


# Measures without a user model: gains and overlap.


def _relevant(explanation: Explanation) -> Iterator[str]:
    """The relevant items, with worth and ranks unless characters are counted."""
    if any(excerpt.marks for excerpt in explanation.excerpts.values()):
        yield from ("", "[[ ]] is what was highlighted")
    of_characters = any(gain.gain is None for gains in explanation.gains for gain in gains)
    found = sum(bool(target.ranks) for target in explanation.targets)
    total = plural(len(explanation.targets), "relevant item")
    yield from ("", total if of_characters else f"{found} of {total} among the results")
    for target in explanation.targets:
        worth = "" if of_characters else f"worth {target.weight:.2f}  {format_ranks(target.ranks):<10}  "
        yield _labelled_line(f"  {target_name(target.number):<5}{worth}", target.location.description)
        yield from _excerpt(explanation, target.location)


def _gaining_ranks(explanation: Explanation) -> Iterator[str]:
    """Ranks with gains, overlap and additions; those that add nothing in one line."""
    yield from ("", "Rank by rank: what it gains, what earlier results have of it, what it adds")
    rows = list(zip(explanation.ranks, explanation.gains, strict=True))
    for has_effect, group in groupby(
        rows,
        key=lambda row: any(row[0].additions) or any(gain.gain or gain.relevant or gain.overlap for gain in row[1]),
    ):
        ranks = list(group)
        if not has_effect:
            first, last = ranks[0][0], ranks[-1][0]
            if first is last:
                yield _labelled_line(f"{first.number:>5}  gains nothing: ", _result_names(first)[0])
            else:
                yield f"{first.number:>5}-{last.number}  gain nothing"
            continue
        for rank, gains in ranks:
            for row, (name, result, gain) in enumerate(zip(_result_names(rank), rank.results, gains, strict=True)):
                yield _labelled_line(f"{rank.number if row == 0 else '':>5}  ", name)
                yield from _excerpt(explanation, result.location)
                yield f"{_INDENT}{gain_text(gain)}"
            yield from _contribution_lines(rank, explanation)


def gain_text(gain: ResultGain) -> str:
    """Gain and overlap of a result.

    >>> gain_text(ResultGain(0.5)), gain_text(ResultGain(None, 200, 120, 80))
    ('gain 0.5000', 'gain 120 of 200 characters, overlap 80')
    """
    if gain.size is None:
        return "gain unknown" if gain.gain is None else f"gain {gain.gain:.4f}"
    if gain.gain is None:
        return f"gain {gain.relevant} of {plural(gain.size, 'character')}, overlap {gain.overlap}"
    return f"gain {gain.gain:.4f}, overlap {gain.overlap} of {plural(gain.size, 'character')}"


def _rank(rank: Rank, explanation: Explanation) -> Iterator[str]:
    for row, (name, result) in enumerate(zip(_result_names(rank), rank.results, strict=True)):
        yield _labelled_line(f"{rank.number if row == 0 else '':>5}  ", name)
        yield from _excerpt(explanation, result.location)
    targets = sorted(rank.reached_targets, key=lambda target: (target.before - target.after, target.target))
    for target in targets[:_MAX_RANK_TARGETS]:
        link, seen = target.link, f"seen {target.before:.4f} -> {target.after:.4f}"
        yield f"{_INDENT}{target_name(target.target):<5}{target.probability:.4f} {link.description:<18}  {seen}"
        if len(link.path) > 2:
            yield _labelled_line(f"{_INDENT}     by ", " > ".join(link.path[1:-1]))
    if more := targets[_MAX_RANK_TARGETS:]:
        seen = f"{sum(target.after - target.before for target in more):+.4f}"
        yield f"{_INDENT}     and {plural(len(more), 'target')} more, seen {seen} in all"
    count = rank.count
    likely = f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"
    seen = f"seen {count.mean:.4f} of {len(explanation.targets)} (likely {likely})"
    yield f"{_INDENT}{'' if targets else 'reaches nothing; '}{seen}"
    yield from _contribution_lines(rank, explanation)


def _excerpt(explanation: Explanation, location: NamedLocation) -> Iterator[str]:
    """The excerpt at a location in one line; nothing if there is none."""
    excerpt = explanation.excerpts.get(location)
    text = "" if excerpt is None else snippet(excerpt, LINE_WIDTH - len(_INDENT) - 2).strip()
    if text:
        yield f"{_INDENT}| {text}"


def _contribution_lines(rank: Rank, explanation: Explanation) -> Iterator[str]:
    """What the rank adds to measures, in columns of equal width; measures without additions are left out."""
    names = [each.measure for each in explanation.contributions]
    width = max(map(len, names), default=0)
    additions = [pair for pair in zip(names, rank.additions, strict=True) if abs(pair[1]) >= _NEGLIGIBLE]
    cells = [f"{name:<{width}} {value:+.4f}" for name, value in additions] or ["nothing"]
    columns = max(1, (LINE_WIDTH - len(_INDENT) - 5 + 2) // (width + 10))
    for start in range(0, len(cells), columns):
        yield f"{_INDENT}{'adds' if start == 0 else '    '} {'  '.join(cells[start : start + columns])}"


def _unseen(explanation: Explanation) -> Iterator[str]:
    total = len(explanation.targets)
    left = sum(1 - target.seen for target in explanation.targets)
    yield from ("", f"Expected missed: {left:.3g} of {plural(total, 'target')}")
    unseen = [target for target in explanation.targets if 1 - target.seen >= _NEGLIGIBLE]
    for target in sorted(unseen, key=lambda target: (target.seen, target.number)):
        ranks = plural(len(target.ranks), "rank") if target.ranks else "never reached"
        front = f"  {target_name(target.number):<5}{1 - target.seen:.4f}  {ranks:<15}  "
        yield _labelled_line(front, target.location.description)
        if not target.ranks:
            yield from _excerpt(explanation, target.location)


def _result_names(rank: Rank) -> list[str]:
    return [
        result.location.description + ("" if result.exists else " (not in the collection)") for result in rank.results
    ]


def _labelled_line(front: str, name: str) -> str:
    return front + shorten_middle(name, LINE_WIDTH - len(front))


def target_name(target: int) -> str:
    """Name of a target in reports."""
    return f"T{target}"


# Texts of documents.


def _document_lines(documents: Sequence[ReadDocument]) -> Iterator[str]:
    """Of each document with highlighted text what is read at which ranks and missed, then all others in one line.

    Nothing if no document has highlighted text.
    """
    if not any(document.highlighted_size for document in documents):
        return
    yield from ("", "The texts: what is highlighted, at which ranks it is read, what is missed")
    for document in documents:
        if document.highlighted_size:
            counts = document_counts_text(document)
            yield f"  {shorten_middle(document.name, LINE_WIDTH - len(counts) - 4)}: {counts}"
            for stretch in document.stretches:
                if stretch.highlighted or stretch.ranks:
                    marks = [(stretch.start, stretch.end)] if stretch.highlighted else []
                    place = f"{stretch.start}+{len(stretch)}"
                    front = f"    {place:<11} {format_ranks(stretch.ranks):<11} | "
                    excerpt = make_excerpt(document.text, stretch.start, len(stretch), marks)
                    yield (front + snippet(excerpt, LINE_WIDTH - len(front)).strip()).rstrip()
    others = [document for document in documents if not document.highlighted_size and document.read_size]
    if others:
        size = plural(sum(document.read_size for document in others), "character")
        ranks = format_ranks(tuple(sorted({rank for document in others for rank in document.ranks})))
        yield f"  nothing highlighted in {size} of {plural(len(others), 'other document')}, {ranks}"


def document_counts_text(document: ReadDocument) -> str:
    """``137 highlighted, 78 found, 59 missed; 240 read, 0 of them again``: characters."""
    missed = document.highlighted_size - document.highlighted_read
    highlighted = f"{document.highlighted_size} highlighted, {document.highlighted_read} found, {missed} missed"
    return f"{highlighted}; {document.read_size + document.reread_size} read, {document.reread_size} of them again"


def format_ranks(ranks: Sequence[int]) -> str:
    """``rank 3``, ``ranks 3, 5``, ``missed``; of more than four the first four and the number of others."""
    if not ranks:
        return "missed"
    more = f" and {len(ranks) - _MAX_LISTED_RANKS} more" if len(ranks) > _MAX_LISTED_RANKS else ""
    return f"rank{'' if len(ranks) == 1 else 's'} {', '.join(map(str, ranks[:_MAX_LISTED_RANKS]))}{more}"


# Topics of a run, and two runs on one topic.


def topic_list_text(topics: TopicList, layout: Layout) -> str:
    """The topics in their order with values of as many measures as fit, and unanswered topics."""
    digits, unanswered = layout.digits, join_names(topics.unanswered) if topics.unanswered else ""
    runs = [f"{run} ({path})" for run, path in zip(topics.runs, topics.paths, strict=True)]
    if len(runs) == 1:
        lines = [f"{runs[0]}: topics by {topics.measures[0]}, the worst first", ""]
        headers = ["topic", *topics.measures]
        rows = [[row.topic, *(format_value(value, digits) for value in row.values)] for row in topics.topics]
        table = table_text(headers, rows, PLAIN).splitlines()
        while len(headers) > 2 and max(map(len, table)) > LINE_WIDTH:
            headers, rows = headers[:-1], [row[:-1] for row in rows]
            table = table_text(headers, rows, PLAIN).splitlines()
        lines += table
        lines += ["", f"not answered: {unanswered}"] if unanswered else []
        return "\n".join(lines) + "\n"
    wins, ties, losses = topics.wins
    headers = ["topic", *(shorten_middle(run, _MAX_RUN_NAME) for run in topics.runs), "difference"]
    rows = []
    for row in topics.topics:
        values = [format_value(value, digits) for value in (row.values[0], row.against)]
        rows.append([row.topic, *values, _format_signed(row.difference, digits)])
    lines = [runs[0], f"  less {runs[1]}", f"topics by {topics.measures[0]}, the largest differences first", ""]
    lines += table_text(headers, rows, PLAIN).splitlines()
    lines += ["", f"higher in {plural(wins, 'topic')}, equal in {ties}, lower in {losses}"]
    lines += ["", f"not answered by both: {unanswered}"] if unanswered else []
    return "\n".join(lines) + "\n"


def two_explanations_text(pair: TwoExplanations, layout: Layout) -> str:
    """Values of both runs, the targets that each sees, and their ranks side by side with additions."""
    first, second = pair.first, pair.second
    lines = [f"topic {pair.topic}", f"A  {first.run_id} ({first.path})", f"B  {second.run_id} ({second.path})"]
    lines += [settings_line(first), "", *_values_table(first, second, layout.digits)]
    locations = [[target.location for target in run.targets] for run in (first, second)]
    if first.targets == second.targets or locations[0] == locations[1]:
        lines += ["", *_compared_targets(first, second)]
    lines += ["", *_compared_ranks(first, second)]
    return "\n".join(shorten_middle(line, LINE_WIDTH) for line in lines) + "\n"


def format_addition(value: float) -> str:
    """A number with its sign, or nothing if it prints as 0.

    >>> format_addition(0.25), format_addition(-0.00001)
    ('+0.2500', '')
    """
    return "" if abs(value) < _NEGLIGIBLE else f"{value:+.4f}"


def _format_signed(value: float | None, digits: int) -> str:
    """A number with its sign, unless it prints as 0."""
    if value is None:
        return "nan"
    text = f"{value:+.{digits}f}"
    return text if text.strip("+-0.") else text[1:]


def _values_table(first: Explanation, second: Explanation, digits: int) -> list[str]:
    """One row per measure that both explanations have."""
    other = {each.measure: each.value for each in second.contributions}
    rows = []
    for each in first.contributions:
        if each.measure in other:
            values = [format_value(value, digits) for value in (each.value, other[each.measure])]
            rows.append([each.measure, *values, _format_signed(each.value - other[each.measure], digits)])
    return table_text(["measure", "A", "B", "A - B"], rows, PLAIN).splitlines()


def _compared_targets(first: Explanation, second: Explanation) -> Iterator[str]:
    """Probabilities that targets are seen, and the first ranks that lead there; the largest differences first."""
    pairs = list(zip(first.targets, second.targets, strict=True))
    yield "Targets: probability to be seen in the end, and the first rank that leads there"
    yield f"  {'':<6}{'A':>6}  {'rank':<6}{'B':>6}  rank"
    pairs.sort(key=lambda pair: (-abs(pair[0].seen - pair[1].seen), pair[0].number))
    for pair in pairs[:_MAX_COMPARED_TARGETS]:
        seen = "".join(f"{target.seen:.4f}  {min(target.ranks, default='-'):<6}" for target in pair)
        yield _labelled_line(f"  {target_name(pair[0].number):<6}{seen}", pair[0].location.description)
    if len(pairs) > _MAX_COMPARED_TARGETS:
        yield f"  and {len(pairs) - _MAX_COMPARED_TARGETS} more, on which they differ less"


def _compared_ranks(first: Explanation, second: Explanation) -> Iterator[str]:
    """Ranks of both runs side by side, with what each adds to the first measure that both have."""
    shared = [each.measure for each in second.contributions]
    contributions = next((each for each in first.contributions if each.measure in shared), None)
    if contributions is None:
        return
    other = second.contributions[shared.index(contributions.measure)]
    yield f"Rank by rank: what it points to, and what it adds to {contributions.measure}"
    yield f"{'':<6}{'A':<{_SIDE}}B"
    rows = zip_longest(_sides(first, contributions), _sides(second, other))
    for has_effect, group in groupby(enumerate(rows, 1), key=lambda row: any(side and side[1] for side in row[1])):
        ranks = list(group)
        if not has_effect and len(ranks) > 2:
            yield f"{ranks[0][0]:>4}-{ranks[-1][0]}  add nothing"
            continue
        for number, sides in ranks:
            cells = ["" if side is None else f"{side[1]:>7} {shorten_middle(side[0], _SIDE - 12)}" for side in sides]
            yield f"{number:>4}  {cells[0]:<{_SIDE - 2}}  {cells[1]}".rstrip()


def _sides(explanation: Explanation, contributions: RankContributions) -> Iterator[tuple[str, str]]:
    """Name of the first result of each rank, and what the rank adds; empty if that is negligible."""
    for rank, value in zip(explanation.ranks, contributions.additions.tolist(), strict=True):
        more = f" +{len(rank.results) - 1}" if len(rank.results) > 1 else ""
        name = rank.results[0].location.description + more if rank.results else ""
        yield name, format_addition(value)


# Excerpts and long names in one line.


def shorten_middle(text: str, width: int) -> str:
    """Text shortened in its middle; more of the end is kept than of the beginning.

    >>> shorten_middle("d /article[1]/body[1]/section[2]/p[3]", 24)
    'd /artic...ction[2]/p[3]'
    """
    if len(text) <= width:
        return text
    front = (width - 3) * 2 // 5
    return f"{text[:front]}...{text[len(text) - (width - 3 - front) :]}"


def snippet(excerpt: Excerpt, width: int) -> str:
    """An excerpt cut to a width, from its beginning or shortly before the text highlighted with [[ ]].

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
        words = _BLANKS.sub(" ", "".join(character if character.isprintable() else " " for character in piece))
        around = len(_BEGIN + _END) if marked else 0
        last = number == len(pieces) - 1 and not rest
        room = width - len(line) - around - (0 if last else len(_CUT))
        if len(words) > room:
            words, rest = words[: max(0, room - (len(_CUT) if last else 0))], True
            line += f"{_BEGIN}{words}{_END}" if marked and words else words
            break
        line += f"{_BEGIN}{words}{_END}" if marked else words
    return line + (_CUT if rest else "")
