"""How a result is written, whatever the format, and the primitives of all formats.

`Layout` holds the choices of a call. Values: `format_value`, `format_numbers`. Texts of 80 columns: `table_lines`,
`wrap_text`. HTML and SVG from templates: `fill`, the one place where texts are escaped. JSON, CSV, and tables by
tabulate: `json_text`, `csv_text`, `table_text`. Names of files: `safe_file_name`. Every evaluation imports this module:
it imports numpy and what belongs to a single format only where they are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from prum_eval.errors import UNPRINTABLE_IN_LINES, PrintableText, escape_unprintable
from prum_eval.plugins import deprecated_name

if TYPE_CHECKING:
    from prum_eval.analysis.comparison import Comparison
    from prum_eval.evaluation.results import RunResult, TopicValue
    from prum_eval.tabular import RowValue

DIGITS = 4
_LARGE = 100
LINE_WIDTH = 80
"""Columns of text that is not for a terminal, and of sentences."""
ALL = "all"
DIFFERENT_TOPICS_MARK = "\N{DAGGER}"
"""Marks averages over other topics than those of other runs."""


class TopicPage(NamedTuple):
    """A page about a topic of a run (its place in the evaluation), with the value that the link shows."""

    run: int
    topic: str
    measure: str
    value: float
    path: str


@dataclass(eq=False, repr=False)
class Layout:
    """How a result is written; every format takes from it what concerns it.

    Attributes:
        per_topic: topics too (-q); of a gold check, every topic that moved (--list-all).
        averages: the averages over topics (off with -n).
        digits: digits after the point.
        full: a comparison shows every measure with all its statistics, where else it would be one row per run (--full).
        bold: the best values are bold, as a terminal shows them.
        width: columns of the terminal, for tables.
        title: the file that a result is about: of a gold check; of fitted models, the steps of a graph.
        size: the size of pictures (--plot-size).
        sort: the measure by which tables put the best runs first.
        transpose: exchange rows and columns of tables.
        marks: a comparison of the runs of an evaluation, whose significant differences tables mark.
        worst: topics with a page of their own, to which the page of an evaluation links.
        raw_csv: names in CSV as they are, also those that a spreadsheet would run as formulas (--raw-csv).
        date: the date that pages show; none if empty.
        format: the name of the format, set by `render`.
    """

    per_topic: bool = False
    averages: bool = True
    digits: int = DIGITS
    full: bool = False
    bold: bool = False
    width: int = LINE_WIDTH
    title: str = ""
    size: str = "column"
    sort: str | None = None
    transpose: bool = False
    marks: Comparison | None = None
    worst: Sequence[TopicPage] = ()
    raw_csv: bool = False
    date: str = ""
    format: str = ""


def format_value(value: TopicValue, digits: int) -> str:
    """A count or text as it is, a number with fixed digits, ``nan`` for None.

    >>> format_value(3, 4), format_value(0.5, 4), format_value(None, 4)
    ('3', '0.5000', 'nan')
    """
    if value is None:
        return "nan"
    return str(value) if isinstance(value, int | str) else f"{value:.{digits}f}"


def column_digits(values: Iterable[object], digits: int) -> int:
    """Digits of the numbers of a column that people read: none if one of them is 100 or more, as of characters.

    >>> column_digits([0.5, None, 926.4], 4), column_digits([0.5, 3], 4)
    (0, 4)
    """
    return 0 if any(isinstance(value, int | float) and abs(value) >= _LARGE for value in values) else digits


class Block(NamedTuple):
    """Values of a run on a topic, or its averages over a group or (None) all topics."""

    group: str | None
    topic: str
    values: Mapping[str, TopicValue]


def blocks(run: RunResult, layout: Layout) -> list[Block]:
    """Topics, groups and averages of a run to show, in order; the topic of averages is `ALL`."""
    shown = []
    if layout.per_topic:
        group_of = run.group_of if run.groups else {}
        shown = [Block(group_of.get(topic), topic, values) for topic, values in run.topics.items()]
    if layout.averages:
        shown += [*(Block(name, ALL, group.all) for name, group in run.groups.items()), Block(None, ALL, run.all)]
    return shown


# HTML and SVG from templates.


class Markup(str):
    """Text that is HTML or SVG already and is not escaped."""

    __slots__ = ()


def fill(template: str, **values: object) -> Markup:
    """Fill a template of `str.format`; escape text, keep markup and numbers, join lists.

    >>> fill('<b title="{title}">{pieces}{share:.1f}</b>', title='a"b', pieces=[Markup("<hr>"), "<"], share=0.25)
    '<b title="a&quot;b"><hr>&lt;0.2</b>'
    """
    return Markup(template.format(**{name: _escape(value) for name, value in values.items()}))


def add_line_breaks(text: str, *, before: str = "", after: str = "") -> Markup:
    """Escaped text in which a line may end before or after these characters.

    >>> add_line_breaks("/a/b", before="/")
    '<wbr>/a<wbr>/b'
    """
    escaped = _escape_html(text)
    for character in before:
        escaped = escaped.replace(character, f"<wbr>{character}")
    for character in after:
        escaped = escaped.replace(character, f"{character}<wbr>")
    return Markup(escaped)


def join_lines(pieces: Iterable[str]) -> Markup:
    """Markup joined by line ends."""
    return Markup("\n".join(pieces))


def json_data(name: str, content: object) -> Markup:
    r"""Data for the script of a page; no text in it can end it or begin an element.

    >>> json_data("data", {"run": "</script>"})
    '<script type="application/json" id="data">{"run":"\\u003c/script>"}</script>'
    """
    import json

    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    escaped = re.sub("[<&\u2028\u2029\x7f-\x9f]", lambda character: f"\\u{ord(character[0]):04x}", text)
    return Markup(f'<script type="application/json" id="{_escape_html(name)}">{escaped}</script>')


def fill_page(template: str, styles: Sequence[str], scripts: Sequence[str], **values: object) -> Markup:
    """Page made of ``TEMPLATE.html`` with values, style sheets and scripts, all by names without endings."""
    from importlib.resources import files

    assets = files("prum_eval.report") / "assets"

    def read(name: str) -> str:
        return assets.joinpath(name).read_text(encoding="utf-8")

    style = Markup("".join(read(f"{name}.css") for name in styles))
    script = Markup("".join(read(f"{name}.js") for name in scripts))
    page = fill(read(f"{template}.html"), policy=_POLICY, style=style, script=script, **values)
    return Markup(page.replace(_POLICY, content_policy(page), 1))


_POLICY = "the policy of this page"


def content_policy(page: str) -> str:
    """Content-Security-Policy of a page: its own inline styles and scripts, by hash, and nothing else."""
    import hashlib
    from base64 import b64encode

    def sources(element: str) -> str:
        parts = dict.fromkeys(re.findall(f"<{element}>(.*?)</{element}>", page, re.DOTALL))  # data has attributes
        hashes = [b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts]
        return " ".join(f"'sha256-{digest}'" for digest in hashes) or "'none'"

    styles, scripts = sources("style"), sources("script")
    return f"default-src 'none'; style-src {styles}; script-src {scripts}; base-uri 'none'; form-action 'none'"


def _escape_html(text: str, *, quote: bool = True) -> str:
    from html import escape  # tables for terminals need none of its entities

    return escape(text, quote)


def _escape(value: object) -> object:
    if isinstance(value, str):
        return value if isinstance(value, Markup) else _escape_html(value)
    return "".join(str(_escape(piece)) for piece in value) if isinstance(value, Iterable) else value


# JSON, CSV and tables.


PLAIN, MARKDOWN, LATEX = "simple", "github", "latex_booktabs"
"""Styles of tables, by the names that tabulate has for them."""

_NUMBER = re.compile(r"[-+]?[0-9.]+")
_BEFORE_BAR = re.compile(r"(\\*)\|")


def json_text(content: object, indent: int = 2) -> str:
    """JSON with one key a line; numbers are never rounded."""
    import json

    text = json.dumps(content, ensure_ascii=False, indent=indent) + "\n"
    if text.isascii() and "\x7f" not in text:
        return text
    return UNPRINTABLE_IN_LINES.sub(lambda character: f"\\u{ord(character[0]):04x}", text)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[RowValue]], *, raw: bool = False) -> str:
    r"""CSV at full precision; a value that is None is empty.

    Unless it is to be `raw`, texts that a spreadsheet would run as a formula have a ' in front.

    >>> csv_text(["run", "exact", "value"], [["a,b", True, 0.1], ["c", False, None]])
    'run,exact,value\n"a,b",true,0.1\nc,false,\n'
    >>> csv_text(["run"], [["=1+1"], [-1], ["-1"]]), csv_text(["run"], [["=1+1"]], raw=True)
    ("run\n'=1+1\n-1\n-1\n", 'run\n=1+1\n')
    """
    import csv
    import io

    from prum_eval.formats.scores import FORMULA_PREFIXES

    def cell_value(value: RowValue) -> RowValue:
        if isinstance(value, bool):
            return str(value).lower()
        is_text = not raw and isinstance(value, str) and not _NUMBER.fullmatch(value)
        return f"'{value}" if is_text and str(value).startswith(FORMULA_PREFIXES) else value

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(map(cell_value, row) for row in rows)
    return text.getvalue()


def table_text(headers: Sequence[str], rows: Sequence[Sequence[str]], style: str, words: int = 1) -> str:
    """A table by tabulate.

    Args:
        headers: name of each column.
        rows: texts of cells; what Markdown or LaTeX would interpret is escaped, unless it is markup.
        style: `PLAIN`, `MARKDOWN` or `LATEX` (package booktabs).
        words: number of leading columns aligned to the left; the others are aligned to the right.
    """
    from tabulate import tabulate

    escape_cell = escape_markdown if style == MARKDOWN else escape_unprintable
    headers = list(map(escape_cell, headers))
    rows = [[str(cell) if isinstance(cell, Markup) else escape_cell(cell) for cell in row] for row in rows]
    align = ["left"] * words + ["right"] * (len(headers) - words)
    return tabulate(rows, headers, tablefmt=style, disable_numparse=True, colalign=align if rows else None) + "\n"


def escape_markdown(text: str) -> str:
    r"""Text that stays in its cell of a Markdown table and is no HTML.

    >>> print(escape_markdown("a|b<i>&amp;"))
    a\|b&lt;i&gt;&amp;amp;
    """
    escaped = _escape_html(escape_unprintable(text), quote=False)
    return _BEFORE_BAR.sub(lambda match: rf"{2 * match[1]}\|", escaped)


def pad_cells(cells: Sequence[str], widths: Sequence[int], words: int = 1, bold: Sequence[int] = ()) -> str:
    """Line of a table: the first `words` cells aligned to the left, the others to the right.

    `bold`: columns in bold on a terminal.

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


