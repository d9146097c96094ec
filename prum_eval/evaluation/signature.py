"""The signature: every choice that changes a number, and the version, in one line."""

from __future__ import annotations

from typing import Any

from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.plan import Plan
from prum_eval.evaluation.settings import Setting
from prum_eval.measures.base import Need
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.parameters import show
from prum_eval.records.assessments import AssessmentKind


def parameters(plan: Plan, rank_by: str | None) -> dict[str, Any]:
    """The choices of a call, as the json output holds them.

    `measures` maps each measure, with its label, to its own parameters and those of its setting.
    """
    inputs = plan.inputs
    structure = _without_structure(inputs) if inputs.structure is None else inputs.structure.path
    source = "option" if inputs.size is not None else "structure" if inputs.structure is not None else "none"
    measures: dict[str, dict[str, Any]] = {}
    for instance, setting in plan.pairs:
        measures[instance.called] = {
            **instance.values,
            "quantisation": setting.quantisation.name,
            "targets": setting.targets.value,
            "user_model": setting.choice.model.name,
            **setting.choice.values,
        }
    return {
        "assessments": inputs.assessments.path,
        "judgements": inputs.assessments.kind.value,
        "structure": structure,
        "navigation": inputs.navigation.path if inputs.navigation is not None else None,
        "navigation_kind": inputs.navigation_kind if inputs.navigation is not None else None,
        "collection_size": inputs.collection_size,
        "collection_size_from": source,
        "complete": plan.complete,
        "limit": plan.limit,
        "rank_by": rank_by or "default",
        "measures": measures,
    }


def _without_structure(inputs: Inputs) -> str:
    """Where trees come from: from the assessments, or from nowhere where these judge no elements."""
    return "none" if inputs.assessments.kind in (AssessmentKind.FLAT, AssessmentKind.PASSAGES) else "assessments"


def signature(version: str, plan: Plan, rank_by: str | None) -> str:
    """One line, ``prum-eval 0.1.0|judgements:...``: what all measures share, then what some have of their own."""
    chosen = parameters(plan, rank_by)
    parts = [
        f"prum-eval {version}",
        f"judgements:{chosen['judgements']}",
        f"structure:{_without_structure(plan.inputs) if plan.inputs.structure is None else 'file'}",
        f"N:{chosen['collection_size'] if chosen['collection_size'] is not None else 'unknown'}",
        f"topics:{'all judged' if plan.complete else 'in the run'}",
        f"limit:{plan.limit or 'none'}",
        f"rank-by:{chosen['rank_by']}",
    ]
    pairs = [pair for pair in plan.pairs if pair[0].needs]
    shared = _setting(*next((pair for pair in pairs if Need.REACH in pair[0].measure.needs), pairs[0])) if pairs else {}
    parts += [f"{key}:{value}" for key, value in shared.items()]
    groups: dict[str, list[str]] = {}
    for instance, setting in pairs:
        own = {key: value for key, value in _setting(instance, setting).items() if shared.get(key) != value}
        said = {key: show(value) for key, value in instance.values.items()} | own
        families = groups.setdefault(",".join(f"{key}={value}" for key, value in said.items()), [])
        if instance.measure.family not in families:
            families.append(instance.measure.family)
    parts += [f"{'+'.join(families)}({said})" if said else "+".join(families) for said, families in groups.items()]
    return "|".join(parts)


def _setting(instance: ConfiguredMeasure, setting: Setting) -> dict[str, str]:
    """What of a setting has a part in a measure's value: gain measures know no targets and no user model."""
    chosen = {"quantisation": setting.quantisation.name}
    if Need.REACH in instance.measure.needs:
        chosen |= {"targets": setting.targets.value, "user_model": setting.choice.spec}
    return chosen
