"""Why a score is what it is, as one page that needs no network: tables, and a drawing that answers to the mouse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prum_eval.analysis.explanation.drawing import documents, leading
from prum_eval.analysis.explanation.explain import Count, Explanation, Rank, Reached, Target
from prum_eval.report.drawing.panels import one_line
from prum_eval.report.html.excerpts import quoted
from prum_eval.report.html.explanation_legend import legend
from prum_eval.report.html.explanation_svg import data_keys, drawing
from prum_eval.report.html.facts import facts
from prum_eval.report.html.read_documents import documents_section
from prum_eval.report.layout import Layout
from prum_eval.report.markup import Markup, breakable, fill, page
from prum_eval.report.text.explanation import counted, name, settings

DRAWN = 150
"""How many of the ranks that reach something are drawn; the table has all of them."""
BARS = 40
"""How many bars of a distribution are drawn."""

_NOTHING_DRAWN = Markup("<p>No rank reaches a target.</p>")
_TABLE = (
    '<div class="scroll" role="region" aria-label="{label}" tabindex="0">'
    "<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>"
)
_KEYS = ' data-key="{key}" data-in="{keys}" tabindex="0"'
_QUIET = '<p class="quiet">{others} reached nothing.</p>'
_RANK = (
    '<section data-in="r{number}"><h3>Rank {number}</h3><p>{places}</p>{texts}{reached}'
    "<p>Seen by then: {seen:.4f} of {targets}, likely {likely}; unseen: {unseen:.4f}</p>{bars}{added}</section>"
)
_WAY = '<p class="quiet">{who} by {way}</p>'
_TARGET = (
    '<section data-in="t{number}"><h3>Target {name}</h3><p>{place}</p>{text}'
    "<p>Worth {weight:.2f}, seen in the end with {seen:.4f}</p>{reached}</section>"
)
_BARS = (
    '<svg class="bars" width="{width}" height="80" role="img" '
    'aria-label="Probability of each number of targets seen">{parts}</svg>'
)
_BAR = '<rect x="{x}" y="{y:.1f}" width="{width}" height="{height:.1f}"><title>{told}</title></rect>'
_BAR_TEXT = '<text x="{x}" y="{y}">{text}</text>'


def explanation_page(explanation: Explanation, layout: Layout) -> Markup:
    """The page. What belongs together carries the same keys, ``r3`` for rank 3 and ``t1`` for target 1."""
    ranks = leading(explanation)
    drawn = ranks[:DRAWN]
    links = any(one.link.way for rank in drawn for one in rank.reached)
    note = f" The first {DRAWN} of {len(ranks)} ranks that reach something are drawn." if len(ranks) > DRAWN else ""
    return page(
        "explanation",
        ["all", "explanation"],
        ["explanation"],
        title=f"Topic {explanation.topic}, run {explanation.run_id}",
        facts=_facts(explanation, layout.date),
        legend=legend(links=links) if drawn else "",
        values=_values(explanation),
        hint=f"Point at a rank or a target, or click to keep it; Escape lets go.{note}",
        drawing=drawing(explanation, drawn, documents(explanation, drawn)) if drawn else _NOTHING_DRAWN,
        details=[
            *(fill("{about}\n", about=_details(rank, explanation)) for rank in ranks),
            *(fill("{about}\n", about=_fate(one.number, explanation)) for one in explanation.targets if one.ranks),
        ],
        ranks=_rank_table(explanation),
        unseen=_unseen(explanation),
        documents=documents_section(explanation.documents),
        signature=breakable(one_line(explanation.signature), after="|,"),
    )


def _facts(explanation: Explanation, date: str) -> Markup:
    """Inputs, settings and date."""
    terms = {"Settings": settings(explanation), **({"Date": date} if date else {})}
    return facts({}, [explanation.path], "", "", terms)


def _table(headers: Sequence[str], rows: Iterable[Markup], numbers: int) -> Markup:
    """A table whose last `numbers` columns hold numbers."""
    words = len(headers) - numbers
    heads = [fill("<th scope=col>{name}</th>", name=name) for name in headers[:words]]
    heads += [fill("<th scope=col class=number>{name}</th>", name=name) for name in headers[words:]]
    return fill(_TABLE, label=", ".join(headers), heads=heads, rows=list(rows))


def _row(words: Sequence[str], numbers: Sequence[str], more: str = "") -> Markup:
    texts = [text if isinstance(text, Markup) else breakable(text, before="/") for text in words]
    cells = [fill("<td>{text}</td>", text=text) for text in texts]
    cells += [fill("<td class=number>{text}</td>", text=text) for text in numbers]
    return fill("<tr{more}>{cells}</tr>\n", more=more, cells=cells)


def _values(explanation: Explanation) -> Markup:
    rested = any(each.rest for each in explanation.contributions)
    headers = ["measure", "value", *(["by the ranks", "by the elements after the list"] if rested else [])]
    rows = []
    for each in explanation.contributions:
        parts = [f"{each.value - each.rest:.4f}", f"{each.rest:.4f}"] if each.rest else ["", ""]
        rows.append(_row([each.measure], [f"{each.value:.4f}", *(parts if rested else [])]))
    return _table(headers, rows, len(headers) - 1)


def _details(rank: Rank, explanation: Explanation) -> Markup:
    """What stands beside the drawing while a rank is chosen."""
    words = [one.location.words + ("" if one.exists else " (not in the collection)") for one in rank.results]
    reached = [
        _row(
            [name(one.target), one.link.words],
            [f"{one.probability:.4f}", f"{one.before:.4f}", f"{one.after:.4f}"],
        )
        for one in rank.reached
    ]
    adds = [
        _row([each.measure], [f"{added:+.4f}"])
        for each, added in zip(explanation.contributions, rank.added, strict=True)
    ]
    return fill(
        _RANK,
        number=rank.number,
        places=Markup("<br>".join(breakable(text, before="/") for text in words)),
        texts=[quoted(explanation.excerpts.get(one.location)) for one in rank.results],
        reached=[
            _table(["target", "how", "reached", "seen before", "after"], reached, 3),
            _ways((name(one.target), one) for one in rank.reached),
        ],
        seen=rank.count.mean,
        targets=len(explanation.targets),
        likely=_likely(rank.count),
        unseen=len(explanation.targets) - rank.count.mean,
        bars=_bars(rank.count),
        added=_table(["measure", "added"], adds, 1),
    )


def _ways(ways: Iterable[tuple[str, Reached]]) -> Markup:
    """What leads on to what, where a way has more than one link."""
    named = ((who, " > ".join(one.link.way[1:-1])) for who, one in ways if one.link.way[2:])
    return Markup("".join(fill(_WAY, who=who, way=breakable(way, before="/")) for who, way in named))


def _likely(count: Count) -> str:
    return f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"


def _bars(count: Count) -> Markup:
    """The law of F_k as bars, without the tails that nothing is left of."""
    kept = [f for f, probability in enumerate(count.law) if probability >= 0.005]
    low = kept[0] if kept else 0
    listed = list(enumerate(count.law))[low : min(kept[-1] + 1 if kept else 1, low + BARS)]
    largest = max(probability for _, probability in listed)
    step = min(28, 300 // len(listed))
    parts = []
    for number, (f, probability) in enumerate(listed):
        height = 48 * probability / largest
        x = 2 + number * step
        told = f"{counted(f, 'target')}: {probability:.4f}"
        parts.append(fill(_BAR, x=x, y=62 - height, width=step - 3, height=height, told=told))
        middle = x + (step - 3) / 2
        if step >= 18 or f % 5 == 0:
            parts.append(fill(_BAR_TEXT, x=middle, y="75", text=f))
        if step >= 28:
            parts.append(fill(_BAR_TEXT, x=middle, y=f"{59 - height:.1f}", text=f"{probability:.2f}"[1:]))
    return fill(_BARS, width=len(listed) * step + 4, parts=parts)


def _fate(number: int, explanation: Explanation) -> Markup:
    """What stands beside the drawing while a target is chosen."""
    target = explanation.targets[number - 1]
    leading_there = [(rank, one) for rank in explanation.ranks for one in rank.reached if one.target == number]
    rows = [
        _row([f"{rank.number}", one.link.words], [f"{one.probability:.4f}", f"{one.before:.4f}", f"{one.after:.4f}"])
        for rank, one in leading_there
    ]
    return fill(
        _TARGET,
        number=number,
        name=name(number),
        place=breakable(target.location.words, before="/"),
        text=quoted(explanation.excerpts.get(target.location)),
        weight=target.weight,
        seen=target.seen,
        reached=[
            _table(["rank", "how", "reached", "seen before", "after"], rows, 3),
            _ways((f"rank {rank.number}", one) for rank, one in leading_there),
        ],
    )


def _rank_table(explanation: Explanation) -> Markup:
    names = [each.measure for each in explanation.contributions]
    rows = []
    for rank in explanation.ranks:
        if not rank.reached and not any(rank.added):
            continue
        named = "; ".join(one.location.words for one in rank.results)
        reached = ", ".join(f"{name(one.target)} {one.probability:.2f}" for one in rank.reached[:6])
        more = f" and {len(rank.reached) - 6} more" if len(rank.reached) > 6 else ""
        numbers = [f"{rank.count.mean:.4f}", _likely(rank.count), *(f"{added:+.4f}" for added in rank.added)]
        keys = fill(_KEYS, key=f"r{rank.number}", keys=data_keys(rank)) if rank.reached else Markup("")
        rows.append(_row([str(rank.number), named, reached + more], numbers, keys))
    nothing = len(explanation.ranks) - len(rows)
    table = _table(["rank", "result", "reaches", "seen", "likely", *names], rows, 2 + len(names))
    return fill("{table}" + (_QUIET if nothing else ""), table=table, others=counted(nothing, "other rank"))


def _unseen_place(target: Target, explanation: Explanation) -> Markup:
    """Where a target is; nowhere else on the page is the text of one that is never reached."""
    place = breakable(target.location.words, before="/")
    return place if target.ranks else Markup(place + quoted(explanation.excerpts.get(target.location)))


def _unseen(explanation: Explanation) -> Markup:
    left = sum(1 - target.seen for target in explanation.targets)
    rows = [
        _row(
            [
                name(target.number),
                _unseen_place(target, explanation),
                f"by {counted(len(target.ranks), 'rank')}" if target.ranks else "never reached",
            ],
            [f"{target.weight:.2f}", f"{1 - target.seen:.4f}"],
            fill(_KEYS, key=f"t{target.number}", keys=f"t{target.number}") if target.ranks else "",
        )
        for target in sorted(explanation.targets, key=lambda one: (one.seen, one.number))
        if target.seen < 0.99995
    ]
    total = counted(len(explanation.targets), "target")
    table = _table(["target", "place", "reached", "worth", "unseen"], rows, 2) if rows else ""
    return fill("<p>{left:.4f} of {total} expected.</p>{table}", left=left, total=total, table=table)
