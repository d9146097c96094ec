"""The plan of a call: which measures under which settings; its signature, every choice that changes a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from prum_eval.errors import DataError, UsageError, errors_at
from prum_eval.evaluation.inputs import Inputs, has_lengths
from prum_eval.evaluation.notices import CACHE, LEFT_OUT, LENGTHS, NO_STRUCTURE, PAST_END, Notice, gold_notices
from prum_eval.evaluation.options import TokenCount
from prum_eval.evaluation.settings import Setting, SettingKey, check_set_keys, resolve_setting
from prum_eval.measures.base import Need
from prum_eval.measures.specs import LEVEL_KEY, MODEL_PREFIX, ConfiguredMeasure
from prum_eval.measures.topic_data import JudgedTopic
from prum_eval.parameters import format_parameter
from prum_eval.records import AssessmentKind, ElementTopic
from prum_eval.relevance.gains import RelevantDocuments
from prum_eval.relevance.quantisations import DEFAULT_QUANTISATION, combined_quantisation
from prum_eval.relevance.targets import TargetSet
from prum_eval.tabular import plural
from prum_eval.user_models.model import Model, ModelNeed, joins_items, may_skip_elements

# What measures need of the inputs and the inputs do not tell.


_STRUCTURE = "--structure"
"""The option that gives the elements of documents and where they are."""


@dataclass(frozen=True)
class MissingInput:
    """Why measures cannot be computed from the inputs.

    `verb` and `subject` say it: (needs, need) and what they need, say. `remedy`: the options that would give it, if any.
    """

    subject: str
    remedy: str = ""
    verb: tuple[str, str] = ("needs", "need")

    def reason(self, name: str) -> str:
        """The reason why that measure cannot be computed."""
        return f"{name} {self.verb[0]} {self._rest}"

    def omission_text(self, names: Collection[str]) -> str:
        """What is said of measures of a set that are left out."""
        return f"left out: {', '.join(names)}, which {self.verb[len(names) > 1]} {self._rest}"

    @property
    def _rest(self) -> str:
        return f"{self.subject}: give {self.remedy}" if self.remedy else self.subject


def missing_input(instance: ConfiguredMeasure, inputs: Inputs) -> MissingInput | None:
    """Why a measure cannot be computed from these inputs; None if it can."""
    needs = instance.needs
    if wanted := _missing_judgements(needs, inputs.assessments.kind):
        return MissingInput(f"{wanted}; {inputs.assessments.path} judges {inputs.assessments.kind}")
    if Need.SIZE in needs and inputs.collection_size is None:
        return MissingInput("the number of elements of the collection", f"{_STRUCTURE} or --collection-size")
    if Need.LENGTHS in needs and inputs.structure is None and not has_lengths(inputs.assessments.kind):
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
    wanted = instance.requested_settings.get("quantisation", DEFAULT_QUANTISATION)
    if combined_quantisation(DEFAULT_QUANTISATION, kind) is None:
        return MissingInput(f"exhaustivity and specificity; {inputs.assessments.path} judges {kind}")
    if inputs.structure is None:
        return MissingInput("the elements of all documents and their lengths", _STRUCTURE)
    if not instance.explicit and combined_quantisation(wanted, kind) is None:
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
    if not inputs.has_entry_points:
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


_CAMPAIGN = re.compile("^inex[0-9]{4}-")


@dataclass(eq=False, repr=False)
class Plan:
    """Everything that all runs of a call share.

    `pairs`: the measures, each with its setting. `warnings`: what the user should know. `complete`: all assessed topics
    count (-c). `limit`: at most so many results a topic (-M). `task`: the one that the call names. `merge` and
    `tokens`: as `prum_eval.evaluate` takes them. `judged_only`: only results in judged documents count (-J). `topics`:
    only these topics count, None for all. `models`, `judged_topics`, `target_sets`, `relevant_documents`: what was made for one run
    and serves the next.
    """

    inputs: Inputs
    pairs: Sequence[tuple[ConfiguredMeasure, Setting]]
    warnings: Sequence[Notice] = ()
    complete: bool = False
    limit: int | None = None
    task: str | None = None
    merge: str | None = None
    tokens: TokenCount | None = None
    judged_only: bool = False
    topics: frozenset[str] | None = None
    models: dict[SettingKey, Callable[[], Model]] = field(default_factory=dict, repr=False)
    judged_topics: dict[tuple[SettingKey, str], JudgedTopic] = field(default_factory=dict, repr=False)
    target_sets: dict[tuple[SettingKey, str], TargetSet] = field(default_factory=dict, repr=False)
    relevant_documents: dict[SettingKey, RelevantDocuments] = field(default_factory=dict, repr=False)

    def for_task(self, task: str | None) -> Plan:
        """The plan for a run of that task: without the measures that are only for another.

        Those for the task that the call names stay. A run that tells no task gets all.
        """
        if task is None or not any(instance.task for instance, _ in self.pairs):
            return self
        named = {_normalised_task(task)} | (
            {_normalised_task(self.task), _normalised_task(_CAMPAIGN.sub("", self.task))} if self.task else set()
        )
        kept = [pair for pair in self.pairs if pair[0].task is None or _normalised_task(pair[0].task) in named]
        return replace(self, pairs=kept)


def _normalised_task(task: str) -> str:
    """A task's name as names of tasks are compared: BestInContext is best-in-context."""
    return re.sub(r"[\s_-]", "", task).casefold()


