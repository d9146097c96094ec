"""Schemas in RELAX NG, XML Schema or as a DTD, and the places where documents violate them.

libxml2 names elements by paths in its messages; the tree keeps only a guess of lines beyond 65,535. So the elements are
found by path, numbered in document order, and located by the start tag with the same number in the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from prum_eval.errors import InputError
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import (
    NO_REGULAR_FILE,
    STDIN,
    Content,
    display_name,
    is_special_file,
    open_input,
    read_all_bytes,
)
from prum_eval.text.xml import NO_MEMORY, local_name, parse_document, safe_document

if TYPE_CHECKING:
    from lxml import etree

    Validator = etree.RelaxNG | etree.XMLSchema | etree.DTD

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

_REFERENCE = re.compile(
    rb"(?:\b(?:href|schemaLocation)\s*=|\bSYSTEM|\bPUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s*(?:\"([^\"]*)\"|'([^']*)')"
)
_INTERNAL_ERROR = re.compile(r"^Internal error: \w+, ")
_MAX_SCHEMA_FILES = 1000
_MAX_CHILDREN, _MANY_ERRORS = 2000, 1000
_MAX_VALIDATED_ELEMENTS, _MIN_ROUNDS = 20_000_000, 20
_WRONG_ELEMENT, _BAD_ATTRIBUTE = "RELAXNG_ERR_ELEMWRONG", "RELAXNG_ERR_INVALIDATTR"
_MISSING_ELEMENT = "RELAXNG_ERR_NOELEM"
_CONSEQUENT_ERRORS = frozenset(("RELAXNG_ERR_CONTENTVALID", "RELAXNG_ERR_DATATYPE"))
_VAGUE_ERRORS = frozenset(f"RELAXNG_ERR_{kind}" for kind in ("EXTRACONTENT", "INTEREXTRA", "INTERSEQ", "INTERNODATA"))
_ATTRIBUTE_MESSAGE = re.compile("Invalid attribute (.*) for element ")
_START_OR_OTHER = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|(<[^!?/])", re.DOTALL)
_STEP = re.compile(r"(?P<name>[^\[]+)(?:\[(?P<position>[0-9]+)\])?")


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema and its kind."""

    path: str
    kind: str
    validator: etree.RelaxNG | etree.XMLSchema | etree.DTD

    def violations(self, data: bytes, name: str) -> Iterator[InputError]:
        """Violations of the schema by a document, ordered by the lines of the elements' start tags.

        Args:
            data: the whole document.
            name: name of the document, for messages.

        Raises:
            InputError: the document cannot be parsed safely, see `parse_document`, or the validator fails.
        """
        from lxml import etree

        root = parse_document(data, name)
        elements = list(root.iter("*"))  # lxml keeps the identity of elements only while they are referenced
        try:
            violations, complete = _find_violations(root, self.validator)
        except etree.LxmlError as error:
            log = self.validator.error_log
            no_memory = any(entry.type == etree.ErrorTypes.ERR_NO_MEMORY for entry in log)
            reason = NO_MEMORY if no_memory else f"the validator of the schema gives up: {_first_message(log, error)}"
            raise InputError(name, None, reason) from None
        if not violations:
            return
        numbers = {element: number for number, element in enumerate(elements)}
        reasons = [(numbers[element], reason) for element, reason in violations]
        lines = _lines_of_tags(safe_document(data, name, standalone=False), {number for number, _ in reasons})
        yield from (InputError(name, lines[number], reason) for number, reason in sorted(reasons, key=itemgetter(0)))
        if not complete:
            yield InputError(name, None, _MORE_VIOLATIONS)


def _first_message(log: etree._ListErrorLog, error: Exception) -> str:
    entry = next(iter(log), None)
    return _INTERNAL_ERROR.sub("", " ".join(str(error if entry is None else entry.message).split())).removesuffix(".")


