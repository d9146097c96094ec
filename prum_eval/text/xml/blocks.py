"""Large XML in blocks: the children of its root, one after the other, with the lines of their tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from prum_eval.arrays import IntArray
from prum_eval.errors import InputError, Problems
from prum_eval.text.element_paths import is_tag
from prum_eval.text.xml.encodings import utf_8_chunks
from prum_eval.text.xml.parsing import OPTIONS, feed, parse_safe
from prum_eval.text.xml.prolog import root_of, safe_chunks
from prum_eval.text.xml.tag_lines import TagColumns, TagLines

if TYPE_CHECKING:
    from lxml import etree

_CHUNK = 1 << 16  # of all sizes the one that the parser is fastest with


def name_of(element: etree._Element) -> str:
    """Name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def whole_document(data: bytes, name: str, tags: Sequence[str] | None) -> tuple[etree._Element, TagColumns]:
    """The root of a document that fits into memory, and all start tags of some names, or of all for None.

    Raises:
        InputError: what is wrong with the document as XML.
    """
    safe = b"".join(safe_chunks(utf_8_chunks((data,), name), name, alone=True))
    begin, _ = root_of(safe)
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
        self, stream: BinaryIO, name: str, problems: Problems, *, block: str, tags: Sequence[str] | None
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
        begin, root_tag = root_of(head)
        root_line = head.count(b"\n", 0, begin) + 1
        lines = TagLines(self._tags, root_line)
        tags = f"{{*}}{root_tag if is_tag(root_tag) else '*'}", self._block
        parser = etree.XMLPullParser(("start", "end"), tag=tags, **OPTIONS)
        root: etree._Element | None = None
        done: etree._Element | None = None
        for chunk in chain((head,), chunks, (None,)):
            problem = feed(parser, chunk, self._name)
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
        counted = _counter(self._tags)
        for child in root.iterchildren("*") if done is None else done.itersiblings("*"):
            yield XmlBlock(child, lines.take(counted(child)).line)
            child.clear(keep_tail=True)
            if child is last:
                break
        # The last child and what stands behind it stay: the parser goes on there.
        while last is not root and root[0] is not last:
            del root[0]


def _counter(tags: Sequence[str] | None) -> Callable[[etree._Element], int]:
    """What counts the elements of these names in an element and itself; of all names for None."""
    from lxml import etree

    if tags is None:
        every = etree.XPath("count(descendant-or-self::*)")
        return lambda element: int(every(element))
    patterns = [f"{{*}}{tag}" for tag in tags]
    return lambda element: sum(1 for _ in element.iter(patterns))
