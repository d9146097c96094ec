"""The inputs that all runs share: assessments, structure and navigation file; and checks of runs against them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from prum_eval.arrays import group_numbers
from prum_eval.collection.element_sizes import complete_sizes
from prum_eval.collection.locations import NOWHERE
from prum_eval.collection.trees import Forest, make_forest
from prum_eval.errors import DataError, UnsupportedResultError
from prum_eval.formats.assessments_cache import read_cached, user_cache
from prum_eval.formats.reading import (
    AssessmentsInput,
    PathName,
    read_navigation,
    read_structure,
    resolve_assessments_input,
)
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import TopicBatch
from prum_eval.records import (
    AssessmentKind,
    Assessments,
    ElementTopic,
    NavigationFile,
    PassageTopic,
    Run,
    RunKind,
    Structure,
)
from prum_eval.relevance.quantisations import largest_grade
from prum_eval.relevance.targets import target_documents, use_structure_names
from prum_eval.text.names import candidate_documents
from prum_eval.user_models.model import ModelContext, ModelNeed
from prum_eval.user_models.registry import ModelChoice


@dataclass(eq=False, repr=False)
class Inputs:
    """What a call evaluates against.

    `size`: --collection-size, which comes before the structure's count. `cache_note`: why cached assessments are not
    used.
    """

    assessments: Assessments
    structure: Structure | None = None
    navigation: NavigationFile | None = None
    navigation_kind: str = "reach"
    size: int | None = None
    cache_note: str | None = None

    @cached_property
    def collection_size(self) -> int | None:
        """N: the option, else the number of elements of the structure, else unknown."""
        if self.size is not None:
            return self.size
        return self.structure.elements if self.structure is not None else None

    @cached_property
    def trees(self) -> Forest | None:
        """Trees of the structure, if there is one."""
        return make_forest(self.structure.documents) if self.structure is not None else None

    @cached_property
    def documents_with_targets(self) -> frozenset[str]:
        """Names of all documents that may hold a target."""
        return frozenset(target_documents(self.assessments))

    @cached_property
    def largest_grade(self) -> int:
        """Largest grade of flat assessments."""
        return largest_grade(self.assessments)

    @cached_property
    def has_entry_points(self) -> bool:
        """Whether the assessments have any best entry point."""
        return any(
            bool(((topic.bep >= 0) & (topic.relevant > 0)).any())
            if isinstance(topic, PassageTopic)
            else isinstance(topic, ElementTopic) and bool(topic.entry_points)
            for topic in self.assessments.topics.values()
        )

    @cached_property
    def mean_length(self) -> float | None:
        """Mean length of a document: of the structure, else of the judged documents, else unknown."""
        if self.structure is not None:
            return self.structure.characters / len(self.structure.names)
        lengths: dict[str, int] = {}
        for topic in self.assessments.topics.values():
            if isinstance(topic, PassageTopic):
                lengths |= topic.known_lengths()
            elif isinstance(topic, ElementTopic):
                owner = group_numbers(topic.bounds)
                for row, path in enumerate(topic.paths):
                    if path.count("/") == 1 and topic.size[row] >= 0:
                        lengths[topic.documents[owner[row]]] = int(topic.size[row])
        return sum(lengths.values()) / len(lengths) if lengths else None

    @cached_property
    def lengths(self) -> dict[str, int]:
        """Characters of each document whose length is known."""
        from prum_eval.evaluation.notices import document_lengths  # few runs need them

        return document_lengths(self.assessments, self.trees)

    @cached_property
    def context(self) -> ModelContext:
        """What user models are built from."""
        links, path = ((), "") if self.structure is None else (self.structure.links, self.structure.path)
        return ModelContext(self.navigation, self.navigation_kind, links, path, self.mean_length)


class LoadedAssessments(NamedTuple):
    """Assessments, and why cached ones were not used."""

    assessments: Assessments
    cache_note: str | None = None


def load_assessments(
    assessments: AssessmentsInput, *, cache: bool = True, structured: bool = False, facets: str | None = None
) -> LoadedAssessments:
    """Read assessments, from the cache of parsed ones if it has them and may be used.

    `structured`: with a structure. `facets`: as `prum_eval.evaluate` takes it.

    Raises:
        InputError, DataError, UsageError: as the readers.
    """
    paths = resolve_assessments_input(assessments, facets)
    if isinstance(paths, Assessments):
        return LoadedAssessments(paths)
    entries = user_cache() if cache else None
    problem = None if entries is None else entries.ownership_problem()
    if entries is not None and problem is not None:
        note = f"the cache folder {entries.folder} is not used: {problem}"
        return LoadedAssessments(read_cached(paths, None, structured=structured, facets=facets), note)
    return LoadedAssessments(read_cached(paths, entries, structured=structured, facets=facets))


def read_inputs(
    assessments: AssessmentsInput | LoadedAssessments,
    structure: PathName | Structure | None = None,
    navigation: PathName | NavigationFile | None = None,
    navigation_kind: str = "reach",
    collection_size: int | None = None,
    *,
    also: AbstractSet[str] = frozenset(),
    cache: bool = True,
    facets: str | None = None,
) -> Inputs:
    """Read what all runs share; of the structure only documents that may hold a target, and those in `also`."""
    assessments, cache_note = (
        assessments
        if isinstance(assessments, LoadedAssessments)
        else load_assessments(assessments, cache=cache, structured=structure is not None, facets=facets)
    )
    if structure is not None and not isinstance(structure, Structure):
        structure = read_structure(str(structure), candidate_documents(target_documents(assessments)) | also)
    if structure is not None:
        assessments = use_structure_names(assessments, structure.documents)
    assessments = complete_sizes(assessments, None if structure is None else structure.documents)
    if navigation is not None and not isinstance(navigation, NavigationFile):
        navigation = read_navigation(str(navigation))
    return Inputs(assessments, structure, navigation, navigation_kind, collection_size, cache_note)


def has_lengths(kind: AssessmentKind) -> bool:
    """Whether assessments of a kind have lengths."""
    return kind is AssessmentKind.PASSAGES or kind.has_sizes


def check_model(choice: ModelChoice, inputs: Inputs) -> None:
    """Refuse a user model that needs more about documents than the inputs have.

    Raises:
        DataError: it needs a structure.
    """
    needs, kind, name = choice.model.needs, inputs.assessments.kind, choice.model.name
    if inputs.structure is not None:
        return
    if ModelNeed.LENGTHS in needs and not has_lengths(kind):
        raise DataError(f"user model {name} needs lengths, which assessments of {kind} do not give: give --structure")
    if ModelNeed.POSITIONS in needs and kind is not AssessmentKind.PASSAGES:
        raise DataError(
            f"user model {name} needs positions in the text, which assessments of {kind} do not give: give --structure"
        )
    if ModelNeed.SIBLINGS in needs:
        raise DataError(f"user model {name} needs all elements of a document: give --structure")


def check_run(run: Run, inputs: Inputs) -> None:
    """Refuse a run whose results cannot be located with these inputs.

    Raises:
        DataError: with the reason.
    """
    check_places(run.path, run.kind, inputs, "run")


def check_places(path: str, results: RunKind, inputs: Inputs, what: str) -> None:
    """Refuse results of a kind that cannot be located with these inputs.

    Args:
        path: file of the results.
        results: their kind.
        inputs: assessments, and perhaps a structure.
        what: the kind of file, for messages.

    Raises:
        DataError: with the reason.
    """
    if inputs.structure is not None:
        return
    kind, gives = inputs.assessments.kind, None
    if results is RunKind.ELEMENTS and kind in (AssessmentKind.PASSAGES, AssessmentKind.FLAT):
        gives = "element paths"
    if results is RunKind.EXTENTS and kind is not AssessmentKind.PASSAGES:
        gives = "offsets"
    if gives is not None:
        merge = ", or --merge document" if what == "run" and kind is AssessmentKind.FLAT else ""
        raise DataError(f"{path}: the {what} gives {gives}, the assessments are of {kind}: give --structure{merge}")


def needs_validation(instance: ConfiguredMeasure, inputs: Inputs, run: Run) -> bool:
    """Whether a measure may refuse topics of a run, so that its topics need `check_topics`."""
    needs, flat = instance.needs, run.kind is RunKind.FLAT
    passages = flat and Need.PASSAGES in needs and inputs.assessments.kind is AssessmentKind.PASSAGES
    return passages or (not flat and Need.GAINS in needs) or Need.SIZE in needs


def check_topics(instance: ConfiguredMeasure, batch: TopicBatch, inputs: Inputs, run: Run) -> None:
    """Refuse topics that a measure cannot be computed for.

    Raises:
        UnsupportedResultError: a result is no element, and this measure counts elements.
        DataError: the collection is smaller than the results and targets in it.
    """
    needs = instance.needs
    no_offsets = run.kind is RunKind.FLAT and inputs.assessments.kind is AssessmentKind.PASSAGES
    if Need.PASSAGES in needs and no_offsets and len(batch):
        reason = "6 columns name a document; passage measures need an offset and a length (8 columns)"
        raise UnsupportedResultError(run.path, int(run.line[0]), reason)
    if Need.GAINS in needs and run.kind is not RunKind.FLAT:
        _refuse_results_without_element(instance, batch, inputs)
    if Need.SIZE in needs and inputs.collection_size is not None:
        _refuse_small_collection(batch, inputs.collection_size, run)


def _refuse_results_without_element(instance: ConfiguredMeasure, batch: TopicBatch, inputs: Inputs) -> None:
    """Refuse a result whose extent is known, in a document that was looked up, but is that of no element."""
    results, structure = batch.results, inputs.structure
    mask = (results.document >= 0) & (results.element == NOWHERE) & results.located
    if Need.EXTENTS not in instance.needs:  # only documents with targets were looked up
        documents = np.array([len(topic.judged.targets.documents) for topic in batch.topics], dtype=np.int64)
        mask &= results.document < documents[group_numbers(batch.bounds)]
    for row in np.flatnonzero(mask).tolist():
        document = batch.document_name(row)
        if structure is not None and structure.names.isdisjoint(candidate_documents([document])):
            continue  # not in the collection at all, as X is not
        extent = f"offset {int(results.start[row])}, length {int(results.length[row])} of document {document}"
        raise batch.unsupported(row, f"{extent} is no element; {instance.measure.name} counts elements")


def _refuse_small_collection(batch: TopicBatch, size: int, run: Run) -> None:
    missing = batch.target_counts - batch.retrieved_counts
    for row in np.flatnonzero(size < batch.existing_counts + missing).tolist():
        raise DataError(
            f"{run.path}: topic {batch.topics[row].judged.name} has {batch.existing_counts[row]} results and "
            f"{missing[row]} targets that are not among them, more than the collection's {size} elements"
        )
