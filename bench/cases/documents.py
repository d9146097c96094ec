"""Documents and structures into an index, and the reading of XML, beside passes of parsers that do nothing more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.commands import Case, Folders, expat_pass, lxml_pass, ours, python, split_loop

TITLE = "Indexes and XML"
READ = "from prum_eval import read_run; read_run({path!r})"
READ_STRUCTURE = "from prum_eval import read_structure; read_structure({path!r})"
STRUCTURE = "split loop over the text of the structure"
INDEX = "index of the structure"
HELP = Path("/usr/share/help")
HTML = Path("/usr/share/doc/python3/html")


def cases(folders: Folders) -> Iterator[Case]:
    """Indexes of a structure, of XML and of HTML; a run and a structure in XML."""
    structure, target = folders.inex / "structure.tsv", folders.inex / "structure.again.index"
    yield Case(STRUCTURE, split_loop(structure))
    yield Case(INDEX, ours("index", structure, "-o", target), STRUCTURE)
    sources = {"documents": folders.documents / "docs"}
    if any(HELP.glob("*/gnome-help")):  # Debian's gnome-user-docs: 13,203 small pages
        sources["GNOME help"] = HELP
    for name, source in sources.items():
        floor = f"expat pass over the {name}"
        yield Case(floor, expat_pass(source))
        yield Case(f"lxml pass over the {name}", lxml_pass(source), floor)
        yield Case(f"index of the {name}", ours("index", source, "-o", folders.documents / "index"), floor)
    if HTML.exists():  # Debian's python3-doc: 531 pages
        floor = "lxml pass over Python's documentation"
        yield Case(floor, lxml_pass(HTML.resolve(), (".html",), "HTMLParser"))
        yield Case("index of Python's documentation", ours("index", HTML, "-o", folders.documents / "index"), floor)
    yield from _xml(folders)


def _xml(folders: Folders) -> Iterator[Case]:
    (run,) = sorted(folders.inex.glob("run*.thorough.xml"))[-1:]
    for name, path, code in (
        ("run in XML", run, READ),
        ("structure in XML", folders.documents / "structure.xml", READ_STRUCTURE),
    ):
        floor = f"expat pass over the {name}"
        yield Case(floor, expat_pass(path))
        yield Case(f"lxml pass over the {name}", lxml_pass(path), floor)
        yield Case(f"reading the {name}", python(code.format(path=str(path))), floor)
