"""Grammars of users' own, in RELAX NG, XML Schema or as a DTD, and where a document breaks one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from prum_eval.errors import InputError
from prum_eval.text.streams import STDIN, display_name, open_input
from prum_eval.text.xml import parse_document, safe_chunks, utf_8_chunks

if TYPE_CHECKING:
    from lxml import etree


# From the paths that libxml2 gives in its messages to elements, and from elements to the lines of the bytes.
#
# Of a line beyond 65,535 the tree keeps a guess, so elements are counted: the k-th element of a document is that of the
# k-th start tag in its bytes.


_START_OR_OTHER = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|(<[^!?/])", re.DOTALL)
_STEP = re.compile(r"(?P<name>[^\[]+)(?:\[(?P<position>[0-9]+)\])?")


class LibxmlPathResolver:
    """Follows paths as libxml2 writes them: `/a/b[2]`, `/*/*[3]`, `/p:a/p:b`, also with `/text()` or `/@x` at the end.

    The children of an element are sorted once.
    """

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._children: dict[etree._Element, dict[str, list[etree._Element]]] = {}

    def find(self, path: str) -> etree._Element:
        """The element at the end of a path, or where it leads no further."""
        element = self._root
        for step in path.split("/")[2:]:
            found = _STEP.fullmatch(step)
            named = self._children_by_step(element).get(found["name"], []) if found is not None else []
            place = int(found["position"] or 1) - 1 if found is not None else 0
            if place >= len(named):
                break
            element = named[place]
        return element

    def _children_by_step(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        """The children by the name that a step has for them, `*` for all."""
        if element not in self._children:
            by_name: dict[str, list[etree._Element]] = {"*": list(element.iterchildren("*"))}
            for child in by_name["*"]:
                tag = str(child.tag).rpartition("}")[2]
                by_name.setdefault(f"{child.prefix}:{tag}" if child.prefix else tag, []).append(child)
            self._children[element] = by_name
        return self._children[element]


def lines_of_tags(text: bytes, wanted: Collection[int]) -> dict[int, int]:
    """Lines on which start tags begin, by their number from 0.

    Args:
        text: a well-formed document as the parser got it, in UTF-8.
        wanted: numbers of start tags, which are also those of the elements in document order.
    """
    lines: dict[int, int] = {}
    line, at, number = 1, 0, 0
    for tag in _START_OR_OTHER.finditer(text):
        if tag[1] is None:
            continue
        if number in wanted:
            line, at = line + text.count(b"\n", at, tag.start()), tag.start()
            lines[number] = line
            if len(lines) == len(wanted):
                break
        number += 1
    return lines


# Where a parsed document breaks a schema, as elements and reasons.


if TYPE_CHECKING:
    from lxml import etree

    Validator = etree.RelaxNG | etree.XMLSchema | etree.DTD

_WIDE, _MANY = 2000, 1000
_MOST_ELEMENTS, _FEWEST_ROUNDS = 20_000_000, 20
_STRANGER, _ATTRIBUTE, _TOO_SHORT = "RELAXNG_ERR_ELEMWRONG", "RELAXNG_ERR_INVALIDATTR", "RELAXNG_ERR_NOELEM"
_CONSEQUENT_ERRORS = frozenset(("RELAXNG_ERR_CONTENTVALID", "RELAXNG_ERR_DATATYPE"))
_VAGUE_ERRORS = frozenset(f"RELAXNG_ERR_{kind}" for kind in ("EXTRACONTENT", "INTEREXTRA", "INTERSEQ", "INTERNODATA"))
_ATTRIBUTE_MESSAGE = re.compile("Invalid attribute (.*) for element ")


def find_violations(root: etree._Element, validator: Validator) -> tuple[dict[tuple[etree._Element, str], None], bool]:
    """Elements that break the schema, each with the reason; and whether these are all. The tree is changed on the way.

    They are all unless there are very many, or with RELAX NG one in the place of another.
    """
    from lxml import etree

    etree.strip_tags(root, etree.Entity)  # they are no text, and XML Schema stops at them
    very_many = _violations_among_first(root, validator)
    if very_many:
        return very_many, False
    if validator.validate(root):
        return {}, True
    if isinstance(validator, etree.RelaxNG):
        return _RelaxNG(root, validator).violations()
    return dict.fromkeys(
        (element, _message_sentence(entry.message)) for element, entry in _validator_errors(root, validator)
    ), True


class _RelaxNG:
    """The violations of RELAX NG, where libxml2 looks at little behind the first one of an element's content.

    So what breaks the schema is taken out, an attribute or the element itself, and the document looked at again. What
    is found then may only follow: that more is expected where something was taken out, or not what stands next. Such is
    not told, and nothing more is taken out there.
    """

    def __init__(self, root: etree._Element, validator: etree.RelaxNG) -> None:
        self._root, self._validator = root, validator
        self._found: dict[tuple[etree._Element, str], None] = {}
        self._known: set[etree._Element] = set()  # of which something was told
        self._settled: set[etree._Element] = set()  # in which nothing more is taken out
        self._behind: dict[etree._Element, etree._Element | None] = {}  # what followed what was taken out of these

    def violations(self) -> tuple[dict[tuple[etree._Element, str], None], bool]:
        """All of them, and whether that is sure."""
        elements = _insert_blanks(self._root)
        for _ in range(max(_FEWEST_ROUNDS, _MOST_ELEMENTS // elements)):
            if self._validator.validate(self._root) or not self._round():
                return self._found, True
        return self._found, False

    def _round(self) -> bool:
        """Note what is wrong, and take it out; False if there is nothing more to take out."""
        told = _validator_errors(self._root, self._validator)
        clear = [one for one in told if not _is_vague(one[1])] or told[:1]
        wrong = [one for one in clear if not self._only_follows(*one)]
        for element, entry in wrong:
            if element not in self._known:
                self._found[element, _violation_reason(element, entry)] = None
        self._known.update(element for element, _ in wrong)
        return any([self._remove_cause(element, entry) for element, entry in dict(wrong).items()])  # noqa: C419 -- all of them

    def _only_follows(self, element: etree._Element, entry: etree._LogEntry) -> bool:
        above = element.getparent()
        if entry.type_name == _TOO_SHORT and element in self._behind:
            return True
        if above is None or above not in self._behind or (entry.type_name != _STRANGER and not _is_vague(entry)):
            return False
        if self._behind[above] is element or above in self._settled or _is_vague(entry):
            self._settled.add(above)
            return True
        return False

    def _remove_cause(self, element: etree._Element, entry: etree._LogEntry) -> bool:
        """Take out an attribute, else the element."""
        named = _ATTRIBUTE_MESSAGE.match(entry.message) if entry.type_name == _ATTRIBUTE else None
        bad = [key for key in element.attrib if named is not None and str(key).rpartition("}")[2] == named[1]]
        for key in bad:
            del element.attrib[key]
        above = element.getparent()
        if bad or above is None or above in self._settled:
            return bool(bad)
        self._behind[above] = element.getnext()
        _remove_element(element, above)
        return True


def _violations_among_first(root: etree._Element, validator: Validator) -> dict[tuple[etree._Element, str], None]:
    """The violations among the first children of elements that have very many, where those are many; else nothing.

    Each that libxml2 notes takes time in proportion to the number of siblings: were all told, minutes would pass. What
    is wrong with a child does not depend on those that follow; what is said of their parent is left out. The tree is
    the same again if nothing is found.
    """
    wide = {element: list(element) for element in root.iter("*") if len(element) > _WIDE}
    for element, children in wide.items():
        for child in children[_WIDE:]:
            element.remove(child)
    for size in range(_WIDE, max(map(len, wide.values()), default=0), _WIDE):
        validator.validate(root)
        if len(validator.error_log) > _MANY:
            told = [one for one in _validator_errors(root, validator) if one[0] not in wide and not _is_vague(one[1])]
            return dict.fromkeys((element, _violation_reason(element, entry)) for element, entry in told)
        for element, children in wide.items():
            element.extend(children[size : size + _WIDE])
    return {}


def _validator_errors(root: etree._Element, validator: Validator) -> list[tuple[etree._Element, etree._LogEntry]]:
    """What the validator noted, without what only follows from the note before it in the same place."""
    steps, before = LibxmlPathResolver(root), ""
    told = []
    for entry in validator.error_log:
        path = str(entry.path or "")
        if entry.type_name not in _CONSEQUENT_ERRORS or not f"{before}/".startswith(f"{path}/"):
            told.append((steps.find(path), entry))
        before = path
    return told


def _is_vague(entry: etree._LogEntry) -> bool:
    """Whether this may be a trace of the validator's way through alternatives."""
    return entry.type_name in _VAGUE_ERRORS or (entry.type_name == _TOO_SHORT and "element ," not in entry.message)


