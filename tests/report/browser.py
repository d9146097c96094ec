"""A headless Chromium for pages, where one is installed."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--virtual-time-budget=2000"),
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


def after(page, script, folder):
    """The page as it stands after a script has run in it, which its policy would not allow."""
    path = folder / "page.html"
    page = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    path.write_text(page.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={folder}/profile", "--dump-dom", path.as_uri()],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout.decode()
