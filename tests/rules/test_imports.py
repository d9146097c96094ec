"""Imports go downwards: the contract stands in pyproject.toml, and docs/architecture.md explains it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from tests.gold import ROOT

PACKAGE = ROOT / "prum_eval"
PROGRAM = Path(sys.executable).with_name("lint-imports")


def test_imports_go_downwards_only():
    done = subprocess.run(
        [PROGRAM, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_room_has_its_place_in_the_contract():
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    placed = {name.strip(" ()") for layer in contract["layers"] for name in layer.split("|")}
    packages = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert packages - {"__init__"} <= placed
