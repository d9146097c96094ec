"""The page on the founding papers: ``make papers`` runs what it shows, as it stands there, and draws its pictures.

That takes minutes. The tests run the same commands on the smallest preset, with three of the eight systems in each
loop, and compare all but the numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.docs.pages import ROOT, Command, blocks, commands, new_folder, printed, sessions_again

PAGE = ROOT / "docs" / "papers.md"
PICTURES = ROOT / "docs" / "papers"
SHOWN, QUICK = "--preset medium", "--preset small"
_ALL_SYSTEMS, _SOME_SYSTEMS = "for n in 1 2 3 4 5 6 7 8;", "for n in 1 4 8;"
_PICTURE = re.compile(r"!\[[^\]]*\]\(papers/([\w-]+\.svg)\)")


def pictures(page: str) -> list[str]:
    """The names of the pictures that a page shows."""
    return _PICTURE.findall(page)


def differences_in_words(page: str, folder: Path) -> list[str]:
    """What the commands of the page say otherwise in that folder on the smallest preset, numbers left aside."""
    found = []
    for block in blocks(page.replace(SHOWN, QUICK).replace(_ALL_SYSTEMS, _SOME_SYSTEMS)):
        for command in commands(block):
            lines = printed(command, folder)
            if not same_words(command, lines):
                found.append("\n".join([f"$ {command.text}", *lines, "-- but the page shows:", *command.shown]))
    return found


def same_words(command: Command, lines: list[str]) -> bool:
    """Do these lines have the words of those shown, in any order of the lines? ``...`` stands for any lines."""
    shown = Counter(_words(line for line in command.shown if line != "..."))
    missing, more = shown - Counter(_words(lines)), Counter(_words(lines)) - shown
    return not missing and (not more or "..." in command.shown)


def _words(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The words of each line that has some, in the singular: what holds a letter and no digit.

    Which runs change places is told by numbers.
    """
    for line in lines:
        found = (re.sub(r"\W+", "", word) for word in line.split() if not re.search(r"\d", word))
        words = tuple(word.removesuffix("s") for word in found if re.search(r"[^\W\d]", word) and word != "nan")
        if words and "above" not in words:
            yield words


def make() -> None:
    """Run the page as it stands, and write what it prints and draws."""
    text = PAGE.read_text(encoding="utf-8")
    PICTURES.mkdir(exist_ok=True)
    with new_folder() as folder:
        now = sessions_again(text, Path(folder))
        drawn = {name: Path(folder, "papers", name).read_text(encoding="utf-8") for name in pictures(text)}
    PAGE.write_text(now, encoding="utf-8", newline="")
    for name, svg in drawn.items():
        (PICTURES / name).write_text(svg, encoding="utf-8", newline="")


if __name__ == "__main__":
    make()
