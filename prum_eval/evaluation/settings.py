"""The parameters of each measure and its setting: quantisation, targets and user model. This module alone chooses them.

A measure's own parameter comes from its specification, else from --set, an option of its own (--prum-mode), the task,
its default. Quantisation, targets and the user model with its parameters come from the specification, else from the
options, the task, --set, and last from the inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, cached_property

from prum_eval.errors import UsageError, errors_at
from prum_eval.evaluation.inputs import Inputs, check_model
from prum_eval.evaluation.options import CANONICAL_NAMES, TYPED_NAMES, EvaluationOptions, name_list
from prum_eval.measures.base import Measure, Need, TieOrder
from prum_eval.measures.registry import PRINT_ORDER, SETS, TREC_SETS
from prum_eval.measures.specs import (
    JUDGED_ONLY,
    JUDGED_ONLY_KEY,
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
    with_implied_settings,
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
"""Settings with equal keys are the same."""


@dataclass(eq=False, repr=False)
class Setting:
    """What the data of a topic depend on, beside the run: settings with equal keys share their data.

    `judged_only`: only results in judged documents count. `ties`: order of results with equal scores. `extents`: every
    result is looked up, also in documents without targets.
    """

    quantisation: Quantisation
    targets: TargetKind
    choice: ModelChoice
    judged_only: bool
    ties: TieOrder
    extents: bool

    @cached_property
    def key(self) -> SettingKey:
        """Key of this setting."""
        return (*self.user_key, self.extents)

    @property
    def user_key(self) -> SettingKey:
        """The key of settings with the same user, wherever results are looked up."""
        scale, model = self.quantisation, self.choice
        shared = scale.name, scale.level, self.targets, model.model.name, *model.values.items()
        return (*shared, self.judged_only, self.ties)


def _make_setting(
    instance: ConfiguredMeasure, scale: Quantisation, targets: TargetKind, choice: ModelChoice
) -> Setting:
    judged_only = instance.requested_settings.get(JUDGED_ONLY_KEY) == "on"
    return Setting(scale, targets, choice, judged_only, instance.measure.ties, Need.EXTENTS in instance.needs)


def resolve_setting(instance: ConfiguredMeasure, inputs: Inputs) -> tuple[Setting, set[str]]:
    """Quantisation, targets and user model of a measure, and the keys of --set that it uses.

    Raises:
        UsageError: a name or key that is unknown, or targets that the assessments do not have.
        DataError: the user model needs inputs that are missing.
    """
    kind, requested = inputs.assessments.kind, dict(instance.requested_settings)
    scale = _scale(instance, requested.pop("quantisation", DEFAULT_QUANTISATION), kind)
    if LEVEL_KEY in requested:
        scale = with_relevance_level(scale, int(requested.pop(LEVEL_KEY)), kind)
    requested.pop(JUDGED_ONLY_KEY, None)
    targets_name = requested.pop("targets", None)
    targets = None if targets_name is None else target_kind(targets_name, kind)
    without_model = {Need.GAINS, Need.RECALL_BASE, Need.ENTRY_POINTS, Need.PASSAGES, Need.SPANS, Need.DIVERSITY}
    if not without_model.isdisjoint(instance.needs):
        return _setting_without_model(instance, scale, kind), set()
    targets = targets or default_targets(kind)
    chunks = targets is TargetKind.PASSAGES and inputs.assessments.chunks
    name = requested.pop("user_model", None) or default_model(
        kind, targets, structure=inputs.structure is not None, chunks=chunks
    )
    model_keys = {parameter.name for parameter in model_parameters(find_user_model(name))}
    optional = [key for key in instance.optional_settings if model_key(key) in model_keys - requested.keys()]
    # The longer spelling of a key wins.
    settings = {model_key(key): instance.optional_settings[key] for key in sorted(optional, key=is_model_key)}
    foreign = [key for key in requested if key not in model_keys and key in instance.overrides]
    if foreign:
        known = [*(parameter.name for parameter in instance.measure.parameters), *SHARED_SETTINGS, *model_keys]
        hint = did_you_mean(foreign[0], {*known} - {foreign[0]})
        key = qualified_key(foreign[0], instance.measure)
        raise UsageError(f"{instance.measure.name} has no parameter {key}, nor has user model {name}{hint}")
    choice = choose_model(name, {**settings, **requested})
    check_model(choice, inputs)
    return _make_setting(instance, scale, targets, choice), set(optional)


def user_setting(instance: ConfiguredMeasure, inputs: Inputs) -> Setting:
    """The setting that a measure would have if it followed a user.

    Raises:
        UsageError, DataError: as `resolve_setting`.
    """
    return resolve_setting(replace(instance, needs=frozenset({Need.REACH})), inputs)[0]


def with_all_extents(setting: Setting) -> Setting:
    """The setting with every result looked up, so that all measures can be computed on its data."""
    return replace(setting, extents=True)


def _scale(instance: ConfiguredMeasure, name: str, kind: AssessmentKind) -> Quantisation:
    """The quantisation of that name; for measures of both assessed dimensions the two of that name."""
    scale = find_quantisation(name, kind)
    if Need.DIMENSIONS not in instance.measure.needs:
        return scale
    combined = combined_quantisation(name, kind)
    if combined is None:
        raise UsageError(f"{instance.measure.name} quantises each dimension by itself: gen or strict, not {name}")
    return combined


def _setting_without_model(instance: ConfiguredMeasure, scale: Quantisation, kind: AssessmentKind) -> Setting:
    """The setting of a measure of gains, best entry points or passages: its own targets, no user model."""
    measure = instance.measure
    overrides = [key for key in instance.requested_settings if key in instance.overrides]
    foreign = [key for key in overrides if key not in SHARED_SETTINGS]
    if foreign:
        known = {*SHARED_SETTINGS, *(parameter.name for parameter in measure.parameters)} - {foreign[0]}
        key = qualified_key(foreign[0], measure)
        raise UsageError(f"{measure.name} has no parameter {key}{did_you_mean(foreign[0], known)}")
    one_kind = kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES)  # of flat assessments all targets are the same
    targets = default_targets(kind) if one_kind else TargetKind.RELEVANT
    if Need.ENTRY_POINTS in measure.needs:
        targets = TargetKind.BEP
        if "targets" in overrides and instance.requested_settings["targets"] != targets:
            raise UsageError(
                f"{measure.name} is about best entry points, not targets={instance.requested_settings['targets']}"
            )
    return _make_setting(instance, scale, targets, choose_model(NO_NAVIGATION_MODEL, {}))


def check_set_keys(instances: Sequence[ConfiguredMeasure], used: AbstractSet[str], keys: Iterable[str]) -> None:
    """Refuse a --set key that no selected measure has; `used`: those that their user models have.

    Raises:
        UsageError: with the nearest key that one has.
    """
    own = {parameter.name for instance in instances for parameter in instance.measure.parameters} | set(SHARED_SETTINGS)
    for key in keys:
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


# Parameters of measures


@dataclass(slots=True, eq=False, repr=False)
class _CallParameters:
    """Parameters set for the whole call: they change what an unlabelled name means, and the signature has them.

    `shared`: quantisation, targets, user_model and settings of that user model, in text. `by_family`: measure
    parameters by family. `by_option`: the same by the option that a parameter names. `everywhere`: --set, for every
    measure that has the key. `legal_keys`: keys of --set whose value is legal for some selected measure.
    """

    shared: Mapping[str, str]
    by_family: Mapping[str, Mapping[str, str]]
    by_option: Mapping[str, str]
    everywhere: Mapping[str, str]
    legal_keys: frozenset[str] = frozenset()


def _call_parameters(options: EvaluationOptions, task: Task) -> _CallParameters:
    """What the options set for all measures, over what the task sets; a user model brings its own parameters.

    Raises:
        UsageError: settings that the user model does not have.
    """
    shared = dict(task.shared_settings)
    if options.targets is not None:
        shared["targets"] = options.targets
    if options.quantisation is not None:
        shared["quantisation"] = options.quantisation
    if options.targets == TargetKind.BEP != task.shared_settings.get("targets"):
        shared.pop("user_model", None)  # the task's is for text
    specs = name_list(options.user_model) or ((GRAPH_MODEL,) if options.navigation is not None else ())
    if specs:
        name, settings = parse_model_spec(specs[0])
        shared = {key: value for key, value in shared.items() if key in SHARED_SETTINGS}
        shared |= {**settings, "user_model": name}
    if options.items is not None:
        shared["items"] = options.items
    if options.relevance_level is not None:
        shared[LEVEL_KEY] = _level_text(str(options.relevance_level))
    by_option = {"prum_mode": options.prum_mode, "ideal_list": options.ideal_list}
    everywhere = options.settings or {}
    return _CallParameters(
        shared,
        task.family_settings,
        {key: value for key, value in by_option.items() if value is not None},
        {key: value if isinstance(value, str) else format_parameter(value) for key, value in everywhere.items()},
    )


def configure_requested(
    specs: Sequence[str | MeasureSpec], options: EvaluationOptions, tasks: Sequence[Task]
) -> tuple[list[ConfiguredMeasure], list[ConfiguredMeasure]]:
    """The measures of tasks and specifications, with their parameters: in the order of printing, and as requested.

    Those of one measure with the same parameters are one in the order of printing, and separate in the other one. A
    task sets what the specifications beside it leave open; several tasks set their own measures only. Of several user
    models each computes all measures that follow a user.

    Raises:
        UsageError: an unknown name (the nearest known is named), or a value that is not legal.
        InputError: the same in a configuration file.
    """
    if len(tasks) > 1:
        groups = [_configure_specs(task.specs, options, task) for task in tasks]
        requested = _with_distinct_labels([*groups, _configure_specs(specs, options, _NO_TASK)])
    else:
        task = tasks[0] if tasks else _NO_TASK
        requested = _configure_specs([*task.specs, *specs], options, task)
    return _in_print_order(requested), requested


_NO_TASK = Task("", "", "", ())


def _configure_specs(
    specs: Sequence[str | MeasureSpec], options: EvaluationOptions, task: Task
) -> list[ConfiguredMeasure]:
    """The measures of specifications under each user model of the call, as requested."""
    models = name_list(options.user_model)
    if len(models) < 2:
        return _configure_for_model(specs, options, task)
    columns = [_configure_for_model(specs, replace(options, user_model=model), task) for model in models]
    requested: list[ConfiguredMeasure] = []
    for instances in zip(*columns, strict=True):
        first = instances[0]
        if Need.REACH in first.needs and not first.measure.is_count and _uses_model_of_call(first, models[0]):
            requested += map(_labelled_by_model, instances, models)
        else:
            requested.append(first)
    return requested


def _uses_model_of_call(instance: ConfiguredMeasure, model: str) -> bool:
    """Whether a measure has that user model of the call and names none itself."""
    return "user_model" not in instance.overrides and (
        instance.requested_settings.get("user_model") == parse_model_spec(model)[0]
    )


def _labelled_by_model(instance: ConfiguredMeasure, model: str) -> ConfiguredMeasure:
    """The measure with a user model and its settings in its label, as -m takes them."""
    name, settings = parse_model_spec(model)
    parts = [f"user_model={name}", *(f"{qualified_key(key, instance.measure)}={settings[key]}" for key in settings)]
    return replace(instance, label=instance.label + variant_suffix(instance.label, ",".join(parts)))


def _with_distinct_labels(groups: Sequence[Sequence[ConfiguredMeasure]]) -> list[ConfiguredMeasure]:
    """Measures of several tasks; those that differ and would print alike show in which settings they do."""
    alike: dict[str, list[ConfiguredMeasure]] = {}
    for instance in (instance for group in groups for instance in group):
        alike.setdefault(instance.label, []).append(instance)
    return [_labelled_by_difference(instance, alike[instance.label]) for group in groups for instance in group]


def _labelled_by_difference(instance: ConfiguredMeasure, others: Sequence[ConfiguredMeasure]) -> ConfiguredMeasure:
    """The measure with those settings in its label that are off the defaults and that not all others have."""
    defaults = {parameter.name: parameter.default for parameter in instance.measure.parameters}
    parts = [
        f"{key}={format_parameter(value)}"
        for key, value in instance.values.items()
        if value != defaults[key] and any(other.values.get(key) != value for other in others)
    ]
    if not {Need.REACH, Need.GAINS, Need.RECALL_BASE}.isdisjoint(instance.needs):
        parts += [
            f"{qualified_key(key, instance.measure)}={text}"
            for key, text in instance.requested_settings.items()
            if any(other.requested_settings.get(key) != text for other in others)
        ]
    if not parts:
        return instance
    return replace(instance, label=instance.label + variant_suffix(instance.label, ",".join(sorted(parts))))


def _configure_for_model(
    specs: Sequence[str | MeasureSpec], options: EvaluationOptions, task: Task
) -> list[ConfiguredMeasure]:
    """The measures of specifications under one user model, as requested.

    With the option ``names="as-given"`` a single measure prints under the name that requests it.
    """
    call = _call_parameters(options, task)
    labelled = {spec.label: spec for spec in specs if isinstance(spec, MeasureSpec) and spec.label is not None}
    expanded: list[tuple[MeasureSpec, list[tuple[Measure, tuple[float, ...]]]]] = []
    known = cache(known_names)
    parsed = [
        [with_implied_settings(spec)] if isinstance(spec, MeasureSpec) else parse_specs(spec, labelled, known)
        for spec in specs
    ]
    for spec in (spec for part in parsed for spec in part):
        with nullcontext() if spec.source_line is None else errors_at(spec.source_line):
            own = spec.measure
            expanded.append((spec, expand_spec_with_cutoffs(spec.spec) if own is None else [(own, own.cutoffs)]))
    parameters = [parameter for _, pairs in expanded for measure, _ in pairs for parameter in measure.parameters]
    legal_keys = frozenset(
        key
        for key, text in call.everywhere.items()
        if any(parameter.name == key and parameter.accepts(text) for parameter in parameters)
    )
    call = replace(call, legal_keys=legal_keys)
    requested: list[ConfiguredMeasure] = []
    for spec, pairs in expanded:
        keys = {parameter.name for measure, _ in pairs for parameter in measure.parameters}
        with nullcontext() if spec.source_line is None else errors_at(spec.source_line):
            configured = [_configure_measure(*pair, spec, keys, call) for pair in pairs]
        if options.names == TYPED_NAMES and len(configured) == 1 and spec.typed_text:
            only = configured[0]
            names = typed_names(spec.typed_text, only.measure, only.cutoffs)
            configured = [replace(only, aliases=dict(zip(only.canonical_names, names, strict=True)))]
        requested += configured
    return _without_repeated_in_sets(expanded, requested)


def _without_repeated_in_sets(
    expanded: Sequence[tuple[MeasureSpec, Sequence[object]]], requested: Sequence[ConfiguredMeasure]
) -> list[ConfiguredMeasure]:
    """The measures without those of a set of trec_eval that are requested by name with other cut-offs or parameters.

    So does trec_eval: ``-m all_trec -m relstring.20`` prints relstring_20 alone.
    """
    in_set = [spec.spec in TREC_SETS for spec, pairs in expanded for _ in pairs]
    changed = {
        instance.measure.name
        for instance, of_set in zip(requested, in_set, strict=True)
        if not of_set and ":" not in instance.label
        if instance.label != instance.measure.name or instance.cutoffs != instance.measure.cutoffs
    }
    return [
        instance
        for instance, of_set in zip(requested, in_set, strict=True)
        if not (of_set and instance.measure.name in changed)
    ]


def _in_print_order(requested: Sequence[ConfiguredMeasure]) -> list[ConfiguredMeasure]:
    """The measures in the order of printing; those with one label are one with the cut-offs of all."""
    merged: dict[tuple[str, str, str | None], ConfiguredMeasure] = {}
    for new in requested:
        key = (new.measure.name, new.label, new.task)
        old = merged.get(key, new)
        cutoffs = tuple(sorted({*old.cutoffs, *new.cutoffs}))
        explicit = old.explicit or new.explicit
        merged[key] = replace(new, cutoffs=cutoffs, explicit=explicit, aliases={**new.aliases, **old.aliases})
    last = len(PRINT_ORDER)
    order = {name: (PRINT_ORDER.get(name, last), name) for name, _, _ in merged}
    return sorted(merged.values(), key=lambda instance: order[instance.measure.name])


def configure_variants(
    specs: Sequence[str | MeasureSpec], options: EvaluationOptions, tasks: Sequence[Task]
) -> list[ConfiguredMeasure]:
    """The measures with the options of each variant, one variant after the other; their labels end with its label.

    Raises:
        UsageError, InputError: as `configure_requested`.
    """
    return [
        replace(instance, label=instance.label + variant_suffix(instance.label, variant.label), variant=variant.label)
        for variant in options.variants
        for instance in configure_requested(specs, replace(options, names=CANONICAL_NAMES, **variant.options), tasks)[0]
    ]


def variant_suffix(name: str, label: str) -> str:
    """What the name of a measure ends with in a variant of that label.

    >>> variant_suffix("rbp", "p=.5"), variant_suffix("rbp:quantisation=strict", "p=.5")
    (':p=.5', ',p=.5')
    """
    return f"{',' if ':' in name else ':'}{label}"


def _configure_measure(
    measure: Measure, cutoffs: tuple[float, ...], spec: MeasureSpec, keys: AbstractSet[str], call: _CallParameters
) -> ConfiguredMeasure:
    """A measure of a specification; `keys`: parameters of all its measures, each of which takes those that it has."""
    own = {parameter.name: parameter for parameter in measure.parameters}
    task = call.by_family.get(measure.family, {})
    values: dict[str, ParameterValue] = {}
    for name, parameter in own.items():
        everywhere = {name: call.everywhere[name]} if name in call.everywhere else {}
        if name in call.legal_keys and not parameter.accepts(everywhere[name]):
            everywhere = {}
        option = {name: call.by_option[parameter.option]} if parameter.option in call.by_option else {}
        text = next((layer[name] for layer in (spec.settings, everywhere, option, task) if name in layer), None)
        if text is not None:
            values[name] = parameter.parse(text)
        elif parameter.default is not None:
            values[name] = parameter.default

    # What is left of the specification is for quantisation, targets and user model.
    foreign = {key: text for key, text in spec.settings.items() if key not in keys and not is_model_key(key)}
    foreign |= _model_settings(measure, spec.settings, foreign)
    if LEVEL_KEY in foreign and measure.without_level:
        raise UsageError(f"{measure.name} has no parameter {LEVEL_KEY}")
    if LEVEL_KEY in foreign:
        foreign[LEVEL_KEY] = _level_text(foreign[LEVEL_KEY])
    without_level = measure.graded or measure.without_level
    shared = {key: text for key, text in call.shared.items() if key != LEVEL_KEY or not without_level}
    model = foreign.get("user_model", shared.get("user_model"))
    if model != shared.get("user_model"):  # the settings were the other model's
        shared = {key: text for key, text in shared.items() if key in SHARED_SETTINGS}
    optional = {key: text for key, text in call.everywhere.items() if key not in own}
    after_point = (measure.settings_after_point(spec.after_point) or {}) if spec.after_point else {}
    for layer in (optional, foreign):
        if JUDGED_ONLY_KEY in layer:
            JUDGED_ONLY.parse(layer[JUDGED_ONLY_KEY])
    shown = {
        key: format_parameter(values[key])
        for key in spec.settings
        if key in own and values[key] != own[key].default and key not in after_point
    }
    overrides = {key: text for key, text in foreign.items() if key in call.shared or not _is_default(key, text, model)}
    if "user_model" in spec.settings:  # its parameters are shown as they were asked for, also the defaults
        shown |= {qualified_key(key, measure): text for key, text in foreign.items()}
    shown |= {qualified_key(key, measure): text for key, text in overrides.items()}
    label = ",".join(f"{key}={shown[key]}" for key in sorted(shown)) if spec.label is None else spec.label
    return ConfiguredMeasure(
        measure,
        cutoffs,
        (f"{measure.name}_{spec.after_point}" if after_point else measure.name) + (f":{label}" if label else ""),
        values,
        measure.needs if measure.needs_by is None else measure.needs_by(values),
        measure.over_all is not None and measure.over_all(values),
        {key: text for key, text in optional.items() if key in SHARED_SETTINGS} | shared | foreign,
        {key: text for key, text in optional.items() if key not in SHARED_SETTINGS},
        spec.spec not in SETS,
        frozenset(overrides),
        spec.task,
        spec.source_line,
    )


def _model_settings(measure: Measure, settings: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """The settings written as those of the user model, by its own keys; `others`: its other settings."""
    prefixed = {model_key(key): text for key, text in settings.items() if is_model_key(key)}
    for key in prefixed:
        if key in SHARED_SETTINGS:
            raise UsageError(f"{measure.name} has no parameter {MODEL_PREFIX}{key}")
        if key in others:
            raise UsageError(f"{key} is set twice")
    return prefixed


def _level_text(text: str) -> str:
    """A level of relevance as it is written in names."""
    return format_parameter(RELEVANCE_LEVEL.parse(text))


def _is_default(key: str, text: str, model: str | None) -> bool:
    """Whether a text is the default of a parameter of a user model, without one of every built-in model that has it.

    Or the default of a parameter that every measure has.
    """
    for parameter in (RELEVANCE_LEVEL, JUDGED_ONLY):
        if key == parameter.name:
            return parameter.parse(text) == parameter.default
    models = [find_user_model(model)] if model is not None else list(BUILT_IN.values())
    same_key = [parameter for one in models for parameter in model_parameters(one) if parameter.name == key]
    return bool(same_key) and all(
        parameter.default is not None and format_parameter(parameter.default) == text for parameter in same_key
    )
