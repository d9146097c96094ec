"""Settings: quantisation, targets and user model of an instance, with what the inputs leave open filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from prum_eval.errors import UsageError
from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.requirements import check_model
from prum_eval.measures.base import Need as MeasureNeed
from prum_eval.measures.specs import COMMON, ConfiguredMeasure
from prum_eval.parameters import nearest
from prum_eval.records.assessments import AssessmentKind
from prum_eval.relevance.quantisations import DEFAULT, Quantisation, apart, quantisation
from prum_eval.relevance.targets import TargetKind, check_targets, default_targets
from prum_eval.user_models.registry import NO_NAVIGATION, ModelChoice, choose, default_model, parameters_of, user_model

SettingKey = tuple[str, str, str, bool]


@dataclass(frozen=True)
class Setting:
    """What the facts of a topic depend on, beside the run: equal settings share their facts."""

    quantisation: Quantisation
    targets: TargetKind
    choice: ModelChoice
    extents: bool = False  # every result is looked up, in documents without targets too

    @cached_property
    def key(self) -> SettingKey:
        """What makes two settings the same."""
        return self.quantisation.name, self.targets.value, self.choice.spec, self.extents


def setting_of(instance: ConfiguredMeasure, inputs: Inputs) -> tuple[Setting, set[str]]:
    """The setting of an instance, and which of the settings offered by --set it took.

    Raises:
        UsageError: a name or key that is unknown, or targets that the judgements do not have.
        DataError: the user model needs what the inputs do not tell.
    """
    kind = inputs.assessments.kind
    asked = {**{key: text for key, text in instance.offered.items() if key in COMMON}, **instance.common}
    used = {key for key in instance.offered if key in COMMON}
    scale = _scale(instance, asked.pop("quantisation", DEFAULT), kind)
    targets = _target_kind(asked.pop("targets", None), kind)
    if not {MeasureNeed.GAINS, MeasureNeed.ENTRY_POINTS, MeasureNeed.PASSAGES}.isdisjoint(instance.needs):
        return _unmodelled(instance, scale, kind), used
    name = asked.pop("user_model", None) or default_model(kind, targets, structure=inputs.structure is not None)
    model_keys = {parameter.name for parameter in parameters_of(user_model(name))}
    extra = {key: text for key, text in instance.offered.items() if key in model_keys and key not in asked}
    foreign = [key for key in asked if key not in model_keys and key in instance.said]
    if foreign:
        known = [*(parameter.name for parameter in instance.measure.parameters), *COMMON, *model_keys]
        hint = nearest(foreign[0], known)
        raise UsageError(f"{instance.measure.name} has no parameter {foreign[0]}, nor has user model {name}{hint}")
    choice = choose(name, {**extra, **asked})
    check_model(choice, inputs)
    extents = MeasureNeed.EXTENTS in instance.needs
    return Setting(scale, targets, choice, extents), used | set(extra)


def _scale(instance: ConfiguredMeasure, name: str, kind: AssessmentKind) -> Quantisation:
    """The quantisation of that name; for measures of both judged dimensions the two of that name."""
    scale = quantisation(name, kind)
    if MeasureNeed.DIMENSIONS not in instance.measure.needs:
        return scale
    both = apart(name, kind)
    if both is None:
        raise UsageError(f"{instance.measure.name} quantises each dimension by itself: gen or strict, not {name}")
    return both


def _unmodelled(instance: ConfiguredMeasure, scale: Quantisation, kind: AssessmentKind) -> Setting:
    """The setting of a measure that has targets of its own and no user model: gains, best entry points or passages."""
    measure = instance.measure
    said = [key for key in instance.common if key in instance.said]  # of this instance, not of the whole call
    known = [*COMMON, *(parameter.name for parameter in measure.parameters)]
    foreign = [key for key in said if key not in known]
    if foreign:
        raise UsageError(f"{measure.name} has no parameter {foreign[0]}{nearest(foreign[0], known)}")
    one_kind = kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES)  # of flat judgements all targets are the same
    targets = default_targets(kind) if one_kind else TargetKind.RELEVANT
    if MeasureNeed.ENTRY_POINTS in measure.needs:
        targets = TargetKind.BEP
        if "targets" in said and instance.common["targets"] != targets:
            raise UsageError(f"{measure.name} is about best entry points, not targets={instance.common['targets']}")
    return Setting(scale, targets, choose(NO_NAVIGATION, {}), MeasureNeed.EXTENTS in instance.needs)


def check_offers(instances: Sequence[ConfiguredMeasure], used: set[str], everywhere: Mapping[str, str]) -> None:
    """Refuse a --set key that no selected measure has.

    Raises:
        UsageError: with the nearest key that one has.
    """
    own = {parameter.name for instance in instances for parameter in instance.measure.parameters}
    for key in everywhere:
        if key not in used | own:
            raise UsageError(f"--set {key}: no selected measure has that parameter{nearest(key, own | set(COMMON))}")


def _target_kind(name: str | None, kind: AssessmentKind) -> TargetKind:
    if name is None:
        return default_targets(kind)
    if name not in set(TargetKind):
        names = [target.value for target in TargetKind]
        raise UsageError(f"no targets {name} (there are: {', '.join(names)}){nearest(name, names)}")
    targets = TargetKind(name)
    check_targets(kind, targets)
    return targets
