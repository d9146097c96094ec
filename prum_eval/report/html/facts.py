"""What a page says of itself: its inputs, its date, how to get from part to part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from prum_eval.evaluation.notices.notice import Notice, summed
from prum_eval.report.drawing.panels import one_line
from prum_eval.report.markup import Markup, breakable, fill, lines

_FACTS = '<dl class="facts">\n{rows}\n</dl>'
_FACT = "<div><dt>{name}</dt><dd>{value}</dd></div>"
_PATHS = "<details><summary>{count}</summary><ul>{items}</ul></details>"
_NAV = '<nav aria-label="Parts of this page"><ul>{links}</ul></nav>'
_LINK = '<li><a href="#{key}">{name}</a></li>'
_WARNINGS = '<section class="warnings" aria-label="Warnings">\n<ul>\n{listed}\n</ul>\n</section>'
_INPUTS = ("assessments", "structure", "navigation")
MOST_LISTED = 3
"""More files are folded."""


def facts(
    parameters: Mapping[str, Any], paths: Sequence[str], topics: str, date: str, more: Mapping[str, str] | None = None
) -> Markup:
    """The inputs as a list of terms.

    Args:
        parameters: of the evaluation.
        paths: files of the runs; those that have none are empty.
        topics: how many there are, in words.
        date: what it says of the date; nothing if empty.
        more: other terms.
    """
    rows: dict[str, Markup | str] = {
        key.capitalize(): _path(value) for key in _INPUTS if isinstance(value := parameters.get(key), str) and value
    }
    known = [path for path in paths if path]
    if known:
        rows["Run" if len(known) == 1 else "Runs"] = _listed(known)
    rows |= {**({"Topics": topics} if topics else {}), **(more or {})}
    if date:
        rows["Date"] = date
    return fill(_FACTS, rows=lines(fill(_FACT, name=name, value=value) for name, value in rows.items()))


def part_links(parts: Mapping[str, str]) -> Markup:
    """Links to parts of the page, by their identifiers."""
    return fill(_NAV, links=[fill(_LINK, key=key, name=name) for key, name in parts.items()]) if parts else Markup("")


def warnings_section(warnings: Sequence[Notice | str]) -> Markup:
    """What the user should know, as a list; nothing where there is none."""
    listed = lines(fill("<li>{warning}</li>", warning=one_line(text)) for text in summed(warnings, hint=""))
    return fill(_WARNINGS, listed=listed) if warnings else Markup("")


def _path(path: str) -> Markup:
    return breakable(one_line(path), before="/")


def _listed(paths: Sequence[str]) -> Markup:
    shown = [_path(path) for path in paths]
    if len(paths) <= MOST_LISTED:
        return Markup("<br>".join(shown))
    return fill(_PATHS, count=f"{len(paths)} files", items=[fill("<li>{path}</li>", path=path) for path in shown])
