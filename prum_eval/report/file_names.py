"""Names of files that are made of names of runs, topics and measures."""

from __future__ import annotations

import re


def plain_name(name: str) -> str:
    """A name without the signs that file systems or shells take amiss, which become underscores.

    >>> plain_name("a/b c"), plain_name("..")
    ('a_b_c', '_')
    """
    return re.sub(r"[^\w.,=+-]", "_", name).lstrip(".") or "_"


def unused_name(stem: str, used: set[str], suffix: str = "") -> str:
    """The name, with a number where it is taken (in whatever case: some file systems tell no difference)."""
    name, number = stem + suffix, 1
    while name.casefold() in used:
        number += 1
        name = f"{stem}-{number}{suffix}"
    used.add(name.casefold())
    return name
