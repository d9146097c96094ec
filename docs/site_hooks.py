"""What the site needs beyond mkdocs: pages that stand elsewhere in the repository, and formulas as MathML.

README.md, CONTRIBUTING.md and CHANGELOG.md become pages. Formulas are marked before Markdown is read, and converted
after it; one that is not understood ends the build.
"""

from __future__ import annotations

from pathlib import Path

from formulas import FormulaError, marked, shown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changes.md": "CHANGELOG.md"}
LINKS = {
    "](docs/": "](",
    "](CHANGELOG.md)": "](changes.md)",
    "](CONTRIBUTING.md)": "](contributing.md)",
    "[Apache License 2.0](LICENSE)": "Apache License 2.0 (`LICENSE`)",
    "[CITATION.cff](CITATION.cff)": "`CITATION.cff`",
}
"""Links of those pages, as the site has them."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, with their links as the site has them."""
    for page, source in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        for link, here in LINKS.items():
            text = text.replace(link, here)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put a mark in the place of each formula."""
    del page, config, files
    return marked(markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put MathML in the place of each mark."""
    del config, files
    try:
        return shown(html)
    except FormulaError as problem:
        raise PluginError(f"{page.file.src_uri}: {problem}") from problem
