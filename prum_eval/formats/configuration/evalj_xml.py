"""EvalJ's choice of metrics: ``<metrics>`` with an element a metric, whose settings are elements with a value."""

from __future__ import annotations

from typing import BinaryIO

from prum_eval.errors import Problems
from prum_eval.records.configuration import ConfigurationBlock, ConfigurationEntry, ConfigurationFile, Dialect
from prum_eval.text.xml_events import Attributes, XmlReader

_ROOT = "metrics"


def read_metrics(stream: BinaryIO, name: str, problems: Problems) -> ConfigurationFile:
    """The metrics as they are written: attributes and settings are entries, a setting in a setting ``outer.inner``."""
    reader = _MetricsReader(name, problems)
    reader.parse(stream)
    return ConfigurationFile(name, Dialect.EVALJ, blocks=tuple(reader.blocks))


class _MetricsReader(XmlReader):
    """Collects the metrics of a ``<metrics>``."""

    def __init__(self, name: str, problems: Problems) -> None:
        super().__init__(name, problems)
        self._parser.CharacterDataHandler = self._text
        self.blocks: list[ConfigurationBlock] = []
        self._open: list[str] = []
        self._entries: dict[str, ConfigurationEntry] = {}

    def start(self, tag: str, attributes: Attributes) -> None:
        """The root, a metric or a setting begins."""
        depth = len(self._open)
        self._open.append(tag)
        if depth == 0:
            if tag != _ROOT:
                self.problem(f"expected the root <{_ROOT}>, found <{tag}>")
        elif depth == 1:
            self._entries = {key: ConfigurationEntry(value, self.line) for key, value in attributes.items()}
            self.blocks.append(ConfigurationBlock(tag, self.line, self._entries))
        else:
            self._setting(".".join(self._open[2:]), tag, attributes)

    def _setting(self, key: str, tag: str, attributes: Attributes) -> None:
        if set(attributes) != {"value"}:
            self.problem(f"<{tag}> has one attribute, value")
        elif key in self._entries:
            self.problem(f"<{tag}> is set twice (first on line {self._entries[key].line})")
        else:
            self._entries[key] = ConfigurationEntry(attributes["value"].strip(), self.line)

    def end(self, _tag: str, /) -> None:
        """An element ends."""
        self._open.pop()

    def _text(self, text: str) -> None:
        if text.strip():
            self.problem(f"<{self._open[-1]}> holds text; values stand in the attribute value")