def make_plan(
    inputs: Inputs,
    instances: Sequence[ConfiguredMeasure],
    everywhere: Mapping[str, str],
    *,
    complete: bool = False,
    limit: int | None = None,
    task: str | None = None,
    asked: bool = True,
) -> Plan:
    """The plan for these measures; those of a set whose inputs are not there are left out.

    `asked`: whether the set was asked for; of one that was not, only those left out are told that could be had.

    Raises:
        UsageError: a parameter that is unknown or does not fit.
        DataError: a measure that was asked for by name needs what the inputs do not tell.
        InputError: either of these, about a measure of a configuration file.
    """
    pairs: list[tuple[ConfiguredMeasure, Setting]] = []
    left_out: dict[MissingInput, dict[str, None]] = {}
    refused: dict[str, dict[str, None]] = {}
    used: set[str] = set()
    for instance in instances:
        with nullcontext() if instance.source_line is None else errors_at(instance.source_line):
            missing = missing_input(instance, inputs)
            if missing and instance.explicit:
                raise DataError(missing.reason(instance.measure.name))
            if missing:
                left_out.setdefault(missing, {})[instance.measure.name] = None
                continue
            setting, took = resolve_setting(instance, inputs)
            unfit = _item_conflict(instance, setting)
            if unfit and instance.explicit:
                raise UsageError(f"{unfit}; {instance.measure.name} needs one")
        if unfit:
            refused.setdefault(unfit, {})[instance.measure.name] = None
            continue
        pairs.append((instance, setting))
        used |= took
    if everywhere:
        check_set_keys([instance for instance, _ in pairs], used, everywhere)
    if not pairs:
        raise DataError("no measure is left to compute")
    # What needs nothing takes the data of the others of its variant, so that none are made for it alone.
    some = {instance.variant: setting for instance, setting in reversed(pairs)}
    some |= {instance.variant: setting for instance, setting in reversed(pairs) if instance.needs}
    pairs = [(instance, setting if instance.needs else some[instance.variant]) for instance, setting in pairs]
    mean_length = any(_takes_mean_length(*pair) for pair in pairs)
    told = [missing.omission_text(names) for missing, names in left_out.items() if asked or missing.remedy]
    told += [f"{reason}; left out: {', '.join(names)}" for reason, names in refused.items()]
    warnings = [*(Notice(LEFT_OUT, text) for text in told), *_warnings(inputs, mean_length=mean_length)]
    if any(Need.SPANS in instance.needs for instance, _ in pairs):
        from prum_eval.evaluation.notices import span_notices  # few calls have such measures

        warnings += span_notices(inputs.assessments)
    return Plan(inputs, pairs, warnings, complete, limit, task)


