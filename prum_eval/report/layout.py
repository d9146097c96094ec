"""How a result is to be written, whatever the format: what of it, in which order, with how many digits."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from prum_eval.errors import UNPRINTABLE_IN_LINES, PrintableText, escape_unprintable
from prum_eval.plugins import deprecated_name
from prum_eval.report.registry import DIGITS

if TYPE_CHECKING:  # they import numpy, for which the help of commands must not wait
    from prum_eval.analysis.comparison import Comparison
    from prum_eval.arrays import FloatArray
    from prum_eval.evaluation.results import Evaluation, MeasuredValue, RunResult
    from prum_eval.tabular import RowValue, Tabular


ALL = "all"
DIFFERENT_TOPICS_MARK = "*"
"""What marks averages that are over other topics than those of other runs."""


class TopicPage(NamedTuple):
    """A page about a topic of a run, whose number in the evaluation counts from 0, and the value that leads to it."""

    run: int
    topic: str
    measure: str
    value: float
    path: str


@dataclass(frozen=True)
class Layout:
    """How a result is to be written; every format takes from it what concerns it.

    Attributes:
        per_topic: a block a topic (-q); of a gold check, every topic that moved (--full).
        averages: the averages over topics (off with -n).
        digits: digits after the point.
        full: a comparison shows every measure with all its statistics, where else it would be a leaderboard (--full).
        bold: the best values are bold, as a terminal shows them.
        test: the test whose p-values the tables of a comparison show.
        title: what the result is called: of a gold check, its file; of fitted models, that of the steps of a graph.
        size: the size of pictures (--plot-size).
        sort: the measure by which tables put the best runs first.
        transpose: rows and columns of tables change places.
        marks: a comparison of the runs of an evaluation, whose significant differences tables mark.
        worst: the topics that have a page of their own, which a page of an evaluation leads to.
        raw_csv: CSV has names as they are, also those that a spreadsheet would run as formulas (--raw-csv).
        date: what pages say of their date; nothing if empty.
        format: the name of the format, set when it is rendered.
    """

    per_topic: bool = False
    averages: bool = True
    digits: int = DIGITS
    full: bool = False
    bold: bool = False
    test: str = "randomisation"
    title: str = ""
    size: str = "column"
    sort: str | None = None
    transpose: bool = False
    marks: Comparison | None = None
    worst: Sequence[TopicPage] = ()
    raw_csv: bool = False
    date: str = ""
    format: str = ""


def format_value(value: MeasuredValue, digits: int) -> str:
    """A count as it is, a number with fixed digits, ``nan`` where a topic has no value.

    >>> format_value(3, 4), format_value(0.5, 4), format_value(None, 4)
    ('3', '0.5000', 'nan')
    """
    if value is None:
        return "nan"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def format_numbers(values: Sequence[float], digits: int) -> list[str]:
    """Numbers of a column for people: without digits after the point where one of them is 100 or more.

    >>> format_numbers([0.5, 0.25], 2), format_numbers([99, 1234.5], 2)
    (['0.50', '0.25'], ['99', '1,234'])
    """
    large = max(map(abs, values)) >= 100
    return [f"{value:,.0f}" if large else format_value(value, digits) for value in values]


class Block(NamedTuple):
    """The values of a run on a topic, or its averages: of a group, or with neither of all topics."""

    group: str | None
    topic: str
    values: Mapping[str, MeasuredValue]


def blocks(run: RunResult, layout: Layout) -> list[Block]:
    """The topics, groups and averages of a run that are to be shown, in order; topics are called `ALL` in averages."""
    group_of = run.group_of if run.groups else {}
    listed = run.topics.items() if layout.per_topic else ()
    topics = [Block(group_of.get(topic), topic, values) for topic, values in listed]
    averages = [*(Block(group, ALL, one.all) for group, one in run.groups.items()), Block(None, ALL, run.all)]
    return topics + (averages if layout.averages else [])


# HTML and SVG from templates: the one place where texts are made safe to stand in them.


class Markup(str):
    """Text that is HTML or SVG already, and stands in a page as it is."""

    __slots__ = ()


def fill(template: str, **values: object) -> Markup:
    """A template of `str.format` with values: text is escaped, markup and numbers stand as they are, pieces are joined.

    >>> fill('<b title="{title}">{pieces}{share:.1f}</b>', title='a"b', pieces=[Markup("<hr>"), "<"], share=0.25)
    '<b title="a&quot;b"><hr>&lt;0.2</b>'
    """
    return Markup(template.format(**{name: _escape(value) for name, value in values.items()}))


def add_line_breaks(text: str, *, before: str = "", after: str = "") -> Markup:
    """A text in which a line may end before or after these signs.

    >>> add_line_breaks("/a/b", before="/")
    '<wbr>/a<wbr>/b'
    """
    safe = escape(text)
    for sign in before:
        safe = safe.replace(sign, f"<wbr>{sign}")
    for sign in after:
        safe = safe.replace(sign, f"{sign}<wbr>")
    return Markup(safe)


def join_lines(pieces: Iterable[str]) -> Markup:
    """Pieces of markup, each in lines of its own."""
    return Markup("\n".join(pieces))


def json_data(name: str, content: object) -> Markup:
    r"""Data for the script of a page, which finds it by that name; no text in it can end it or begin an element.

    >>> json_data("data", {"run": "</script>"})
    '<script type="application/json" id="data">{"run":"\\u003c/script>"}</script>'
    """
    import json

    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    safe = re.sub("[<&\u2028\u2029\x7f-\x9f]", lambda sign: f"\\u{ord(sign[0]):04x}", text)
    return Markup(f'<script type="application/json" id="{escape(name)}">{safe}</script>')


def fill_page(template: str, styles: Sequence[str], scripts: Sequence[str], **values: object) -> Markup:
    """A page: ``TEMPLATE.html`` filled with values, with style sheets and scripts by their names without endings."""
    style, script = (
        Markup("".join(_file(f"{name}.{kind}") for name in names)) for kind, names in (("css", styles), ("js", scripts))
    )
    return fill(_file(f"{template}.html"), style=style, script=script, **values)


def _file(name: str) -> str:
    from importlib.resources import files

    return files("prum_eval.report").joinpath("assets", name).read_text(encoding="utf-8")


def _escape(value: object) -> object:
    if isinstance(value, str):
        return value if isinstance(value, Markup) else escape(value)
    return "".join(str(_escape(piece)) for piece in value) if isinstance(value, Iterable) else value


# How JSON, CSV, and tables of text, Markdown and LaTeX are written: the one place for all results.


PLAIN, MARKDOWN, LATEX = "simple", "github", "latex_booktabs"
"""Styles of tables, by the names that tabulate has for them."""

LINE_WIDTH = 80
"""Columns of what people read in a terminal."""
_NUMBER = re.compile(r"[-+]?[0-9.]+")
_BEFORE_BAR = re.compile(r"(\\*)\|")


def json_text(content: object, indent: int = 2) -> str:
    """JSON with one key a line; numbers are never rounded."""
    import json  # the default format does not need it

    text = json.dumps(content, ensure_ascii=False, indent=indent) + "\n"
    if text.isascii() and "\x7f" not in text:
        return text
    return UNPRINTABLE_IN_LINES.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)  # JSON's own way to write them


def csv_text(header: Sequence[str], rows: Iterable[Sequence[RowValue]], *, raw: bool = False) -> str:
    r"""CSV at full precision; a value that is None is empty.

    Unless it is to be `raw`, texts that a spreadsheet would run as a formula have a ' in front.

    >>> csv_text(["run", "exact", "value"], [["a,b", True, 0.1], ["c", False, None]])
    'run,exact,value\n"a,b",true,0.1\nc,false,\n'
    >>> csv_text(["run"], [["=1+1"], [-1], ["-1"]]), csv_text(["run"], [["=1+1"]], raw=True)
    ("run\n'=1+1\n-1\n-1\n", 'run\n=1+1\n')
    """
    import csv

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell if raw else _escape_formula(cell) for cell in map(_csv_cell, row)] for row in rows)
    return text.getvalue()


def _csv_cell(value: RowValue) -> RowValue:
    return str(value).lower() if isinstance(value, bool) else value


def _escape_formula(cell: RowValue) -> RowValue:
    """A cell that no spreadsheet runs: a text that looks like a formula is marked as text; numbers are none."""
    from prum_eval.formats.scores import FORMULA_PREFIXES

    runs = isinstance(cell, str) and cell.startswith(FORMULA_PREFIXES) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if runs else cell


def rows_csv(result: Tabular, layout: Layout) -> str:
    """The rows of a result as CSV."""
    rows = list(result.rows())
    return csv_text(list(rows[0]), (list(row.values()) for row in rows), raw=layout.raw_csv)


def table_text(headers: Sequence[str], rows: Sequence[Sequence[str]], style: str, words: int = 1) -> str:
    """A table by tabulate.

    Args:
        headers: name of each column.
        rows: texts of cells, which are shown as they are: what Markdown or LaTeX would take for its own is escaped.
        style: `PLAIN`, `MARKDOWN` or `LATEX` (package booktabs).
        words: so many columns are words, to the left; the others are numbers, to the right.
    """
    from tabulate import tabulate

    made = escape_markdown if style == MARKDOWN else escape_unprintable
    headers, rows = list(map(made, headers)), [list(map(made, row)) for row in rows]
    align = ["left"] * words + ["right"] * (len(headers) - words)
    return tabulate(rows, headers, tablefmt=style, disable_numparse=True, colalign=align if rows else None) + "\n"


def escape_markdown(text: str) -> str:
    r"""A text that stays in its cell of a table in Markdown, and is no HTML.

    >>> print(escape_markdown("a|b<i>&amp;"))
    a\|b&lt;i&gt;&amp;amp;
    """
    safe = escape(escape_unprintable(text), quote=False)
    return _BEFORE_BAR.sub(lambda found: rf"{2 * found[1]}\|", safe)


def pad_cells(cells: Sequence[str], widths: Sequence[int], words: int = 1, bold: Sequence[int] = ()) -> str:
    """A line of a table for people: cells as wide as told, words to the left, numbers to the right.

    `bold`: columns that a terminal shows in bold.

    >>> pad_cells(["map", "0.5"], [5, 7])
    'map        0.5'
    """
    pairs = enumerate(zip(cells, widths, strict=True))
    aligned = (cell.ljust(width) if column < words else cell.rjust(width) for column, (cell, width) in pairs)
    if not bold:
        return "  ".join(aligned).rstrip()
    cells = list(map(escape_unprintable, aligned))
    for column in bold:
        cells[column] = cells[column].replace(text := cells[column].strip(), f"\x1b[1m{text}\x1b[0m")
    return PrintableText("  ".join(cells).rstrip())


def labels_or_numbers(names: Sequence[str], room: int) -> list[str]:
    """The names, or their numbers from 1 where they repeat or one of them is longer than the room.

    >>> labels_or_numbers(["a", "b"], 9), labels_or_numbers(["a", "a"], 9)
    (['a', 'b'], ['1', '2'])
    """
    if len(set(names)) == len(names) and max(map(len, names)) <= room:
        return list(names)
    return [str(number) for number in range(1, len(names) + 1)]


def wrap_paragraph(text: str) -> str:
    """A sentence in lines of `LINE_WIDTH`; names are not broken."""
    return "\n".join(wrap(text, LINE_WIDTH, break_long_words=False, break_on_hyphens=False))


def wrap_words(text: str, width: int) -> str:
    r"""Text broken into lines between words; a word longer than a line anywhere.

    >>> wrap_words("1 none, 2 t2i:tolerance=300", 12)
    '1 none, 2\nt2i:toleranc\ne=300'
    """
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(line[start : start + width] for line in lines for start in range(0, len(line), width))


def wrap_text(text: str, width: int) -> str:
    r"""Text broken into lines: after a sign where one stands in the second half of a line, else anywhere.

    >>> wrap_text("eprum_P:user_model=t2i,tolerance=100", 25)
    'eprum_P:user_model=t2i,\ntolerance=100'
    """
    lines = []
    width = max(width, 1)
    while len(text) > width:
        cut = max(text.rfind(sign, width // 2, width) for sign in " ,:=_/-.") + 1 or width
        lines.append(text[:cut].rstrip())
        text = text[cut:]
    return "\n".join([*lines, text])


# Names of files that are made of names of runs, topics and measures.


def safe_file_name(name: str) -> str:
    """A name without the signs that file systems or shells take amiss, which become underscores.

    >>> safe_file_name("a/b c"), safe_file_name("..")
    ('a_b_c', '_')
    """
    return re.sub(r"[^\w.,=+-]", "_", name).lstrip(".") or "_"


def unique_file_name(stem: str, used: set[str], suffix: str = "") -> str:
    """The name, with a number where it is taken (in whatever case: some file systems tell no difference)."""
    name, number = stem + suffix, 1
    while name.casefold() in used:
        number += 1
        name = f"{stem}-{number}{suffix}"
    used.add(name.casefold())
    return name


# Which runs of an evaluation are best: what tables and pages mark, and which lines of a picture have a colour.


def best_runs(evaluation: Evaluation) -> dict[str, frozenset[int]]:
    """By measure the places of the runs with the best average, several where they are equal to twelve digits.

    A measure that counts, or of which neither direction is better, has none; nor is one run the best of one,
    or an average over some topics better than one over others.
    """
    if evaluation.different_topics:
        return {}
    all_signs = score_signs(evaluation.names)
    return {
        name: best_indices([run.all.get(name) for run in evaluation.runs], sign) for name, sign in all_signs.items()
    }


def best_indices(values: Sequence[MeasuredValue], sign: int) -> frozenset[int]:
    """Places of the largest values, or with sign -1 of the smallest; none of fewer than two values."""
    import numpy as np

    from prum_eval.analysis.matrix import round_significant

    known = sign * round_significant(np.array([np.nan if value is None else float(value) for value in values]))
    if np.isnan(known).sum() + 2 > len(known):
        return frozenset()
    return frozenset(np.flatnonzero(known == np.nanmax(known)).tolist())


def rank_runs(evaluation: Evaluation, measure: str | None = None) -> list[int]:
    """Places of the runs, the best first by a measure, without one by that which ranks them; without values last.

    Equal ones, and all where there are but counts, are in the order in which they came. A measure that neither is a
    score puts the largest value first.
    """
    import numpy as np

    from prum_eval.analysis.comparison import rank_measures

    name = rank_measures(requested_measures(evaluation)).headline if measure is None else measure
    if name is None:
        return list(range(len(evaluation.runs)))
    values = score_signs([name]).get(name, 1) * averages(evaluation, name)
    order: list[int] = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable").tolist()
    return order


def requested_measures(evaluation: Evaluation) -> Sequence[str]:
    """The measures as they were asked for, which is how people are shown them."""
    return evaluation.requested_names or evaluation.names


def score_signs(names: Sequence[str]) -> dict[str, int]:
    """1 for measures of which higher values are better, -1 for lower; names that are no scores are left out."""
    from prum_eval.analysis.matrix import select_counts
    from prum_eval.measures.base import Direction
    from prum_eval.measures.registry import measures_by_printed_name

    known, counts = measures_by_printed_name(names), select_counts(names)
    directions = {name: known[name].direction if name in known else Direction.HIGHER for name in names}
    sign = {Direction.HIGHER: 1, Direction.LOWER: -1}
    return {name: sign[way] for name, way in directions.items() if way in sign and name not in counts}


def averages(evaluation: Evaluation, name: str) -> FloatArray:
    """The averages of the runs to twelve digits, shape (runs,); NaN where there is none."""
    import numpy as np

    from prum_eval.analysis.matrix import round_significant

    found = [run.all.get(name) for run in evaluation.runs]
    return round_significant(np.array([np.nan if value is None else float(value) for value in found]))


# The trec format: name, topic, value, as trec_eval prints them.


LINE = "{:<22s}\t{}\t{}\n"
"""One line: the name padded to 22 columns, the topic, the value, tab-separated."""


def evaluation_lines(evaluation: Evaluation, layout: Layout) -> str:
    """Topics in byte order, measures in registry order, ``all`` last; one block a run, in argument order.

    Groups have no lines: whoever reads this format takes all names but ``all`` for topics.
    """
    lines = []
    for run in evaluation.runs:
        for group, topic, values in blocks(run, layout):
            if topic == ALL and group is not None:
                continue
            shown = escape_unprintable(topic)
            if topic == ALL and evaluation.show_run_id:
                lines.append(LINE.format("runid", ALL, escape_unprintable(run.run_id)))
            lines += [LINE.format(name, shown, format_value(value, layout.digits)) for name, value in values.items()]
    return "".join(lines)


def __getattr__(name: str) -> object:
    """The old name of `format_value`."""
    return deprecated_name(name, {"formatted": "format_value"}, globals())
