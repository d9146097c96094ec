"""Parsers that load nothing, replace nothing and recover nothing, and what they say of a document that is not XML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prum_eval.errors import InputError
from prum_eval.text.xml.encodings import utf_8_chunks
from prum_eval.text.xml.prolog import safe_chunks

if TYPE_CHECKING:
    from lxml import etree

DEEPEST = 2048
"""Elements on the way from the root to an element, itself included; libxml2 follows no more."""

OPTIONS: dict[str, Any] = {
    "encoding": "utf-8",
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}
"""Of every parser of XML, which is made for one document and given what `safe_chunks` yields."""


def parse_document(data: bytes, name: str) -> etree._Element:
    """The root of a whole document.

    Entities that nothing declares but perhaps an external DTD, which is never read, are nodes of their own without
    text. A prefix that no namespace is declared for is part of the name, as in the days before namespaces.

    Raises:
        InputError: it is not well-formed, declares entities, cannot be decoded, or is nested too deep.
    """
    from lxml import etree

    safe = b"".join(safe_chunks(utf_8_chunks((data,), name), name, alone=False))
    parser = etree.XMLParser(**OPTIONS)
    try:
        root: etree._Element = etree.fromstring(safe, parser)
    except etree.XMLSyntaxError:
        errors = parser.error_log.filter_from_errors()
        others = [one for one in errors if not _is_undeclared(one)]
        if others or not errors:
            raise failure(others, name) from None
        root = etree.fromstring(safe, etree.XMLParser(**OPTIONS, recover=True))
    return root


def _is_undeclared(error: etree._LogEntry) -> bool:
    """Whether it is about a prefix or an entity without declaration."""
    from lxml import etree

    return error.domain == etree.ErrorDomains.NAMESPACE or error.type == etree.ErrorTypes.ERR_UNDECLARED_ENTITY


def failure(errors: Sequence[etree._LogEntry] | etree._ListErrorLog, name: str) -> InputError:
    """The first of the errors that a parser noted, in our words where they say more."""
    from lxml import etree

    kinds = etree.ErrorTypes
    first = next(iter(errors), None)
    if first is None:
        return InputError(name, 1, "the XML is not well-formed")
    if first.type == kinds.ERR_RESOURCE_LIMIT and "depth" in first.message:
        reason = f"elements are nested more than {DEEPEST} deep"
    elif first.type in {kinds.ERR_TAG_NOT_FINISHED, kinds.ERR_DOCUMENT_EMPTY, kinds.ERR_CDATA_NOT_FINISHED}:
        reason = "the XML is cut off: the file ends inside an element"
    else:
        reason = f"the XML is not well-formed: {first.message.strip()}"
    return InputError(name, first.line, reason)
