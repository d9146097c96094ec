"""Chunks of retrieval-augmented generation: relevant spans from quotes, runs from results of frameworks."""

from prum_eval.chunks.relevant_spans import LostQuotesError, RelevantSpans, spans
from prum_eval.chunks.results import Alignment, align, run, write_run, write_spans
from prum_eval.plugins import deprecated_name

__all__ = ["Alignment", "LostQuotesError", "RelevantSpans", "align", "run", "spans", "write_run", "write_spans"]


def __getattr__(name: str) -> object:
    """Names of version 0.2.0."""
    return deprecated_name(name, {"GoldSpans": "RelevantSpans", "write_gold": "write_spans"}, globals())
