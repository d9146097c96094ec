"""What was measured last, kept in ``bench/generated/figures`` so that pages can be written from it at any time."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.processes import Measured

FOLDER = Path(__file__).resolve().parent / "generated" / "figures"


def save(name: str, found: Any, folder: Path = FOLDER) -> None:  # noqa: ANN401 - whatever JSON holds
    """Keep what a benchmark found."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def load(name: str, folder: Path = FOLDER) -> Any:  # noqa: ANN401 - whatever JSON holds
    """What a benchmark found last, or None."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def save_rows(preset: str, rows: dict[str, Measured], folder: Path = FOLDER) -> None:
    """Keep the rows of a preset, those of earlier calls that are not measured again too."""
    known = load(f"rows-{preset}", folder) or {}
    save(f"rows-{preset}", {**known, **{name: asdict(one) for name, one in rows.items()}}, folder)


def load_rows(preset: str, folder: Path = FOLDER) -> dict[str, Measured]:
    """The rows of a preset that were measured last."""
    return {name: Measured(**one) for name, one in (load(f"rows-{preset}", folder) or {}).items()}
