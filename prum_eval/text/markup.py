"""HTML pages as libxml2 parses them, and XPath expressions whose names match in any namespace.

libxml2's HTML parser accepts any bytes and adds missing elements. Its tree is not always a browser's: where tags are
missing or cross, browsers follow rules of their own.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from prum_eval.errors import InputError, UsageError
from prum_eval.text.element_paths import MAX_PATH_DEPTH
from prum_eval.text.numbers import quote_value

if TYPE_CHECKING:
    from lxml import etree

TAGS_WITHOUT_TEXT = ("script", "style", "template")
"""Elements whose text is not displayed."""

_HEAD_BYTES = 4096  # where a page declares its encoding
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_DECLARED_CHARSET = re.compile(
    rb"<(?:meta|\?xml)\s[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([^\s\"'/>;?]+)", re.IGNORECASE
)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CODEC_ALIASES = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""Codecs that the HTML standard and browsers use for declared ones."""

_BLANKS, _CONTROLS = b"\x0b\x0c\x1c\x1d\x1e\x1f", bytes({*range(32), 127} - {*b"\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"})
_PRINTABLE = bytes.maketrans(_BLANKS + _CONTROLS, b" " * len(_BLANKS) + b"?" * len(_CONTROLS))

_NAME = r"[^\W\d][\w.\-\u00b7]*"
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>\d+(?:\.\d*)?|\.\d+)"
    rf"|(?P<variable>\$\s*{_NAME}(?::{_NAME})?)|(?P<name>{_NAME}(?::(?:{_NAME}|\*))?)"
    r"|(?P<sign>::|//|\.\.|!=|<=|>=|.)",
    re.DOTALL,
)
_OPERATORS = frozenset(("/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">=", "*", "and", "or", "mod", "div"))
_TOKENS_BEFORE_STEP = _OPERATORS | {"@", "::", "(", "[", ","}
_ATTRIBUTE_AXES = (["attribute", "::"], ["namespace", "::"])


def parse_html(data: bytes, name: str, encoding: str | None = None) -> etree._Element:
    """Root of a page, `html`.

    Args:
        data: the page.
        name: name of the input, for messages.
        encoding: encoding of the page if known from elsewhere. A byte-order mark takes precedence; without both, the
            page declares it or is UTF-8. Invalid bytes become the replacement character.

    Raises:
        InputError: the page is nested too deeply.
    """
    from lxml import etree

    text = _page_as_utf_8(data, encoding).translate(_PRINTABLE)  # a form feed is a blank in HTML, but invalid in XML
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True, recover=True
    )
    root: etree._Element | None = etree.fromstring(text, parser)
    limits = [error for error in parser.error_log if error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT]
    if limits:
        raise InputError(name, limits[0].line, f"elements are nested more than {MAX_PATH_DEPTH} deep")
    return etree.fromstring(b"<html><body/></html>") if root is None else root


def check_encoding(name: str) -> None:
    """Reject unknown encodings.

    Raises:
        UsageError: the encoding is unknown.
    """
    if _codec(name) is None:
        raise UsageError(f"{quote_value(name)} is an unknown encoding")


def _page_as_utf_8(data: bytes, encoding: str | None) -> bytes:
    for mark, marked_encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], marked_encoding
            break
    codec = _codec(encoding or _declared_charset(data)) or "utf-8"
    return data if codec == "utf-8" else data.decode(codec, errors="replace").encode(errors="replace")


def _declared_charset(data: bytes) -> str:
    head = _COMMENT.sub(b"", data[:_HEAD_BYTES])
    for zeros, encoding in ((head[0:4:2], "utf-16-be"), (head[1:4:2], "utf-16-le")):
        if zeros == b"\x00\x00" != head[:2]:
            return encoding
    declaration = _DECLARED_CHARSET.search(head)
    name = declaration[1].decode(errors="replace") if declaration else ""
    return "" if name.lower().startswith("utf-16") else name  # in UTF-16 the declaration would not have matched


def _codec(label: str) -> str | None:
    """Name of Python's codec for a declared encoding; None if unknown."""
    try:
        codec = codecs.lookup(label).name
        bytes(4).decode(codec)
        b"\xff".decode(codec, errors="replace")  # as pages are decoded; idna cannot
    except (LookupError, ValueError):  # LookupError also for codecs from bytes to bytes
        return None
    return _CODEC_ALIASES.get(codec, codec)


@dataclass(frozen=True)
class XPathExpression:
    """An XPath expression that selects nodes, with the namespaces of its prefixes; compiled on first use."""

    text: str
    namespaces: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _compiled(self) -> etree.XPath:
        from lxml import etree

        return etree.XPath(match_any_namespace(self.text, dict(self.namespaces)), namespaces=dict(self.namespaces))

    def check(self) -> None:
        """Reject expressions that no document can be searched for.

        Raises:
            UsageError: the expression is no XPath, calls an unknown function, or does not select nodes.
        """
        from lxml import etree

        self.nodes(etree.Element("a"))

    def nodes(self, root: etree._Element) -> list[etree._Element | etree._ElementUnicodeResult]:
        """Elements, attribute values and texts in document order.

        Raises:
            UsageError: as in `check`, for errors that depend on the document.
        """
        from lxml import etree

        try:
            nodes = self._compiled(root)
        except (etree.XPathError, ValueError) as error:  # ValueError for control characters
            raise UsageError(f"{quote_value(self.text)} is not an XPath expression: {error}") from None
        if not isinstance(nodes, list) or any(isinstance(node, tuple) for node in nodes):  # namespaces are tuples
            raise UsageError(f"the XPath expression {quote_value(self.text)} does not select elements or attributes")
        return nodes


def match_any_namespace(text: str, namespaces: Mapping[str, str]) -> str:
    """Rewrite an XPath expression so that its names match as they are written.

    In XPath 1.0 a name without prefix matches in no namespace, so that `//section` finds nothing in DocBook. Here an
    element name without prefix matches in any namespace; a name with a prefix missing in `namespaces` is compared with
    the prefixed name in the document. Attribute names without prefix are unchanged: they are in no namespace.

    >>> match_any_namespace("//sec[@id and p]/xlink:a", {})
    "//*[local-name()='sec'][@id and *[local-name()='p']]/*[name()='xlink:a']"
    """
    tokens = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(text)]
    following = [*(word for kind, word in tokens if kind != "space"), ""]
    before: list[str] = []  # the tokens so far, without blanks
    result, last = "", ""  # `last`: the previous token if it is an operator, else a word for an operand
    for kind, word in tokens:
        if kind == "space":
            result += word
            continue
        operand_before = last != "" and last not in _TOKENS_BEFORE_STEP
        if kind == "name" and not operand_before and following[len(before) + 1] not in {"(", "::"}:
            attribute = before[-1:] == ["@"] or before[-2:] in _ATTRIBUTE_AXES
            result += _node_test(word, namespaces, attribute=attribute)
            last = "operand"
        else:
            result += word
            is_operator = kind == "sign" or (kind == "name" and operand_before)
            last = word if is_operator and not (word == "*" and not operand_before) else "operand"
        before.append(word)
    return result


def _node_test(name: str, namespaces: Mapping[str, str], *, attribute: bool) -> str:
    prefix, colon, local = name.rpartition(":")
    if prefix in namespaces or prefix == "xml":  # a prefix that is always declared
        return name
    if colon:
        return f"*[starts-with(name(), '{prefix}:')]" if local == "*" else f"*[name()='{name}']"
    return name if attribute else f"*[local-name()='{name}']"
