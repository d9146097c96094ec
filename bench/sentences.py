"""What the tables mean for a user, a sentence each: their numbers come from the rows, so that they cannot go stale."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.cases import documents, elements, many, passages, start, trec_runs
from bench.page import table
from bench.processes import Measured

Rows = Mapping[str, Measured]


SUMMARY = (
    ("Print the help", start.HELP),
    ("Evaluate a tiny run", start.TINY),
    ("map, P_10 and ndcg of a TREC run of a million lines", trec_runs.OURS),
    ("The same of 100,000 topics of ten results", many.TOPICS),
    ("`eval -t chunks` on 7 runs, 472 questions, 20 chunks each", passages.QUESTIONS),
    ("The same of 16 times as many questions", f"{passages.QUESTIONS}, times 16"),
    ("`compare -t chunks` on the 7 runs", passages.COMPARE),
    ("PRUM, EPRUM and gen_recall of a run of INEX 2006, index at hand", elements.WARM),
    ("EPRUM of all relevant elements of it", elements.RELEVANT),
    ("`eval -m all` on 16 such runs", elements.SIXTEEN),
    ("The official measures of a run of INEX 2009", passages.THOROUGH),
)
"""What users do, and the rows where it is measured."""


def summary(rows: Rows) -> list[str]:
    """A table of what users do, with seconds and memory."""
    known = [(what, rows[name]) for what, name in SUMMARY if name in rows]
    return table("what | time | MB", [(what, span(row.seconds), f"{row.megabytes:.0f}") for what, row in known])


def span(seconds: float) -> str:
    """A time as one says it: 12 s, 1.3 s, 0.31 s, 45 ms."""
    if seconds < 0.1:
        return f"{seconds * 1e3:.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def part(rows: Rows, text: str, *names: str) -> str:
    """The text with the times of rows as {0}, {1}, ...; nothing where one of them is missing."""
    return text.format(*(span(rows[name].seconds) for name in names)) if all(name in rows for name in names) else ""


def ratio(rows: Rows, name: str, to: str, text: str = "{0} times as long as {1}") -> str:
    """A text with how many times as long one row takes as another; or nothing."""
    if name not in rows or to not in rows:
        return ""
    return text.format(f"{rows[name].seconds / rows[to].seconds:.2f}", to.split(",", maxsplit=1)[0])


def joined(*parts: str, end: str = ".") -> str:
    """A sentence of its parts, without those that are missing."""
    text = "; ".join(one for one in parts if one)
    return f"{text[:1].upper()}{text[1:]}{end}" if text else "Not measured."


def sentence(title: str, rows: Rows) -> str:
    """The sentence over the table of that title."""
    made: dict[str, Callable[[Rows], str]] = {
        start.TITLE: _start,
        trec_runs.TITLE: _trec_runs,
        documents.TITLE: _documents,
        elements.TITLE: _elements,
        passages.TITLE: _passages,
        many.TITLE: _many,
    }
    return made[title](rows)


def _start(rows: Rows) -> str:
    return joined(
        part(rows, "the help is there after {0}, the values of a small evaluation after {1}", start.HELP, start.TINY),
        part(
            rows,
            "a program that calls `prum_eval.evaluate` waits {0} for its import once, and {1} for 50 topics of 1,000 "
            "results in dicts, of which pytrec_eval takes {2}",
            start.EVALUATE,
            start.OURS,
            start.THEIRS,
        ),
    )


def _trec_runs(rows: Rows) -> str:
    found = [
        ratio(rows, trec_runs.OURS, peer)
        for peer in (trec_runs.TREC_EVAL, trec_runs.PYTREC_EVAL, trec_runs.IR, trec_runs.RANX_ROW)
    ]
    beside = [one for one in found if one]
    text = part(rows, "an evaluation of a TREC run of a million lines takes {0}", trec_runs.OURS)
    return joined(", ".join([text, *beside]) if text else "")


def _documents(rows: Rows) -> str:
    loops = ratio(rows, documents.INDEX, documents.STRUCTURE, "{0} loops that only split its lines")
    texts = part(rows, "12,000 documents in {0}", "index of the documents")
    text = part(rows, "the text of a structure becomes an index in {0}", documents.INDEX)
    return joined(", ".join(one for one in (text, loops, texts) if one))


def _elements(rows: Rows) -> str:
    return joined(
        part(rows, "a strong run is evaluated in {0} where index and cache are there", elements.WARM),
        part(rows, "in {0} where only texts are", elements.COLD),
        part(rows, "all measures of 16 runs take {0}", elements.SIXTEEN),
    )


def _passages(rows: Rows) -> str:
    large, prum = (
        [row.format(model=model) for model in ("t2i", "hierarchical")] for row in (passages.LARGE, passages.LARGE_PRUM)
    )
    official = part(rows, "the official figures of a run of 2009 are there after {0}", passages.THOROUGH)
    peak = max((rows[name].megabytes for name in large if name in rows), default=0)
    return joined(
        ", ".join(one for one in (official, ratio(rows, passages.THOROUGH, passages.OFFICIAL)) if one),
        part(rows, "those of 236,000 chunks after {0}", passages.CHUNKS),
        part(rows, f"one topic of 5,000 targets and 20,000 results takes {{0}} to {{1}} and {peak:.0f} MB", *large),
        part(rows, "PRUM on it takes {0} under t2i and {1} under hierarchical navigation", *prum),
    )


def _many(rows: Rows) -> str:
    return joined(
        part(rows, "100,000 topics of ten results take {0}", many.TOPICS),
        part(rows, "a million {0}", many.MILLION),
        part(rows, "all 1,225 pairs of 50 runs are compared, by 100,000 trials, in {0}", many.PAIRS),
    )
