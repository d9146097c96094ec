"""Runs as JSON: one object per chunk, as in retrieval-augmented generation; a file may hold several runs.

Blocks of lines that are written alike are read by columns, other lines one by one.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from prum_eval.arrays import EMPTY_INTS, FloatArray, IntArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.format import RankBy
from prum_eval.formats.run_columns import RankingRule, RunColumns, make_run, ranked_topics, run_name_of_file, used_names
from prum_eval.parameters import count_tokens
from prum_eval.records import Run, RunKind
from prum_eval.text.fast_json import FastObjects, fast_objects
from prum_eval.text.json_lines import PLACE_KEYS, BadValueError, JsonKeys, JsonObject, json_objects
from prum_eval.text.lines import FastTable, LineBlock, PlainTable, Vocabulary
from prum_eval.text.names import NameColumn
from prum_eval.text.streams import Contents, encode_lines

RUN_KEYS = {**PLACE_KEYS, "score": (), "tokens": (), "run": ()}
"""Keys of a result, with their aliases."""
_UNUSED_KEYS = (None, "text")  # their values are not read
_NUMBERS = ("start", "end", "tokens")
_CHUNKS_PER_BATCH = 1 << 14
"""Chunks read one by one that are added to the columns together: names take more memory than their codes."""
_UNNAMED = b""
"""Name in place of that of the run, if an object has none."""


def read_run_json(stream: BinaryIO, name: str, rank_by: RankBy | None, problems: ProblemHandler) -> tuple[Run, ...]:
    """Read the runs of a file, by descending score, ties as in the file; without scores, in the order of the file.

    An object is ``{"topic", "doc", "start", "end" or "length" or "text", "score", "tokens", "run"}``; the last three
    are optional, the score for all objects or none. Without ``run`` the run has the name of its file; in a file with
    several runs every object needs it. Bad objects are reported and left out.
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


def text_tokens(stream: BinaryIO, name: str, count_text: Callable[[str], int]) -> dict[int, int]:
    """Number of tokens of the texts of results that have a text and no tokens, by line.

    Raises:
        UsageError: the function fails, or returns no whole number above 0.
    """
    tokens = {}
    for item in json_objects(stream, name, lambda _: None, JsonKeys(RUN_KEYS), "a result"):
        text = item.values.get("text")
        if isinstance(text, str) and "tokens" not in item:
            tokens[item.line] = count_tokens(count_text, text, where=f"{name}:{item.line}")
    return tokens


def with_line_tokens(run: Run, tokens: Mapping[int, int]) -> Run:
    """The run with numbers of tokens by line, where it has none."""
    if not tokens:
        return run
    counts = np.array([tokens.get(line, 0) for line in run.line.tolist()], dtype=np.int64)
    return replace(run, tokens=counts if run.tokens is None else np.where(run.tokens > 0, run.tokens, counts))


