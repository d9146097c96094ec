"""What a measure cannot be computed on: results that it cannot place, collections that are too small."""

from __future__ import annotations

import numpy as np

from prum_eval.collection.locations import NOWHERE
from prum_eval.errors import DataError, RefusedError
from prum_eval.evaluation.inputs import Inputs
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicData
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import Run, RunKind


def refuse(instance: ConfiguredMeasure, data: TopicData, inputs: Inputs, run: Run, rows: slice) -> None:
    """Refuse a topic that a measure cannot be computed on; `rows` are the topic's rows of the run.

    Raises:
        RefusedError: this measure does not take such runs, others do: a result is no element, and it counts elements.
        DataError: the collection is smaller than what was found in it.
    """
    needs = instance.needs
    if Need.PASSAGES in needs and run.kind is RunKind.FLAT and inputs.assessments.kind is AssessmentKind.PASSAGES:
        reason = "6 columns name a document; passage measures need an offset and a length (8 columns)"
        raise RefusedError(run.path, int(run.line[0]), reason)
    if Need.GAINS in needs and run.kind is not RunKind.FLAT:
        _refuse_strays(instance, data, inputs, run, rows)
    if Need.SIZE in needs and data.collection_size is not None:
        _refuse_small_collection(data, data.collection_size, run)


def _refuse_strays(instance: ConfiguredMeasure, data: TopicData, inputs: Inputs, run: Run, rows: slice) -> None:
    """Refuse a result whose extent is known, in a document that was looked up, but is that of no element."""
    locations = data.ranking.locations
    inside = locations.document >= 0
    if Need.EXTENTS not in instance.needs:  # other documents were not looked up
        inside &= locations.document < len(data.judged.targets.documents)
    for rank in np.flatnonzero(inside & (locations.element == NOWHERE) & locations.located).tolist():
        row = rows.start + rank
        document = run.documents[int(run.document[row])]
        structure = inputs.structure
        if structure is not None and structure.names.isdisjoint({document, document.removesuffix(".xml")}):
            continue  # not in the collection at all, as X is not
        extent = f"offset {int(locations.start[rank])}, length {int(locations.length[rank])} of document {document}"
        reason = f"{extent} is no element; {instance.measure.name} counts elements"
        raise RefusedError(run.path, int(run.line[row]), reason)


def _refuse_small_collection(data: TopicData, size: int, run: Run) -> None:
    missing = int(np.count_nonzero(data.found < 0))
    if size < data.existing + missing:
        raise DataError(
            f"{run.path}: topic {data.judged.name} has {data.existing} results and {missing} targets that are "
            f"not among them, more than the collection's {size} elements"
        )
