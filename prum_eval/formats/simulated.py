"""The list of simulated runs, simulated.tsv: a header, then a line per run with its file and how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from prum_eval.errors import InputError
from prum_eval.text.numbers import expected_message, quote_value
from prum_eval.text.streams import is_folder, is_regular_file, open_input, read_all_text

SIMULATED_FILE_NAME = "simulated.tsv"
"""Name of the list, in the folder of the runs."""
SIMULATED_COLUMNS = ("file", "from", "changes", "value", "copy", "seed")


@dataclass(frozen=True)
class SimulatedRunEntry:
    """A simulated run: path, changes, value of the varied parameter, number of the copy."""

    path: str
    changes: str
    value: str
    copy: int

    @property
    def name(self) -> str:
        """The part of the file name that the runs of all values and copies share.

        >>> SimulatedRunEntry("moved/ideal-0.3-1.run", "move:m=0.3", "0.3", 1).name
        'ideal'
        """
        return Path(self.path).name.removesuffix(".run").removesuffix(f"-{self.copy}").removesuffix(f"-{self.value}")


def find_simulated_list(path: str) -> str | None:
    """The path of the list: `path` itself, or the list in that folder; None if there is none."""
    location = Path(path)
    try:
        if is_folder(location):
            return str(location / SIMULATED_FILE_NAME) if (location / SIMULATED_FILE_NAME).is_file() else None
        if not is_regular_file(location):
            return None
        with location.open("rb") as stream:
            head = stream.readline(1 << 8)
    except (OSError, ValueError):
        return None
    return path if head.rstrip(b"\r\n") == "\t".join(SIMULATED_COLUMNS).encode() else None


def read_simulated_list(path: str) -> list[SimulatedRunEntry]:
    """The runs of a list, in its order.

    Raises:
        InputError: a line is malformed, a file is listed twice, or there are no runs.
    """
    with open_input(path) as stream:
        lines = read_all_text(stream, path).splitlines()
    runs: list[SimulatedRunEntry] = []
    first_lines: dict[str, int] = {}
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
        if file in first_lines:
            raise InputError(
                path, line, f"file {quote_value(file)} is listed twice (first on line {first_lines[file]})"
            )
        first_lines[file] = line
        runs.append(SimulatedRunEntry(str(Path(path).parent / file), changes, value, int(copy)))
    if not runs:
        raise InputError(path, len(lines) or 1, "no run is listed")
    return runs


def varied_parameter(runs: Sequence[SimulatedRunEntry]) -> str | None:
    """The varied parameter, ``CHANGE.KEY``: the one with the value of each run in its changes; None if none.

    >>> runs = [SimulatedRunEntry(f"a-{m}-1.run", f"keep:n=3 move:m={m}", m, 1) for m in ("0", "0.3")]
    >>> varied_parameter(runs)
    'move.m'
    """
    common: list[str] | None = None
    for run in runs:
        names = [
            f"{name}.{key}"
            for change in run.changes.split()
            for name, _, settings in [change.partition(":")]
            for key, _, value in [setting.partition("=") for setting in settings.split(",")]
            if value and value == run.value
        ]
        common = names if common is None else [name for name in common if name in names]
    return common[0] if common else None
