"""Bytes to records and back: one registry of formats, their readers and writers, a file a format."""

from prum_eval.formats.format import (
    AssessmentCapacity,
    Format,
    FormatKind,
    RankBy,
    RunCapacity,
    ScoreRule,
    StructureCapacity,
)

__all__ = ["AssessmentCapacity", "Format", "FormatKind", "RankBy", "RunCapacity", "ScoreRule", "StructureCapacity"]