def read_schema(source: str | Content) -> Schema:
    """Read a schema; files that it includes are read too, but never from a network, and regular files only.

    The file ending tells the kind, else the root element; a text without XML markup that declares elements is a DTD.

    Raises:
        InputError: the file cannot be read, is broken, or is no schema.
    """
    from lxml import etree

    name = display_name(source)
    path = STDIN if isinstance(source, Content) else source
    if path.endswith(".rnc"):
        raise InputError(name, None, _COMPACT_SYNTAX)
    if path != STDIN and is_special_file(Path(path)):
        raise InputError(name, None, NO_REGULAR_FILE)
    with open_input(source) as stream:
        data = read_all_bytes(stream, name)
    _check_references(name, Path(path).parent, data)
    kind = next((kind for ending, kind in _ENDINGS.items() if path.endswith(ending)), None)
    if kind == DTD or (kind is None and b"<!ELEMENT" in data and not data.lstrip().startswith((b"<?", b"<!DOCTYPE"))):
        if path == STDIN:
            raise InputError(name, None, "a DTD cannot be read from standard input; give its path")
        return Schema(name, DTD, _read_dtd(path))
    parser = etree.XMLParser(no_network=True, resolve_entities="internal", remove_comments=True)
    try:
        root = etree.fromstring(data, parser, base_url=path)
    except etree.XMLSyntaxError:
        if kind is None:
            raise InputError(name, 1, _NO_SCHEMA) from None
        raise _schema_error(parser.error_log, name, "it is not well-formed") from None
    root_kind = _NAMESPACES.get(etree.QName(root).namespace or "")
    if root_kind is None or kind not in (None, root_kind):
        raise InputError(name, root.sourceline, _NO_SCHEMA if kind is None else f"expected a schema in {kind}")
    try:
        return Schema(name, root_kind, etree.RelaxNG(root) if root_kind == RELAX_NG else etree.XMLSchema(root))
    except (etree.RelaxNGParseError, etree.XMLSchemaParseError) as error:
        raise _schema_error(error.error_log, name, str(error)) from None


def _read_dtd(path: str) -> etree.DTD:
    from lxml import etree

    try:
        dtd = etree.DTD(path)
    except etree.DTDParseError as error:
        raise _schema_error(error.error_log, path, str(error)) from None
    if len(dtd.error_log):  # missing or bad declarations, without which it would accept too much
        raise _schema_error(dtd.error_log, path, "")
    if next(dtd.iterelements(), None) is None:
        raise InputError(path, 1, "the schema is broken: it declares no element")
    return dtd


def _check_references(name: str, folder: Path, data: bytes, seen: set[Path] | None = None) -> None:
    """Refuse a schema that names pipes or devices, which libxml2 would open and read without end.

    What this does not find, such as references relative to `xml:base`, ends at the limits of `SchemaProcess`.
    """
    seen = set() if seen is None else seen
    for match in _REFERENCE.finditer(data):
        text = next(group for group in match.groups() if group is not None).decode(errors="surrogateescape")
        file = folder / unquote(text.removeprefix("file://"))
        if "\0" in text or file in seen or len(seen) >= _MAX_SCHEMA_FILES:
            continue
        seen.add(file)
        if is_special_file(file):
            line = data.count(b"\n", 0, match.start()) + 1
            raise InputError(name, line, f"names {quote_value(text)}, which is not a regular file")
        if file.is_file():
            included = b""
            with suppress(InputError), open_input(str(file)) as stream:  # else libxml2 says what is wrong
                included = read_all_bytes(stream, str(file))
            _check_references(str(file), file.parent, included, seen)


def _schema_error(log: etree._ListErrorLog, path: str, default: str) -> InputError:
    """First error of a schema, in the file that contains it: the schema itself or an included one."""
    first = next(iter(log.filter_from_errors()), None) or next(iter(log), None)
    if first is None:
        return InputError(path, None, f"the schema is broken: {default}")
    file = first.filename if first.filename and not first.filename.startswith("<") else path
    reason = " ".join(first.message.split()).removesuffix(".").replace(*_PLAIN_MESSAGES)
    return InputError(file, first.line or None, f"the schema is broken: {reason}")


