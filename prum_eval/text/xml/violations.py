"""Where a parsed document breaks a schema, as elements and reasons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from prum_eval.text.xml.places import Steps

if TYPE_CHECKING:
    from lxml import etree

    Validator = etree.RelaxNG | etree.XMLSchema | etree.DTD

_WIDE, _MANY = 2000, 1000
_MOST_ELEMENTS, _FEWEST_ROUNDS = 20_000_000, 20
_STRANGER, _ATTRIBUTE, _TOO_SHORT = "RELAXNG_ERR_ELEMWRONG", "RELAXNG_ERR_INVALIDATTR", "RELAXNG_ERR_NOELEM"
_FOLLOWING = frozenset(("RELAXNG_ERR_CONTENTVALID", "RELAXNG_ERR_DATATYPE"))
_VAGUE = frozenset(f"RELAXNG_ERR_{kind}" for kind in ("EXTRACONTENT", "INTEREXTRA", "INTERSEQ", "INTERNODATA"))
_NAMED = re.compile("Invalid attribute (.*) for element ")


def violations(root: etree._Element, validator: Validator) -> tuple[dict[tuple[etree._Element, str], None], bool]:
    """Elements that break the schema, each with the reason; and whether these are all. The tree is changed on the way.

    They are all unless there are very many, or with RELAX NG one in the place of another.
    """
    from lxml import etree

    etree.strip_tags(root, etree.Entity)  # they are no text, and XML Schema stops at them
    very_many = _first_of_very_many(root, validator)
    if very_many:
        return very_many, False
    if validator.validate(root):
        return {}, True
    if isinstance(validator, etree.RelaxNG):
        return _RelaxNG(root, validator).violations()
    return dict.fromkeys((element, _sentence(entry.message)) for element, entry in _told(root, validator)), True


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
        elements = _put_blanks(self._root)
        for _ in range(max(_FEWEST_ROUNDS, _MOST_ELEMENTS // elements)):
            if self._validator.validate(self._root) or not self._round():
                return self._found, True
        return self._found, False

    def _round(self) -> bool:
        """Note what is wrong, and take it out; False if there is nothing more to take out."""
        told = _told(self._root, self._validator)
        clear = [one for one in told if not _is_vague(one[1])] or told[:1]
        wrong = [one for one in clear if not self._only_follows(*one)]
        for element, entry in wrong:
            if element not in self._known:
                self._found[element, _reason(element, entry)] = None
        self._known.update(element for element, _ in wrong)
        return any([self._mend(element, entry) for element, entry in dict(wrong).items()])  # noqa: C419 -- all of them

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

    def _mend(self, element: etree._Element, entry: etree._LogEntry) -> bool:
        """Take out an attribute, else the element."""
        named = _NAMED.match(entry.message) if entry.type_name == _ATTRIBUTE else None
        bad = [key for key in element.attrib if named is not None and str(key).rpartition("}")[2] == named[1]]
        for key in bad:
            del element.attrib[key]
        above = element.getparent()
        if bad or above is None or above in self._settled:
            return bool(bad)
        self._behind[above] = element.getnext()
        _take_out(element, above)
        return True


def _first_of_very_many(root: etree._Element, validator: Validator) -> dict[tuple[etree._Element, str], None]:
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
            told = [one for one in _told(root, validator) if one[0] not in wide and not _is_vague(one[1])]
            return dict.fromkeys((element, _reason(element, entry)) for element, entry in told)
        for element, children in wide.items():
            element.extend(children[size : size + _WIDE])
    return {}


def _told(root: etree._Element, validator: Validator) -> list[tuple[etree._Element, etree._LogEntry]]:
    """What the validator noted, without what only follows from the note before it in the same place."""
    steps, before = Steps(root), ""
    told = []
    for entry in validator.error_log:
        path = str(entry.path or "")
        if entry.type_name not in _FOLLOWING or not f"{before}/".startswith(f"{path}/"):
            told.append((steps.find(path), entry))
        before = path
    return told


def _is_vague(entry: etree._LogEntry) -> bool:
    """Whether this may be a trace of the validator's way through alternatives."""
    return entry.type_name in _VAGUE or (entry.type_name == _TOO_SHORT and "element ," not in entry.message)


def _put_blanks(root: etree._Element) -> int:
    """A blank before the first child of every element, where white space means nothing; how many elements there are.

    Of an element whose attributes are wrong libxml2 names the first node inside it: now that is never an element.
    """
    count = 0
    for element in root.iter("*"):
        count += 1
        if len(element) and not element.text:
            element.text = " "
    return count


def _take_out(element: etree._Element, above: etree._Element) -> None:
    """Remove an element, not the text behind it."""
    previous, tail = element.getprevious(), element.tail or ""
    if previous is not None:
        previous.tail = (previous.tail or "") + tail
    else:
        above.text = (above.text or "") + tail
    above.remove(element)


def _reason(element: etree._Element, entry: etree._LogEntry) -> str:
    if entry.type_name == _TOO_SHORT:  # libxml2 would not say which element is missing, nor where
        return f"Element {str(element.tag).rpartition('}')[2]} ends where more elements are expected"
    return _sentence(entry.message)


def _sentence(message: str) -> str:
    words = " ".join(message.split()).removesuffix(".")
    return f"{words} nothing" if words.endswith(", got") else words
