"""A document without its tags: the characters that an index counts, and where elements are in them."""

from __future__ import annotations

import re

_TAGS = re.compile(rb"<([^>]*)>")
_TAG_NAME = re.compile(rb"[^\s/>]+")
_REFERENCE = re.compile(r"&([^;]*);")
_BLANKS = re.compile(r"\s+")
_STEP_WITHOUT_POSITION = re.compile(r"(?<![\]/])(?=/|$)")
_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}


def characters(body: bytes, *, raw: bool) -> str:
    """The text of a document that `prum_eval.collection.documents.document` has serialised: tags and text alone.

    A run of white space is one blank, unless `raw`; an entity that is not known counts nothing.

    >>> characters(b"<a>x &lt; y<b/>  <c> z&#33;&nbsp;</c></a>", raw=False)
    'x < y z!'
    """
    text = _TAGS.sub(b"", body).decode()
    if "&" in text:
        text = _REFERENCE.sub(_character, text)
    return text if raw else _BLANKS.sub(" ", text)


def element_extent(body: bytes, path: str, *, raw: bool) -> tuple[int, int] | None:
    """Start and length of an element in the same characters; None if there is none of that path.

    >>> element_extent(b"<a>x <b> y</b> <b>zz</b></a>", "/a/b[2]", raw=False)
    (4, 2)
    """
    wanted = [step.encode() for step in _STEP_WITHOUT_POSITION.sub("[1]", path).split("/")[1:]]
    counts: list[dict[bytes, int]] = [{}]
    matching = 0  # steps of the path that the open elements are
    begin: int | None = None
    for tag in _TAGS.finditer(body):
        inside = tag[1]
        if not inside.startswith(b"/"):
            named = _TAG_NAME.match(inside)
            name = b"" if named is None else named[0]
            rank = counts[-1][name] = counts[-1].get(name, 0) + 1
            depth = len(counts)
            if matching == depth - 1 and depth <= len(wanted) and wanted[depth - 1] == b"%b[%d]" % (name, rank):
                matching = depth
                if depth == len(wanted):
                    begin = tag.end()
            counts.append({})
        if inside.startswith(b"/") or inside.endswith(b"/"):
            counts.pop()
            if begin is not None and len(counts) == len(wanted):
                start = len(characters(body[:begin], raw=raw))
                return start, len(characters(body[: tag.start()], raw=raw)) - start
            matching = min(matching, len(counts) - 1)
    return None


def _character(reference: re.Match[str]) -> str:
    name = reference[1]
    if name.startswith("#"):
        return chr(int(f"0{name[1:]}", 16 if name[1:2] == "x" else 10))
    return _PREDEFINED.get(name, "")