class _ChunkReader:
    """Collects the chunks of a file by columns."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.keys = JsonKeys(RUN_KEYS)
        self.scored: bool | None = None  # whether the first object has a score
        self.scored_line = 0
        self.topics, self.run_names, self.documents = Vocabulary(), Vocabulary(), NameColumn()
        self.topic: list[IntArray] = []
        self.run: list[IntArray] = []
        self.line: list[IntArray] = []
        self.numbers: list[IntArray] = []  # of shape (3, chunks): start, end and tokens
        self.score: list[FloatArray] = []
        self._names: list[tuple[bytes, bytes, bytes]] = []  # of chunks that are not yet in the columns
        self._lines, self._numbers, self._scores = array("q"), array("q"), array("d")

    def add(self, item: JsonObject) -> None:
        """Add one chunk."""
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
        """Add a block of valid chunks that are written alike; False, with nothing added, for any other block."""
        objects = fast_objects(block)
        if objects is None:
            return False
        keys = {}  # names in the file by our names
        for name in objects.column:
            key = self.keys.named.get(name)
            if key in keys or (key in _UNUSED_KEYS and not objects.are_valid(name)):
                return False
            if key is not None:
                keys[key] = name
        numbers = _numbers(objects, keys)
        has_names = all(key in keys and objects.are_names(keys[key]) for key in ("topic", "doc"))
        if numbers is None or not has_names or ("run" in keys and not objects.are_names(keys["run"])):
            return False
        score = objects.numbers(keys["score"]) if "score" in keys else np.full(len(objects), np.nan)
        if score is None or not self._accepts_scores(scored="score" in keys, line=block.first_line):
            return False
        self._flush()
        table, column = objects.table, {key: objects.column[name] for key, name in keys.items()}
        run = table.codes(column["run"], self.run_names) if "run" in keys else None
        self._append(table, column["topic"], column["doc"], run, numbers, score)
        self.keys.ignored |= {name: None for name in objects.column if name not in self.keys.named}
        return True

    def _accepts_scores(self, *, scored: bool, line: int) -> bool:
        """Whether previous chunks, too, have scores or have none."""
        if self.scored is None:
            self.scored, self.scored_line = scored, line
        return self.scored is scored

    def _flush(self) -> None:
        """Add the chunks that were read one by one to the columns."""
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
        """The runs of the file; one without results if it is empty."""
        self._flush()
        (names, document), line = self.documents.encode(), np.concatenate([EMPTY_INTS, *self.line])
        start, end, tokens = np.concatenate([np.empty((3, 0), dtype=np.int64), *self.numbers], axis=1)
        topic, none = np.concatenate([EMPTY_INTS, *self.topic]), np.full(len(line), -1)
        whole = RunColumns(
            self.name, b"", RunKind.EXTENTS, self.topics, names, (), topic, document,
            none, none, start, end - start, np.ones(len(line), dtype=np.bool_),
            np.concatenate([np.empty(0), *self.score]), line, tokens=tokens, ignored=tuple(self.keys.ignored),
        )  # fmt: skip
        if rank_by is RankBy.SCORE and self.scored is False:
            self.problems(InputError(self.name, int(line[0]), "the key 'score' is missing, by which the run is ranked"))
        by_score = self.scored is True and rank_by is not RankBy.FILE
        named = [name for name in self.run_names if name != _UNNAMED]
        if len(named) < 2:
            return [self._run(whole, named[0] if named else run_name_of_file(self.name), by_score=by_score)]
        run = np.concatenate([EMPTY_INTS, *self.run])
        for row in np.flatnonzero(run == self.run_names.get(_UNNAMED, -1)).tolist():
            reason = "the key 'run' is missing, and the file has several runs"
            self.problems(InputError(self.name, int(line[row]), reason))
        parts = [_select_rows(whole, np.flatnonzero(run == self.run_names[name])) for name in named]
        parts[1:] = [replace(part, ignored=()) for part in parts[1:]]  # of the whole file: reported once
        return [self._run(part, name, by_score=by_score) for part, name in zip(parts, named, strict=True)]

    def _run(self, columns: RunColumns, run_id: bytes, *, by_score: bool) -> Run:
        counted = columns.tokens is not None and columns.tokens.any()
        columns = replace(columns, run_id=run_id, tokens=columns.tokens if counted else None)
        rule = RankingRule(-columns.score, columns.exists) if by_score else RankingRule(None)
        return make_run(columns, rule, self.problems, one_block=False)


def _select_rows(whole: RunColumns, rows: IntArray) -> RunColumns:
    """Some rows of the columns, with the names of their topics and documents only."""
    columns = ("topic", "document", "first", "last", "start", "length", "exists", "score", "line", "tokens")
    part = replace(whole, **{name: getattr(whole, name)[rows] for name in columns})
    topics, topic = used_names(list(whole.topics), part.topic)
    documents, document = used_names(list(whole.documents), part.document)
    return replace(part, topics=topics, topic=topic, documents=documents, document=document)


def _numbers(objects: FastObjects, keys: dict[str, str]) -> IntArray | None:
    """Start, end and tokens of a block; None if one is bad or missing, or the text gives the end."""
    if "start" not in keys or ("end" in keys) == ("length" in keys):
        return None
    start, other = objects.counts(keys["start"]), objects.counts(keys["end" if "end" in keys else "length"])
    tokens = objects.counts(keys["tokens"]) if "tokens" in keys else np.zeros(len(objects), dtype=np.int64)
    if start is None or other is None or tokens is None:
        return None
    end = other if "end" in keys else start + other
    if (end < start).any() or ("tokens" in keys and not tokens.all()):
        return None
    return np.stack((start, end, tokens))


def write_run_json(run: Run) -> bytes:
    """One line per chunk, with score and tokens if the run has them."""
    return encode_lines(json.dumps(chunk, ensure_ascii=False) for chunk in _chunks(run))


def _chunks(run: Run) -> Iterator[dict[str, str | int | float]]:
    document, score = run.document.tolist(), run.score.tolist()
    start, end = run.start.tolist(), (run.start + run.length).tolist()
    tokens = None if run.tokens is None else run.tokens.tolist()
    for topic, rows in ranked_topics(run, Contents.JSON, Contents.JSON):
        for row in rows:
            chunk = {"topic": topic, "doc": run.documents[document[row]], "start": start[row], "end": end[row]}
            if not np.isnan(score[row]):
                chunk["score"] = score[row]
            if tokens and tokens[row]:
                chunk["tokens"] = tokens[row]
            yield {**chunk, "run": run.run_id}
