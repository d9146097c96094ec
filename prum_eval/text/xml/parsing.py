"""Parsers that load nothing, replace nothing and recover nothing, and what they say of a document that is not XML."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from prum_eval.errors import InputError
from prum_eval.text.element_paths import DEEPEST
from prum_eval.text.xml.encodings import is_utf_8, utf_8_chunks
from prum_eval.text.xml.prolog import safe_chunks

if TYPE_CHECKING:
    from lxml import etree

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
    if b"<!DOCTYPE" in data or not is_utf_8(data, name):
        data = b"".join(safe_chunks(utf_8_chunks((data,), name), name, alone=False))
    return parse_safe(data, name, undeclared=True)


def parse_safe(safe: bytes, name: str, *, undeclared: bool) -> etree._Element:
    """The root of all that `safe_chunks` yields; with `undeclared` entities that nothing declares are not wrong.

    Raises:
        InputError: what is wrong with the document as XML.
    """
    from lxml import etree

    try:
        root: etree._Element = etree.fromstring(safe, etree.XMLParser(**OPTIONS))
    except etree.XMLSyntaxError:
        # A parser that recovers goes on behind what is undeclared; one that is fed knows whether the end is wrong.
        second = etree.XMLPullParser((), **OPTIONS, recover=undeclared)
        problem = feed(second, safe, name, undeclared=undeclared) or feed(second, None, name, undeclared=undeclared)
        if problem is not None:
            raise problem from None
        root = etree.fromstring(safe, etree.XMLParser(**OPTIONS, recover=True))
    return root


def _is_of_namespaces(error: etree._LogEntry) -> bool:
    """Whether it is about a prefix without declaration."""
    from lxml import etree

    return error.domain == etree.ErrorDomains.NAMESPACE


def _is_undeclared(error: etree._LogEntry) -> bool:
    """Whether it is about a prefix or an entity without declaration."""
    from lxml import etree

    return _is_of_namespaces(error) or error.type == etree.ErrorTypes.ERR_UNDECLARED_ENTITY


def feed(parser: etree.XMLPullParser, chunk: bytes | None, name: str, *, undeclared: bool = False) -> InputError | None:
    """Give a parser the next bytes, or tell it that there are no more (None): what is wrong with the document so far.

    A prefix that no namespace is declared for is part of the name, and not wrong. With `undeclared`, which takes a
    parser that recovers, an entity that nothing declares is not wrong either.
    """
    from lxml import etree

    with suppress(etree.XMLSyntaxError):
        if chunk is None:
            parser.close()
        else:
            parser.feed(chunk)
    fine = _is_undeclared if undeclared else _is_of_namespaces
    errors = [one for one in parser.feed_error_log.filter_from_errors() if not fine(one)]
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