def _warnings(inputs: Inputs, *, mean_length: bool) -> Iterator[Notice]:
    if inputs.cache_note is not None:
        yield Notice(CACHE, inputs.cache_note)
    if inputs.assessments.kind is AssessmentKind.PASSAGES:
        yield from gold_notices(inputs.assessments)
        yield from _extent_notices(inputs)
    if inputs.structure is not None:
        return
    if mean_length and inputs.mean_length is not None:
        length = f"L = {inputs.mean_length:.1f}"
        yield Notice(NO_STRUCTURE, f"no structure: the mean document length {length} is that of the judged documents")
    if inputs.assessments.kind not in (AssessmentKind.FLAT, AssessmentKind.PASSAGES):
        yield Notice(NO_STRUCTURE, "no structure: document trees are taken from the assessments, as far as they tell")


def _extent_notices(inputs: Inputs) -> Iterator[Notice]:
    """What the assessments tell of documents that cannot be."""
    from prum_eval.evaluation.notices import count_length_conflicts, passages_past_end  # passages only have some

    path, lists = inputs.assessments.path, "; prum-eval check lists them"
    past = sum(1 for _ in passages_past_end(inputs.assessments))
    if past:
        what = f"{plural(past, 'assessed passage')} past the end of a document"
        yield Notice(PAST_END, f"{path}: {what}{lists}", count=past)
    twice = count_length_conflicts(inputs.assessments, inputs.trees, inputs.lengths)
    if twice:
        yield Notice(LENGTHS, f"{path}: {plural(twice, 'document')} of two lengths{lists}", count=twice)


def _item_conflict(instance: ConfiguredMeasure, setting: Setting) -> str | None:
    """Why a measure with an ideal list has no meaning with such items; None where it has.

    Raises:
        UsageError: the greedy list is made of elements, and counts ranks.
    """
    ideal_list = instance.values.get("ideal_list")
    if ideal_list == "greedy" and instance.values.get("effort") == "size":
        raise UsageError("ideal_list=greedy and effort=size do not go together")
    if ideal_list is None or not joins_items(setting.choice.values):
        return None
    if ideal_list == "greedy":
        raise UsageError("ideal_list=greedy and items=article do not go together")
    if not may_skip_elements(setting.choice.values):
        return None
    return (
        "items=article with consider below 1 gives the ideal list no expected length: a target that is passed over is "
        "never seen"
    )


def _takes_mean_length(instance: ConfiguredMeasure, setting: Setting) -> bool:
    """Does it use the mean length of the documents, with no L to override it?"""
    if Need.ENTRY_POINTS in instance.measure.needs:
        return "L" not in instance.values
    return ModelNeed.MEAN_LENGTH in setting.choice.model.needs and bool(setting.choice.input_parameters)


def call_parameters(plan: Plan, rank_by: str | None) -> dict[str, Any]:
    """The choices of a call, as the json output holds them.

    `measures` maps each measure, with its label, to its own parameters and those of its setting.
    """
    inputs = plan.inputs
    structure = _tree_source(inputs) if inputs.structure is None else inputs.structure.path
    source = "option" if inputs.size is not None else "structure" if inputs.structure is not None else "none"
    measures: dict[str, dict[str, Any]] = {}
    for instance, setting in plan.pairs:
        own = {parameter.name for parameter in instance.measure.parameters}
        measures[instance.label] = {
            **instance.values,
            "quantisation": setting.quantisation.name,
            **({LEVEL_KEY: setting.quantisation.level} if setting.quantisation.level != 1 else {}),
            "targets": setting.targets.value,
            "user_model": setting.choice.model.name,
            **{f"{MODEL_PREFIX}{key}" if key in own else key: value for key, value in setting.choice.values.items()},
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
        "rank_by": rank_by or "default",
        **({"judged_only": True} if plan.judged_only else {}),
        **({"topics": sorted(plan.topics, key=str.encode)} if plan.topics is not None else {}),
        **({"merge": plan.merge} if plan.merge else {}),
        **({"tokens": "function" if callable(plan.tokens) else f"{plan.tokens:g} a character"} if plan.tokens else {}),
        "measures": measures,
    }


