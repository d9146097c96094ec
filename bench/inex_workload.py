"""What a synthetic workload consists of: its parameters and the presets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


def _option(meaning: str) -> dict[str, str]:
    return {"help": meaning}


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What to generate. The fields up to ``xml`` are those that the manifest lists, in its order."""

    topics: int = dataclasses.field(metadata=_option("topics, numbered from 289 as in INEX 2006"))
    docs: int = dataclasses.field(metadata=_option("documents in the collection"))
    elements: float = dataclasses.field(metadata=_option("mean elements a document (log-normal, at least 5)"))
    assessed: int = dataclasses.field(metadata=_option("assessed documents a topic"))
    relevant: float = dataclasses.field(metadata=_option("mean relevant documents a topic (log-normal, at least 1)"))
    results: int = dataclasses.field(metadata=_option("results a topic and run"))
    runs: int = dataclasses.field(metadata=_option("runs, each of another quality"))
    strong: float = dataclasses.field(
        metadata=_option(
            "share of its results that the last run takes from relevant documents: many targets reached, the load "
            "that navigation measures are to be timed on"
        )
    )
    xml: bool
    seed: int = 1
    graded: bool = False
    scales: bool = False

    def topic_ids(self) -> range:
        """The numbers of the topics."""
        return range(289, 289 + self.topics)

    def document_ids(self) -> range:
        """The numbers of the documents."""
        return range(1000, 1000 + 37 * self.docs, 37)

    def manifest_line(self) -> str:
        """Every parameter on one line."""
        listed = [field.name for field in dataclasses.fields(self) if field.name not in ("seed", "graded", "scales")]
        parameters = " ".join(f"{name}={getattr(self, name)}" for name in listed)
        return f"seed {self.seed} graded {self.graded} {parameters}"


PRESETS = {
    "small": Workload(topics=5, docs=60, elements=15, assessed=12, relevant=6, results=40, runs=2, strong=0, xml=True),
    "medium": Workload(
        topics=30, docs=3000, elements=80, assessed=200, relevant=30, results=500, runs=3, strong=0.6, xml=False
    ),
    "inex2006": Workload(
        topics=114, docs=30000, elements=80, assessed=500, relevant=50, results=1500, runs=3, strong=0.6, xml=False
    ),
}
