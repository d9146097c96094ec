"""Chunks of retrieval-augmented generation: gold spans from quotes, runs from results of frameworks."""

from prum_eval.chunks.gold_spans import GoldSpans, LostQuotesError, spans
from prum_eval.chunks.results import Alignment, align, run, write_gold, write_run

__all__ = ["Alignment", "GoldSpans", "LostQuotesError", "align", "run", "spans", "write_gold", "write_run"]
