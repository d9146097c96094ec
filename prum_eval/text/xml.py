"""Large XML in blocks: the children of its root, one after the other, with the lines of their tags."""

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


# XML in any encoding as UTF-8, so that all that follows may look at bytes.


_DECLARED_ENCODING = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)[\"']")
_UTF_8_NAMES = frozenset((b"utf-8", b"utf8", b"us-ascii", b"ascii"))
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", ""),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def utf_8_chunks(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The same text as UTF-8 without byte-order mark, with line feeds alone between lines.

    Args:
        chunks: the text; an XML declaration stands in the first chunk as a whole.
        name: of the input, in messages.

    The encoding is that of the byte-order mark, else that which the zeros of UTF-16 and UTF-32 show, else the declared
    one, else UTF-8. What is UTF-8 already is not checked: the parser does that.

    Raises:
        InputError: the encoding is not known, or the text is not in it.
    """
    stream = iter(chunks)
    first = next(stream, b"")
    mark, encoding = next(((mark, found) for mark, found in _BYTE_ORDER_MARKS if first.startswith(mark)), (b"", None))
    if encoding is None:
        encoding = _detect_codec(first, name)
    text = _chain_chunks(first[len(mark) :], stream)
    return _normalise_line_ends(_decode_chunks(text, encoding, name) if encoding else text)


def is_utf_8(text: bytes, name: str) -> bool:
    """Whether `utf_8_chunks` would leave a document as it is, which most are.

    Raises:
        InputError: the encoding is not known.
    """
    return text.startswith(b"<") and b"\r" not in text and not _detect_codec(text, name)


def _chain_chunks(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _detect_codec(head: bytes, name: str) -> str:
    """Name of Python's codec of a text that begins so; empty for UTF-8."""
    zeros = tuple(byte == 0 for byte in head[:4])
    if zeros[:2] == (True, True):
        return "utf-32-be"
    if zeros[:1] == (True,):
        return "utf-16-be"
    if zeros[1:4] == (True, True, True):
        return "utf-32-le"
    if zeros[1:2] == (True,):
        return "utf-16-le"
    declared = _DECLARED_ENCODING.match(head)
    if declared is None or declared[1].lower() in _UTF_8_NAMES:
        return ""
    encoding = declared[1].decode()
    try:
        true = b"<?xml".decode(encoding) == "<?xml"
    except (LookupError, ValueError):  # LookupError also for codecs from bytes to bytes
        true = False
    if not true:
        reason = (
            f"the XML cannot be decoded: the declared encoding {quote_value(encoding)} is not known or not the true one"
        )
        raise InputError(name, 1, reason)
    return encoding


