"""Parsers that load nothing, replace nothing and recover nothing, and what they say of a document that is not XML."""

from __future__ import annotations

from contextlib import suppress
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
_OF_WHOLE_TEXTS = frozenset(("ERR_DOCUMENT_END", "ERR_INVALID_CHAR", "ERR_UNDECLARED_ENTITY"))
"""Errors that are told at the end, and are not that the text ended."""


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
        if others:
            raise _problem(others[0], name, at_end=_is_sound_so_far(safe)) from None
        root = etree.fromstring(safe, etree.XMLParser(**OPTIONS, recover=True))
    return root


def _is_undeclared(error: etree._LogEntry) -> bool:
    """Whether it is about a prefix or an entity without declaration."""
    from lxml import etree

    return error.domain == etree.ErrorDomains.NAMESPACE or error.type == etree.ErrorTypes.ERR_UNDECLARED_ENTITY


def _is_sound_so_far(text: bytes) -> bool:
    """Whether more text could make it a document."""
    from lxml import etree

    parser = etree.XMLPullParser(**OPTIONS)
    with suppress(etree.XMLSyntaxError):
        parser.feed(text)
    return all(map(_is_undeclared, parser.feed_error_log.filter_from_errors()))


def feed(parser: etree.XMLPullParser, chunk: bytes | None, name: str) -> InputError | None:
    """Give a parser the next bytes, or tell it that there are no more (None): what is wrong with the document so far.

    A prefix that no namespace is declared for is part of the name, and not wrong.
    """
    from lxml import etree

    with suppress(etree.XMLSyntaxError):
        if chunk is None:
            parser.close()
        else:
            parser.feed(chunk)
    errors = [one for one in parser.feed_error_log.filter_from_errors() if one.domain != etree.ErrorDomains.NAMESPACE]
    return _problem(errors[0], name, at_end=chunk is None) if errors else None


def _problem(error: etree._LogEntry, name: str, *, at_end: bool) -> InputError:
    """What a parser noted, in our words where they say more; `at_end` when it was told that the text had ended."""
    from lxml import etree

    message = " ".join(error.message.split())
    if error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT and "depth" in message:
        reason = f"elements are nested more than {DEEPEST} deep"
    elif at_end and (error.type_name not in _OF_WHOLE_TEXTS or message.startswith("Incomplete")):
        reason = "the XML is cut off: the file ends inside an element"
    else:
        reason = f"the XML is not well-formed: {message.removeprefix('xmlParse')}"
    return InputError(name, error.line, reason)
