"""Quantisation, targets and user model of a measure: what the data of a topic depend on, beside the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache

from prum_eval.errors import UsageError, errors_at
from prum_eval.evaluation.inputs import Inputs, check_model
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.measures.base import Measure, Need
from prum_eval.measures.registry import PRINT_ORDER, SETS
from prum_eval.measures.specs import (
    LEVEL_KEY,
    MODEL_PREFIX,
    RELEVANCE_LEVEL,
    SHARED_SETTINGS,
    ConfiguredMeasure,
    MeasureSpec,
    expand_spec_with_cutoffs,
    is_model_key,
    known_names,
    model_key,
    parse_specs,
    qualified_key,
    typed_names,
)
from prum_eval.measures.tasks import Task
from prum_eval.parameters import ParameterValue, did_you_mean, format_parameter
from prum_eval.records import AssessmentKind
from prum_eval.relevance.quantisations import (
    DEFAULT_QUANTISATION,
    Quantisation,
    combined_quantisation,
    find_quantisation,
    with_relevance_level,
)
from prum_eval.relevance.targets import TargetKind, check_targets, default_targets
from prum_eval.user_models.registry import (
    BUILT_IN,
    GRAPH_MODEL,
    NO_NAVIGATION_MODEL,
    ModelChoice,
    choose_model,
    default_model,
    find_user_model,
    model_parameters,
    parse_model_spec,
)

SettingKey = tuple[object, ...]
"""What makes two settings the same."""


@dataclass(eq=False, repr=False)
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
    def user_key(self) -> SettingKey:
        """What makes two settings those of one user, wherever results are looked up."""
        return self.key[:-1]


def _make_setting(scale: Quantisation, targets: TargetKind, choice: ModelChoice, needs: frozenset[Need]) -> Setting:
    extents = Need.EXTENTS in needs
    key = scale.name, scale.level, targets, choice.model.name, *choice.values.items(), extents
    return Setting(scale, targets, choice, extents, key)


def resolve_setting(instance: ConfiguredMeasure, inputs: Inputs) -> tuple[Setting, set[str]]:
    """Quantisation, targets and user model of a measure, and which of the settings offered by --set it took.

    Raises:
        UsageError: a name or key that is unknown, or targets that the assessments do not have.
        DataError: the user model needs what the inputs do not tell.
    """
    kind, asked = inputs.assessments.kind, dict(instance.requested_settings)
    scale = _scale(instance, asked.pop("quantisation", DEFAULT_QUANTISATION), kind)
    if LEVEL_KEY in asked:
        scale = with_relevance_level(scale, int(asked.pop(LEVEL_KEY)), kind)
    given = asked.pop("targets", None)
    targets = None if given is None else target_kind(given, kind)
    if not {Need.GAINS, Need.ENTRY_POINTS, Need.PASSAGES, Need.SPANS}.isdisjoint(instance.needs):
        return _setting_without_model(instance, scale, kind), set()
    targets = targets or default_targets(kind)
    chunks = targets is TargetKind.PASSAGES and inputs.assessments.chunks
    name = asked.pop("user_model", None) or default_model(
        kind, targets, structure=inputs.structure is not None, chunks=chunks
    )
    model_keys = {parameter.name for parameter in model_parameters(find_user_model(name))}
    offered = {
        key: text for key, text in instance.optional_settings.items() if model_key(key) in model_keys - asked.keys()
    }
    extra = {model_key(key): offered[key] for key in sorted(offered, key=is_model_key)}  # the longer spelling wins
    foreign = [key for key in asked if key not in model_keys and key in instance.overrides]
    if foreign:
        known = [*(parameter.name for parameter in instance.measure.parameters), *SHARED_SETTINGS, *model_keys]
        hint = did_you_mean(foreign[0], {*known} - {foreign[0]})
        key = qualified_key(foreign[0], instance.measure)
        raise UsageError(f"{instance.measure.name} has no parameter {key}, nor has user model {name}{hint}")
    choice = choose_model(name, {**extra, **asked})
    check_model(choice, inputs)
    return _make_setting(scale, targets, choice, instance.needs), set(offered)


def user_setting(instance: ConfiguredMeasure, inputs: Inputs) -> Setting:
    """The setting that a measure would have if it followed a user.

    Raises:
        UsageError, DataError: as `resolve_setting`.
    """
    return resolve_setting(replace(instance, needs=frozenset({Need.REACH})), inputs)[0]


def with_all_extents(setting: Setting) -> Setting:
    """The setting with every result looked up, so that all measures can be computed on its data."""
    return _make_setting(setting.quantisation, setting.targets, setting.choice, frozenset({Need.EXTENTS}))


def _scale(instance: ConfiguredMeasure, name: str, kind: AssessmentKind) -> Quantisation:
    """The quantisation of that name; for measures of both assessed dimensions the two of that name."""
    scale = find_quantisation(name, kind)
    if Need.DIMENSIONS not in instance.measure.needs:
        return scale
    both = combined_quantisation(name, kind)
    if both is None:
        raise UsageError(f"{instance.measure.name} quantises each dimension by itself: gen or strict, not {name}")
    return both


def _setting_without_model(instance: ConfiguredMeasure, scale: Quantisation, kind: AssessmentKind) -> Setting:
    """The setting of a measure that has targets of its own and no user model: gains, best entry points or passages."""
    measure = instance.measure
    said = [
        key for key in instance.requested_settings if key in instance.overrides
    ]  # of this instance, not of the whole call
    known = {*SHARED_SETTINGS, *(parameter.name for parameter in measure.parameters)}
    foreign = [key for key in said if key not in SHARED_SETTINGS]
    if foreign:
        key = qualified_key(foreign[0], measure)
        raise UsageError(f"{measure.name} has no parameter {key}{did_you_mean(foreign[0], known - {foreign[0]})}")
    one_kind = kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES)  # of flat assessments all targets are the same
    targets = default_targets(kind) if one_kind else TargetKind.RELEVANT
    if Need.ENTRY_POINTS in measure.needs:
        targets = TargetKind.BEP
        if "targets" in said and instance.requested_settings["targets"] != targets:
            raise UsageError(
                f"{measure.name} is about best entry points, not targets={instance.requested_settings['targets']}"
            )
    return _make_setting(scale, targets, choose_model(NO_NAVIGATION_MODEL, {}), instance.needs)


def check_set_keys(instances: Sequence[ConfiguredMeasure], used: set[str], everywhere: Mapping[str, str]) -> None:
    """Refuse a --set key that no selected measure has.

    Raises:
        UsageError: with the nearest key that one has.
    """
    own = {parameter.name for instance in instances for parameter in instance.measure.parameters} | set(SHARED_SETTINGS)
    for key in everywhere:
        if key not in used | own:
            raise UsageError(f"--set {key}: no selected measure has that parameter{did_you_mean(key, own)}")


def target_kind(name: str, kind: AssessmentKind) -> TargetKind:
    """The targets of that name.

    Raises:
        UsageError: there are none, or such assessments do not have them.
    """
    if name not in set(TargetKind):
        names = [target.value for target in TargetKind]
        raise UsageError(f"no targets {name} (there are: {', '.join(names)}){did_you_mean(name, names)}")
    targets = TargetKind(name)
    check_targets(kind, targets)
    return targets


# Parameters: the one place that decides their values, from what is asked for, the options, the task and the inputs.
#
# A measure's own parameter comes from its specification, else from --set, an option of its own (--prum-mode), the task,
# its default. Quantisation, targets and the user model with its parameters come from the specification, else from the
# options, the task, --set, and last from the inputs (see `setting`).


@dataclass(eq=False, repr=False)
class Defaults:
    """Parameters set for the whole call: they change what an unlabelled name means, and the signature says so.

    `shared_settings`: quantisation, targets, user_model and settings of that user model, in text. `family_settings`: values of measure
    parameters by family. `option_settings`: the same by the option that a parameter names. `global_settings`: --set, for every
    measure that has the key. `legal_keys`: those keys of it whose value is legal for some selected measure.
    """

    shared_settings: Mapping[str, str] = field(default_factory=dict)
    family_settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    option_settings: Mapping[str, str] = field(default_factory=dict)
    global_settings: Mapping[str, str] = field(default_factory=dict)
    legal_keys: frozenset[str] = frozenset()


def make_defaults(options: EvaluationOptions, task: Task) -> Defaults:
    """What the options set for all measures, over what the task sets; a user model brings its own parameters.

    Raises:
        UsageError: settings of the user model that are none.
    """
    given = {"targets": options.targets, "quantisation": options.quantisation}
    common = dict(task.shared_settings) | {key: value for key, value in given.items() if value is not None}
    if options.targets == TargetKind.BEP != task.shared_settings.get("targets"):
        common.pop("user_model", None)  # the task's is for text
    spec = options.user_model or (GRAPH_MODEL if options.navigation is not None else None)
    if spec is not None:
        name, own = parse_model_spec(spec)
        common = {key: value for key, value in common.items() if key in SHARED_SETTINGS} | {**own, "user_model": name}
    if options.items is not None:
        common["items"] = options.items
    if options.relevance_level is not None:
        common[LEVEL_KEY] = _level_text(str(options.relevance_level))
    own_options = {"prum_mode": options.prum_mode, "ideal_list": options.ideal_list}
    return Defaults(
        common,
        task.family_settings,
        {key: value for key, value in own_options.items() if value is not None},
        {
            key: value if isinstance(value, str) else format_parameter(value)
            for key, value in (options.settings or {}).items()
        },
    )


def configure_measures(specs: Sequence[str | MeasureSpec], defaults: Defaults) -> list[ConfiguredMeasure]:
    """The measures that specifications name, with their parameters, in the order of printing.

    Raises:
        UsageError, InputError: as `configure_requested`.
    """
    return configure_requested(specs, defaults)[0]


def configure_requested(
    specs: Sequence[str | MeasureSpec], defaults: Defaults, *, as_given: bool = False
) -> tuple[list[ConfiguredMeasure], list[ConfiguredMeasure]]:
    """The measures that specifications name, with their parameters: in the order of printing, and as asked for.

    Those of one measure with the same parameters are one in the order of printing, and stay apart in the other one.
    `as_given`: a single measure prints under the name that asks for it.

    Raises:
        UsageError: an unknown name (the nearest known is named), or a value that is not legal.
        InputError: the same in a configuration file.
    """
    labelled = {spec.label: spec for spec in specs if isinstance(spec, MeasureSpec) and spec.label is not None}
    named: list[tuple[MeasureSpec, list[tuple[Measure, tuple[float, ...]]]]] = []
    known = cache(known_names)
    listed = [[spec] if isinstance(spec, MeasureSpec) else parse_specs(spec, labelled, known) for spec in specs]
    for spec in (one for part in listed for one in part):
        with nullcontext() if spec.source_line is None else errors_at(spec.source_line):
            named.append((spec, expand_spec_with_cutoffs(spec.spec)))
    defaults = replace(
        defaults, legal_keys=_legal_keys(defaults, [measure for _, pairs in named for measure, _ in pairs])
    )
    found: list[ConfiguredMeasure] = []
    for spec, pairs in named:
        keys = {parameter.name for measure, _ in pairs for parameter in measure.parameters}
        with nullcontext() if spec.source_line is None else errors_at(spec.source_line):
            own = [_configure_measure(*pair, spec, keys, defaults) for pair in pairs]
        if as_given and len(own) == 1 and spec.typed_text:
            names = typed_names(spec.typed_text, own[0].measure, own[0].cutoffs)
            own = [replace(own[0], aliases=dict(zip(own[0].canonical_names, names, strict=True)))]
        found += own
    together: dict[tuple[str, str, str | None], ConfiguredMeasure] = {}
    for new in found:
        key = (new.measure.name, new.label, new.task)
        old = together.get(key, new)
        both = tuple(sorted({*old.cutoffs, *new.cutoffs}))
        explicit = old.explicit or new.explicit
        together[key] = replace(new, cutoffs=both, explicit=explicit, aliases={**new.aliases, **old.aliases})
    last = len(PRINT_ORDER)
    order = {name: (PRINT_ORDER.get(name, last), name) for name, _, _ in together}
    return sorted(together.values(), key=lambda one: order[one.measure.name]), found


def configure_variants(
    specs: Sequence[str | MeasureSpec], options: EvaluationOptions, task: Task
) -> list[ConfiguredMeasure]:
    """The measures with the options of each variant, one variant after the other; their labels end with its label.

    Raises:
        UsageError, InputError: as `configure_measures`.
    """
    found = []
    for variant in options.variants:
        for one in configure_measures(specs, make_defaults(replace(options, **variant.options), task)):
            called = f"{one.label}{variant_suffix(one.label, variant.label)}"
            found.append(replace(one, label=called, variant=variant.label))
    return found


def variant_suffix(name: str, label: str) -> str:
    """What the name of a measure ends with in a variant of that label.

    >>> variant_suffix("rbp", "p=.5"), variant_suffix("rbp:find_quantisation=strict", "p=.5")
    (':p=.5', ',p=.5')
    """
    return f"{',' if ':' in name else ':'}{label}"


def _legal_keys(defaults: Defaults, measures: Sequence[Measure]) -> frozenset[str]:
    """The keys of --set whose value is legal for some of the measures: it reaches those and no others."""
    found = [parameter for measure in measures for parameter in measure.parameters]
    return frozenset(
        key
        for key, text in defaults.global_settings.items()
        if any(one.name == key and one.accepts(text) for one in found)
    )


def _configure_measure(
    measure: Measure, cutoffs: tuple[float, ...], spec: MeasureSpec, keys: AbstractSet[str], defaults: Defaults
) -> ConfiguredMeasure:
    """A measure of a specification; `keys`: parameters of all its measures, each of which takes those that it has."""
    own = {parameter.name: parameter for parameter in measure.parameters}
    task = defaults.family_settings.get(measure.family, {})
    values: dict[str, ParameterValue] = {}
    for name, parameter in own.items():
        options = (
            {name: defaults.option_settings[parameter.option]} if parameter.option in defaults.option_settings else {}
        )
        everywhere = {name: defaults.global_settings[name]} if name in defaults.global_settings else {}
        if name in defaults.legal_keys and not parameter.accepts(everywhere[name]):
            everywhere = {}
        text = next((layer[name] for layer in (spec.settings, everywhere, options, task) if name in layer), None)
        if text is not None:
            values[name] = parameter.parse(text)
        elif parameter.default is not None:
            values[name] = parameter.default
    foreign = {key: text for key, text in spec.settings.items() if key not in keys and not is_model_key(key)}
    foreign |= _model_settings(measure, spec.settings, foreign)
    if LEVEL_KEY in foreign:
        foreign[LEVEL_KEY] = _level_text(foreign[LEVEL_KEY])
    common = {key: text for key, text in defaults.shared_settings.items() if key != LEVEL_KEY or not measure.graded}
    model = foreign.get("user_model", common.get("user_model"))
    if model != common.get("user_model"):
        common = {
            key: text for key, text in common.items() if key in SHARED_SETTINGS
        }  # the settings were the other model's
    offered = {key: text for key, text in defaults.global_settings.items() if key not in own}
    shown = {
        key: format_parameter(values[key]) for key in spec.settings if key in own and values[key] != own[key].default
    }
    said = {
        key: text
        for key, text in foreign.items()
        if key in defaults.shared_settings or not _is_default(key, text, model)
    }
    shown |= {qualified_key(key, measure): text for key, text in said.items()}
    label = ",".join(f"{key}={shown[key]}" for key in sorted(shown)) if spec.label is None else spec.label
    return ConfiguredMeasure(
        measure,
        cutoffs,
        f"{measure.name}:{label}" if label else measure.name,
        values,
        measure.needs if measure.needs_by is None else measure.needs_by(values),
        measure.over_all is not None and measure.over_all(values),
        {key: text for key, text in offered.items() if key in SHARED_SETTINGS} | common | foreign,
        {key: text for key, text in offered.items() if key not in SHARED_SETTINGS},
        spec.spec not in SETS,
        frozenset(said),
        spec.task,
        spec.source_line,
    )


def _model_settings(
    measure: Measure, settings: Mapping[str, str], others: AbstractSet[str] | Mapping[str, str]
) -> dict[str, str]:
    """The settings that are written as those of the user model, by its own keys; `others` are the other keys of it."""
    found = {model_key(key): text for key, text in settings.items() if is_model_key(key)}
    for key in found:
        if key in SHARED_SETTINGS:
            raise UsageError(f"{measure.name} has no parameter {MODEL_PREFIX}{key}")
        if key in others:
            raise UsageError(f"{key} is set twice")
    return found


def _level_text(text: str) -> str:
    """A level of relevance as it is written in names."""
    return format_parameter(RELEVANCE_LEVEL.parse(text))


def _is_default(key: str, text: str, model: str | None) -> bool:
    """Is this the default of a parameter of the user model named, or (none named) of every built-in one that has it?

    Or the default of the level of relevance.
    """
    if key == LEVEL_KEY:
        return RELEVANCE_LEVEL.parse(text) == RELEVANCE_LEVEL.default
    models = [find_user_model(model)] if model is not None else list(BUILT_IN.values())
    found = [parameter for one in models for parameter in model_parameters(one) if parameter.name == key]
    return bool(found) and all(one.default is not None and format_parameter(one.default) == text for one in found)