def _decode_chunks(chunks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for chunk in _with_end_marker(chunks):
        try:
            text = decoder.decode(chunk or b"", final=chunk is None)
        except (UnicodeDecodeError, ValueError) as error:
            raise InputError(name, line, f"the XML cannot be decoded: {error}") from error
        line += text.count("\n")
        try:
            yield text.encode()
        except UnicodeEncodeError as error:
            raise InputError(name, line, f"the XML cannot be decoded: {error}") from error


def _with_end_marker(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    yield from chunks
    yield None


def _normalise_line_ends(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """As a parser normalises line ends, before any line is counted."""
    held = b""  # a carriage return at the end of a chunk: whether a line feed follows is not known yet
    for chunk in chunks:
        text = held + chunk if held else chunk
        held = b""
        if b"\r" in text:
            if text.endswith(b"\r"):
                text, held = text[:-1], b"\r"
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if text:
            yield text
    if held:
        yield b"\n"


# What stands before the root of an XML document: entities are refused there, defaults of attributes dropped.
#
# The parser would replace entities in attributes whatever it is told, and defaults of attributes can make a small
# document a huge one; so both are found in the bytes before the parser sees them.


_MAX_PROLOG_BYTES = 1 << 24
_MARKUP_OR_QUOTE = re.compile(rb"[<\"']")
_ENTITY = re.compile(rb"<!ENTITY\s+(%\s+)?([^\s\"'>]*)")
_NOT_LINE_FEED = re.compile(rb"[^\n]")
_DECLARATION = re.compile(rb"<\?xml\s[^>]*?\?>")
_STANDALONE = re.compile(rb"(\s)standalone\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_QUOTE_OR_END = re.compile(rb"[>\"']")
_TAG = re.compile(rb"<(?:[^\s/>:]+:)?([^\s/>:]+)(?![^\s/>])")
_NAME_ENDS = re.compile(rb"[\s/>]")
_ENDS = ((b"<!--", b"-->"), (b"<?", b"?>"), (b'"', b'"'), (b"'", b"'"))
_ENTITY_BEGINS, _DEFAULTS = b"<!ENTITY", b"<!ATTLIST"
_LONGEST = len(_DEFAULTS)


def safe_chunks(chunks: Iterable[bytes], name: str, *, alone: bool) -> Iterator[bytes]:
    """The same document in UTF-8 with a prolog that is safe to parse; lines stay where they are.

    The first chunk holds the whole prolog and the name of the root, if there is one.

    Args:
        chunks: the document in UTF-8, with line feeds alone between lines.
        name: of the input, in messages.
        alone: whether a reference to an entity that only an external DTD may declare is to be an error; else it is a
            node of its own in the tree. (Nothing external is ever read.)

    Raises:
        InputError: an entity is declared.
    """
    stream = iter(chunks)
    prolog, at = b"", 0
    parts: list[tuple[int, int]] = []
    while True:
        at, root = _scan_prolog(prolog, at, parts, name)
        more = None if root else next(stream, None)
        if more is None:
            break
        prolog += more
        if at > _MAX_PROLOG_BYTES:
            raise InputError(name, None, f"no element in the first {_MAX_PROLOG_BYTES >> 20} MiB of the XML")
    for begin, end in parts:
        prolog = prolog[:begin] + _NOT_LINE_FEED.sub(b" ", prolog[begin:end]) + prolog[end:]
    yield _standalone(prolog) if alone else prolog
    yield from stream


def find_root(prolog: bytes) -> tuple[int, str]:
    """Where the root begins in the first of the `safe_chunks`, and its name without prefix, none where that is odd."""
    begin, _ = _scan_prolog(prolog, 0, [], "")
    tag = _TAG.match(prolog, begin)
    return begin, tag[1].decode(errors="replace") if tag is not None else ""


def _scan_prolog(text: bytes, at: int, defaults: list[tuple[int, int]], name: str) -> tuple[int, bool]:
    """Go on towards the root: the place behind the last whole declaration or string, and whether the root is there.

    The extents of declarations of attributes are added to `defaults`.
    """
    while (sign := _MARKUP_OR_QUOTE.search(text, at)) is not None:
        begin = sign.start()
        if len(text) - begin < _LONGEST:
            return begin, False  # what it begins may go on in the next chunk
        if sign[0] == b"<" and text[begin + 1] not in b"!?":
            return begin, _NAME_ENDS.search(text, begin) is not None
        end = _end_of_construct(text, begin, name)
        if end == 0:
            return begin, False
        if text.startswith(_DEFAULTS, begin):
            defaults.append((begin, end))
        at = end
    return len(text), False


def _end_of_construct(text: bytes, begin: int, name: str) -> int:
    """Where what begins with that sign ends, 0 where that is not there yet; of most declarations behind ``<!``."""
    for first, last in _ENDS:
        if text.startswith(first, begin):
            end = text.find(last, begin + len(first))
            return end + len(last) if end >= 0 else 0
    if text.startswith(_ENTITY_BEGINS, begin):
        declared = _ENTITY.match(text, begin)
        if declared is None or declared.end() == len(text):
            return 0
        kind = "parameter entity" if declared[1] else "entity"
        what = quote_value(declared[2].decode(errors="replace"))
        reason = f"declaration of the {kind} {what}: entity declarations are refused"
        raise InputError(name, text.count(b"\n", 0, begin) + 1, reason)
    return _declaration_end(text, begin) if text.startswith(_DEFAULTS, begin) else begin + 2


def _declaration_end(text: bytes, at: int) -> int:
    """Behind the ``>`` that ends the declaration; 0 where it is not there yet."""
    while (sign := _QUOTE_OR_END.search(text, at)) is not None:
        if sign[0] == b">":
            return sign.end()
        at = text.find(sign[0], sign.end()) + 1
        if at == 0:
            break
    return 0


def _standalone(prolog: bytes) -> bytes:
    """The beginning of a document, declared to stand alone.

    A document that names an external DTD may use entities that only the DTD declares. The parser, which never loads it,
    would drop such a reference in an attribute without a word; in a document that stands alone it is an error.
    """
    declaration = _DECLARATION.match(prolog)
    if declaration is None:
        return b"<?xml version='1.0' standalone='yes'?>" + prolog
    head = _STANDALONE.sub(rb"\1", declaration[0][:-2]) + b" standalone='yes'?>"
    return head + prolog[declaration.end() :]


# Parsers that load nothing, replace nothing and recover nothing, and what they say of a document that is not XML.


PARSER_OPTIONS: dict[str, Any] = {
    "encoding": "utf-8",
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}
"""Of every parser of XML, which is made for one document and given what `safe_chunks` yields."""
_WHOLE_DOCUMENT_ERRORS = frozenset(("ERR_DOCUMENT_END", "ERR_INVALID_CHAR", "ERR_UNDECLARED_ENTITY"))
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
        root: etree._Element = etree.fromstring(safe, etree.XMLParser(**PARSER_OPTIONS))
    except etree.XMLSyntaxError:
        # A parser that recovers goes on behind what is undeclared; one that is fed knows whether the end is wrong.
        second = etree.XMLPullParser((), **PARSER_OPTIONS, recover=undeclared)
        problem = feed_parser(second, safe, name, undeclared=undeclared) or feed_parser(
            second, None, name, undeclared=undeclared
        )
        if problem is not None:
            raise problem from None
        root = etree.fromstring(safe, etree.XMLParser(**PARSER_OPTIONS, recover=True))
    return root


def _is_namespace_error(error: etree._LogEntry) -> bool:
    """Whether it is about a prefix without declaration."""
    from lxml import etree

    return error.domain == etree.ErrorDomains.NAMESPACE


def _is_undeclared_error(error: etree._LogEntry) -> bool:
    """Whether it is about a prefix or an entity without declaration."""
    from lxml import etree

    return _is_namespace_error(error) or error.type == etree.ErrorTypes.ERR_UNDECLARED_ENTITY


def feed_parser(
    parser: etree.XMLPullParser, chunk: bytes | None, name: str, *, undeclared: bool = False
) -> InputError | None:
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
    fine = _is_undeclared_error if undeclared else _is_namespace_error
    errors = [one for one in parser.feed_error_log.filter_from_errors() if not fine(one)]
    return _parser_problem(errors[0], name, at_end=chunk is None) if errors else None


def _parser_problem(error: etree._LogEntry, name: str, *, at_end: bool) -> InputError:
    """What a parser noted, in our words where they say more; `at_end` when it was told that the text had ended."""
    from lxml import etree

    message = " ".join(error.message.split())
    if error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT and "depth" in message:
        reason = f"elements are nested more than {MAX_PATH_DEPTH} deep"
    elif at_end and (error.type_name not in _WHOLE_DOCUMENT_ERRORS or message.startswith("Incomplete")):
        reason = "the XML is cut off: the file ends inside an element"
    else:
        reason = f"the XML is not well-formed: {message.removeprefix('xmlParse')}"
    return InputError(name, error.line, reason)


# On which lines start tags stand, from the bytes alone: beyond line 65,535 the parser itself can only guess.
#
# In what lies behind the prolog, `<` and a name are a start tag wherever they stand outside comments, CDATA sections and
# instructions, since `<` cannot stand in a value. So the k-th start tag that is found is the k-th that the parser tells.


_OPENING_MARKUP = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_CLOSING_MARKUP = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_NAME_ENDS_tag_lines = re.compile(rb"[\s/>]")
_LINE_FEED, _LESS, _SLASH = b"\n</"
_PREFIX = rb"(?:[^\s<>/]*:)?"
_XMLNS = b"xmlns:"  # what declares a prefix


class TagColumns(NamedTuple):
    """Start tags in the order of the document."""

    line: IntArray
    name: NDArray[np.uint8]  # its place among the names that were asked for; 0 where these are all


class TagLines:
    """The lines of all start tags of some names, with any prefix, in the order of the document.

    Args:
        tags: the names; None for all that there are.
        line: of the first byte that `feed_parser` is given, which stands behind the prolog.
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
        self._end = b""  # the last bytes, in which a declaration may begin
        self._held = b""  # the end of the last bytes, where more is needed to know what it is
        self._closes = b""  # the end of what is passed over, where it has not come yet

    @property
    def line(self) -> int:
        """On which the last byte stands."""
        return self._line + self._held.count(b"\n")

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes, in UTF-8."""
        text = self._held + chunk if self._held else chunk
        if self._pattern is self._plain and (_XMLNS in text or _XMLNS in self._end + chunk[: len(_XMLNS)]):
            self._pattern = self._prefixed
        self._end = (self._end + chunk)[1 - len(_XMLNS) :] if len(chunk) < len(_XMLNS) else chunk[1 - len(_XMLNS) :]
        if self._closes or b"<!" in text or b"<?" in text:
            text = self._without_markup(text)
        else:
            self._held = b""
        if not self._closes:
            last = text.rfind(b"<")
            if last >= 0 and _NAME_ENDS_tag_lines.search(text, last) is None:
                text, self._held = text[:last], text[last:]
        signs = np.frombuffer(text, dtype=np.uint8)
        ends = np.flatnonzero(signs == _LINE_FEED)
        places: IntArray | list[int]
        if self._all:
            places = np.flatnonzero(signs == _LESS)
            places = places[
                signs[np.minimum(places + 1, len(signs) - 1)] != _SLASH
            ]  # the last sign: no XML, said later
            self._names += bytes(len(places))
        else:
            found = list(self._pattern.finditer(text))
            places = [tag.start() for tag in found]
            self._names += bytes([self._codes[tag[1]] for tag in found])
        self._lines.frombytes((np.searchsorted(ends, places) + self._line).astype(np.int64).tobytes())
        self._line += len(ends)

    def _without_markup(self, text: bytes) -> bytes:
        """The text with nothing but line feeds for comments, CDATA sections and instructions."""
        parts, at, begin = [], 0, 0
        self._held = b""
        while True:
            if not self._closes:
                opens = _OPENING_MARKUP.search(text, at)
                if opens is None:
                    break
                parts.append(text[at : opens.start()])
                at, begin, self._closes = opens.start(), opens.end(), _CLOSING_MARKUP[opens[0]]
            end = text.find(self._closes, begin)
            if end < 0:
                known = max(begin, len(text) - len(self._closes) + 1)
                self._held = text[known:]
                return b"".join((*parts, b"\n" * text.count(b"\n", at, known)))
            end += len(self._closes)
            parts.append(b"\n" * text.count(b"\n", at, end))
            at, begin, self._closes = end, end, b""
        return b"".join((*parts, text[at:]))

    def take(self, count: int | None = None) -> TagColumns:
        """The next `count` tags, or all."""
        end = len(self._lines) if count is None else self._taken + count
        lines = np.frombuffer(self._lines[self._taken : end], dtype=np.int64)
        names = np.frombuffer(self._names[self._taken : end], dtype=np.uint8)
        self._taken = end
        if self._taken == len(self._lines):
            self._lines, self._names, self._taken = array("q"), bytearray(), 0
        return TagColumns(lines, names)


_CHUNK = 1 << 16  # of all sizes the one that the parser is fastest with


def local_name(element: etree._Element) -> str:
    """Name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def parse_whole_document(data: bytes, name: str, tags: Sequence[str] | None) -> tuple[etree._Element, TagColumns]:
    """The root of a document that fits into memory, and all start tags of some names, or of all for None.

    Raises:
        InputError: what is wrong with the document as XML.
    """
    safe = b"".join(safe_chunks(utf_8_chunks((data,), name), name, alone=True))
    begin, _ = find_root(safe)
    lines = TagLines(tags, safe.count(b"\n", 0, begin) + 1)
    lines.feed(safe[begin:])
    return parse_safe(safe, name, undeclared=False), lines.take()


class XmlBlock(NamedTuple):
    """A child of the root, or the root itself."""

    element: etree._Element
    lines: IntArray  # of the start tags that were asked for, its own and those in it, in the order of the document


class XmlBlocks:
    """The root, of which only the start tag is there, and then its children, each when it is complete.

    A block is emptied when the next one is asked for, so that the document is never in memory as a whole. What is wrong
    with the document as XML is reported behind the blocks that are complete before it, and ends the reading.

    Args:
        stream: the document.
        name: of the input, in messages.
        problems: is called with what is wrong.
        block: the children of the root with this name are handed on as they come, others with the next of these.
        tags: the names whose lines are wanted, None for all. A name is meant in any namespace.
    """

    def __init__(
        self, stream: BinaryIO, name: str, problems: ProblemHandler, *, block: str, tags: Sequence[str] | None
    ) -> None:
        self.sound = False  # the document was read to its end
        self.line = 1  # the last one that was read
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
        chunks = safe_chunks(utf_8_chunks(bytes_read, self._name), self._name, alone=True)
        head = next(chunks)
        begin, root_tag = find_root(head)
        root_line = head.count(b"\n", 0, begin) + 1
        lines = TagLines(self._tags, root_line)
        tags = f"{{*}}{root_tag if is_tag(root_tag) else '*'}", self._block
        parser = etree.XMLPullParser(("start", "end"), tag=tags, **PARSER_OPTIONS)
        root: etree._Element | None = None
        done: etree._Element | None = None
        for chunk in chain((head,), chunks, (None,)):
            problem = feed_parser(parser, chunk, self._name)
            if chunk is not None:
                lines.feed(chunk if chunk is not head else head[begin + 1 :])  # without the root
                self.line = lines.line
            for event, element in parser.read_events():
                if root is None:
                    root = element
                    yield XmlBlock(root, np.array([root_line]))
                elif event == "end" and (element is root or element.getparent() is root):
                    yield from self._complete(root, done, element, lines)
                    done = element
            if problem is not None:
                raise problem

    def _complete(
        self, root: etree._Element, done: etree._Element | None, last: etree._Element, lines: TagLines
    ) -> Iterator[XmlBlock]:
        """The children of the root behind the one that is done, up to the last one, or all where that is the root."""
        counted = _element_counter(self._tags)
        for child in root.iterchildren("*") if done is None else done.itersiblings("*"):
            yield XmlBlock(child, lines.take(counted(child)).line)
            child.clear(keep_tail=True)
            if child is last:
                break
        # The last child and what stands behind it stay: the parser goes on there.
        while last is not root and root[0] is not last:
            del root[0]


def _element_counter(tags: Sequence[str] | None) -> Callable[[etree._Element], int]:
    """What counts the elements of these names in an element and itself; of all names for None."""
    from lxml import etree

    if tags is None:
        every = etree.XPath("count(descendant-or-self::*)")
        return lambda element: int(every(element))
    patterns = [f"{{*}}{tag}" for tag in tags]
    return lambda element: sum(1 for _ in element.iter(patterns))
