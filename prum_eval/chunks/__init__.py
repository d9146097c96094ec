"""Chunks of retrieval-augmented generation: gold spans from quotes, runs from what frameworks return."""

from prum_eval.chunks.alignment import Alignment, align
from prum_eval.chunks.runs import run, write_gold, write_run
from prum_eval.chunks.spans import GoldSpans, LostQuotesError, spans

__all__ = ["Alignment", "GoldSpans", "LostQuotesError", "align", "run", "spans", "write_gold", "write_run"]
