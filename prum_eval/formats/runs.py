"""Runs of every format, recognised by their content."""

from __future__ import annotations

import io

from prum_eval.errors import Problems, raise_first
from prum_eval.formats.json_lines import FIRST as JSON
from prum_eval.formats.opening import Content, display_name, first_byte, opened
from prum_eval.formats.records import Run
from prum_eval.formats.run_columns import RankBy
from prum_eval.formats.run_json import read_run_json
from prum_eval.formats.run_lines import read_run_lines
from prum_eval.formats.run_xml import read_run_xml


def read_run(path: str | Content, *, rank_by: RankBy | None = None, problems: Problems = raise_first) -> Run:
    """Read a run and rank its results.

    Without `rank_by` TREC runs are ranked by score, INEX lines as in the file, INEX XML by rank, else by rsv, else as
    in the document, and JSON Lines by score, else as in the file. Every `InputError` is handed to `problems`; where
    that returns, the bad line is left out, and the run holds what could be read.
    """
    name = display_name(path)
    stream = opened(path, problems)
    if stream is None:
        return read_run_lines(io.BytesIO(), name, rank_by, problems)
    with stream:
        first = first_byte(stream, name, problems)
        read = {b"<": read_run_xml, JSON: read_run_json}.get(first, read_run_lines)
        return read(stream if first else io.BytesIO(), name, rank_by, problems)
