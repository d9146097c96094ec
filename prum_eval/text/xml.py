"""XML of any encoding and size, read safely, with the lines of its start tags.

The bytes of a document pass through `utf_8_chunks` (one encoding, line feeds only) and `safe_chunks` (no entity
declarations, no attribute defaults) before a parser sees them. Parsers load nothing, replace no entities and do not
recover from errors. `parse_document` and `parse_whole_document` return a tree; `XmlBlocks` iterates over the children
of the root of a document of any size.

Beyond line 65,535 libxml2 only guesses lines, so `TagLines` finds start tags in the bytes: after the prolog, `<` and a
name are a start tag outside comments, CDATA sections and processing instructions, since values cannot contain `<`. The
k-th start tag of the bytes is the k-th element of the tree.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, ProblemHandler
from prum_eval.text.element_paths import MAX_PATH_DEPTH, is_tag
from prum_eval.text.numbers import quote_value

if TYPE_CHECKING:
    from lxml import etree

PARSER_OPTIONS: dict[str, Any] = {
    "encoding": "utf-8",
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
    "collect_ids": False,  # an id that appears twice would be an error
}
"""Options of every XML parser; each parses one document from `safe_chunks`."""
_OPTIONS_WITH_IDS = {**PARSER_OPTIONS, "collect_ids": True}
"""For trees to which XPath expressions may be applied: the function `id` finds the first element with an id."""

MAX_TREE_BYTES = 400 << 20
"""Maximum of memory of a tree."""
MAX_XML_TEXT_BYTES = 1 << 24
"""Maximum of bytes of a text or a tag in a document that is read block by block."""

_BYTES_PER_TAG, _BYTES_PER_ATTRIBUTE = 150, 220  # of memory, with the texts
_CHUNK = 1 << 16  # the fastest size for the parser
_MAX_PROLOG_BYTES = 1 << 24
_DECLARED_ENCODING = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)[\"']")
_UTF_8_NAMES = frozenset((b"utf-8", b"utf8", b"us-ascii", b"ascii"))
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", ""),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_MARKUP_OR_QUOTE = re.compile(rb"[<\"']")
_ENTITY = re.compile(rb"<!ENTITY\s+(%\s+)?([^\s\"'>]*)")
_NOT_LINE_FEED = re.compile(rb"[^\n]")
_DECLARATION = re.compile(rb"<\?xml\s[^>]*?\?>")
_STANDALONE = re.compile(rb"(\s)standalone\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_QUOTE_OR_END = re.compile(rb"[>\"']")
_TAG = re.compile(rb"<(?:[^\s/>:]+:)?([^\s/>:]+)(?![^\s/>])")
_NAME_END = re.compile(rb"[\s/>]")
_DELIMITERS = ((b"<!--", b"-->"), (b"<?", b"?>"), (b'"', b'"'), (b"'", b"'"))
_ENTITY_START, _ATTLIST_START = b"<!ENTITY", b"<!ATTLIST"
NO_MEMORY = "there is not enough memory for the XML"
_WHOLE_DOCUMENT_ERRORS = frozenset(("ERR_DOCUMENT_END", "ERR_INVALID_CHAR", "ERR_UNDECLARED_ENTITY"))
"""Errors that are reported at the end of a document but do not mean that it is truncated."""
_OPENING_MARKUP = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_CLOSING_MARKUP = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_LINE_FEED, _LESS, _SLASH = b"\n</"
_PREFIX = rb"(?:[^\s<>/]*:)?"
_XMLNS = b"xmlns:"  # declares a prefix


# Encodings.


def utf_8_chunks(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The text as UTF-8 without byte-order mark, lines ended by line feeds.

    The encoding is that of the byte-order mark, else the UTF-16 or UTF-32 that the first bytes show, else the declared
    one, else UTF-8. UTF-8 is not checked: the parser does that.

    Args:
        chunks: the text; an XML declaration must be complete in the first chunk.
        name: name of the input, for messages.

    Raises:
        InputError: the encoding is unknown, or the text cannot be decoded.
    """
    stream = iter(chunks)
    first = next(stream, b"")
    mark, encoding = next(((mark, codec) for mark, codec in _BYTE_ORDER_MARKS if first.startswith(mark)), (b"", None))
    if encoding is None:
        encoding = _detect_codec(first, name)
    text = chain((first[len(mark) :],), stream)
    return _normalise_line_ends(_decode_chunks(text, encoding, name) if encoding else text)


