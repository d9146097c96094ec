"""In which of the measures asked for a parameter has a part; what there is to vary where it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prum_eval.analysis.sensitivity.varied import SIMULATED_VALUE, VARIED_OPTIONS, Varied
from prum_eval.errors import UsageError
from prum_eval.evaluation.evaluate_run import Pairs
from prum_eval.evaluation.settings.parameters import variant_end
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure, heads_of, model_key, spelled
from prum_eval.parameters import nearest
from prum_eval.tabular import listed
from prum_eval.user_models.registry import parameters_of


@dataclass(frozen=True)
class Affected:
    """Names of measures without the label of a variant.

    `names`: of what is shown. `computed`: of all. `at`: of each variant, from the names of its values to these.
    `warnings`: what is not shown, and why.
    """

    names: tuple[str, ...]
    computed: tuple[str, ...]
    at: Mapping[str, Mapping[str, str]]
    warnings: tuple[str, ...]


def affected_names(varied: Varied, pairs: Pairs, labels: Sequence[str], asked: Sequence[str]) -> Affected:
    """The measures of a plan with a variant a value, as they are called without it.

    Those are left out in which no value changes anything, unless they are asked for by name.

    Args:
        varied: the parameter.
        pairs: measures of all variants with their settings.
        labels: of the variants.
        asked: specifications of measures as the user gave them.

    Raises:
        UsageError: no measure or user model has the parameter, or none takes it.
    """
    _check_key(varied, pairs)
    at: dict[str, dict[str, str]] = {label: {} for label in labels}
    computed: dict[tuple[str, ...], set[object]] = {}
    measures: dict[tuple[str, ...], ConfiguredMeasure] = {}
    for instance, setting in pairs:
        names = tuple(_without(name, instance.variant) for name in instance.names)
        at[instance.variant].update(zip(instance.names, names, strict=True))
        key = setting.key if instance.needs or varied.key in VARIED_OPTIONS else None
        computed.setdefault(names, set()).add((tuple(instance.values.items()), key))
        measures.setdefault(names, instance)
    still = [names for names, ways in computed.items() if len(ways) == 1 < len(labels)]
    if len(still) == len(computed):
        raise UsageError(f"--vary {varied.key}: its values change no measure; -m, -u or the task say it already")
    heads = heads_of(asked)
    out = [names for names in still if measures[names].measure.name not in heads and heads.isdisjoint(names)]
    shown = tuple(name for names in computed if names not in out for name in names)
    gone = [name for names in out for name in names]
    told = (f"left out, because {varied.key} changes nothing in them: {listed(gone)}",) if gone else ()
    return Affected(shown, tuple(name for names in computed for name in names), at, told)


def _without(name: str, label: str) -> str:
    """The name that a measure has without the label of a variant."""
    own = name[: -len(label) - 1]
    return own if name == own + variant_end(own, label) else name


def _check_key(varied: Varied, pairs: Pairs) -> None:
    """Refuse a parameter that no measure and no user model has.

    Raises:
        UsageError: with all that there are.
    """
    if varied.key in VARIED_OPTIONS:
        return
    of_measures: dict[str, list[str]] = {}
    of_models: dict[str, dict[str, None]] = {}
    known = set(VARIED_OPTIONS)
    for instance, setting in pairs:
        measure, model = instance.measure, setting.choice.model
        if measure.parameters:
            own = [one.name for one in measure.parameters]
            of_measures[", ".join(own)] = [*of_measures.get(", ".join(own), []), measure.name]
            known |= set(own)
        if Need.REACH in instance.needs:
            own = [spelled(one.name, measure) for one in parameters_of(model)]
            of_models.setdefault(model.name, {}).update(dict.fromkeys(own))
            known |= set(own)
    if varied.key in known or (model_key(varied.key) != varied.key and model_key(varied.key) in known):
        return
    there = [f"{', '.join((*VARIED_OPTIONS, SIMULATED_VALUE))}"]
    there += [f"{own} ({listed(list(dict.fromkeys(names)))})" for own, names in of_measures.items()]
    there += [f"{', '.join(own)} (user model {name})" for name, own in of_models.items()]
    raise UsageError(
        f"--vary {varied.key}: no measure asked for has that parameter, nor has a user model; there are: "
        f"{'; '.join(there)}{nearest(varied.key, known)}"
    )
