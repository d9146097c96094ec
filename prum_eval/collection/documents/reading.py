"""How real documents are read: the options of an index that a structure has no use for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prum_eval.errors import UsageError

if TYPE_CHECKING:
    from prum_eval.formats.structures.index_file import MetaValue
    from prum_eval.text.xml.xpath import Expression

OPTIONS = ("retrievable", "without", "links to", "namespaces", "read as", "encoding")
"""Names in an index of what was chosen, beside how characters were counted; those that were not are not there."""
_COUNTING = {False: "white space once", True: "raw"}


@dataclass(frozen=True, slots=True)
class Reading:
    """Which files are documents, what counts as a character, what is an element, where links are."""

    patterns: tuple[str, ...] = ()  # for file names, instead of the usual endings
    raw: bool = False  # every character counts; else a run of white space is one
    elements: tuple[str, ...] = ()  # XPath of those that a system may return; all without
    without: tuple[str, ...] = ()  # XPath of those whose text counts nothing
    links: tuple[str, ...] = ()  # XPath of attributes or elements that hold references
    namespaces: tuple[tuple[str, str], ...] = ()  # of the prefixes in these: (prefix, URI)
    html: bool = False  # whatever the files are called
    encoding: str | None = None  # of pages in HTML, whatever they declare

    def meta(self) -> dict[str, MetaValue]:
        """The options as an index has them, by their names there."""
        options = {
            "counting": _COUNTING[self.raw],
            "patterns": " ".join(self.patterns),
            "retrievable": " | ".join(self.elements),
            "without": " | ".join(self.without),
            "links to": " | ".join(self.links),
            "namespaces": " ".join(f"{prefix}={uri}" for prefix, uri in self.namespaces),
            "read as": "HTML" if self.html else "",
            "encoding": self.encoding or "",
        }
        return {key: value for key, value in options.items() if value}

    def expressions(self, texts: Iterable[str]) -> list[Expression]:
        """Some of its XPath expressions, with their namespaces."""
        from prum_eval.text.xml.xpath import Expression

        return [Expression(text, self.namespaces) for text in texts]

    def check(self) -> None:
        """Refuse what no document can be read with.

        Raises:
            UsageError: an XPath expression is none, a namespace has no name, the encoding is not known.
        """
        for option, texts in (("--elements", self.elements), ("--without", self.without), ("--links", self.links)):
            for expression in self.expressions(texts):
                _named(option, expression.check)
        if self.encoding is not None:
            from prum_eval.text.xml.html import check_encoding

            encoding = self.encoding
            _named("--encoding", lambda: check_encoding(encoding))


def reading_of_meta(meta: Mapping[str, MetaValue]) -> Reading:
    """How the texts of documents were read whose index has these options."""

    def said(key: str) -> str:
        return str(meta.get(key, ""))

    return Reading(
        raw=said("counting") == _COUNTING[True],
        without=(said("without"),) if "without" in meta else (),
        namespaces=tuple(map(namespace_of, said("namespaces").split())),
        html="read as" in meta,
        encoding=said("encoding") or None,
    )


def namespace_of(text: str) -> tuple[str, str]:
    """Prefix and URI of `PREFIX=URI`.

    Raises:
        UsageError: it is not that.
    """
    prefix, equals, uri = text.partition("=")
    if not equals or not prefix.replace("-", "a").replace(".", "a").isidentifier() or uri.split() != [uri]:
        raise UsageError(f"--namespace: expected PREFIX=URI, found {text!r}")
    return prefix, uri


def _named(option: str, check: Callable[[], None]) -> None:
    try:
        check()
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None
