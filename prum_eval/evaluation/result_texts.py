"""Texts of results against their sources: chunks whose document was edited after they were cut.

A result in JSON Lines may have its `text`. It fits if the source has the same words from its start to its end; white
space may differ, because splitters strip it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prum_eval.collection.texts import Texts
from prum_eval.errors import InputError
from prum_eval.formats.run_json import RUN_KEYS
from prum_eval.tabular import plural
from prum_eval.text.json_lines import BadValueError, JsonKeys, json_objects
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import display_name, open_input

_MAX_DOCUMENTS_NAMED = 5


@dataclass(frozen=True)
class ChangedDocument:
    """Results of a document of a run whose texts do not fit: the first of their lines, its extent, their number."""

    path: str
    name: str
    line: int
    start: int
    end: int
    results: int

    def reason(self) -> str:
        """What is wrong, for a message at the first line."""
        more = f"; likewise {plural(self.results - 1, 'more result')}" if self.results > 1 else ""
        return f"the text is not that of document {quote_value(self.name)} from {self.start} to {self.end}{more}"


def changed_documents(path: str, texts: Texts) -> Iterator[ChangedDocument]:
    """The documents of a run whose results have texts that no longer fit, by their first lines.

    Runs in other formats have no texts, and standard input cannot be read again. Lines that cannot be read are left to
    the reader of the run.
    """
    if path in ("", "-"):
        return
    by_document: dict[str, list[tuple[int, int, int, str]]] = {}
    with open_input(path) as stream:
        for item in json_objects(stream, display_name(path), lambda _: None, JsonKeys(RUN_KEYS), "a result"):
            try:
                if "text" in item:
                    name, text, (start, end) = item.name("doc").decode(), str(item.value("text")), item.extent()
                    by_document.setdefault(name, []).append((item.line, start, end, text))
            except BadValueError:
                continue
    changed = []
    for name, results in by_document.items():
        try:
            source = texts.text(name)
        except InputError:
            source = None
        if source is None:
            continue
        wrong = [each for each in results if source[each[1] : each[2]].split() != each[3].split()]
        if wrong:
            line, start, end, _ = wrong[0]
            changed.append(ChangedDocument(display_name(path), name, line, start, end, len(wrong)))
    yield from sorted(changed, key=lambda document: document.line)


def changed_text_warnings(paths: Iterable[str], source: str) -> Iterator[str]:
    """A warning per run with results whose texts no longer fit their documents.

    Raises:
        InputError: the texts cannot be read.
    """
    with Texts(source) as texts:
        for path in dict.fromkeys(paths):
            changed = list(changed_documents(path, texts))
            if not changed:
                continue
            named = [f"{document.name} (line {document.line})" for document in changed[:_MAX_DOCUMENTS_NAMED]]
            more = len(changed) - len(named)
            others = f" and {more} more" if more else ""
            results = sum(document.results for document in changed)
            yield (
                f"{changed[0].path}: the texts of {plural(results, 'result')} are not those of {texts.name}: "
                f"{', '.join(named)}{others}"
            )
