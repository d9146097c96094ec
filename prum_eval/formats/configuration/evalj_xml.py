"""EvalJ's choice of metrics: ``<metrics>`` with an element a metric, whose settings are elements with a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, BinaryIO

from prum_eval.errors import InputError, Problems
from prum_eval.records.configuration import (
    LARGEST_CONFIGURATION,
    ConfigurationBlock,
    ConfigurationEntry,
    ConfigurationFile,
    Dialect,
)
from prum_eval.text.streams import whole_bytes
from prum_eval.text.xml.blocks import name_of, whole_document

if TYPE_CHECKING:
    from lxml import etree

_ROOT = "metrics"


def read_metrics(stream: BinaryIO, name: str, problems: Problems) -> ConfigurationFile:
    """The metrics as they are written: attributes and settings are entries, a setting in a setting ``outer.inner``."""
    try:
        root, (lines, _) = whole_document(whole_bytes(stream, name, LARGEST_CONFIGURATION), name, None)
    except InputError as problem:
        problems(problem)
        return ConfigurationFile(name, Dialect.EVALJ)
    reader = _MetricsReader(name, problems)
    reader.read(root, lines.tolist())
    return ConfigurationFile(name, Dialect.EVALJ, blocks=tuple(reader.blocks))


class _MetricsReader:
    """Collects the metrics of a ``<metrics>``."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.blocks: list[ConfigurationBlock] = []
        self._name = name
        self._problems = problems
        self._entries: dict[str, ConfigurationEntry] = {}

    def _problem(self, reason: str, line: int) -> None:
        self._problems(InputError(self._name, line, reason))

    def read(self, root: etree._Element, lines: Iterable[int]) -> None:
        """Take the whole document; `lines` are those of its start tags."""
        parents: list[tuple[etree._Element, str]] = []  # with what stands before the key of a setting in it
        for element, line in zip(root.iter("*"), lines, strict=True):
            while parents and parents[-1][0] is not element.getparent():
                parents.pop()
            before = ""
            if not parents and name_of(root) != _ROOT:
                self._problem(f"expected the root <{_ROOT}>, found <{name_of(root)}>", line)
            elif len(parents) == 1:
                self._entries = {key: ConfigurationEntry(value, line) for key, value in element.items()}
                self.blocks.append(ConfigurationBlock(name_of(element), line, self._entries))
            elif parents:
                key = parents[-1][1] + name_of(element)
                self._setting(key, element, line)
                before = f"{key}."
            self._text(element, line)
            parents.append((element, before))

    def _setting(self, key: str, element: etree._Element, line: int) -> None:
        tag = name_of(element)
        if element.keys() != ["value"]:
            self._problem(f"<{tag}> has one attribute, value", line)
        elif key in self._entries:
            self._problem(f"<{tag}> is set twice (first on line {self._entries[key].line})", line)
        else:
            self._entries[key] = ConfigurationEntry(element.get("value", "").strip(), line)

    def _text(self, element: etree._Element, line: int) -> None:
        if any(text and text.strip() for text in (element.text, *(child.tail for child in element))):
            self._problem(f"<{name_of(element)}> holds text; values stand in the attribute value", line)
