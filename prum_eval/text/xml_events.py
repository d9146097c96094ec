"""Safe, streaming XML: start, end and text events with exact line numbers, nothing loaded, no entity declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter
from typing import BinaryIO
from xml.parsers import expat

from prum_eval.errors import InputError, Problems
from prum_eval.text.numbers import shown

_CHUNK = 1 << 18
_STANDALONE = re.compile(rb"(\s)standalone\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_UTF_16 = b"<\x00"  # without byte-order mark, which `streams` knows
_CUT_OFF = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
)

Attributes = dict[str, str]


class XmlReader:
    """Base of the readers of XML inputs: overrides of `start` and `end` take the events.

    `line` is the line of the current event. What is wrong with the document as XML is reported, and ends the reading;
    `parse` then returns False. A document that is `alone` may not refer to entities that only an external DTD declares.
    """

    alone = True
    line = property(attrgetter("_parser.CurrentLineNumber"))  # asked for every element, so without a call of Python

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self._sound = False
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self.start
        self._parser.EndElementHandler = self.end
        self._parser.EntityDeclHandler = self._refuse_entity

    def start(self, tag: str, attributes: Attributes) -> None:
        """An element begins."""

    def end(self, tag: str, /) -> None:
        """An element ends."""

    def problem(self, reason: str, line: int | None = None) -> None:
        """Report a problem, on the current line unless another is given."""
        self.problems(InputError(self.name, self.line if line is None else line, reason))

    def parse(self, stream: BinaryIO) -> bool:
        """Read the whole document; False where it is not well-formed or cannot be read, which is reported."""
        for _ in self.steps(stream):
            pass
        return self._sound

    def steps(self, stream: BinaryIO) -> Iterator[None]:
        """Do as `parse`, stopping after each stretch of the document for what its events brought to be taken away."""
        first, final = self.alone, False
        while not final:
            try:
                chunk = stream.read(_CHUNK)
            except InputError as problem:
                self.problems(problem)
                return
            final = len(chunk) < _CHUNK
            failure = self._feed(chunk, first=first, final=final)
            if failure is not None:
                self.problems(failure)
                return
            yield
            first = False
        self._sound = True

    def _feed(self, chunk: bytes, *, first: bool, final: bool) -> InputError | None:
        if first and chunk.startswith(_UTF_16):
            return InputError(self.name, 1, "the text is UTF-16, expected UTF-8")
        try:
            self._parser.Parse(_standalone(chunk) if first else chunk, final)
        except expat.ExpatError as error:
            if final and error.code in _CUT_OFF:
                reason = "the XML is cut off: the file ends inside an element"
            else:
                reason = f"the XML is not well-formed: {expat.ErrorString(error.code)}"
            return InputError(self.name, error.lineno, reason)
        except _EntityDeclaredError as refusal:
            return InputError(self.name, self.line, str(refusal))
        except (LookupError, ValueError) as error:
            # What the parser raises for an encoding it does not know.
            return InputError(self.name, 1, f"the XML cannot be decoded: {error}")
        return None

    def _refuse_entity(
        self,
        entity: str,
        parameter: bool,  # noqa: FBT001 -- the parser's signature
        *_value: str | None,
    ) -> None:
        kind = "parameter entity" if parameter else "entity"
        raise _EntityDeclaredError(f"declaration of the {kind} {shown(entity)}: entity declarations are refused")


class _EntityDeclaredError(Exception):
    """Leaves the parser before an entity can be used."""


def _standalone(head: bytes) -> bytes:
    """The beginning of a document, declared to stand alone.

    A document that names an external DTD may use entities that only the DTD declares. The parser, which never loads it,
    would drop such a reference in an attribute without a word; in a document that stands alone it is an error.
    """
    if not re.match(rb"<\?xml\s", head):
        return b"<?xml version='1.0' standalone='yes'?>" + head
    end = head.find(b"?>")
    if end < 0:
        return head
    return _STANDALONE.sub(rb"\1", head[:end]) + b" standalone='yes'" + head[end:]
