"""What is measured: commands with names, and the two forms that most of them have."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

THREE = ("-u", "hierarchical", "-m", "prum", "-m", "eprum", "-m", "gen_recall")
EXPAT = """
import os
from xml.parsers import expat
given = {path!r}
walked = os.walk(given) if os.path.isdir(given) else [('', [], [given])]
found = (os.path.join(folder, name) for folder, _, names in walked for name in names)
for name in sorted(name for name in found if name.endswith(('.xml', '.page')) and not os.path.islink(name)):
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: None
    with open(name, 'rb') as file:
        parser.ParseFile(file)
"""
LXML = """
import os
from lxml import etree
given = {path!r}
walked = os.walk(given) if os.path.isdir(given) else [('', [], [given])]
found = (os.path.join(folder, name) for folder, _, names in walked for name in names)
for name in sorted(name for name in found if name.endswith({endings!r}) and not os.path.islink(name)):
    etree.parse(name, etree.{parser}(huge_tree=True))
"""


@dataclass(frozen=True)
class Case:
    """A command with a name; `against` names the case that its time is divided by.

    `inside`: the command measures itself, and prints seconds and megabytes; `large`: only where it is asked for.
    """

    name: str
    command: list[str]
    against: str | None = None
    inside: bool = False
    large: bool = False


@dataclass(frozen=True)
class Folders:
    """Generated work, a folder each.

    `inex`: of INEX 2006's size; `flat`: a flat run of a million lines; `documents`: XML documents; `chunks`: 236,000
    chunks; `topic`: one topic with 5,000 targets and 20,000 results; `topics`: 100,000 topics of ten results;
    `million`: ten times as many, made only where they are asked for; `values`: values by topic of 50 runs; `questions`:
    7 runs of chunks of 472 questions, and in `questions4` and `questions16` of that many times as many.
    """

    inex: Path
    flat: Path
    documents: Path
    chunks: Path
    topic: Path
    topics: Path
    million: Path
    values: Path
    questions: Path
    questions4: Path
    questions16: Path


def python(code: str) -> list[str]:
    """A call of bare Python."""
    return [sys.executable, "-c", code]


def ours(*arguments: str | Path) -> list[str]:
    """A call of the command line."""
    return [sys.executable, "-m", "prum_eval", *map(str, arguments)]


def split_loop(*paths: Path) -> list[str]:
    """The floor of reading lines: each is split, and forgotten."""
    return python(f"for path in {list(map(str, paths))!r}:\n for line in open(path, 'rb'): line.split()")


def expat_pass(path: Path) -> list[str]:
    """The floor of reading XML, a file or a folder of them: expat parses it, and nothing is done with what it says."""
    return python(EXPAT.format(path=str(path)))


def lxml_pass(path: Path, endings: tuple[str, ...] = (".xml", ".page"), parser: str = "XMLParser") -> list[str]:
    """The same by lxml, which makes trees."""
    return python(LXML.format(path=str(path), endings=endings, parser=parser))
