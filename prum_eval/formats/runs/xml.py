"""Runs as XML, 2002 to 2008: ``<inex-submission>`` with the results of each ``<topic>``."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from prum_eval.arrays import BoolArray, FloatArray, IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.formats.format import RankBy
from prum_eval.formats.runs.columns import RankingRule, RunColumns, run_of
from prum_eval.formats.runs.written import ranked_topics
from prum_eval.records.run import Run, RunKind
from prum_eval.text.lines import Vocabulary
from prum_eval.text.numbers import decimal, expected, integer, shown
from prum_eval.text.writing import Holds, joined_lines
from prum_eval.text.xml_events import Attributes, XmlReader

_ROOT = "inex-submission"
_FIELDS = frozenset(("file", "path", "rank", "rsv"))
_NO_RANK = -(2**63)


def read_run_xml(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: Problems) -> Run:
    """Read a run in XML: by rank, else by descending rsv, else as in the document, unless `rank_by` says otherwise."""
    reader = _SubmissionReader(name, problems)
    sound = reader.parse(stream)
    if sound and reader.known_root and not reader.results:
        problems(InputError(name, reader.line, "no <result> in the whole run"))
    return reader.run(rank_by)


class _SubmissionReader(XmlReader):
    """Collects the results of an ``<inex-submission>`` by columns."""

    def __init__(self, name: str, problems: Problems) -> None:
        super().__init__(name, problems)
        self._parser.CharacterDataHandler = self._text
        self.known_root: bool | None = None
        self.run_id = ""
        self.task: str | None = None
        self.results = 0
        self.topics, self.documents, self.paths = Vocabulary(), Vocabulary(), Vocabulary()
        self.topic, self.document, self.first, self.ranks, self.lines = (array("q") for _ in range(5))
        self.scores = array("d")
        self._begun: dict[bytes, int] = {}  # topics and the lines of their blocks
        self._in_topic = False
        self._topic: bytes | None = None  # the topic whose results are being read; None where it was reported
        self._result_line = 0  # 0 outside a result
        self._fields: dict[str, str] = {}
        self._field = ""
        self._pieces: list[str] = []

    def start(self, tag: str, attributes: Attributes) -> None:
        """A field of a result, a result or a topic begins."""
        if self._result_line:
            if tag in _FIELDS:
                self._field = tag
                self._pieces = []
        elif tag == "result":
            self.results += 1
            self._result_line = self.line
            self._fields = {}
        elif tag == "topic":
            self._start_topic(attributes)
        elif self.known_root is None:
            self.known_root = tag == _ROOT
            self.run_id = attributes.get("run-id", "")
            self.task = attributes.get("task", "").strip() or None
            if not self.known_root:
                self.problem(f"expected the root <{_ROOT}>, found <{tag}>")
            elif not self.run_id:
                self.problem(f"<{_ROOT}> lacks the attribute run-id")

    def end(self, tag: str, /) -> None:
        """A field, a result or a topic is complete."""
        if self._field:
            if tag == self._field:
                if tag in self._fields:
                    self.problem(f"a second <{tag}> in one <result>")
                self._fields[tag] = "".join(self._pieces).strip()
                self._field = ""
        elif tag == "result" and self._result_line:
            if self.known_root:
                self._add(self._fields)
            self._result_line = 0
        elif tag == "topic":
            self._in_topic = False

    def _text(self, text: str) -> None:
        if self._field:
            self._pieces.append(text)

    def _start_topic(self, attributes: Attributes) -> None:
        self._in_topic, self._topic = True, None
        topic = attributes.get("topic-id", "").strip()
        if self.known_root is None:
            self.known_root = False
            self.problem(f"expected the root <{_ROOT}>, found <topic>")
        elif not topic:
            self.problem("<topic> lacks the attribute topic-id")
        else:
            self._topic = topic.encode()
            before = self._begun.setdefault(self._topic, self.line)
            if before != self.line:
                self.problem(f"topic {shown(topic)} has a second block of results (its first began on line {before})")

    def _add(self, fields: dict[str, str]) -> None:
        line = self._result_line
        missing = next((field for field in ("file", "path") if not fields.get(field)), None)
        rank_text, rsv_text = fields.get("rank"), fields.get("rsv")
        rank = _NO_RANK if rank_text is None else integer(rank_text.encode())
        rsv = np.nan if rsv_text is None else decimal(rsv_text.encode())
        if missing is not None:
            self.problem(f"<result> lacks <{missing}>", line)
        elif rank is None:
            self.problem(expected("rank", "an integer", rank_text or ""), line)
        elif rsv is None:
            self.problem(expected("rsv", "a finite number", rsv_text or ""), line)
        elif not self._in_topic:
            self.problem("<result> outside a <topic>", line)
        elif self._topic is not None:
            self.topic.append(self.topics[self._topic])
            self.document.append(self.documents[fields["file"].encode()])
            self.first.append(self.paths[fields["path"].encode()])
            self.ranks.append(rank)
            self.scores.append(rsv)
            self.lines.append(line)

    def run(self, rank_by: RankBy | None) -> Run:
        """The record of all that was read."""
        topic, rank = np.array(self.topic, dtype=np.int64), np.array(self.ranks, dtype=np.int64)
        first, line = np.array(self.first, dtype=np.int64), np.array(self.lines, dtype=np.int64)
        score, none = np.array(self.scores), np.full(len(topic), -1, dtype=np.int64)
        columns = RunColumns(
            self.name, self.run_id.encode(), RunKind.ELEMENTS, self.topics, self.documents, self.paths,
            topic, np.array(self.document, dtype=np.int64), first, first, none, none,
            np.ones(len(topic), dtype=bool), score, line, self.task,
        )  # fmt: skip
        return run_of(columns, self._rule(rank_by, topic, rank, score, line), self.problems, one_block=False)

    def _rule(
        self, rank_by: RankBy | None, topic: IntArray, rank: IntArray, score: FloatArray, line: IntArray
    ) -> RankingRule:
        """What every result of a topic has decides: its rank, else its rsv, else neither."""
        if rank_by is RankBy.FILE:
            return RankingRule(None)
        ranked, scored = rank != _NO_RANK, ~np.isnan(score)
        topics = len(self.topics)
        by_rank = _in_every_result(ranked, topic, topics) & (rank_by is not RankBy.SCORE)
        by_score = _in_every_result(scored, topic, topics) & ~by_rank & (rank_by is not RankBy.RANK)
        if rank_by is None:
            undecided = ~by_rank & ~by_score & _in_some_result(ranked | scored, topic, topics)
        else:
            undecided = ~by_rank & ~by_score
        for code in np.flatnonzero(undecided).tolist():
            field, there = self._lacking(rank_by, (topic == code) & ranked, ranked, scored)
            row = int(np.flatnonzero((topic == code) & ~there)[0])
            self.problem(f"<result> lacks <{field}>, by which its topic is ranked", int(line[row]))
        key = np.where(by_rank[topic], rank, np.where(by_score[topic], -score, 0.0))
        return RankingRule(key, by_score[topic])

    @staticmethod
    def _lacking(
        rank_by: RankBy | None, ranked_here: BoolArray, ranked: BoolArray, scored: BoolArray
    ) -> tuple[str, BoolArray]:
        if rank_by is RankBy.RANK or (rank_by is None and ranked_here.any()):
            return "rank", ranked
        return "rsv", scored


def _in_every_result(there: BoolArray, topic: IntArray, topics: int) -> BoolArray:
    return ~_in_some_result(~there, topic, topics)


def _in_some_result(there: BoolArray, topic: IntArray, topics: int) -> BoolArray:
    return np.bincount(topic[there], minlength=topics) > 0


def write_run_xml(run: Run) -> bytes:
    """An ``<inex-submission>`` with every result's file, path, rank and, where it has one, rsv.

    Of its head only the run's name and task are known.
    """
    task = f" task={quoteattr(run.task)}" if run.task is not None else ""
    return joined_lines(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<{_ROOT} run-id={quoteattr(run.run_id)}{task}>",
            *_xml_topics(run),
            f"</{_ROOT}>",
        )
    )


def _xml_topics(run: Run) -> Iterator[str]:
    files = [escape(name) for name in run.documents]
    document, first, score = run.document.tolist(), run.first_path.tolist(), run.score.tolist()
    for topic, rows in ranked_topics(run, Holds.XML, Holds.XML):
        yield f"  <topic topic-id={quoteattr(topic)}>"
        for rank, row in enumerate(rows, 1):
            rsv = "" if np.isnan(score[row]) else f"<rsv>{score[row]!r}</rsv>"
            place = f"<file>{files[document[row]]}</file><path>{run.paths[first[row]]}</path>"
            yield f"    <result>{place}<rank>{rank}</rank>{rsv}</result>"
        yield "  </topic>"