def table_lines(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: int = 1,
    widths: Sequence[int] | None = None,
) -> list[str]:
    """Lines of a table for people: headers, dashes, rows; columns as wide as their widest cell unless given.

    >>> table_lines(["run", "map"], [["a", "0.5000"]])
    ['run     map', '---  ------', 'a    0.5000']
    """
    if widths is None:
        widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    dashes = "  ".join("-" * width for width in widths)
    return [pad_cells(headers, widths, words), dashes, *(pad_cells(row, widths, words) for row in rows)]


def labels_or_numbers(names: Sequence[str], room: int) -> list[str]:
    """The names, or numbers from 1 if a name repeats or is longer than `room`.

    >>> labels_or_numbers(["a", "b"], 9), labels_or_numbers(["a", "a"], 9)
    (['a', 'b'], ['1', '2'])
    """
    if len(set(names)) == len(names) and max(map(len, names)) <= room:
        return list(names)
    return [str(number) for number in range(1, len(names) + 1)]


def wrap_paragraph(text: str) -> str:
    """Text in lines of `LINE_WIDTH`; names are not broken."""
    from textwrap import wrap

    return "\n".join(wrap(text, LINE_WIDTH, break_long_words=False, break_on_hyphens=False))


def wrap_words(text: str, width: int) -> str:
    r"""Text broken into lines between words, and within words longer than a line.

    >>> wrap_words("1 none, 2 t2i:tolerance=300", 12)
    '1 none, 2\nt2i:toleranc\ne=300'
    """
    from textwrap import wrap

    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(line[start : start + width] for line in lines for start in range(0, len(line), width))


