"""The options of an evaluation in one record, as the caller gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from prum_eval.evaluation.tokens import TokenCount
from prum_eval.formats.given import GivenAssessments, GivenRuns
from prum_eval.measures.specs import GivenMeasures
from prum_eval.records.navigation import NavigationFile
from prum_eval.records.structure import Structure

if TYPE_CHECKING:  # few calls have some
    from prum_eval.evaluation.subsets.topics import GivenTopics
    from prum_eval.formats.groups import GivenGroups

OUR_NAMES, AS_GIVEN = PRINTED_NAMES = ("ours", "as-given")
"""Under which names values print."""
Path = str | PathLike[str]


@dataclass(frozen=True)
class OptionVariant:
    """Options in place of those of the call. `label`: what the names of measures end with that are computed so."""

    label: str
    options: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationOptions:
    """What is computed: the arguments of `prum_eval.evaluate`, which explains them.

    `variants`: what measures and their settings are in place of that, all of these side by side.
    """

    assessments: GivenAssessments | None = None
    runs: GivenRuns | None = None
    config: Path | None = None
    structure: Path | Structure | None = None
    measures: GivenMeasures | None = None
    task: str | None = None
    user_model: str | None = None
    navigation: Path | NavigationFile | None = None
    navigation_kind: str = "reach"
    targets: str | None = None
    quantisation: str | None = None
    items: str | None = None
    settings: Mapping[str, str | float] | None = None
    prum_mode: str | None = None
    ideal_list: str | None = None
    collection_size: int | None = None
    complete: bool = False
    limit: int | None = None
    relevance_level: int | None = None
    names: str = OUR_NAMES
    judged_only: bool = False
    topics: GivenTopics | None = None
    merge: str | None = None
    tokens: TokenCount | None = None
    rank_by: str | None = None
    groups: GivenGroups | None = None
    curves: bool = False
    jobs: int = 1
    cluster: str | None = None
    cache: bool = True
    variants: Sequence[OptionVariant] = ()
