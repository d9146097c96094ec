"""Runs of every format, recognised by their content."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

from prum_eval.errors import Problems, raise_first
from prum_eval.formats.runs.columns import RankBy
from prum_eval.records.run import Run
from prum_eval.text.streams import JSON, Content, display_name, first_byte, opened


def read_run(path: str | Content, *, rank_by: RankBy | None = None, problems: Problems = raise_first) -> Run:
    """Read a run and rank its results.

    Without `rank_by` TREC runs are ranked by score, INEX lines as in the file, INEX XML by rank, else by rsv, else as
    in the document, and JSON Lines by score, else as in the file. Every `InputError` is handed to `problems`; where
    that returns, the bad line is left out, and the run holds what could be read.
    """
    name = display_name(path)
    stream = opened(path, problems)
    if stream is None:
        return _reader(b"")(io.BytesIO(), name, rank_by, problems)
    with stream:
        first = first_byte(stream, name, problems)
        return _reader(first)(stream if first else io.BytesIO(), name, rank_by, problems)


def _reader(first: bytes) -> Callable[[BinaryIO, str, RankBy | None, Problems], Run]:
    """The reader of what begins with that byte; only the one that is met is imported: calls are many and short."""
    if first == b"<":
        from prum_eval.formats.runs.xml import read_run_xml

        return read_run_xml
    if first == JSON:
        from prum_eval.formats.runs.json_lines import read_run_json

        return read_run_json
    from prum_eval.formats.runs.lines import read_run_lines

    return read_run_lines
