"""Chunks of retrieval-augmented generation: gold spans from quotes, runs from what frameworks return."""

from prum_eval.chunks.spans import LostQuotesError, Spans, spans

__all__ = ["LostQuotesError", "Spans", "spans"]
