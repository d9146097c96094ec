"""Why a score is what it is, as one page that needs no network: tables, and a drawing that answers to the mouse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from prum_eval.analysis.explanation.drawing import documents, leading
from prum_eval.analysis.explanation.explain import Count, Explanation, Rank
from prum_eval.report.html.explanation_svg import data_keys, drawing
from prum_eval.report.layout import Layout
from prum_eval.report.text.explanation import counted, name, settings

DRAWN = 150
"""How many of the ranks that reach something are drawn; the table has all of them."""
BARS = 40
"""How many bars of a distribution are drawn."""


def explanation_page(explanation: Explanation, _layout: Layout) -> str:
    """The page. What belongs together carries the same keys, ``r3`` for rank 3 and ``t1`` for target 1."""
    ranks = leading(explanation)
    drawn = ranks[:DRAWN]
    title = f"Topic {explanation.topic}, run {explanation.run_id}"
    note = f" The first {DRAWN} of {len(ranks)} ranks that reach something are drawn." if len(ranks) > DRAWN else ""
    hint = f"Point at a rank or a target, or click to keep it; Escape lets go.{note}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(explanation.path)}: {escape(settings(explanation))}</p>',
        _values(explanation),
        "<h2>What each rank reaches</h2>",
        f'<p class="quiet">{escape(hint)}</p>',
        '<div class="picture">',
        drawing(explanation, drawn, documents(explanation, drawn)) if drawn else "<p>No rank reaches a target.</p>",
        '</div><div class="details" aria-live="polite">',
        *(_details(rank, explanation) for rank in ranks),
        *(_fate(target.number, explanation) for target in explanation.targets if target.ranks),
        "</div>",
        "<h2>Rank by rank</h2>",
        _rank_table(explanation, ranks),
        "<h2>Unseen in the end</h2>",
        _unseen(explanation),
        f'<p class="quiet signature">{escape(explanation.signature)}</p>',
    ]
    style, script = (
        files("prum_eval.report.html").joinpath(f"explanation.{kind}").read_text("utf-8") for kind in ("css", "js")
    )
    lines = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
        *parts,
        f"<script>\n{script}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(lines)


def _words(text: str) -> str:
    """A text in which a line may end before each step of a path."""
    return escape(text).replace("/", "<wbr>/")


def _table(headers: Sequence[str], rows: Iterable[str], numbers: int) -> str:
    """A table whose last `numbers` columns hold numbers."""
    words = len(headers) - numbers
    head = "".join(
        f"<th{' class=number' if column >= words else ''}>{escape(text)}</th>" for column, text in enumerate(headers)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{''.join(rows)}</tbody></table>"


def _row(words: Sequence[str], numbers: Sequence[str], more: str = "") -> str:
    cells = [f"<td>{_words(text)}</td>" for text in words]
    cells += [f"<td class=number>{text}</td>" for text in numbers]
    return f"<tr{more}>{''.join(cells)}</tr>\n"


def _values(explanation: Explanation) -> str:
    rested = any(share.rest for share in explanation.shares)
    headers = ["measure", "value", *(["by the ranks", "by the elements after the list"] if rested else [])]
    rows = []
    for share in explanation.shares:
        parts = [f"{share.value - share.rest:.4f}", f"{share.rest:.4f}"] if share.rest else ["", ""]
        rows.append(_row([share.measure], [f"{share.value:.4f}", *(parts if rested else [])]))
    return _table(headers, rows, len(headers) - 1)


def _details(rank: Rank, explanation: Explanation) -> str:
    """What stands beside the drawing while a rank is chosen."""
    places = "<br>".join(
        _words(one.spot.words + ("" if one.exists else " (not in the collection)")) for one in rank.results
    )
    reached = [
        _row(
            [name(one.target), one.link.words],
            [f"{one.probability:.4f}", f"{one.before:.4f}", f"{one.after:.4f}"],
        )
        for one in rank.reached
    ]
    adds = [
        _row([share.measure], [f"{added:+.4f}"]) for share, added in zip(explanation.shares, rank.added, strict=True)
    ]
    count = rank.count
    seen = f"{count.mean:.4f} of {len(explanation.targets)}, likely {_likely(count)}"
    left = len(explanation.targets) - count.mean
    return (
        f'<section data-in="r{rank.number}"><h3>Rank {rank.number}</h3><p>{places}</p>'
        f"{_table(['target', 'how', 'reached', 'seen before', 'after'], reached, 3)}"
        f"<p>Seen by then: {seen}; unseen: {left:.4f}</p>{_bars(count)}"
        f"{_table(['measure', 'added'], adds, 1)}</section>"
    )


def _likely(count: Count) -> str:
    return f"{count.low}" if count.low == count.high else f"{count.low} to {count.high}"


def _bars(count: Count) -> str:
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
        parts.append(
            f'<rect x="{x}" y="{62 - height:.1f}" width="{step - 3}" height="{height:.1f}">'
            f"<title>{counted(f, 'target')}: {probability:.4f}</title></rect>"
        )
        if step >= 18 or f % 5 == 0:
            parts.append(f'<text x="{x + (step - 3) / 2}" y="75">{f}</text>')
        if step >= 28:
            parts.append(f'<text x="{x + (step - 3) / 2}" y="{59 - height:.1f}">{f"{probability:.2f}"[1:]}</text>')
    width = len(listed) * step + 4
    label = "Probability of each number of targets seen"
    return f'<svg class="bars" width="{width}" height="80" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _fate(number: int, explanation: Explanation) -> str:
    """What stands beside the drawing while a target is chosen."""
    target = explanation.targets[number - 1]
    rows = [
        _row([f"{rank.number}", one.link.words], [f"{one.probability:.4f}", f"{one.before:.4f}", f"{one.after:.4f}"])
        for rank in explanation.ranks
        for one in rank.reached
        if one.target == number
    ]
    return (
        f'<section data-in="t{number}"><h3>Target {name(number)}</h3><p>{_words(target.spot.words)}</p>'
        f"<p>Worth {target.weight:.2f}, seen in the end with {target.seen:.4f}</p>"
        f"{_table(['rank', 'how', 'reached', 'seen before', 'after'], rows, 3)}</section>"
    )


def _rank_table(explanation: Explanation, ranks: Sequence[Rank]) -> str:
    names = [share.measure for share in explanation.shares]
    rows = []
    for rank in ranks:
        spots = "; ".join(one.spot.words for one in rank.results)
        reached = ", ".join(f"{name(one.target)} {one.probability:.2f}" for one in rank.reached[:6])
        more = f" and {len(rank.reached) - 6} more" if len(rank.reached) > 6 else ""
        numbers = [f"{rank.count.mean:.4f}", _likely(rank.count), *(f"{added:+.4f}" for added in rank.added)]
        chosen = f' data-key="r{rank.number}" data-in="{data_keys(rank)}" tabindex="0"'
        rows.append(_row([str(rank.number), spots, reached + more], numbers, chosen))
    nothing = len(explanation.ranks) - len(ranks)
    quiet = f'<p class="quiet">{counted(nothing, "other rank")} reached nothing.</p>' if nothing else ""
    return _table(["rank", "result", "reaches", "seen", "likely", *names], rows, 2 + len(names)) + quiet


def _unseen(explanation: Explanation) -> str:
    left = sum(1 - target.seen for target in explanation.targets)
    rows = [
        _row(
            [
                name(target.number),
                target.spot.words,
                f"by {counted(len(target.ranks), 'rank')}" if target.ranks else "never reached",
            ],
            [f"{target.weight:.2f}", f"{1 - target.seen:.4f}"],
            f' data-key="t{target.number}" data-in="t{target.number}" tabindex="0"' if target.ranks else "",
        )
        for target in sorted(explanation.targets, key=lambda one: (one.seen, one.number))
        if target.seen < 0.99995
    ]
    total = counted(len(explanation.targets), "target")
    table = _table(["target", "place", "reached", "worth", "unseen"], rows, 2) if rows else ""
    return f"<p>{left:.4f} of {total} expected.</p>{table}"
