"""XPath as people write it: a name without prefix matches in any namespace.

In XPath 1.0 itself such a name matches in no namespace, so that `//section` finds nothing in DocBook.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from prum_eval.errors import UsageError
from prum_eval.text.numbers import shown

if TYPE_CHECKING:
    from lxml import etree

_NAME = r"[^\W\d][\w.\-\u00b7]*"
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>\d+(?:\.\d*)?|\.\d+)"
    rf"|(?P<variable>\$\s*{_NAME}(?::{_NAME})?)|(?P<name>{_NAME}(?::(?:{_NAME}|\*))?)"
    r"|(?P<sign>::|//|\.\.|!=|<=|>=|.)",
    re.DOTALL,
)
_OPERATORS = frozenset(("/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">=", "*", "and", "or", "mod", "div"))
_BEFORE_A_STEP = _OPERATORS | {"@", "::", "(", "[", ","}
_XML = "xml"  # a prefix that is always there


class _Token(NamedTuple):
    kind: str
    text: str


@dataclass(frozen=True)
class Expression:
    """An XPath expression for nodes, with the namespaces of its prefixes; compiled when it is first used."""

    text: str
    namespaces: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _compiled(self) -> etree.XPath:
        from lxml import etree

        return etree.XPath(in_any_namespace(self.text, dict(self.namespaces)), namespaces=dict(self.namespaces))

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
            raise UsageError(f"{shown(self.text)} is no XPath expression: {error}") from None
        if not isinstance(found, list):
            raise UsageError(f"the XPath expression {shown(self.text)} does not select elements or attributes")
        return found


def in_any_namespace(text: str, namespaces: Mapping[str, str]) -> str:
    """The expression with its names made such that they match as they are written.

    A name of elements without prefix matches in any namespace; a name with a prefix that `namespaces` lacks is compared
    with what stands in the document. A name of attributes without prefix stays: such an attribute is in no namespace.

    >>> in_any_namespace("//sec[@id and p]/xlink:a", {})
    "//*[local-name()='sec'][@id and *[local-name()='p']]/*[name()='xlink:a']"
    """
    tokens = [_Token(found.lastgroup or "", found[0]) for found in _TOKEN.finditer(text)]
    made, last = "", ""  # the last token that is no white space; an operator by its text
    for place, token in enumerate(tokens):
        following = next((other.text for other in tokens[place + 1 :] if other.kind != "space"), "")
        operand_before = last != "" and last not in _BEFORE_A_STEP
        if token.kind == "space":
            made += token.text
            continue
        if token.kind == "name" and not operand_before and following not in {"(", "::"}:
            made += _test(token.text, namespaces, attribute=_is_attribute(tokens[:place]))
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


def _test(name: str, namespaces: Mapping[str, str], *, attribute: bool) -> str:
    prefix, colon, local = name.rpartition(":")
    if prefix in namespaces or prefix == _XML:
        return name
    if colon:
        return f"*[starts-with(name(), '{prefix}:')]" if local == "*" else f"*[name()='{name}']"
    return name if attribute else f"*[local-name()='{name}']"
