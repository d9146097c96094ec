"""The plan of a call: which instances are computed under which settings, on which judged topics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from prum_eval.errors import DataError, UsageError, errors_at
from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.requirements import missing_input
from prum_eval.evaluation.settings import Setting, SettingKey, check_offers, setting_of
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.measures.topic_data import JudgedTopic
from prum_eval.relevance.make_targets import make_targets
from prum_eval.user_models.model import Model, ModelContext, ModelNeed
from prum_eval.user_models.modifiers import joins_items
from prum_eval.user_models.registry import build


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that all runs of a call share.

    `left_out` names measures of a set whose inputs are not there; `task` is the one that the call names.
    """

    inputs: Inputs
    instances: Sequence[ConfiguredMeasure]
    settings: Sequence[Setting]  # one an instance
    left_out: Sequence[str]
    warnings: Sequence[str]
    complete: bool = False  # -c: all judged topics count
    limit: int | None = None  # -M: at most so many results a topic
    task: str | None = None
    _models: dict[SettingKey, Model] = field(default_factory=dict, repr=False)
    _topics: dict[tuple[SettingKey, str], JudgedTopic] = field(default_factory=dict, repr=False)

    def distinct(self) -> dict[SettingKey, Setting]:
        """The different settings, by key."""
        return {setting.key: setting for setting in self.settings}

    def for_task(self, task: str | None) -> Plan:
        """The plan for a run of that task: without the instances that are only for another.

        A run that tells no task gets all of them; so it is with those for the task that the call names.
        """
        if task is None or not any(instance.only for instance in self.instances):
            return self
        named = {_folded(task)} | ({_folded(self.task), _folded(_CAMPAIGN.sub("", self.task))} if self.task else set())
        pairs = zip(self.instances, self.settings, strict=True)
        kept = [pair for pair in pairs if pair[0].only is None or _folded(pair[0].only) in named]
        return replace(self, instances=[one for one, _ in kept], settings=[setting for _, setting in kept])

    def judged(self, setting: Setting, topic: str) -> JudgedTopic:
        """A judged topic under a setting; made at the first call and shared by all runs."""
        key = (setting.key, topic)
        if key not in self._topics:
            self._topics[key] = self._make(setting, topic)
        return self._topics[key]

    def _make(self, setting: Setting, topic: str) -> JudgedTopic:
        inputs = self.inputs
        targets = make_targets(
            inputs.assessments.topics[topic],
            setting.targets,
            setting.quantisation,
            inputs.trees,
            largest_grade=inputs.largest_grade,
        )
        if setting.key not in self._models:
            self._models[setting.key] = build(setting.choice, model_context(inputs))
        graph = ModelNeed.GRAPH in setting.choice.model.needs and inputs.navigation is not None
        elsewhere = tuple(dict.fromkeys(inputs.navigation.source)) if graph and inputs.navigation else ()
        return JudgedTopic(
            topic,
            inputs.assessments.topics[topic],
            setting.quantisation.name,
            targets,
            self._models[setting.key],
            setting.choice.memoryless,
            elsewhere,
            inputs.assessments.kind,
            inputs.mean_length,
            inputs.trees,
        )


_CAMPAIGN = re.compile("^inex[0-9]{4}-")


def _folded(task: str) -> str:
    """A task's name as names of tasks are compared: BestInContext is best-in-context."""
    return re.sub(r"[\s_-]", "", task).casefold()


def model_context(inputs: Inputs) -> ModelContext:
    """What user models may be built from."""
    structure = inputs.structure
    return ModelContext(
        inputs.navigation,
        inputs.navigation_kind,
        structure.links if structure is not None else (),
        structure.path if structure is not None else "",
        inputs.mean_length,
    )


def make_plan(
    inputs: Inputs,
    instances: Sequence[ConfiguredMeasure],
    everywhere: Mapping[str, str],
    *,
    complete: bool = False,
    limit: int | None = None,
    task: str | None = None,
) -> Plan:
    """The plan for these instances.

    Raises:
        UsageError: a parameter that is unknown or does not fit.
        DataError: a measure that was asked for by name needs what the inputs do not tell.
        InputError: either of these, about a measure of a configuration file.
    """
    kept, settings, left_out, warnings, used = [], [], [], [], set()
    for instance in instances:
        missing = missing_input(instance, inputs)
        if missing and instance.explicit:
            with errors_at(instance.place):
                raise DataError(missing)
        if missing:
            left_out.append(instance.measure.name)
            continue
        with errors_at(instance.place):
            setting, took = setting_of(instance, inputs)
            _check_items(instance, setting)
        kept.append(instance)
        settings.append(setting)
        used |= took
    check_offers(kept, used, everywhere)
    if not kept:
        raise DataError("no measure is left to compute")
    some = next((setting for instance, setting in zip(kept, settings, strict=True) if instance.needs), settings[0])
    # What needs nothing takes the facts of the others, so that none are made for it alone.
    settings = [setting if instance.needs else some for instance, setting in zip(kept, settings, strict=True)]
    if inputs.structure is None and inputs.mean_length is not None and any(map(_takes_mean_length, kept, settings)):
        warnings.append(
            f"no structure: the mean document length L = {inputs.mean_length:.1f} is that of the judged documents"
        )
    return Plan(inputs, kept, settings, left_out, warnings, complete, limit, task)


def _check_items(instance: ConfiguredMeasure, setting: Setting) -> None:
    if instance.values.get("ideal_list") == "greedy" and joins_items(setting.choice.values):
        raise UsageError("ideal_list=greedy and items=article do not go together")


def _takes_mean_length(instance: ConfiguredMeasure, setting: Setting) -> bool:
    """Does it use the mean length of the documents, with no L to override it?"""
    if Need.ENTRY_POINTS in instance.measure.needs:
        return "L" not in instance.values
    return ModelNeed.MEAN_LENGTH in setting.choice.model.needs and bool(setting.choice.from_inputs)
