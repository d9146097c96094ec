"""Runs as JSON Lines: a chunk a line, as systems of retrieval-augmented generation have them."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

import numpy as np

from prum_eval.errors import InputError, Problems
from prum_eval.formats.format import RankBy
from prum_eval.formats.runs.columns import RankingRule, RunColumns, run_of
from prum_eval.formats.runs.written import ranked_topics
from prum_eval.records.run import Run, RunKind
from prum_eval.text.json_lines import JsonObject, json_objects
from prum_eval.text.json_values import BadValueError
from prum_eval.text.lines import Vocabulary
from prum_eval.text.numbers import FARTHEST, PAST, shown
from prum_eval.text.writing import Holds, joined_lines

_ENDINGS = re.compile(r"(?:\.jsonl|\.ndjson|\.json)?(?:\.(?:gz|bz2|xz|zst))?$", re.IGNORECASE)
_KEYS = ("topic", "doc", "start", "end", "length", "score", "tokens", "run")


def read_run_json(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: Problems) -> Run:
    """Read a run of JSON Lines: by descending score, equal ones in the order of the file; without scores, that order.

    A line is ``{"topic", "doc", "start", "end" or "length", "score", "tokens", "run"}``; the last three may be missing,
    the score from all lines or from none. Without ``run`` the run is named after its file. Every bad line is reported
    and left out.
    """
    reader = _ChunkReader(name, problems)
    if rank_by is RankBy.RANK:
        problems(InputError(name, 1, "JSON Lines have no rank to rank by"))
    for item in json_objects(stream, name, problems, _KEYS, "a result"):
        try:
            reader.add(item)
        except BadValueError as error:
            problems(InputError(name, item.line, str(error)))
    return reader.run(rank_by)


class _ChunkReader:
    """Collects the chunks of a run by columns."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.run_id = b""
        self.run_line = 0  # on which the run id stands; 0 while none was read
        self.scored: bool | None = None  # does the first line have a score?
        self.topics, self.documents = Vocabulary(), Vocabulary()
        self.topic, self.document, self.starts, self.lengths, self.lines = (array("q") for _ in range(5))
        self.tokens = array("q")
        self.scores = array("d")

    def add(self, item: JsonObject) -> None:
        """Take one chunk."""
        topic, document, (start, length) = item.name("topic"), item.name("doc"), _extent(item)
        score = item.number("score") if "score" in item else np.nan
        tokens = item.count("tokens", 1) if "tokens" in item else 0
        run_id = item.name("run") if "run" in item else None
        if self.scored is None:
            self.scored = "score" in item
        elif self.scored is not ("score" in item):
            has, other = ("a", "no") if self.scored else ("no", "a")
            raise BadValueError(f"the line has {other} score, line {self.lines[0]} has {has} score")
        if run_id is not None and self.run_line and run_id != self.run_id:
            raise BadValueError(
                f"run {shown(run_id)}, but {shown(self.run_id)} on line {self.run_line}: one run a file"
            )
        if run_id is not None and not self.run_line:
            self.run_id, self.run_line = run_id, item.line
        self.topic.append(self.topics[topic])
        self.document.append(self.documents[document])
        columns = (self.starts, self.lengths, self.lines, self.tokens)
        for column, value in zip(columns, (start, length, item.line, tokens), strict=True):
            column.append(value)
        self.scores.append(score)

    def run(self, rank_by: RankBy | None) -> Run:
        """The record of all that was read."""
        topic, document, start, length, line, tokens = (
            np.array(column, dtype=np.int64)
            for column in (self.topic, self.document, self.starts, self.lengths, self.lines, self.tokens)
        )
        score, none = np.array(self.scores), np.full(len(line), -1, dtype=np.int64)
        if rank_by is RankBy.SCORE and self.scored is False:
            self.problems(
                InputError(self.name, self.lines[0], "the key 'score' is missing, by which the run is ranked")
            )
        by_score = self.scored is True and rank_by is not RankBy.FILE
        rule = RankingRule(-score, np.ones(len(line), dtype=bool)) if by_score else RankingRule(None)
        columns = RunColumns(
            self.name, self.run_id or _named_after(self.name), RunKind.EXTENTS, self.topics, self.documents,
            Vocabulary(), topic, document, none, none, start, length, np.ones(len(line), dtype=bool), score, line,
            tokens=tokens if tokens.any() else None,
        )  # fmt: skip
        return run_of(columns, rule, self.problems, one_block=False)


def _extent(item: JsonObject) -> tuple[int, int]:
    """Start and length."""
    start = item.count("start")
    if "end" in item and "length" in item:
        raise BadValueError("both 'end' and 'length' are given, expected one of them")
    if "end" not in item and "length" not in item:
        raise BadValueError("the key 'end' (or 'length') is missing")
    if "length" in item:
        length = item.count("length")
        if start > FARTHEST - length:
            raise BadValueError(f"start {start} and length {length} end {PAST}")
        return start, length
    end = item.count("end")
    if end < start:
        raise BadValueError(f"the end {end} is before the start {start}")
    return start, end - start


def _named_after(name: str) -> bytes:
    return _ENDINGS.sub("", PurePath(name).name.strip("<>")).encode(errors="replace") or b"run"  # <stdin> too


def write_run_json(run: Run) -> bytes:
    """A chunk a line, with score and tokens where the run has them."""
    return joined_lines(json.dumps(chunk, ensure_ascii=False) for chunk in _chunks(run))


def _chunks(run: Run) -> Iterator[dict[str, str | int | float]]:
    document, score = run.document.tolist(), run.score.tolist()
    start, end = run.start.tolist(), (run.start + run.length).tolist()
    tokens = None if run.tokens is None else run.tokens.tolist()
    for topic, rows in ranked_topics(run, Holds.JSON, Holds.JSON):
        for row in rows:
            scored = {} if np.isnan(score[row]) else {"score": score[row]}
            counted = {"tokens": tokens[row]} if tokens and tokens[row] else {}
            place = {"topic": topic, "doc": run.documents[document[row]], "start": start[row], "end": end[row]}
            yield {**place, **scored, **counted, "run": run.run_id}