def is_utf_8(text: bytes, name: str) -> bool:
    """Whether `utf_8_chunks` would not change a document; true of most.

    Raises:
        InputError: the encoding is unknown.
    """
    return text.startswith(b"<") and b"\r" not in text and not _detect_codec(text, name)


def _detect_codec(head: bytes, name: str) -> str:
    """Name of Python's codec for a text without byte-order mark; empty for UTF-8."""
    zeros = tuple(byte == 0 for byte in head[:4])
    if zeros[:2] == (True, True):
        return "utf-32-be"
    if zeros[:1] == (True,):
        return "utf-16-be"
    if zeros[1:4] == (True, True, True):
        return "utf-32-le"
    if zeros[1:2] == (True,):
        return "utf-16-le"
    declaration = _DECLARED_ENCODING.match(head)
    if declaration is None or declaration[1].lower() in _UTF_8_NAMES:
        return ""
    encoding = declaration[1].decode()
    try:
        plausible = b"<?xml".decode(encoding) == "<?xml"
    except (LookupError, ValueError):  # LookupError also for codecs from bytes to bytes
        plausible = False
    if not plausible:
        reason = f"the declared encoding {quote_value(encoding)} is not known or not the true one"
        raise InputError(name, 1, f"the XML cannot be decoded: {reason}")
    return encoding


