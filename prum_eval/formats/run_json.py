"""Runs as JSON: a chunk an object, as systems of retrieval-augmented generation have them; a file may hold several."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import EMPTY_INTS, FloatArray, IntArray, NarrowArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.format import RankBy
from prum_eval.formats.run_columns import RankingRule, RunColumns, make_run, ranked_topics
from prum_eval.records import Run, RunKind
from prum_eval.text.fast_json import FastObjects, fast_objects
from prum_eval.text.json_lines import PLACE_KEYS, BadValueError, JsonKeys, JsonObject, json_objects
from prum_eval.text.lines import FastTable, LineBlock, PlainTable, Vocabulary
from prum_eval.text.names import NameColumn
from prum_eval.text.streams import Contents, encode_lines

_KEYS = {**PLACE_KEYS, "score": (), "tokens": (), "run": ()}
_ENDINGS = re.compile(r"(?:\.jsonl|\.ndjson|\.json)?(?:\.(?:gz|bz2|xz|zst))?$", re.IGNORECASE)
_UNUSED_KEYS = (None, "text")  # what the other keys hold is looked at
_NUMBERS = ("start", "end", "tokens")
_CHUNKS_PER_BATCH = 1 << 14
"""Chunks taken one by one that are brought into the columns together: names take more memory than their codes."""
_UNNAMED = b""
"""What stands for the run of an object that names none."""


def read_run_json(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> tuple[Run, ...]:
    """Read the runs of a file: by descending score, equal ones in the order of the file; without scores, that order.

    An object is ``{"topic", "doc", "start", "end" or "length" or "text", "score", "tokens", "run"}``; the last three
    may be missing, the score from all or from none. Without ``run`` the run is named after its file; in a file of
    several runs every object names its own. What is bad is reported and left out.
    """
    reader = _ChunkReader(name, problems)
    if rank_by is RankBy.RANK:
        problems(InputError(name, 1, "JSON Lines have no rank to rank by"))
    for item in json_objects(stream, name, problems, reader.keys, "a result", take=reader.take):
        try:
            reader.add(item)
        except BadValueError as error:
            problems(InputError(name, item.line, str(error)))
    return tuple(reader.runs(rank_by))


class _ChunkReader:
    """Collects the chunks of a file by columns: of blocks of lines that are written alike at once, else one by one."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.keys = JsonKeys(_KEYS)
        self.scored: bool | None = None  # does the first object have a score?
        self.scored_line = 0
        self.topics, self.run_names, self.documents = Vocabulary(), Vocabulary(), NameColumn()
        self.topic: list[IntArray] = []
        self.run: list[IntArray] = []
        self.line: list[IntArray] = []
        self.numbers: list[IntArray] = []  # of shape (3, chunks): start, end and tokens
        self.score: list[FloatArray] = []
        self._names: list[tuple[bytes, bytes, bytes]] = []  # of the chunks taken one by one, not yet in the columns
        self._lines, self._numbers, self._scores = array("q"), array("q"), array("d")

    def add(self, item: JsonObject) -> None:
        """Take one chunk."""
        if "spans" in item.unknown_keys:
            raise BadValueError("the key 'spans' is of assessments, expected a result")
        topic, document, extent = item.name("topic"), item.name("doc"), item.extent()
        score = item.number("score") if "score" in item else np.nan
        tokens = item.count("tokens", 1) if "tokens" in item else 0
        run = item.name("run") if "run" in item else _UNNAMED
        if not self._accepts_scores(scored="score" in item, line=item.line):
            has, other = ("a", "no") if self.scored else ("no", "a")
            raise BadValueError(f"the line has {other} score, line {self.scored_line} has {has} score")
        self._names.append((topic, document, run))
        self._lines.append(item.line)
        self._numbers.extend((*extent, tokens))
        self._scores.append(score)
        if len(self._names) == _CHUNKS_PER_BATCH:
            self._flush()

    def take(self, block: LineBlock) -> bool:
        """Take a block of chunks that are written alike and have nothing wrong in them; else nothing."""
        found = fast_objects(block)
        if found is None:
            return False
        keys = {}  # as they are called here
        for name in found.column:
            key = self.keys.named.get(name)
            if key in keys or (key in _UNUSED_KEYS and not found.are_valid(name)):
                return False
            if key is not None:
                keys[key] = name
        numbers = _numbers(found, keys)
        names = all(key in keys and found.are_names(keys[key]) for key in ("topic", "doc"))
        if numbers is None or not names or ("run" in keys and not found.are_names(keys["run"])):
            return False
        score = found.numbers(keys["score"]) if "score" in keys else np.full(len(found), np.nan)
        if score is None or not self._accepts_scores(scored="score" in keys, line=block.first_line):
            return False
        self._flush()
        table, column = found.table, {key: found.column[name] for key, name in keys.items()}
        run = table.codes(column["run"], self.run_names) if "run" in keys else None
        self._append(table, column["topic"], column["doc"], run, numbers, score)
        self.keys.ignored |= {name: None for name in found.column if name not in self.keys.named}
        return True

    def _accepts_scores(self, *, scored: bool, line: int) -> bool:
        """Whether chunks with or without scores go with those before."""
        if self.scored is None:
            self.scored, self.scored_line = scored, line
        return self.scored is scored

    def _flush(self) -> None:
        """Bring the chunks that were taken one by one into the columns."""
        if self._names:
            table = PlainTable(self._names, np.array(self._lines, dtype=np.int64))
            numbers = np.array(self._numbers, dtype=np.int64).reshape(-1, len(_NUMBERS)).T
            self._append(table, 0, 1, table.codes(2, self.run_names), numbers, np.array(self._scores))
            self._names = []
            del self._lines[:], self._numbers[:], self._scores[:]

    def _append(
        self,
        table: FastTable | PlainTable,
        topic: int,
        document: int,
        run: IntArray | None,
        numbers: IntArray,
        score: FloatArray,
    ) -> None:
        self.topic.append(table.codes(topic, self.topics))
        self.documents.add(table.name_column(document))
        self.run.append(np.full(len(table), self.run_names[_UNNAMED]) if run is None else run)
        self.line.append(table.lines)
        self.numbers.append(numbers)
        self.score.append(score)

    def runs(self, rank_by: RankBy | None) -> list[Run]:
        """The records of all that was read; one without results where there was nothing."""
        self._flush()
        (names, document), line = self.documents.encode(), np.concatenate([EMPTY_INTS, *self.line])
        start, end, tokens = np.concatenate([np.empty((3, 0), dtype=np.int64), *self.numbers], axis=1)
        whole = RunColumns(
            self.name, b"", RunKind.EXTENTS, self.topics, names, (), np.concatenate([EMPTY_INTS, *self.topic]), document,
            np.full(len(line), -1), np.full(len(line), -1), start, end - start, np.ones(len(line), dtype=np.bool_),
            np.concatenate([np.empty(0), *self.score]), line, tokens=tokens, ignored=tuple(self.keys.ignored),
        )  # fmt: skip
        if rank_by is RankBy.SCORE and self.scored is False:
            self.problems(InputError(self.name, int(line[0]), "the key 'score' is missing, by which the run is ranked"))
        by_score = self.scored is True and rank_by is not RankBy.FILE
        named = [name for name in self.run_names if name != _UNNAMED]
        if len(named) < 2:
            return [self._run(whole, named[0] if named else _run_name_of_file(self.name), by_score=by_score)]
        run = np.concatenate([EMPTY_INTS, *self.run])
        for row in np.flatnonzero(run == self.run_names.get(_UNNAMED, -1)).tolist():
            reason = "the key 'run' is missing, and the file has several runs"
            self.problems(InputError(self.name, int(line[row]), reason))
        parts = [_select_rows(whole, np.flatnonzero(run == self.run_names[name])) for name in named]
        parts[1:] = [replace(part, ignored=()) for part in parts[1:]]  # which are those of the file, said once
        return [self._run(part, name, by_score=by_score) for part, name in zip(parts, named, strict=True)]

    def _run(self, columns: RunColumns, run_id: bytes, *, by_score: bool) -> Run:
        counted = columns.tokens is not None and columns.tokens.any()
        columns = replace(columns, run_id=run_id, tokens=columns.tokens if counted else None)
        rule = RankingRule(-columns.score, columns.exists) if by_score else RankingRule(None)
        return make_run(columns, rule, self.problems, one_block=False)


