"""The inputs that all runs share: assessments, structure, navigation file."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from os import PathLike

from prum_eval.arrays import groups_of_rows
from prum_eval.collection.forest import Forest, forest_of
from prum_eval.formats.assessments.cache import read_cached, user_cache
from prum_eval.formats.given import GivenAssessments, PathName, given_assessments
from prum_eval.formats.read import read_navigation, read_structure
from prum_eval.records.assessments import Assessments, ElementTopic, PassageTopic
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.structure import Structure
from prum_eval.relevance.quantisations import largest_grade
from prum_eval.relevance.targets import target_documents
from prum_eval.text.document_names import FILE_ENDING
from prum_eval.user_models.model import ModelContext


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a call evaluates against. `size` is --collection-size, which comes before the structure's own count."""

    assessments: Assessments
    structure: Structure | None = None
    navigation: NavigationFile | None = None
    navigation_kind: str = "reach"
    size: int | None = None

    @cached_property
    def collection_size(self) -> int | None:
        """N: as given, else the elements of the structure, else unknown."""
        if self.size is not None:
            return self.size
        return self.structure.elements if self.structure is not None else None

    @cached_property
    def trees(self) -> Forest | None:
        """Trees of the structure; None without a structure."""
        return forest_of(self.structure.documents) if self.structure is not None else None

    @cached_property
    def holding(self) -> frozenset[str]:
        """Names of all documents that may hold a target, and of their files, which runs may name instead."""
        names = target_documents(self.assessments)
        return frozenset(names).union(name + FILE_ENDING for name in names)

    @cached_property
    def largest_grade(self) -> int:
        """Largest grade of flat assessments."""
        return largest_grade(self.assessments)

    @cached_property
    def entry_points(self) -> bool:
        """Whether the assessments tell any best entry point."""
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
                lengths.update(zip(topic.documents, topic.lengths.tolist(), strict=True))
            elif isinstance(topic, ElementTopic):
                owner = groups_of_rows(topic.bounds)
                for row, path in enumerate(topic.paths):
                    if path.count("/") == 1 and topic.size[row] >= 0:
                        lengths[topic.documents[owner[row]]] = int(topic.size[row])
        return sum(lengths.values()) / len(lengths) if lengths else None

    @cached_property
    def context(self) -> ModelContext:
        """What user models may be built from."""
        links, path = ((), "") if self.structure is None else (self.structure.links, self.structure.path)
        return ModelContext(self.navigation, self.navigation_kind, links, path, self.mean_length)


def read_inputs(
    assessments: GivenAssessments,
    structure: PathName | Structure | None = None,
    navigation: PathName | NavigationFile | None = None,
    navigation_kind: str = "reach",
    collection_size: int | None = None,
    *,
    also: AbstractSet[str] = frozenset(),
    cache: bool = True,
) -> Inputs:
    """Read what all runs share; of the structure only the documents that may hold a target, and those in `also`."""
    if not isinstance(assessments, Assessments):
        given = [str(assessments)] if isinstance(assessments, str | PathLike) else given_assessments(assessments)
        assessments = given if isinstance(given, Assessments) else read_cached(given, user_cache() if cache else None)
    if structure is not None and not isinstance(structure, Structure):
        structure = read_structure(str(structure), target_documents(assessments) | also)
    if navigation is not None and not isinstance(navigation, NavigationFile):
        navigation = read_navigation(str(navigation))
    return Inputs(assessments, structure, navigation, navigation_kind, collection_size)
