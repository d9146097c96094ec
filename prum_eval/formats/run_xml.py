"""Runs as XML, 2002 to 2008: ``<inex-submission>`` with the results of each ``<topic>``.

A topic that matches the usual layout is read by columns, with no object per result; any other topic is read element by
element, which reports bad results and leaves them out.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.format import RankBy
from prum_eval.formats.run_columns import RankingRule, RunColumns, make_run, ranked_topics
from prum_eval.records import Run, RunKind
from prum_eval.text.lines import Vocabulary
from prum_eval.text.numbers import (
    expected_message,
    parse_decimal,
    parse_decimals,
    parse_integer,
    parse_integers,
    quote_value,
)
from prum_eval.text.streams import Contents, encode_lines
from prum_eval.text.xml import XmlBlock, XmlBlocks, local_name

if TYPE_CHECKING:
    from lxml import etree


RESULT_FIELDS = ("file", "path", "rank", "rsv")
_MAX_PLAIN_ATTRIBUTES = 64
"""Of a topic: comparing attributes with the layout takes quadratic time and memory."""
_LAYOUT = """
<element name="topic" xmlns="http://relaxng.org/ns/structure/1.0">
  <oneOrMore><attribute><anyName/></attribute></oneOrMore>
  <zeroOrMore>
    <element name="result">
      <element name="file"><text/></element>
      <element name="path"><text/></element>
      <optional><element name="rank"><text/></element></optional>
      <optional><element name="rsv"><text/></element></optional>
    </element>
  </zeroOrMore>
</element>
"""


class TextCodes(dict[str, int]):
    """Codes of stripped texts, in the order of first use."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = Vocabulary()

    def __missing__(self, text: str) -> int:
        code = self[text] = self.vocabulary[text.strip().encode()]
        return code

    def codes(self, texts: list[str]) -> IntArray:
        """Code of each text."""
        return np.fromiter(map(self.__getitem__, texts), dtype=np.int64, count=len(texts))


class XmlResults(NamedTuple):
    """Codes of documents and paths of some results, ranks and scores (None if no result has one)."""

    document: IntArray
    path: IntArray
    rank: IntArray | None
    score: FloatArray | None


def read_plain_results(topic: etree._Element, documents: TextCodes, paths: TextCodes) -> XmlResults | None:
    """All results of a topic; None if it has another layout, or an error."""
    if len(topic.attrib) > _MAX_PLAIN_ATTRIBUTES or not _layout().validate(topic):
        return None
    file, path, rank, score = ([element.text or "" for element in topic.iter(field)] for field in RESULT_FIELDS)
    if any(len(column) not in {0, len(file)} for column in (rank, score)):
        return None
    ranks = parse_integers([text.strip().encode() for text in rank])
    scores = parse_decimals([text.strip().encode() for text in score])
    names = documents.codes(file), paths.codes(path)
    if ranks is None or scores is None or b"" in documents.vocabulary or b"" in paths.vocabulary:
        return None
    return XmlResults(*names, ranks if rank else None, scores if score else None)


@cache
def _layout() -> etree.RelaxNG:
    from lxml import etree

    return etree.RelaxNG(etree.fromstring(_LAYOUT))


_ROOT = "inex-submission"
_FIELDS = tuple(f"{{*}}{field}" for field in RESULT_FIELDS)
_NO_RANK = -(2**63)
_OUTSIDE = -1  # of any topic