def _select_rows(whole: RunColumns, rows: IntArray) -> RunColumns:
    """Some rows of the columns, with the names of topics and documents that are in them."""
    columns = ("topic", "document", "first", "last", "start", "length", "exists", "score", "line", "tokens")
    part = replace(whole, **{name: getattr(whole, name)[rows] for name in columns})
    topics, topic = _used_names(list(whole.topics), part.topic)
    documents, document = _used_names(list(whole.documents), part.document)
    return replace(part, topics=topics, topic=topic, documents=documents, document=document)


def _numbers(found: FastObjects, keys: dict[str, str]) -> IntArray | None:
    """Start, end and tokens of a block; None where one is bad or not said, or the end is in the text."""
    if "start" not in keys or ("end" in keys) == ("length" in keys):
        return None
    start, other = found.counts(keys["start"]), found.counts(keys["end" if "end" in keys else "length"])
    tokens = found.counts(keys["tokens"]) if "tokens" in keys else np.zeros(len(found), dtype=np.int64)
    if start is None or other is None or tokens is None:
        return None
    end = other if "end" in keys else start + other
    if (end < start).any() or ("tokens" in keys and not tokens.all()):
        return None
    return np.stack((start, end, tokens))


def _used_names(names: list[bytes], codes: NarrowArray) -> tuple[list[bytes], IntArray]:
    """Those of the names that have a code, in the order in which they come, and their codes."""
    distinct, first, code = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [names[one] for one in distinct[order].tolist()], place[code]


def _run_name_of_file(name: str) -> bytes:
    return _ENDINGS.sub("", PurePath(name).name.strip("<>")).encode(errors="replace") or b"run"  # <stdin> too


def write_run_json(run: Run) -> bytes:
    """A chunk a line, with score and tokens where the run has them."""
    return encode_lines(json.dumps(chunk, ensure_ascii=False) for chunk in _chunks(run))


def _chunks(run: Run) -> Iterator[dict[str, str | int | float]]:
    document, score = run.document.tolist(), run.score.tolist()
    start, end = run.start.tolist(), (run.start + run.length).tolist()
    tokens = None if run.tokens is None else run.tokens.tolist()
    for topic, rows in ranked_topics(run, Contents.JSON, Contents.JSON):
        for row in rows:
            scored = {} if np.isnan(score[row]) else {"score": score[row]}
            counted = {"tokens": tokens[row]} if tokens and tokens[row] else {}
            place = {"topic": topic, "doc": run.documents[document[row]], "start": start[row], "end": end[row]}
            yield {**place, **scored, **counted, "run": run.run_id}