def _tree_source(inputs: Inputs) -> str:
    """Where trees come from: from the assessments, or from nowhere where these judge no elements."""
    return "none" if inputs.assessments.kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES) else "assessments"


def signature(version: str, plan: Plan, rank_by: str | None) -> str:
    """One line, ``prum-eval 0.1.0|assessments:...``: what all measures share, then what some have of their own."""
    chosen = call_parameters(plan, rank_by)
    parts = [
        f"prum-eval {version}",
        f"assessments:{chosen['assessments_kind']}",
        f"structure:{_tree_source(plan.inputs) if plan.inputs.structure is None else 'file'}",
        f"N:{chosen['collection_size'] if chosen['collection_size'] is not None else 'unknown'}",
        f"topics:{'all judged' if plan.complete else 'in the run'}",
        f"limit:{plan.limit or 'none'}",
        f"rank-by:{chosen['rank_by']}",
        *(["results:judged"] if plan.judged_only else []),
        *([] if plan.topics is None else [f"chosen:{len(plan.topics)} of {len(plan.inputs.assessments.topics)}"]),
        *([f"merge:{plan.merge}"] if plan.merge else []),
        *([f"tokens:{chosen['tokens']}"] if plan.tokens else []),
    ]
    pairs = [pair for pair in plan.pairs if pair[0].needs]
    shared = (
        _signature_setting(*next((pair for pair in pairs if Need.REACH in pair[0].measure.needs), pairs[0]))
        if pairs
        else {}
    )
    if any(_signature_setting(*pair).get(LEVEL_KEY) != shared.get(LEVEL_KEY) for pair in pairs):
        shared.pop(LEVEL_KEY, None)
    parts += [f"{key}:{value}" for key, value in shared.items()]
    groups: dict[str, list[str]] = {}
    for family, said in _family_parameters(pairs, shared):
        families = groups.setdefault(",".join(f"{key}={value}" for key, value in said.items()), [])
        if family not in families:
            families.append(family)
    parts += [f"{'+'.join(families)}({said})" if said else "+".join(families) for said, families in groups.items()]
    return "|".join(parts)


def _family_parameters(
    pairs: Sequence[tuple[ConfiguredMeasure, Setting]], shared: Mapping[str, str]
) -> list[tuple[str, dict[str, str]]]:
    """Families with the parameters of their measures, and what these do not share with all others.

    Measures of a family that have other parameters, but no other values, stand together.
    """
    found: list[tuple[str, dict[str, str], dict[str, str]]] = []
    for instance, setting in pairs:
        own = {key: value for key, value in _signature_setting(instance, setting).items() if shared.get(key) != value}
        said = {key: format_parameter(value) for key, value in instance.values.items()}
        family = instance.measure.family
        for place, (other, values, apart) in enumerate(found):
            if other == family and apart == own and (said.items() <= values.items() or values.items() <= said.items()):
                found[place] = (family, max(values, said, key=len), own)
                break
        else:
            found.append((family, said, own))
    return [(family, said | own) for family, said, own in found]


def _signature_setting(instance: ConfiguredMeasure, setting: Setting) -> dict[str, str]:
    """What of a setting has a part in a measure's value: gain measures know no targets and no user model."""
    chosen = {"quantisation": setting.quantisation.name}
    if setting.quantisation.level != 1:
        chosen[LEVEL_KEY] = str(setting.quantisation.level)
    if Need.REACH in instance.measure.needs:
        chosen |= {"targets": setting.targets.value, "user_model": setting.choice.spec}
    return chosen
