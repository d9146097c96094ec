"""What measures, user models and runs require of the inputs."""

from __future__ import annotations

from prum_eval.errors import DataError
from prum_eval.evaluation.inputs import Inputs
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.records.assessments import AssessmentKind
from prum_eval.records.run import RunKind
from prum_eval.relevance.quantisations import DEFAULT, apart
from prum_eval.user_models.model import ModelNeed
from prum_eval.user_models.registry import ModelChoice


def missing_input(instance: ConfiguredMeasure, inputs: Inputs) -> str | None:
    """Why a measure cannot be computed from these inputs; None if it can."""
    needs, name = instance.needs, instance.measure.name
    if Need.GAINS in needs and inputs.assessments.kind is AssessmentKind.PASSAGES:
        return f"{name} needs judged documents or elements; {inputs.assessments.path} judges passages"
    if Need.SIZE in needs and inputs.collection_size is None:
        return f"{name} needs the number of elements of the collection: give --structure or --collection-size"
    if Need.DIMENSIONS in needs:
        return _missing_dimensions(instance, inputs)
    if Need.PASSAGES in needs:
        return _missing_passages(name, inputs)
    return _missing_entry_points(name, inputs) if Need.ENTRY_POINTS in needs else None


def _missing_dimensions(instance: ConfiguredMeasure, inputs: Inputs) -> str | None:
    """Why exhaustivity and specificity of all results are not known."""
    name, kind = instance.measure.name, inputs.assessments.kind
    wanted = instance.common.get("quantisation", instance.offered.get("quantisation", DEFAULT))
    if apart(DEFAULT, kind) is None:
        return f"{name} needs exhaustivity and specificity; {inputs.assessments.path} judges {kind}"
    if inputs.structure is None:
        return f"{name} needs the elements of all documents and their lengths: give --structure"
    if not instance.explicit and apart(wanted, kind) is None:
        return f"{name} has no quantisation {wanted}"
    return None


def _missing_passages(name: str, inputs: Inputs) -> str | None:
    """Why it is not known which characters are relevant."""
    kind = inputs.assessments.kind
    if kind not in (AssessmentKind.PASSAGES, AssessmentKind.ELEMENTS_2005):
        return f"{name} needs judgements that count relevant characters; {inputs.assessments.path} judges {kind}"
    if kind is not AssessmentKind.PASSAGES and inputs.structure is None:
        return f"{name} needs positions in the text, which judgements of {kind} do not give: give --structure"
    return None


def _missing_entry_points(name: str, inputs: Inputs) -> str | None:
    """Why it is not known where best entry points are."""
    kind = inputs.assessments.kind
    if not inputs.entry_points:
        return f"{name} needs best entry points; {inputs.assessments.path} has none"
    if kind is not AssessmentKind.PASSAGES and inputs.structure is None:
        return f"{name} needs positions in the text, which judgements of {kind} do not give: give --structure"
    return None


def check_model(choice: ModelChoice, inputs: Inputs) -> None:
    """Refuse a user model that must know more of the documents than the inputs tell.

    Raises:
        DataError: it needs a structure.
    """
    needs, kind, name = choice.model.needs, inputs.assessments.kind, choice.model.name
    if inputs.structure is not None:
        return
    if ModelNeed.LENGTHS in needs and kind not in (AssessmentKind.PASSAGES, AssessmentKind.ELEMENTS_2005):
        raise DataError(f"user model {name} needs lengths, which judgements of {kind} do not give: give --structure")
    if ModelNeed.POSITIONS in needs and kind is not AssessmentKind.PASSAGES:
        raise DataError(
            f"user model {name} needs positions in the text, which judgements of {kind} do not give: give --structure"
        )
    if ModelNeed.SIBLINGS in needs:
        raise DataError(f"user model {name} needs all elements of a document: give --structure")


def fits(shape: RunKind, inputs: Inputs) -> str | None:
    """Why a run of that shape cannot be evaluated against these inputs; None if it can."""
    if inputs.structure is not None:
        return None
    kind = inputs.assessments.kind
    if shape is RunKind.ELEMENTS and kind in (AssessmentKind.PASSAGES, AssessmentKind.FLAT):
        return f"the run gives element paths, the judgements are of {kind}: give --structure"
    if shape is RunKind.EXTENTS and kind is not AssessmentKind.PASSAGES:
        return f"the run gives offsets, the judgements are of {kind}: give --structure"
    return None
