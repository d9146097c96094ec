"""Quantisation, targets and user model of a measure: what the data of a topic depend on, beside the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from prum_eval.errors import UsageError
from prum_eval.evaluation.inputs import Inputs, check_model
from prum_eval.measures.base import Need
from prum_eval.measures.names import LEVEL
from prum_eval.measures.specs import (
    COMMON,
    ConfiguredMeasure,
    model_key,
    of_model,
    spelled,
)
from prum_eval.parameters import nearest
from prum_eval.records.assessments import AssessmentKind
from prum_eval.relevance.quantisations import DEFAULT, Quantisation, apart, from_level, quantisation
from prum_eval.relevance.targets import TargetKind, check_targets, default_targets
from prum_eval.user_models.registry import (
    NO_NAVIGATION,
    ModelChoice,
    choose,
    default_model,
    parameters_of,
    user_model,
)

SettingKey = tuple[object, ...]
"""What makes two settings the same."""


@dataclass(frozen=True)
class Setting:
    """What the data of a topic depend on, beside the run: settings of equal keys share their data.

    `extents`: every result is looked up, in documents without targets too.
    """

    quantisation: Quantisation
    targets: TargetKind
    choice: ModelChoice
    extents: bool
    key: SettingKey

    @property
    def user(self) -> SettingKey:
        """What makes two settings those of one user, wherever results are looked up."""
        return self.key[:-1]


def _setting(scale: Quantisation, targets: TargetKind, choice: ModelChoice, needs: frozenset[Need]) -> Setting:
    extents = Need.EXTENTS in needs
    key = scale.name, scale.level, targets, choice.model.name, *choice.values.items(), extents
    return Setting(scale, targets, choice, extents, key)


def setting_of(instance: ConfiguredMeasure, inputs: Inputs) -> tuple[Setting, set[str]]:
    """Quantisation, targets and user model of a measure, and which of the settings offered by --set it took.

    Raises:
        UsageError: a name or key that is unknown, or targets that the assessments do not have.
        DataError: the user model needs what the inputs do not tell.
    """
    kind, asked = inputs.assessments.kind, dict(instance.asked)
    scale = _scale(instance, asked.pop("quantisation", DEFAULT), kind)
    if LEVEL in asked:
        scale = from_level(scale, int(asked.pop(LEVEL)), kind)
    given = asked.pop("targets", None)
    targets = None if given is None else target_kind(given, kind)
    if not {Need.GAINS, Need.ENTRY_POINTS, Need.PASSAGES, Need.SPANS}.isdisjoint(instance.needs):
        return _unmodelled(instance, scale, kind), set()
    targets = targets or default_targets(kind)
    chunks = targets is TargetKind.PASSAGES and inputs.assessments.chunks
    name = asked.pop("user_model", None) or default_model(
        kind, targets, structure=inputs.structure is not None, chunks=chunks
    )
    model_keys = {parameter.name for parameter in parameters_of(user_model(name))}
    offered = {key: text for key, text in instance.offered.items() if model_key(key) in model_keys - asked.keys()}
    extra = {model_key(key): offered[key] for key in sorted(offered, key=of_model)}  # the longer spelling wins
    foreign = [key for key in asked if key not in model_keys and key in instance.said]
    if foreign:
        known = [*(parameter.name for parameter in instance.measure.parameters), *COMMON, *model_keys]
        hint = nearest(foreign[0], {*known} - {foreign[0]})
        key = spelled(foreign[0], instance.measure)
        raise UsageError(f"{instance.measure.name} has no parameter {key}, nor has user model {name}{hint}")
    choice = choose(name, {**extra, **asked})
    check_model(choice, inputs)
    return _setting(scale, targets, choice, instance.needs), set(offered)


def user_setting(instance: ConfiguredMeasure, inputs: Inputs) -> Setting:
    """The setting that a measure would have if it followed a user.

    Raises:
        UsageError, DataError: as `setting_of`.
    """
    return setting_of(replace(instance, needs=frozenset({Need.REACH})), inputs)[0]


def everywhere(setting: Setting) -> Setting:
    """The setting with every result looked up, so that all measures can be computed on its data."""
    return _setting(setting.quantisation, setting.targets, setting.choice, frozenset({Need.EXTENTS}))


def _scale(instance: ConfiguredMeasure, name: str, kind: AssessmentKind) -> Quantisation:
    """The quantisation of that name; for measures of both assessed dimensions the two of that name."""
    scale = quantisation(name, kind)
    if Need.DIMENSIONS not in instance.measure.needs:
        return scale
    both = apart(name, kind)
    if both is None:
        raise UsageError(f"{instance.measure.name} quantises each dimension by itself: gen or strict, not {name}")
    return both


def _unmodelled(instance: ConfiguredMeasure, scale: Quantisation, kind: AssessmentKind) -> Setting:
    """The setting of a measure that has targets of its own and no user model: gains, best entry points or passages."""
    measure = instance.measure
    said = [key for key in instance.asked if key in instance.said]  # of this instance, not of the whole call
    known = {*COMMON, *(parameter.name for parameter in measure.parameters)}
    foreign = [key for key in said if key not in COMMON]
    if foreign:
        key = spelled(foreign[0], measure)
        raise UsageError(f"{measure.name} has no parameter {key}{nearest(foreign[0], known - {foreign[0]})}")
    one_kind = kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES)  # of flat assessments all targets are the same
    targets = default_targets(kind) if one_kind else TargetKind.RELEVANT
    if Need.ENTRY_POINTS in measure.needs:
        targets = TargetKind.BEP
        if "targets" in said and instance.asked["targets"] != targets:
            raise UsageError(f"{measure.name} is about best entry points, not targets={instance.asked['targets']}")
    return _setting(scale, targets, choose(NO_NAVIGATION, {}), instance.needs)


def check_offers(instances: Sequence[ConfiguredMeasure], used: set[str], everywhere: Mapping[str, str]) -> None:
    """Refuse a --set key that no selected measure has.

    Raises:
        UsageError: with the nearest key that one has.
    """
    own = {parameter.name for instance in instances for parameter in instance.measure.parameters} | set(COMMON)
    for key in everywhere:
        if key not in used | own:
            raise UsageError(f"--set {key}: no selected measure has that parameter{nearest(key, own)}")


def target_kind(name: str, kind: AssessmentKind) -> TargetKind:
    """The targets of that name.

    Raises:
        UsageError: there are none, or such assessments do not have them.
    """
    if name not in set(TargetKind):
        names = [target.value for target in TargetKind]
        raise UsageError(f"no targets {name} (there are: {', '.join(names)}){nearest(name, names)}")
    targets = TargetKind(name)
    check_targets(kind, targets)
    return targets