def _insert_blanks(root: etree._Element) -> int:
    """A blank before the first child of every element, where white space means nothing; how many elements there are.

    Of an element whose attributes are wrong libxml2 names the first node inside it: now that is never an element.
    """
    count = 0
    for element in root.iter("*"):
        count += 1
        if len(element) and not element.text:
            element.text = " "
    return count


def _remove_element(element: etree._Element, above: etree._Element) -> None:
    """Remove an element, not the text behind it."""
    previous, tail = element.getprevious(), element.tail or ""
    if previous is not None:
        previous.tail = (previous.tail or "") + tail
    else:
        above.text = (above.text or "") + tail
    above.remove(element)


def _violation_reason(element: etree._Element, entry: etree._LogEntry) -> str:
    if entry.type_name == _TOO_SHORT:  # libxml2 would not say which element is missing, nor where
        return f"Element {str(element.tag).rpartition('}')[2]} ends where more elements are expected"
    return _message_sentence(entry.message)


def _message_sentence(message: str) -> str:
    words = " ".join(message.split()).removesuffix(".")
    return f"{words} nothing" if words.endswith(", got") else words


RELAX_NG, XML_SCHEMA, DTD = "RELAX NG", "XML Schema", "DTD"
_ENDINGS = {".rng": RELAX_NG, ".xsd": XML_SCHEMA, ".dtd": DTD}
_NAMESPACES = {
    "http://relaxng.org/ns/structure/1.0": RELAX_NG,
    "http://www.w3.org/2001/XMLSchema": XML_SCHEMA,
}
_PLAIN_MESSAGES = ("Internal found no define for ref", "there is no definition of")
_MORE_VIOLATIONS = "there may be more violations of the schema: mend these first"
_COMPACT_SYNTAX = "the compact syntax of RELAX NG is not read: give the same schema in XML (.rng), as trang makes it"
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
        found, complete = find_violations(root, self.validator)
        if not found:
            return
        text = b"".join(safe_chunks(utf_8_chunks((data,), name), name, alone=False))
        numbers = {element: number for number, element in enumerate(elements)}
        told = [(numbers[element], reason) for element, reason in found]
        lines = lines_of_tags(text, {number for number, _ in told})
        yield from (InputError(name, lines[number], reason) for number, reason in sorted(told, key=itemgetter(0)))
        if not complete:
            yield InputError(name, None, _MORE_VIOLATIONS)