def read_run_xml(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> Run:
    """Read a run in XML, ranked by rank, else by descending rsv, else as in the document, or by `rank_by`."""
    submission = _Submission(name, problems)
    blocks = XmlBlocks(stream, name, problems, block="topic", tags=("topic", "result"))
    for block in blocks:
        submission.add(block)
    if blocks.sound and submission.known_root and not submission.results:
        problems(InputError(name, blocks.line, "no <result> in the whole run"))
    return submission.run(rank_by)


class _Submission:
    """Collects the results of an ``<inex-submission>`` by columns."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.known_root: bool | None = None
        self.run_id = ""
        self.task: str | None = None
        self.results = 0
        self.topics, self.documents, self.paths = Vocabulary(), TextCodes(), TextCodes()
        self.topic, self.document, self.first, self.ranks, self.lines = (array("q") for _ in range(5))
        self.scores = array("d")
        self._first_lines: dict[bytes, int] = {}  # by topic

    def problem(self, reason: str, line: int) -> None:
        """Report a problem."""
        self.problems(InputError(self.name, line, reason))

    def add(self, block: XmlBlock) -> None:
        """Read the root, or a child of it; the children of an unexpected root are skipped."""
        if self.known_root is None:
            self._read_root(block)
        elif self.known_root and not self._read_plain_topic(block):
            self._read_elements(block)

    def _read_root(self, block: XmlBlock) -> None:
        root, line = block.element, int(block.lines[0])
        self.known_root = local_name(root) == _ROOT
        self.run_id = root.get("run-id", "")
        self.task = root.get("task", "").strip() or None
        if not self.known_root:
            self.problem(f"expected the root <{_ROOT}>, found <{local_name(root)}>", line)
        elif not self.run_id:
            self.problem(f"<{_ROOT}> lacks the attribute run-id", line)

    def _read_plain_topic(self, block: XmlBlock) -> bool:
        """Read a topic of the usual layout by columns; False if it has another layout or an error."""
        rows = read_plain_results(block.element, self.documents, self.paths)
        if rows is None:
            return False
        topic = self._begin_topic(block.element, int(block.lines[0]))
        self.results += len(rows.document)
        if topic is not None:
            lines, codes = block.lines[1:], np.full(len(rows.document), topic)
            ranks = np.full(len(codes), _NO_RANK) if rows.rank is None else rows.rank
            scores = np.full(len(codes), np.nan) if rows.score is None else rows.score
            for column, more in (
                (self.topic, codes), (self.document, rows.document), (self.first, rows.path),
                (self.ranks, ranks), (self.lines, lines), (self.scores, scores),
            ):  # fmt: skip
                column.frombytes(more.tobytes())
        return True

    def _read_elements(self, block: XmlBlock) -> None:
        """Read any child of the root, tag by tag."""
        codes: dict[etree._Element, int | None] = {}
        for element, line in zip(block.element.iter("{*}topic", "{*}result"), block.lines.tolist(), strict=True):
            if next(element.iterancestors("{*}result"), None) is not None:
                continue
            if local_name(element) == "topic":
                codes[element] = self._begin_topic(element, line)
            else:
                self.results += 1
                topic = next(element.iterancestors("{*}topic"), None)
                self._read_result(element, line, _OUTSIDE if topic is None else codes[topic])

    def _begin_topic(self, element: etree._Element, line: int) -> int | None:
        """Code of a topic; None after reporting that it has no name."""
        name = element.get("topic-id", "").strip()
        if not name:
            self.problem("<topic> lacks the attribute topic-id", line)
            return None
        topic = name.encode()
        first = self._first_lines.setdefault(topic, line)
        if first != line:
            reason = f"has a second block of results (its first began on line {first}); join them in one <topic>"
            self.problem(f"topic {quote_value(name)} {reason}", line)
        return self.topics[topic]

    def _read_result(self, element: etree._Element, line: int, topic: int | None) -> None:
        fields: dict[str, str] = {}
        for field in element.iter(_FIELDS):
            tag = local_name(field)
            if tag in fields:
                self.problem(f"a second <{tag}> in one <result>", line)
            fields[tag] = "".join(field.itertext()).strip()
        missing = next((field for field in ("file", "path") if not fields.get(field)), None)
        rank_text, rsv_text = fields.get("rank"), fields.get("rsv")
        rank = _NO_RANK if rank_text is None else parse_integer(rank_text.encode())
        rsv = np.nan if rsv_text is None else parse_decimal(rsv_text.encode())
        if missing is not None:
            self.problem(f"<result> lacks <{missing}>", line)
        elif rank is None:
            self.problem(expected_message("rank", "an integer", rank_text or ""), line)
        elif rsv is None:
            self.problem(expected_message("rsv", "a finite number", rsv_text or ""), line)
        elif topic == _OUTSIDE:
            self.problem("<result> outside a <topic>", line)
        elif topic is not None:
            self.topic.append(topic)
            self.document.append(self.documents[fields["file"]])
            self.first.append(self.paths[fields["path"]])
            self.ranks.append(rank)
            self.scores.append(rsv)
            self.lines.append(line)

    def run(self, rank_by: RankBy | None) -> Run:
        """The record of all results."""
        topic, rank = np.array(self.topic, dtype=np.int64), np.array(self.ranks, dtype=np.int64)
        first, line = np.array(self.first, dtype=np.int64), np.array(self.lines, dtype=np.int64)
        score, none = np.array(self.scores), np.full(len(topic), -1, dtype=np.int64)
        columns = RunColumns(
            self.name, self.run_id.encode(), RunKind.ELEMENTS, self.topics, self.documents.vocabulary,
            self.paths.vocabulary,
            topic, np.array(self.document, dtype=np.int64), first, first, none, none,
            np.ones(len(topic), dtype=bool), score, line, self.task,
        )  # fmt: skip
        rule = self._ranking_rule(rank_by, topic, rank, score, line)
        return make_run(columns, rule, self.problems, one_block=False)

    def _ranking_rule(
        self, rank_by: RankBy | None, topic: IntArray, rank: IntArray, score: FloatArray, line: IntArray
    ) -> RankingRule:
        """Order of each topic: by rank if all results have one, else by rsv if all have one, else as in the file."""
        if rank_by is RankBy.FILE:
            return RankingRule(None)
        ranked, scored = rank != _NO_RANK, ~np.isnan(score)

        def any_per_topic(flags: BoolArray) -> BoolArray:
            return np.bincount(topic[flags], minlength=len(self.topics)) > 0

        by_rank = ~any_per_topic(~ranked) & (rank_by is not RankBy.SCORE)
        by_score = ~any_per_topic(~scored) & ~by_rank & (rank_by is not RankBy.RANK)
        undecided = ~by_rank & ~by_score
        if rank_by is None:
            undecided &= any_per_topic(ranked | scored)
        for code in np.flatnonzero(undecided).tolist():
            needs_rank = rank_by is RankBy.RANK or (rank_by is None and ((topic == code) & ranked).any())
            field, has_field = ("rank", ranked) if needs_rank else ("rsv", scored)
            row = int(np.flatnonzero((topic == code) & ~has_field)[0])
            self.problem(f"<result> lacks <{field}>, by which its topic is ranked", int(line[row]))
        key = np.where(by_rank[topic], rank, np.where(by_score[topic], -score, 0.0))
        return RankingRule(key, by_score[topic])


def write_run_xml(run: Run) -> bytes:
    """An ``<inex-submission>`` with the name and task of the run, and file, path, rank and rsv of its results."""
    task = f" task={quoteattr(run.task)}" if run.task is not None else ""
    begin = ('<?xml version="1.0" encoding="UTF-8"?>', f"<{_ROOT} run-id={quoteattr(run.run_id)}{task}>")
    return encode_lines((*begin, *_topic_lines(run), f"</{_ROOT}>"))


def _topic_lines(run: Run) -> Iterator[str]:
    files = [escape(name) for name in run.documents]
    document, first, score = run.document.tolist(), run.first_path.tolist(), run.score.tolist()
    for topic, rows in ranked_topics(run, Contents.XML, Contents.XML):
        yield f"  <topic topic-id={quoteattr(topic)}>"
        for rank, row in enumerate(rows, 1):
            rsv = "" if np.isnan(score[row]) else f"<rsv>{score[row]!r}</rsv>"
            place = f"<file>{files[document[row]]}</file><path>{run.paths[first[row]]}</path>"
            yield f"    <result>{place}<rank>{rank}</rank>{rsv}</result>"
        yield "  </topic>"
