"""The generated tables of docs/formats.md: all formats, and what can be converted to."""

from __future__ import annotations

import re

from prum_eval.formats.registry import all_formats, writable_formats


def formats_page(text: str) -> str:
    """The page with its tables written anew, between the marks ``<!-- formats -->`` and ``<!-- forms -->``."""
    known = ["| name | kind | a file |", "|---|---|---|"]
    known += [f"| `{name}` | {one.kind} | {one.summary} |" for name, one in all_formats().items()]
    forms = ["| FORM | holds | needs `--structure` for |", "|---|---|---|"]
    forms += [
        f"| `{name}` | {one.holds.description} | {one.holds.description_with_structure} |"
        for name, one in writable_formats().items()
        if one.holds is not None
    ]
    return _between(_between(text, "formats", known), "forms", forms)


def _between(text: str, mark: str, lines: list[str]) -> str:
    table = f"<!-- {mark} -->\n\n" + "\n".join(lines) + f"\n\n<!-- /{mark} -->"
    return re.sub(rf"<!-- {mark} -->.*?<!-- /{mark} -->", lambda _: table, text, flags=re.DOTALL)
