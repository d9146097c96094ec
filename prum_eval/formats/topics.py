"""Lists of topics: one a line."""

from __future__ import annotations

from prum_eval.errors import InputError
from prum_eval.text.numbers import shown
from prum_eval.text.streams import Content, display_name, open_input, whole_text


def read_topics(path: str | Content) -> list[str]:
    """The topics of a file, in its order; empty lines are none. ``-`` is standard input, compression is recognised.

    Raises:
        InputError: the file cannot be read or names no topic, or a line has more than a name.
    """
    name = display_name(path)
    with open_input(path) as stream:
        lines = whole_text(stream, name).split("\n")
    found: list[str] = []
    for line, content in enumerate(lines, 1):
        cells = content.split()
        if len(cells) > 1:
            raise InputError(name, line, f"expected a topic in each line, found {shown(content.strip())}")
        found += cells
    if not found:
        raise InputError(name, 1, "the file is empty")
    return found
