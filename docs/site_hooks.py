"""Pages of the site that stand elsewhere in the repository: README.md, CONTRIBUTING.md and CHANGELOG.md."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

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
