"""Whether a document is well-formed, and where its root begins: all that the parser is asked for.

It calls back for the first element only. A pass without calls takes half as long as one that tells of every element.
"""

from __future__ import annotations

from xml.parsers import expat

_UTF_8 = frozenset((None, "utf-8", "us-ascii"))  # other names of it the parser does not know
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")


def body(data: bytes) -> memoryview | None:
    """A document from its root on; None where it needs the other reader, which also says what is wrong with it.

    That is a document that is not well-formed, declares entities, uses one that it does not declare, or has another
    encoding than UTF-8.
    """
    if data.startswith(_OTHER_MARKS):
        return None
    parser = expat.ParserCreate()
    root, encoding = 0, None

    def begin(_tag: str, _attributes: dict[str, str]) -> None:
        nonlocal root
        root = parser.CurrentByteIndex
        parser.StartElementHandler = None  # which refers to the parser, too: a circle would outlive this call

    def declare(_version: str, declared: str | None, _standalone: int) -> None:
        nonlocal encoding
        encoding = declared.lower() if declared is not None else None

    parser.StartElementHandler, parser.XmlDeclHandler = begin, declare
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(data, True)  # noqa: FBT003 -- the parser's signature
    except (expat.ExpatError, LookupError, ValueError, _EntityDeclaredError):
        return None
    return memoryview(data)[root:] if encoding in _UTF_8 else None


def _refuse_entity(*_: object) -> None:
    raise _EntityDeclaredError


class _EntityDeclaredError(Exception):
    """Leaves the parser."""