def read_schema(path: str) -> Schema:
    """The schema of a file; what it includes is read from files beside it, never from a network.

    The kind is that of the ending, else of the root element; what is no XML is a DTD where it declares elements.

    Raises:
        InputError: it cannot be read, is broken, or is no schema.
    """
    from lxml import etree

    name = display_name(path)
    if path.endswith(".rnc"):
        raise InputError(name, None, _COMPACT_SYNTAX)
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
        raise _schema_error(parser.error_log, name, "it is not well-formed") from None
    found = _NAMESPACES.get(etree.QName(root).namespace or "")
    if found is None or kind not in (None, found):
        raise InputError(name, root.sourceline, _NO_SCHEMA if kind is None else f"expected a schema in {kind}")
    try:
        return Schema(name, found, etree.RelaxNG(root) if found == RELAX_NG else etree.XMLSchema(root))
    except (etree.RelaxNGParseError, etree.XMLSchemaParseError) as error:
        raise _schema_error(error.error_log, name, str(error)) from None


def _dtd(path: str) -> etree.DTD:
    from lxml import etree

    try:
        found = etree.DTD(path)
    except etree.DTDParseError as error:
        raise _schema_error(error.error_log, path, str(error)) from None
    if len(found.error_log):  # what it did not find and what it did not understand, without which it says less
        raise _schema_error(found.error_log, path, "")
    if next(found.iterelements(), None) is None:
        raise InputError(path, 1, "the schema is broken: it declares no element")
    return found


def _schema_error(log: etree._ListErrorLog, path: str, otherwise: str) -> InputError:
    """The first error of a schema, in the file that has it: the schema itself or one that it includes."""
    first = next(iter(log.filter_from_errors()), None) or next(iter(log), None)
    if first is None:
        return InputError(path, None, f"the schema is broken: {otherwise}")
    file = first.filename if first.filename and not first.filename.startswith("<") else path
    reason = " ".join(first.message.split()).removesuffix(".").replace(*_PLAIN_MESSAGES)
    return InputError(file, first.line or None, f"the schema is broken: {reason}")