def _find_violations(root: etree._Element, validator: Validator) -> tuple[dict[tuple[etree._Element, str], None], bool]:
    """Elements that violate the schema with reasons, and whether these are all. The tree is changed.

    They are all unless there are very many, or with RELAX NG many that must be removed one after the other.
    """
    from lxml import etree

    etree.strip_tags(root, etree.Entity)  # entities have no text, and XML Schema stops at them
    many = _violations_among_first(root, validator)
    if many:
        return many, False
    if validator.validate(root):
        return {}, True
    if isinstance(validator, etree.RelaxNG):
        return _RelaxNG(root, validator).violations()
    errors = _validator_errors(root, validator)
    return dict.fromkeys((element, _message_sentence(entry.message)) for element, entry in errors), True


class _RelaxNG:
    """Violations of RELAX NG, although libxml2 checks little after the first error in an element's content.

    The cause of every error, an attribute or the element itself, is removed and the document validated again. Later
    errors may be consequences of a removal: a missing element, or an unexpected one after the gap. These are not
    reported, and nothing more is removed from such an element.
    """

    def __init__(self, root: etree._Element, validator: etree.RelaxNG) -> None:
        self._root, self._validator = root, validator
        self._violations: dict[tuple[etree._Element, str], None] = {}
        self._reported: set[etree._Element] = set()
        self._closed: set[etree._Element] = set()  # elements from which nothing more is removed
        self._next: dict[etree._Element, etree._Element | None] = {}  # parent: successor of the removed child

    def violations(self) -> tuple[dict[tuple[etree._Element, str], None], bool]:
        """All violations, and whether they are complete."""
        # libxml2 names the first node in an element with wrong attributes: make sure that it is never an element.
        elements = 0
        for element in self._root.iter("*"):
            elements += 1
            if len(element) and not element.text:
                element.text = " "
        for _ in range(max(_MIN_ROUNDS, _MAX_VALIDATED_ELEMENTS // elements)):
            if self._validator.validate(self._root) or not self._remove_causes():
                return self._violations, True
        return self._violations, False

    def _remove_causes(self) -> bool:
        """Record the errors of a validation and remove their causes; False if nothing was removed."""
        errors = _validator_errors(self._root, self._validator)
        clear = [error for error in errors if not _is_vague(error[1])] or errors[:1]
        new = [error for error in clear if not self._is_consequence(*error)]
        for element, entry in new:
            if element not in self._reported:
                self._violations[element, _violation_reason(element, entry)] = None
        self._reported.update(element for element, _ in new)
        return any([self._remove_cause(element, entry) for element, entry in dict(new).items()])  # noqa: C419 -- all of them

    def _is_consequence(self, element: etree._Element, entry: etree._LogEntry) -> bool:
        parent = element.getparent()
        if entry.type_name == _MISSING_ELEMENT and element in self._next:
            return True
        if parent is None or parent not in self._next or (entry.type_name != _WRONG_ELEMENT and not _is_vague(entry)):
            return False
        if self._next[parent] is element or parent in self._closed or _is_vague(entry):
            self._closed.add(parent)
            return True
        return False

    def _remove_cause(self, element: etree._Element, entry: etree._LogEntry) -> bool:
        """Remove the bad attribute, else the element but not its tail; False if neither is possible."""
        message = _ATTRIBUTE_MESSAGE.match(entry.message) if entry.type_name == _BAD_ATTRIBUTE else None
        bad = [key for key in element.attrib if message is not None and str(key).rpartition("}")[2] == message[1]]
        for key in bad:
            del element.attrib[key]
        parent = element.getparent()
        if bad or parent is None or parent in self._closed:
            return bool(bad)
        self._next[parent] = element.getnext()
        previous, tail = element.getprevious(), element.tail or ""
        if previous is not None:
            previous.tail = (previous.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        parent.remove(element)
        return True


def _violations_among_first(root: etree._Element, validator: Validator) -> dict[tuple[etree._Element, str], None]:
    """Violations among the first children of very wide elements if there are many; else none.

    libxml2 takes time in proportion to the number of siblings for each error, minutes in all. Errors of a child do not
    depend on later siblings; those of the wide element itself are omitted. The tree is restored if nothing is found.
    """
    wide = {element: list(element) for element in root.iter("*") if len(element) > _MAX_CHILDREN}
    for element, children in wide.items():
        for child in children[_MAX_CHILDREN:]:
            element.remove(child)
    for size in range(_MAX_CHILDREN, max(map(len, wide.values()), default=0), _MAX_CHILDREN):
        validator.validate(root)
        if len(validator.error_log) > _MANY_ERRORS:
            errors = _validator_errors(root, validator)
            return dict.fromkeys(
                (element, _violation_reason(element, entry))
                for element, entry in errors
                if element not in wide and not _is_vague(entry)
            )
        for element, children in wide.items():
            element.extend(children[size : size + _MAX_CHILDREN])
    return {}


def _validator_errors(root: etree._Element, validator: Validator) -> list[tuple[etree._Element, etree._LogEntry]]:
    """Errors of the last validation, without consequences of the previous error in the same place."""
    find_element = _PathResolver(root).find
    previous, errors = "", []
    for entry in validator.error_log:
        path = str(entry.path or "")
        if entry.type_name not in _CONSEQUENT_ERRORS or not f"{previous}/".startswith(f"{path}/"):
            errors.append((find_element(path), entry))
        previous = path
    return errors


def _is_vague(entry: etree._LogEntry) -> bool:
    """Whether the error may only reflect how the validator tried alternatives."""
    missing = entry.type_name == _MISSING_ELEMENT and "element ," not in entry.message
    return missing or entry.type_name in _VAGUE_ERRORS


def _violation_reason(element: etree._Element, entry: etree._LogEntry) -> str:
    if entry.type_name == _MISSING_ELEMENT:  # libxml2's message does not name the missing element
        return f"Element {local_name(element)} ends where more elements are expected"
    return _message_sentence(entry.message)


def _message_sentence(message: str) -> str:
    words = " ".join(message.split()).removesuffix(".")
    return f"{words} nothing" if words.endswith(", got") else words


class _PathResolver:
    """Finds elements by libxml2's paths: `/a/b[2]`, `/*/*[3]`, `/p:a/p:b`, also with `/text()` or `/@x` at the end.

    The children of an element are indexed once.
    """

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._children: dict[etree._Element, dict[str, list[etree._Element]]] = {}

    def find(self, path: str) -> etree._Element:
        """The element at the end of a path, or the last one on it that exists."""
        element = self._root
        for text in path.split("/")[2:]:
            step = _STEP.fullmatch(text)
            if step is None:
                break
            children = self._children_by_step(element).get(step["name"], [])
            index = int(step["position"] or 1) - 1
            if index >= len(children):
                break
            element = children[index]
        return element

    def _children_by_step(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        """Children by their name in a step; `*` has all."""
        if element not in self._children:
            by_name: dict[str, list[etree._Element]] = {"*": list(element.iterchildren("*"))}
            for child in by_name["*"]:
                tag = local_name(child)
                by_name.setdefault(f"{child.prefix}:{tag}" if child.prefix else tag, []).append(child)
            self._children[element] = by_name
        return self._children[element]


def _lines_of_tags(text: bytes, numbers: Collection[int]) -> dict[int, int]:
    """Lines where the start tags with these numbers (from 0) begin, in a safe, well-formed document."""
    lines: dict[int, int] = {}
    line, at, number = 1, 0, 0
    for tag in _START_OR_OTHER.finditer(text):
        if tag[1] is None:
            continue
        if number in numbers:
            line, at = line + text.count(b"\n", at, tag.start()), tag.start()
            lines[number] = line
            if len(lines) == len(numbers):
                break
        number += 1
    return lines
