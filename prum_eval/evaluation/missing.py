"""What measures need of the inputs and the inputs do not tell."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from prum_eval.evaluation.inputs import Inputs, tells_lengths
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.records.assessments import AssessmentKind, ElementTopic
from prum_eval.relevance.quantisations import DEFAULT, apart

_STRUCTURE = "--structure"
"""The option that gives the elements of documents and where they are."""


@dataclass(frozen=True)
class MissingInput:
    """Why measures cannot be computed from the inputs.

    `verb` and `what` say it: (needs, need) and what they need, say. `remedy`: the options that would give it, if any.
    """

    what: str
    remedy: str = ""
    verb: tuple[str, str] = ("needs", "need")

    def of(self, name: str) -> str:
        """The reason why that measure cannot be computed."""
        return f"{name} {self.verb[0]} {self._rest}"

    def left_out(self, names: Collection[str]) -> str:
        """What is said of measures of a set that are left out."""
        return f"left out: {', '.join(names)}, which {self.verb[len(names) > 1]} {self._rest}"

    @property
    def _rest(self) -> str:
        return f"{self.what}: give {self.remedy}" if self.remedy else self.what


def missing_input(instance: ConfiguredMeasure, inputs: Inputs) -> MissingInput | None:
    """Why a measure cannot be computed from these inputs; None if it can."""
    needs = instance.needs
    if wanted := _missing_judgements(needs, inputs.assessments.kind):
        return MissingInput(f"{wanted}; {inputs.assessments.path} judges {inputs.assessments.kind}")
    if Need.SIZE in needs and inputs.collection_size is None:
        return MissingInput("the number of elements of the collection", f"{_STRUCTURE} or --collection-size")
    if Need.LENGTHS in needs and inputs.structure is None and not tells_lengths(inputs.assessments.kind):
        return MissingInput(f"lengths, which assessments of {inputs.assessments.kind} do not give", _STRUCTURE)
    if Need.DIMENSIONS in needs:
        return _missing_dimensions(instance, inputs)
    if needs & {Need.PASSAGES, Need.SPANS}:
        return _missing_passages(inputs) if Need.PASSAGES in needs else _missing_spans(inputs)
    return _missing_entry_points(instance, inputs) if Need.ENTRY_POINTS in needs else None


def _missing_judgements(needs: frozenset[Need], kind: AssessmentKind) -> str:
    """What assessments would have to judge, where these do not."""
    if Need.GRADES in needs and kind is not AssessmentKind.FLAT:
        return "graded documents"
    return "judged documents or elements" if Need.GAINS in needs and kind is AssessmentKind.PASSAGES else ""


def _missing_dimensions(instance: ConfiguredMeasure, inputs: Inputs) -> MissingInput | None:
    """Why exhaustivity and specificity of all results are not known."""
    kind = inputs.assessments.kind
    wanted = instance.asked.get("quantisation", DEFAULT)
    if apart(DEFAULT, kind) is None:
        return MissingInput(f"exhaustivity and specificity; {inputs.assessments.path} judges {kind}")
    if inputs.structure is None:
        return MissingInput("the elements of all documents and their lengths", _STRUCTURE)
    if not instance.explicit and apart(wanted, kind) is None:
        return MissingInput(f"no quantisation {wanted}", verb=("has", "have"))
    return None


def _missing_passages(inputs: Inputs) -> MissingInput | None:
    """Why it is not known which characters are relevant."""
    kind = inputs.assessments.kind
    if kind not in (AssessmentKind.PASSAGES, AssessmentKind.ELEMENTS_2005):
        return MissingInput(f"assessments that count relevant characters; {inputs.assessments.path} judges {kind}")
    return _missing_positions(inputs)


def _missing_spans(inputs: Inputs) -> MissingInput | None:
    """Why it is not known which passages are highlighted."""
    topics = inputs.assessments.topics.values()
    if inputs.assessments.kind is AssessmentKind.ELEMENTS_2005 and not any(
        isinstance(topic, ElementTopic) and topic.highlights for topic in topics
    ):
        return MissingInput(f"highlighted passages; {inputs.assessments.path} has none")
    return _missing_passages(inputs)


def _missing_entry_points(instance: ConfiguredMeasure, inputs: Inputs) -> MissingInput | None:
    """Why it is not known where best entry points are, or what is near to them."""
    if not inputs.entry_points:
        return MissingInput(f"best entry points; {inputs.assessments.path} has none")
    missing = _missing_positions(inputs)
    if missing is None and "L" not in instance.values and inputs.mean_length is None:
        return MissingInput("the mean document length", f"{_STRUCTURE} or set L")
    return missing


def _missing_positions(inputs: Inputs) -> MissingInput | None:
    kind = inputs.assessments.kind
    if kind is AssessmentKind.PASSAGES or inputs.structure is not None:
        return None
    return MissingInput(f"positions in the text, which assessments of {kind} do not give", _STRUCTURE)