def _decode_chunks(chunks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for chunk in chain(chunks, (None,)):
        try:
            text = decoder.decode(chunk or b"", final=chunk is None)
            line += text.count("\n")
            encoded = text.encode()
        except ValueError as error:  # also UnicodeDecodeError and UnicodeEncodeError
            raise InputError(name, line, f"the XML cannot be decoded: {error}") from error
        yield encoded


def _normalise_line_ends(chunks: Iterator[bytes]) -> Iterator[bytes]:
    pending = b""  # a carriage return at the end of a chunk: a line feed may follow
    for chunk in chunks:
        text = pending + chunk if pending else chunk
        pending = b""
        if b"\r" in text:
            if text.endswith(b"\r"):
                text, pending = text[:-1], b"\r"
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if text:
            yield text
    if pending:
        yield b"\n"


ENTITY_REMEDY = "; replace entities first: xmllint --noent --dropdtd FILE"
"""What to do with documents that declare entities, as those of DocBook do."""


# The prolog: entity declarations are refused and attribute defaults blanked in the bytes. The parser would replace
# entities in attributes with any options, and defaults can make a small document a huge one.


def safe_document(data: bytes, name: str, *, standalone: bool) -> bytes:
    """A whole document through `utf_8_chunks` and `safe_chunks`."""
    return b"".join(safe_chunks(utf_8_chunks((data,), name), name, standalone=standalone))


def safe_chunks(chunks: Iterable[bytes], name: str, *, standalone: bool) -> Iterator[bytes]:
    """The document with a prolog that is safe to parse; line numbers do not change.

    The first chunk contains the whole prolog and the name of the root, if there is one.

    Args:
        chunks: the document from `utf_8_chunks`.
        name: name of the input, for messages.
        standalone: whether a reference to an entity that only an external DTD may declare is an error; else it is a
            node in the tree. (External DTDs are never read.)

    Raises:
        InputError: an entity is declared.
    """
    stream = iter(chunks)
    prolog, at = b"", 0
    defaults: list[tuple[int, int]] = []
    while True:
        at, complete = _scan_prolog(prolog, at, defaults, name)
        more = None if complete else next(stream, None)
        if more is None:
            break
        prolog += more
        if at > _MAX_PROLOG_BYTES:
            raise InputError(name, None, f"no element in the first {_MAX_PROLOG_BYTES >> 20} MiB of the XML")
    for begin, end in defaults:
        prolog = prolog[:begin] + _NOT_LINE_FEED.sub(b" ", prolog[begin:end]) + prolog[end:]
    yield _declare_standalone(prolog) if standalone else prolog
    yield from stream


def find_root(prolog: bytes) -> tuple[int, str]:
    """Position of the root in the first of the `safe_chunks`, and its name without prefix, empty if invalid."""
    begin, _ = _scan_prolog(prolog, 0, [], "")
    tag = _TAG.match(prolog, begin)
    return begin, tag[1].decode(errors="replace") if tag is not None else ""


def _scan_prolog(text: bytes, at: int, defaults: list[tuple[int, int]], name: str) -> tuple[int, bool]:
    """Advance to the root: the position after the last complete construct, and whether the root's name is complete.

    The extents of attribute declarations are appended to `defaults`.
    """
    while (match := _MARKUP_OR_QUOTE.search(text, at)) is not None:
        begin = match.start()
        if len(text) - begin < len(_ATTLIST_START):
            return begin, False  # the construct may continue in the next chunk
        if match[0] == b"<" and text[begin + 1] not in b"!?":
            return begin, _NAME_END.search(text, begin) is not None
        end = _construct_end(text, begin, name)
        if end == 0:
            return begin, False
        if text.startswith(_ATTLIST_START, begin):
            defaults.append((begin, end))
        at = end
    return len(text), False


def _construct_end(text: bytes, begin: int, name: str) -> int:
    """End of a comment, instruction, string or attribute declaration, of others that of ``<!``; 0 if incomplete."""
    for first, last in _DELIMITERS:
        if text.startswith(first, begin):
            end = text.find(last, begin + len(first))
            return end + len(last) if end >= 0 else 0
    if text.startswith(_ENTITY_START, begin):
        declaration = _ENTITY.match(text, begin)
        if declaration is None or declaration.end() == len(text):
            return 0
        kind = "parameter entity" if declaration[1] else "entity"
        entity = quote_value(declaration[2].decode(errors="replace"))
        reason = f"declaration of the {kind} {entity}: entity declarations are refused{ENTITY_REMEDY}"
        raise InputError(name, text.count(b"\n", 0, begin) + 1, reason)
    if not text.startswith(_ATTLIST_START, begin):
        return begin + 2
    while (match := _QUOTE_OR_END.search(text, begin)) is not None:
        if match[0] == b">":
            return match.end()
        begin = text.find(match[0], match.end()) + 1
        if begin == 0:
            break
    return 0


def _declare_standalone(prolog: bytes) -> bytes:
    """The beginning of a document, declared standalone.

    If a document names an external DTD, which is never loaded, the parser would silently drop references in attributes
    to entities that only the DTD may declare; in a standalone document they are errors.
    """
    declaration = _DECLARATION.match(prolog)
    if declaration is None:
        return b"<?xml version='1.0' standalone='yes'?>" + prolog
    head = _STANDALONE.sub(rb"\1", declaration[0][:-2]) + b" standalone='yes'?>"
    return head + prolog[declaration.end() :]


# Parsers.


def parse_document(data: bytes, name: str) -> etree._Element:
    """Root of a whole document.

    Undeclared entities, which an external DTD may declare, are nodes without text. A prefix without namespace is part
    of the name.

    Raises:
        InputError: the document is not well-formed, declares entities, cannot be decoded, or is nested too deeply.
    """
    if b"<!DOCTYPE" in data or not is_utf_8(data, name):
        data = safe_document(data, name, standalone=False)
    return _parse_safe(data, name, undeclared=True)


def parse_whole_document(data: bytes, name: str, tags: Sequence[str] | None) -> tuple[etree._Element, TagColumns]:
    """Root of a document that fits into memory, and its start tags with these names (None: all).

    Raises:
        InputError: the document is not well-formed, or is unsafe.
    """
    safe = safe_document(data, name, standalone=True)
    begin, _ = find_root(safe)
    lines = TagLines(tags, safe.count(b"\n", 0, begin) + 1)
    lines.feed(safe[begin:])
    return _parse_safe(safe, name, undeclared=False), lines.take()


def _parse_safe(safe: bytes, name: str, *, undeclared: bool) -> etree._Element:
    """Root of a safe document; `undeclared` allows undeclared entities."""
    from lxml import etree

    try:
        root: etree._Element = etree.fromstring(safe, etree.XMLParser(**_OPTIONS_WITH_IDS))
    except etree.XMLSyntaxError:
        # Find the first real error: a recovering parser continues after undeclared entities, and a pull parser tells
        # errors at the end of the document from others.
        puller = etree.XMLPullParser((), **PARSER_OPTIONS, recover=undeclared)
        for chunk in (safe, None):
            problem = feed_parser(puller, chunk, name, undeclared=undeclared)
            if problem is not None:
                raise problem from None
        parser = etree.XMLParser(**_OPTIONS_WITH_IDS, recover=True)
        root = etree.fromstring(safe, parser)
        if any(error.type == etree.ErrorTypes.ERR_NO_MEMORY for error in parser.error_log):
            raise InputError(name, None, NO_MEMORY) from None
    return root


def feed_parser(
    parser: etree.XMLPullParser, chunk: bytes | None, name: str, *, undeclared: bool = False
) -> InputError | None:
    """Feed a parser the next bytes, or None at the end; return the first error of the document so far.

    A prefix without namespace is part of the name and no error. With `undeclared`, which needs a recovering parser,
    undeclared entities are no errors either.
    """
    from lxml import etree

    with suppress(etree.XMLSyntaxError):
        if chunk is None:
            parser.close()
        else:
            parser.feed(chunk)
    for error in parser.feed_error_log.filter_from_errors():
        if error.domain == etree.ErrorDomains.NAMESPACE:
            continue
        if undeclared and error.type == etree.ErrorTypes.ERR_UNDECLARED_ENTITY:
            continue
        message = " ".join(error.message.split())
        if error.type == etree.ErrorTypes.ERR_NO_MEMORY:
            reason = NO_MEMORY
        elif error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT and "depth" in message:
            reason = f"elements are nested more than {MAX_PATH_DEPTH} deep"
        elif chunk is None and (error.type_name not in _WHOLE_DOCUMENT_ERRORS or message.startswith("Incomplete")):
            reason = "the XML is cut off: the file ends inside an element"
        else:
            reason = f"the XML is not well-formed: {message.removeprefix('xmlParse')}"
        return InputError(name, error.line, reason)
    return None


def tree_bytes(data: bytes) -> int:
    """Memory that the tree of a part of a document takes, roughly."""
    return len(data) + _BYTES_PER_TAG * data.count(b"<") + _BYTES_PER_ATTRIBUTE * data.count(b"=")


def local_name(element: etree._Element) -> str:
    """Name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


# Lines of start tags.


class TagColumns(NamedTuple):
    """Start tags in document order."""

    line: IntArray
    name: NDArray[np.uint8]  # index in the requested names; 0 if all names were requested


class TagLines:
    """Lines of all start tags with some names and any prefix, in document order.

    Args:
        tags: names; None for all.
        line: line of the first byte fed, which follows the prolog.
    """

    def __init__(self, tags: Sequence[str] | None, line: int) -> None:
        self._all = tags is None
        names = "|".join(map(re.escape, tags or ())).encode()
        self._plain = re.compile(rb"<(%b)(?=[\s/>])" % names)
        self._prefixed = re.compile(rb"<%b(%b)(?=[\s/>])" % (_PREFIX, names))
        self._codes = {tag.encode(): code for code, tag in enumerate(tags or ())}
        self._pattern = self._plain
        self._line = line
        self._lines, self._names = array("q"), bytearray()
        self._taken = 0
        self._end = b""  # the last bytes, where a declaration of a prefix may begin
        self._pending = b""  # the last bytes, if the construct they begin is not known yet
        self._closing = b""  # end of the construct that is skipped, if it was not reached
        self.bytes_without_tag = 0  # at least, at the end of what was fed

    @property
    def line(self) -> int:
        """Line of the last byte."""
        return self._line + self._pending.count(b"\n")

    def feed(self, chunk: bytes) -> None:
        """Process the next bytes, in UTF-8."""
        text = self._pending + chunk if self._pending else chunk
        if self._pattern is self._plain and (_XMLNS in text or _XMLNS in self._end + chunk[: len(_XMLNS)]):
            self._pattern = self._prefixed
        self._end = (self._end + chunk)[1 - len(_XMLNS) :] if len(chunk) < len(_XMLNS) else chunk[1 - len(_XMLNS) :]
        if self._closing or b"<!" in text or b"<?" in text:
            text = self._blank_markup(text)
        else:
            self._pending = b""
        if not self._closing:
            last = text.rfind(b"<")
            if last >= 0 and _NAME_END.search(text, last) is None:
                text, self._pending = text[:last], text[last:]
        self.bytes_without_tag = 0 if b"<" in text else self.bytes_without_tag + len(chunk)
        chars = np.frombuffer(text, dtype=np.uint8)
        line_ends = np.flatnonzero(chars == _LINE_FEED)
        begins: IntArray | list[int]
        if self._all:
            begins = np.flatnonzero(chars == _LESS)
            following = np.minimum(begins + 1, len(chars) - 1)  # `<` at the end is an error that the parser reports
            begins = begins[chars[following] != _SLASH]
            self._names += bytes(len(begins))
        else:
            matches = list(self._pattern.finditer(text))
            begins = [tag.start() for tag in matches]
            self._names += bytes([self._codes[tag[1]] for tag in matches])
        self._lines.frombytes((np.searchsorted(line_ends, begins) + self._line).astype(np.int64).tobytes())
        self._line += len(line_ends)

    def _blank_markup(self, text: bytes) -> bytes:
        """The text with only the line feeds of comments, CDATA sections and processing instructions."""
        parts, at, begin = [], 0, 0
        self._pending = b""
        while True:
            if not self._closing:
                opening = _OPENING_MARKUP.search(text, at)
                if opening is None:
                    break
                parts.append(text[at : opening.start()])
                at, begin, self._closing = opening.start(), opening.end(), _CLOSING_MARKUP[opening[0]]
            end = text.find(self._closing, begin)
            if end < 0:
                certain = max(begin, len(text) - len(self._closing) + 1)
                self._pending = text[certain:]
                return b"".join((*parts, b"\n" * text.count(b"\n", at, certain)))
            end += len(self._closing)
            parts.append(b"\n" * text.count(b"\n", at, end))
            at, begin, self._closing = end, end, b""
        return b"".join((*parts, text[at:]))

    def take(self, count: int | None = None) -> TagColumns:
        """Return and forget the next `count` tags, or all."""
        end = len(self._lines) if count is None else self._taken + count
        lines = np.frombuffer(self._lines[self._taken : end], dtype=np.int64)
        names = np.frombuffer(self._names[self._taken : end], dtype=np.uint8)
        self._taken = end
        if self._taken == len(self._lines):
            self._lines, self._names, self._taken = array("q"), bytearray(), 0
        return TagColumns(lines, names)


# Large documents, block by block.


class XmlBlock(NamedTuple):
    """A child of the root, or the root itself."""

    element: etree._Element
    lines: IntArray  # of the requested start tags in the element, itself included, in document order


class XmlBlocks:
    """The root, still without content, and then its children, each when it is complete.

    A block is cleared before the next one, so that the document is never in memory as a whole. An XML error is reported
    after the blocks that precede it, and ends the iteration; so does a block or a text that is too large for memory.

    Args:
        stream: the document.
        name: name of the input, for messages.
        problems: receives the error.
        block: name of the children that are yielded at once; others are yielded with the next of these.
        tags: names whose lines are recorded, in any namespace; None for all.
    """

    def __init__(
        self, stream: BinaryIO, name: str, problems: ProblemHandler, *, block: str, tags: Sequence[str] | None
    ) -> None:
        self.sound = False  # whether the document was read to its end
        self.line = 1  # the last line that was read
        self._stream = stream
        self._name = name
        self._problems = problems
        self._block = f"{{*}}{block}"
        self._tags = tags

    def __iter__(self) -> Iterator[XmlBlock]:
        try:
            yield from self._blocks()
        except InputError as problem:
            self._problems(problem)
        else:
            self.sound = True

    def _blocks(self) -> Iterator[XmlBlock]:
        from lxml import etree

        bytes_read = iter(lambda: self._stream.read(_CHUNK), b"")
        chunks = safe_chunks(utf_8_chunks(bytes_read, self._name), self._name, standalone=True)
        head = next(chunks)
        begin, root_tag = find_root(head)
        root_line = head.count(b"\n", 0, begin) + 1
        lines = TagLines(self._tags, root_line)
        tags = f"{{*}}{root_tag if is_tag(root_tag) else '*'}", self._block
        parser = etree.XMLPullParser(("start", "end"), tag=tags, **PARSER_OPTIONS)
        count_tags = _element_counter(self._tags)
        root: etree._Element | None = None
        done: etree._Element | None = None
        block_bytes = 0  # of the tree since the last block
        for chunk in chain((head,), chunks, (None,)):
            problem = feed_parser(parser, chunk, self._name)
            if chunk is not None:
                lines.feed(chunk if chunk is not head else head[begin + 1 :])  # without the root
                self.line = lines.line
                block_bytes += tree_bytes(chunk)
            for event, element in parser.read_events():
                if root is None:
                    root = element
                    yield XmlBlock(root, np.array([root_line]))
                elif event == "end" and (element is root or element.getparent() is root):
                    # The children after the previous block up to this one, or all others at the end of the root.
                    for child in root.iterchildren("*") if done is None else done.itersiblings("*"):
                        yield XmlBlock(child, lines.take(count_tags(child)).line)
                        child.clear(keep_tail=True)
                        if child is element:
                            break
                    # Keep the last child and what follows it: the parser continues there.
                    while element is not root and root[0] is not element:
                        del root[0]
                    done, block_bytes = element, 0
            if problem is None and lines.bytes_without_tag > MAX_XML_TEXT_BYTES:
                problem = InputError(self._name, self.line, f"a text or a tag longer than {MAX_XML_TEXT_BYTES} bytes")
            if problem is None and block_bytes > MAX_TREE_BYTES:
                tag = self._block.removeprefix("{*}")
                reason = f"a <{tag}>, or what precedes it, takes more than {MAX_TREE_BYTES >> 20} MiB of memory"
                problem = InputError(self._name, self.line, reason)
            if problem is not None:
                raise problem


def _element_counter(tags: Sequence[str] | None) -> Callable[[etree._Element], int]:
    """Function that counts the elements with these names (None: all) in an element, itself included."""
    from lxml import etree

    if tags is None:
        count = etree.XPath("count(descendant-or-self::*)")
        return lambda element: int(count(element))
    patterns = [f"{{*}}{tag}" for tag in tags]
    return lambda element: sum(1 for _ in element.iter(patterns))
