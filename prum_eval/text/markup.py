"""Pages in HTML as libxml2's parser understands them: it takes any bytes, and adds elements that a page leaves out.

Its tree is not always a browser's: where tags are missing or cross, browsers follow rules of their own.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from prum_eval.errors import InputError, UsageError
from prum_eval.text.element_paths import MAX_PATH_DEPTH
from prum_eval.text.numbers import quote_value

if TYPE_CHECKING:
    from lxml import etree


TAGS_WITHOUT_TEXT = ("script", "style", "template")
"""Elements whose text no reader of the page sees."""

_HEAD = 4096  # bytes in which a page declares its encoding
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_DECLARED_CHARSET = re.compile(
    rb"<(?:meta|\?xml)\s[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([^\s\"'/>;?]+)", re.IGNORECASE
)
_HTML_BYTE_ORDER_MARKS = (
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
"""What pages mean that declare these, for the standard of HTML as for browsers."""

_BLANKS, _CONTROLS = b"\x0b\x0c\x1c\x1d\x1e\x1f", bytes({*range(32), 127} - {*b"\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"})
_PRINTABLE = bytes.maketrans(_BLANKS + _CONTROLS, b" " * len(_BLANKS) + b"?" * len(_CONTROLS))


def parse_html(data: bytes, name: str, encoding: str | None = None) -> etree._Element:
    """The root of a page, `html`.

    Args:
        data: the page.
        name: of the input, in messages.
        encoding: of the page, as known from elsewhere. A byte-order mark goes before it; without both, the page
            declares it or is UTF-8. Bytes that are wrong in it become the replacement character.

    Raises:
        InputError: it is nested too deep.
    """
    from lxml import etree

    text = _page_as_utf_8(data, encoding).translate(
        _PRINTABLE
    )  # a form feed is a blank for HTML, but no character for XML
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True, recover=True
    )
    root: etree._Element | None = etree.fromstring(text, parser)
    limits = [error for error in parser.error_log if error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT]
    if limits:
        raise InputError(name, limits[0].line, f"elements are nested more than {MAX_PATH_DEPTH} deep")
    return etree.fromstring(b"<html><body/></html>") if root is None else root


def check_encoding(name: str) -> None:
    """Refuse what is no encoding.

    Raises:
        UsageError: it is not known.
    """
    if _codec(name) is None:
        raise UsageError(f"{quote_value(name)} is no encoding of text that is known")


def _page_as_utf_8(data: bytes, encoding: str | None) -> bytes:
    for mark, marked in _HTML_BYTE_ORDER_MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], marked
            break
    else:
        encoding = encoding or _declared_charset(data)
    codec = _codec(encoding) or "utf-8"
    return data if codec == "utf-8" else data.decode(codec, errors="replace").encode(errors="replace")


def _declared_charset(data: bytes) -> str:
    head = _COMMENT.sub(b"", data[:_HEAD])
    for zeros, encoding in ((head[0:4:2], "utf-16-be"), (head[1:4:2], "utf-16-le")):
        if zeros == b"\x00\x00" != head[:2]:
            return encoding
    declared = _DECLARED_CHARSET.search(head)
    name = declared[1].decode(errors="replace") if declared else ""
    return "" if name.lower().startswith("utf-16") else name  # it could not have been read


def _codec(label: str) -> str | None:
    """Name of Python's codec for what a page declares; None where there is none."""
    try:
        codec = codecs.lookup(label).name
        bytes(4).decode(codec)
    except (LookupError, ValueError):  # LookupError also for codecs from bytes to bytes
        return None
    return _CODEC_ALIASES.get(codec, codec)


# XPath as people write it: a name without prefix matches in any namespace.
#
# In XPath 1.0 itself such a name matches in no namespace, so that `//section` finds nothing in DocBook.


_NAME = r"[^\W\d][\w.\-\u00b7]*"
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>\d+(?:\.\d*)?|\.\d+)"
    rf"|(?P<variable>\$\s*{_NAME}(?::{_NAME})?)|(?P<name>{_NAME}(?::(?:{_NAME}|\*))?)"
    r"|(?P<sign>::|//|\.\.|!=|<=|>=|.)",
    re.DOTALL,
)
_OPERATORS = frozenset(("/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">=", "*", "and", "or", "mod", "div"))
_TOKENS_BEFORE_STEP = _OPERATORS | {"@", "::", "(", "[", ","}
_XML = "xml"  # a prefix that is always there


class _Token(NamedTuple):
    kind: str
    text: str


@dataclass(frozen=True)
class XPathExpression:
    """An XPath expression for nodes, with the namespaces of its prefixes; compiled when it is first used."""

    text: str
    namespaces: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _compiled(self) -> etree.XPath:
        from lxml import etree

        return etree.XPath(match_any_namespace(self.text, dict(self.namespaces)), namespaces=dict(self.namespaces))

    def check(self) -> None:
        """Refuse what no document can be asked.

        Raises:
            UsageError: it is no XPath, calls what is not there, or is not about nodes.
        """
        from lxml import etree

        self.nodes(etree.Element("a"))

    def nodes(self, root: etree._Element) -> list[etree._Element | etree._ElementUnicodeResult]:
        """Elements, and values of attributes and texts, in document order.

        Raises:
            UsageError: as `check`, of what only a document tells.
        """
        from lxml import etree

        try:
            found = self._compiled(root)
        except etree.XPathError as error:
            raise UsageError(f"{quote_value(self.text)} is no XPath expression: {error}") from None
        if not isinstance(found, list):
            raise UsageError(f"the XPath expression {quote_value(self.text)} does not select elements or attributes")
        return found


def match_any_namespace(text: str, namespaces: Mapping[str, str]) -> str:
    """The expression with its names made such that they match as they are written.

    A name of elements without prefix matches in any namespace; a name with a prefix that `namespaces` lacks is compared
    with what stands in the document. A name of attributes without prefix stays: such an attribute is in no namespace.

    >>> match_any_namespace("//sec[@id and p]/xlink:a", {})
    "//*[local-name()='sec'][@id and *[local-name()='p']]/*[name()='xlink:a']"
    """
    tokens = [_Token(found.lastgroup or "", found[0]) for found in _TOKEN.finditer(text)]
    made, last = "", ""  # the last token that is no white space; an operator by its text
    for place, token in enumerate(tokens):
        following = next((other.text for other in tokens[place + 1 :] if other.kind != "space"), "")
        operand_before = last != "" and last not in _TOKENS_BEFORE_STEP
        if token.kind == "space":
            made += token.text
            continue
        if token.kind == "name" and not operand_before and following not in {"(", "::"}:
            made += _node_test(token.text, namespaces, attribute=_is_attribute(tokens[:place]))
            last = "test"
        else:
            made += token.text
            is_operator = token.kind == "sign" or (token.kind == "name" and operand_before)
            last = token.text if is_operator and not (token.text == "*" and not operand_before) else "operand"
    return made


def _is_attribute(before: list[_Token]) -> bool:
    """Whether what follows these tokens is on the axis of attributes, or on that of namespaces."""
    near = [token.text for token in before if token.kind != "space"][-2:]
    return near[-1:] == ["@"] or near in (["attribute", "::"], ["namespace", "::"])


def _node_test(name: str, namespaces: Mapping[str, str], *, attribute: bool) -> str:
    prefix, colon, local = name.rpartition(":")
    if prefix in namespaces or prefix == _XML:
        return name
    if colon:
        return f"*[starts-with(name(), '{prefix}:')]" if local == "*" else f"*[name()='{name}']"
    return name if attribute else f"*[local-name()='{name}']"
