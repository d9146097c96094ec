"""The plan of a call: its measures and inputs; and its signature, with every choice that changes a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from prum_eval.errors import InputError
from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.notices import Notice
from prum_eval.evaluation.options import TokenCount
from prum_eval.evaluation.settings import Setting, SettingKey
from prum_eval.formats import RankBy
from prum_eval.formats.topic_files import Exclusions
from prum_eval.measures.base import Need
from prum_eval.measures.specs import JUDGED_ONLY_KEY, LEVEL_KEY, MODEL_PREFIX, ConfiguredMeasure
from prum_eval.measures.topic_data import JudgedTopic
from prum_eval.parameters import format_parameter
from prum_eval.records import AssessmentKind, Run
from prum_eval.relevance.gains import RelevantDocuments
from prum_eval.relevance.targets import TargetSet
from prum_eval.text.streams import Content
from prum_eval.user_models.model import Model
from prum_eval.version import __version__

if TYPE_CHECKING:  # a call with one run starts without it
    from prum_eval.evaluation.parallel import WorkerBackend

_CAMPAIGN = re.compile("^inex[0-9]{4}-")
TASK_SEPARATOR = "+"
"""Between the names of several tasks of a call."""
RunSource = str | PathLike[str] | Content | Run | InputError
"""Where a run comes from: a path, its bytes, what `read_run` returned; or why it cannot be read."""
Pairs = Sequence[tuple[ConfiguredMeasure, Setting]]
"""Measures, each with its setting."""


@dataclass(eq=False, repr=False)
class Plan:
    """What a call computes: inputs and measures. Plain data that nothing changes and any process can be sent.

    `pairs`: the measures, each with its setting. `sources`: where runs come from. `rank_by`: what orders results.
    `backend`: where runs are evaluated; None for this process. `complete`: all assessed topics count (-c). `limit`:
    most results per topic (-M). `task`: the one that the call names, or several. `merge`, `tokens`: as
    `prum_eval.evaluate` takes them. `judged_only`: only results in judged documents count (-J). `facets`: where
    they come from, None without any. `exclude`: results that do not count. `topics`: only these count; None for
    all. `names`: printed names; `requested_names`: the same in the order of the request. `includes_set`: a set or
    task requested measures, so the output has more than their values. `warnings`: what the user should know.
    `ranked_by`: the first score that the options name.
    """

    inputs: Inputs
    pairs: Pairs
    sources: Sequence[RunSource] = ()
    rank_by: RankBy | None = None
    backend: WorkerBackend | None = None
    complete: bool = False
    limit: int | None = None
    task: str | None = None
    merge: str | None = None
    tokens: TokenCount | None = None
    judged_only: bool = False
    exclude: Exclusions | None = None
    facets: str | None = None
    topics: frozenset[str] | None = None
    names: tuple[str, ...] = ()
    requested_names: tuple[str, ...] = ()
    includes_set: bool = False
    warnings: tuple[Notice, ...] = ()
    ranked_by: str | None = None

    @property
    def tasks(self) -> Sequence[str]:
        """Names of the tasks that the call names."""
        return self.task.split(TASK_SEPARATOR) if self.task else ()

    def without_tokens(self) -> Plan:
        """The plan for a run without tokens: without the measures of a set that need them."""
        from prum_eval.measures.chunks import TOKEN_MEASURES  # few calls measure chunks

        pairs = [pair for pair in self.pairs if pair[0].explicit or pair[0].measure.name not in TOKEN_MEASURES]
        return replace(self, pairs=pairs)

    def for_task(self, task: str | None) -> Plan:
        """The plan for a run of a task: without the measures that are only for another.

        Those for the task that the call names stay. A run without a task gets all.
        """
        if task is None or not any(instance.task for instance, _ in self.pairs):
            return self
        names = {_normalised_task(task)}
        names |= {_normalised_task(form) for name in self.tasks for form in (name, _CAMPAIGN.sub("", name))}
        pairs = [pair for pair in self.pairs if pair[0].task is None or _normalised_task(pair[0].task) in names]
        return replace(self, pairs=pairs)


def _normalised_task(task: str) -> str:
    """Normalise the name of a task: BestInContext is best-in-context."""
    return re.sub(r"[\s_-]", "", task).casefold()


@dataclass(slots=True, eq=False, repr=False)
class TopicCache:
    """What was computed under a plan for one run and serves the next; it is never sent to another process."""

    models: dict[SettingKey, Callable[[], Model]] = field(default_factory=dict)
    judged_topics: dict[tuple[SettingKey, str], JudgedTopic] = field(default_factory=dict)
    target_sets: dict[tuple[SettingKey, str], TargetSet] = field(default_factory=dict)
    relevant_documents: dict[SettingKey, RelevantDocuments] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type[TopicCache], tuple[()]]:
        return TopicCache, ()


def call_parameters(plan: Plan) -> dict[str, Any]:
    """The choices of a call, as the json output holds them.

    `measures` maps each measure, with its label, to its own parameters and those of its setting.
    """
    inputs = plan.inputs
    structure = _tree_source(inputs) if inputs.structure is None else inputs.structure.path
    source = "option" if inputs.size is not None else "structure" if inputs.structure is not None else "none"
    measures: dict[str, dict[str, Any]] = {}
    for instance, setting in plan.pairs:
        own_keys = {parameter.name for parameter in instance.measure.parameters}
        model_values = setting.choice.values.items()
        measures[instance.label] = {
            **instance.values,
            "quantisation": setting.quantisation.name,
            **({LEVEL_KEY: setting.quantisation.level} if setting.quantisation.level != 1 else {}),
            **({JUDGED_ONLY_KEY: "on"} if setting.judged_only else {}),
            "targets": setting.targets.value,
            "user_model": setting.choice.model.name,
            **{f"{MODEL_PREFIX}{key}" if key in own_keys else key: value for key, value in model_values},
        }
    return {
        "assessments": inputs.assessments.path,
        "assessments_kind": inputs.assessments.kind.value,
        "structure": structure,
        "navigation": inputs.navigation.path if inputs.navigation is not None else None,
        "navigation_kind": inputs.navigation_kind if inputs.navigation is not None else None,
        "collection_size": inputs.collection_size,
        "collection_size_from": source,
        "complete": plan.complete,
        "limit": plan.limit,
        "rank_by": plan.rank_by or "default",
        **({"judged_only": True} if plan.judged_only else {}),
        **({"topics": sorted(plan.topics, key=str.encode)} if plan.topics is not None else {}),
        **({"exclude": plan.exclude.source} if plan.exclude else {}),
        **({"facets": plan.facets} if plan.facets else {}),
        **({"merge": plan.merge} if plan.merge else {}),
        **({"tokens": "function" if callable(plan.tokens) else f"{plan.tokens:g} a character"} if plan.tokens else {}),
        "measures": measures,
    }


def _tree_source(inputs: Inputs) -> str:
    """Where trees come from without a structure: the assessments, unless these judge no elements."""
    return "none" if inputs.assessments.kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES) else "assessments"


def signature(plan: Plan) -> str:
    """One line, ``prum-eval 0.1.0|assessments:...``: what all measures share, then what only some have."""
    chosen = call_parameters(plan)
    parts = [
        f"prum-eval {__version__}",
        f"assessments:{chosen['assessments_kind']}",
        f"structure:{_tree_source(plan.inputs) if plan.inputs.structure is None else 'file'}",
        f"N:{chosen['collection_size'] if chosen['collection_size'] is not None else 'unknown'}",
        f"topics:{'all judged' if plan.complete else 'in the run'}",
        f"limit:{plan.limit or 'none'}",
        f"rank-by:{chosen['rank_by']}",
        *(["results:judged"] if plan.judged_only else []),
        *([] if plan.topics is None else [f"chosen:{len(plan.topics)} of {len(plan.inputs.assessments.topics)}"]),
        *([f"excluded:{sum(map(len, plan.exclude.documents.values()))}"] if plan.exclude else []),
        *([f"facets:{plan.facets}"] if plan.facets else []),
        *([f"merge:{plan.merge}"] if plan.merge else []),
        *([f"tokens:{chosen['tokens']}"] if plan.tokens else []),
    ]
    pairs = [pair for pair in plan.pairs if pair[0].needs]
    shared: dict[str, str] = {}
    if pairs:
        shared = _signature_setting(*next((pair for pair in pairs if Need.REACH in pair[0].measure.needs), pairs[0]))
    for key in (LEVEL_KEY, JUDGED_ONLY_KEY):
        if any(_signature_setting(*pair).get(key) != shared.get(key) for pair in pairs):
            shared.pop(key, None)
    parts += [f"{key}:{value}" for key, value in shared.items()]
    groups: dict[str, list[str]] = {}
    for family, values in _family_parameters(pairs, shared):
        families = groups.setdefault(",".join(f"{key}={value}" for key, value in values.items()), [])
        if family not in families:
            families.append(family)
    parts += [f"{'+'.join(families)}({text})" if text else "+".join(families) for text, families in groups.items()]
    return "|".join(parts)


def _family_parameters(pairs: Pairs, shared: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
    """Families with the parameters of their measures, and with what not all others share.

    Measures of a family that have other parameters, but no other values, are joined.
    """
    families: list[tuple[str, dict[str, str], dict[str, str]]] = []
    for instance, setting in pairs:
        unshared = {
            key: value for key, value in _signature_setting(instance, setting).items() if shared.get(key) != value
        }
        values = {key: format_parameter(value) for key, value in instance.values.items()}
        family = instance.measure.family
        for place, (other, others, other_unshared) in enumerate(families):
            joinable = values.items() <= others.items() or others.items() <= values.items()
            if other == family and other_unshared == unshared and joinable:
                families[place] = (family, max(others, values, key=len), unshared)
                break
        else:
            families.append((family, values, unshared))
    return [(family, values | unshared) for family, values, unshared in families]


def _signature_setting(instance: ConfiguredMeasure, setting: Setting) -> dict[str, str]:
    """The part of a setting that changes a measure's value: gain measures have no targets and no user model."""
    chosen = {"quantisation": setting.quantisation.name}
    if setting.quantisation.level != 1:
        chosen[LEVEL_KEY] = str(setting.quantisation.level)
    if setting.judged_only:
        chosen[JUDGED_ONLY_KEY] = "on"
    if Need.REACH in instance.measure.needs:
        chosen |= {"targets": setting.targets.value, "user_model": setting.choice.spec}
    return chosen
