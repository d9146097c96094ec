"""Grammars of users' own, in RELAX NG, XML Schema or as a DTD, and where a document breaks one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from prum_eval.errors import InputError
from prum_eval.text.streams import STDIN, display_name, open_input
from prum_eval.text.xml.encodings import utf_8_chunks
from prum_eval.text.xml.parsing import parse_document
from prum_eval.text.xml.places import lines_of_tags
from prum_eval.text.xml.prolog import safe_chunks
from prum_eval.text.xml.violations import violations

if TYPE_CHECKING:
    from lxml import etree

RELAX_NG, XML_SCHEMA, DTD = "RELAX NG", "XML Schema", "DTD"
_ENDINGS = {".rng": RELAX_NG, ".xsd": XML_SCHEMA, ".dtd": DTD}
_NAMESPACES = {
    "http://relaxng.org/ns/structure/1.0": RELAX_NG,
    "http://www.w3.org/2001/XMLSchema": XML_SCHEMA,
}
_IN_OUR_WORDS = ("Internal found no define for ref", "there is no definition of")
_MORE = "there may be more violations of the schema: mend these first"
_COMPACT = "the compact syntax of RELAX NG is not read: give the same schema in XML (.rng), as trang makes it"
_NO_SCHEMA = "expected a schema: RELAX NG in XML (.rng), XML Schema (.xsd) or a DTD (.dtd)"


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema that was read, and of which kind it is."""

    path: str
    kind: str
    validator: etree.RelaxNG | etree.XMLSchema | etree.DTD

    def violations(self, data: bytes, name: str) -> Iterator[InputError]:
        """Where a document breaks the schema, in the order of lines; a line is that where the element's tag begins.

        Args:
            data: the whole document.
            name: of the document, in messages.

        Raises:
            InputError: it is no XML that can be read safely, see `parse_document`.
        """
        root = parse_document(data, name)
        elements = list(root.iter("*"))  # which also keeps each the same object
        found, complete = violations(root, self.validator)
        if not found:
            return
        text = b"".join(safe_chunks(utf_8_chunks((data,), name), name, alone=False))
        numbers = {element: number for number, element in enumerate(elements)}
        told = [(numbers[element], reason) for element, reason in found]
        lines = lines_of_tags(text, {number for number, _ in told})
        yield from (InputError(name, lines[number], reason) for number, reason in sorted(told, key=itemgetter(0)))
        if not complete:
            yield InputError(name, None, _MORE)


def read_schema(path: str) -> Schema:
    """The schema of a file; what it includes is read from files beside it, never from a network.

    The kind is that of the ending, else of the root element; what is no XML is a DTD where it declares elements.

    Raises:
        InputError: it cannot be read, is broken, or is no schema.
    """
    from lxml import etree

    name = display_name(path)
    if path.endswith(".rnc"):
        raise InputError(name, None, _COMPACT)
    with open_input(path) as stream:
        data = stream.read()
    kind = next((kind for ending, kind in _ENDINGS.items() if path.endswith(ending)), None)
    if kind == DTD or (kind is None and b"<!ELEMENT" in data and not data.lstrip().startswith((b"<?", b"<!DOCTYPE"))):
        if path == STDIN:
            raise InputError(name, None, "a DTD cannot be read from standard input; give its path")
        return Schema(name, DTD, _dtd(path))
    parser = etree.XMLParser(no_network=True, resolve_entities="internal", remove_comments=True)
    try:
        root = etree.fromstring(data, parser, base_url=path)
    except etree.XMLSyntaxError:
        if kind is None:
            raise InputError(name, 1, _NO_SCHEMA) from None
        raise _broken(parser.error_log, name, "it is not well-formed") from None
    found = _NAMESPACES.get(etree.QName(root).namespace or "")
    if found is None or kind not in (None, found):
        raise InputError(name, root.sourceline, _NO_SCHEMA if kind is None else f"expected a schema in {kind}")
    try:
        return Schema(name, found, etree.RelaxNG(root) if found == RELAX_NG else etree.XMLSchema(root))
    except (etree.RelaxNGParseError, etree.XMLSchemaParseError) as error:
        raise _broken(error.error_log, name, str(error)) from None


def _dtd(path: str) -> etree.DTD:
    from lxml import etree

    try:
        found = etree.DTD(path)
    except etree.DTDParseError as error:
        raise _broken(error.error_log, path, str(error)) from None
    if len(found.error_log):  # what it did not find and what it did not understand, without which it says less
        raise _broken(found.error_log, path, "")
    if next(found.iterelements(), None) is None:
        raise InputError(path, 1, "the schema is broken: it declares no element")
    return found


def _broken(log: etree._ListErrorLog, path: str, otherwise: str) -> InputError:
    """The first error of a schema, in the file that has it: the schema itself or one that it includes."""
    first = next(iter(log.filter_from_errors()), None) or next(iter(log), None)
    if first is None:
        return InputError(path, None, f"the schema is broken: {otherwise}")
    file = first.filename if first.filename and not first.filename.startswith("<") else path
    reason = " ".join(first.message.split()).removesuffix(".").replace(*_IN_OUR_WORDS)
    return InputError(file, first.line or None, f"the schema is broken: {reason}")
