"""Navigation files: ``source<TAB>target<TAB>probability``, after a topic if the line is for one topic only."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from prum_eval.arrays import EMPTY_INTS, FloatArray, IntArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.formats.run_columns import decode_names, repeated_rows
from prum_eval.records import NavigationFile
from prum_eval.text.element_paths import normalise_path
from prum_eval.text.lines import BlankLines, Vocabulary, line_blocks
from prum_eval.text.numbers import expected_message, parse_decimal, quote_value

_COMMENT = b"#"
_EVERY_TOPIC = 3
_ONE_TOPIC = 4

_Row = list[bytes]


def read_navigation_lines(stream: BinaryIO, name: str, problems: ProblemHandler) -> NavigationFile:
    """Read a navigation file; comments start with ``#``; bad lines are reported and left out."""
    reader = _NavigationReader(name, problems)
    reader.read(stream)
    return reader.record()


def write_navigation_lines(file: NavigationFile) -> bytes:
    """The lines of a navigation file, at full precision."""
    rows = zip(file.topic, file.source, file.target, file.probability.tolist(), strict=True)
    cells = ([*filter(None, [topic]), source, target, repr(value)] for topic, source, target, value in rows)
    return "".join("\t".join(row) + "\n" for row in cells).encode()


class _NavigationReader:
    """Collects the lines of a navigation file by columns."""

    def __init__(self, name: str, problems: ProblemHandler) -> None:
        self.name = name
        self.problems = problems
        self.topics, self.nodes = Vocabulary(), Vocabulary()
        self.codes: list[list[IntArray]] = [[] for _ in range(4)]  # topic, source, target, line
        self.probabilities: list[FloatArray] = []

    def read(self, stream: BinaryIO) -> None:
        """Read all lines; report bad ones."""
        blanks = BlankLines(self.name, self.problems, "a step")
        comments = content = False
        for block in line_blocks(stream, self.name, self.problems):
            rows: list[_Row] = []
            lines: list[int] = []
            for line, text in block.numbered_lines():
                if text.startswith(_COMMENT):
                    comments = True
                    continue
                if blanks.skip(line, text):
                    continue
                content = True
                row = text.removesuffix(b"\r").split(b"\t")
                reason = _line_problem(row)
                if reason is None:
                    rows.append(row if len(row) == _ONE_TOPIC else [b"", *row])
                    lines.append(line)
                else:
                    self.problems(InputError(self.name, line, reason))
            if rows:
                self._append(rows, lines)
        if comments and not content:
            self.problems(InputError(self.name, 1, "the file is empty"))

    def _append(self, rows: list[_Row], lines: list[int]) -> None:
        topics, sources, targets, numbers = zip(*rows, strict=True)
        vocabularies = ((self.topics, topics), (self.nodes, sources), (self.nodes, targets))
        for parts, (vocabulary, cells) in zip(self.codes, vocabularies, strict=False):
            parts.append(vocabulary.codes(cells))
        self.codes[-1].append(np.array(lines, dtype=np.int64))
        self.probabilities.append(np.array([float(cell) for cell in numbers]))

    def record(self) -> NavigationFile:
        """The record of all lines."""
        topic, source, target, line = (np.concatenate([EMPTY_INTS, *parts]) for parts in self.codes)

        def line_of_node(code: int) -> int:
            return int(line[(source == code) | (target == code)][0])

        topics = decode_names(self.topics, "topic", lambda code: int(line[topic == code][0]), self.name, self.problems)
        spellings = decode_names(self.nodes, "node", line_of_node, self.name, self.problems)
        nodes: dict[str, int] = {}
        codes = np.empty(len(spellings), dtype=np.int64)
        for code, node in enumerate(spellings):
            normal = normalise_node(node)
            if normal is None:
                expected = "a document, or one of its elements such as a1004#/article[1]/sec[2]"
                self.problems(InputError(self.name, line_of_node(code), expected_message("node", expected, node)))
            codes[code] = nodes.setdefault(normal or node, len(nodes))
        source, target = codes[source], codes[target]
        names = tuple(nodes)
        for row, before in repeated_rows([topic, source, target]):
            step = f"the step from {quote_value(names[source[row]])} to {quote_value(names[target[row]])}"
            reason = f"{step} is listed twice (first on line {line[before]})"
            self.problems(InputError(self.name, int(line[row]), reason))
        return NavigationFile(
            path=self.name,
            topic=tuple(topics[code] or None for code in topic),
            source=tuple(names[code] for code in source),
            target=tuple(names[code] for code in target),
            probability=np.concatenate(self.probabilities) if self.probabilities else np.empty(0),
            lines=line,
        )


def normalise_node(node: str) -> str | None:
    """A node in normal form: ``file``, or ``file#path`` for all elements but the root; None if it is none.

    >>> normalise_node("a#/article/sec"), normalise_node("a#/article")
    ('a#/article[1]/sec[1]', 'a')
    """
    document, hash_sign, path = node.partition("#")
    if not hash_sign:
        return node
    normal = normalise_path(path)
    if normal is None or not document:
        return None
    return document if normal.count("/") == 1 else f"{document}#{normal}"


def _line_problem(row: _Row) -> str | None:
    """What is wrong with a line; None if nothing."""
    if len(row) not in (_EVERY_TOPIC, _ONE_TOPIC):
        return f"expected 3 columns separated by tabs, or 4 with a topic, found {len(row)}"
    for field, cell in zip(("target", "source", "topic"), row[-2::-1], strict=False):
        if not cell:
            return expected_message(field, "a name", cell)
    probability = parse_decimal(row[-1])
    if probability is None or not 0 <= probability <= 1:
        return expected_message("probability", "a number from 0 to 1", row[-1])
    return None
