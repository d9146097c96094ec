"""The list of simulated runs, simulated.tsv: which file was made how, a line a run below the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from prum_eval.errors import InputError
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import open_input, read_all_text

SIMULATED_FILE_NAME = "simulated.tsv"
"""What the list is called, which lies beside the runs."""
SIMULATED_COLUMNS = ("file", "from", "changes", "value", "copy", "seed")


@dataclass(frozen=True)
class SimulatedRunEntry:
    """A simulated run: its path, the changes it was made by, the value of what was varied, the number of the copy."""

    path: str
    changes: str
    value: str
    copy: int

    @property
    def name(self) -> str:
        """What the runs of all values and copies have in common in the names of their files.

        >>> SimulatedRunEntry("moved/ideal-0.3-1.run", "move:m=0.3", "0.3", 1).name
        'ideal'
        """
        return Path(self.path).name.removesuffix(".run").removesuffix(f"-{self.copy}").removesuffix(f"-{self.value}")


def find_simulated_list(path: str) -> str | None:
    """The list of simulated runs that a path leads to: itself, or that in a folder; None where it is something else."""
    here = Path(path)
    try:
        if here.is_dir():
            return str(here / SIMULATED_FILE_NAME) if (here / SIMULATED_FILE_NAME).is_file() else None
        if not here.is_file():
            return None
        with here.open("rb") as stream:
            head = stream.readline(1 << 8)
    except (OSError, ValueError):
        return None
    return path if head.rstrip(b"\r\n") == "\t".join(SIMULATED_COLUMNS).encode() else None


def read_simulated_list(path: str) -> list[SimulatedRunEntry]:
    """The runs that such a list names, in its order.

    Raises:
        InputError: a line that is none of such a list, a file named twice, or no runs at all.
    """
    with open_input(path) as stream:
        lines = read_all_text(stream, path).splitlines()
    found: list[SimulatedRunEntry] = []
    seen: dict[str, int] = {}
    for line, text in enumerate(lines[1:], 2):
        cells = text.split("\t")
        if len(cells) != len(SIMULATED_COLUMNS):
            reason = f"expected {len(SIMULATED_COLUMNS)} columns ({', '.join(SIMULATED_COLUMNS)}), found {len(cells)}"
            raise InputError(path, line, reason)
        file, _, changes, value, copy, _ = cells
        if not file:
            raise InputError(path, line, expected_message("file", "the name of a run", file))
        if not (copy.isascii() and copy.isdigit() and 0 < len(copy) < 10):
            raise InputError(path, line, expected_message("copy", "a whole number", copy))
        if file in seen:
            raise InputError(path, line, f"file {quote_value(file)} is listed twice (first on line {seen[file]})")
        seen[file] = line
        found.append(SimulatedRunEntry(str(Path(path).parent / file), changes, value, int(copy)))
    if not found:
        raise InputError(path, len(lines) or 1, "no run is listed")
    return found


def varied_parameter(runs: Sequence[SimulatedRunEntry]) -> str | None:
    """What was varied, as ``CHANGE.KEY``: what has the value of each run in its changes; None where nothing has.

    >>> runs = [SimulatedRunEntry(f"a-{m}-1.run", f"keep:n=3 move:m={m}", m, 1) for m in ("0", "0.3")]
    >>> varied_parameter(runs)
    'move.m'
    """
    common: list[str] | None = None
    for one in runs:
        own = [
            f"{name}.{key}"
            for change in one.changes.split()
            for name, _, settings in [change.partition(":")]
            for key, _, value in [setting.partition("=") for setting in settings.split(",")]
            if value and value == one.value
        ]
        common = own if common is None else [name for name in common if name in own]
    return common[0] if common else None