def wrap_text(text: str, width: int) -> str:
    r"""Text broken after punctuation in the second half of a line, else anywhere.

    >>> wrap_text("eprum_P:user_model=t2i,tolerance=100", 25)
    'eprum_P:user_model=t2i,\ntolerance=100'
    """
    lines = []
    width = max(width, 1)
    while len(text) > width:
        cut = max(text.rfind(character, width // 2, width) for character in " ,:=_/-.") + 1 or width
        lines.append(text[:cut].rstrip())
        text = text[cut:]
    return "\n".join([*lines, text])


# Names of files made of names of runs, topics and measures.


def safe_file_name(name: str) -> str:
    """Name with underscores in place of characters that file systems or shells reject.

    >>> safe_file_name("a/b c"), safe_file_name("..")
    ('a_b_c', '_')
    """
    return re.sub(r"[^\w.,=+-]", "_", name).lstrip(".") or "_"


def unique_file_name(stem: str, used: set[str], suffix: str = "") -> str:
    """Name that is not in `used` (ignoring case), numbered if need be; add it to `used`."""
    name, number = stem + suffix, 1
    while name.casefold() in used:
        number += 1
        name = f"{stem}-{number}{suffix}"
    used.add(name.casefold())
    return name


def __getattr__(name: str) -> object:
    """The old name of `format_value`."""
    return deprecated_name(name, {"formatted": "format_value"}, globals())
