"""User models fitted to a log as JSON at full precision."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from prum_eval.fitting.result import FittedModel, FittedModels
from prum_eval.report.layout import Layout
from prum_eval.report.writing import json_text
from prum_eval.version import __version__


def fit_json(found: FittedModels, _layout: Layout) -> str:
    """Everything; null where a value is not defined."""
    return json_text(
        {
            "version": __version__,
            "spec": found.spec,
            "signature": found.signature,
            "inputs": found.inputs,
            "choices": dict(found.choices),
            "settings": asdict(found.resampling),
            "size": asdict(found.size),
            "models": [_model(one) for one in found.models],
            "baseline": {"leak": found.baseline_leak, **asdict(found.baseline)},
            "persistence": None if found.persistence is None else asdict(found.persistence),
            "reports": [
                {"what": one.remark.name.lower(), "text": one.text, "count": len(one.lines), "lines": list(one.lines)}
                for one in found.reports
            ],
        }
    )


def _model(one: FittedModel) -> dict[str, Any]:
    file = one.navigation
    rows = [] if file is None else zip(file.source, file.target, file.probability.tolist(), strict=True)
    return {
        "spec": one.spec,
        "asked": one.asked,
        "name": one.name,
        "values": dict(one.values),
        "estimates": [asdict(estimate) for estimate in one.estimates],
        "candidates": "all" if one.everywhere else "document",
        "parameters": one.parameters,
        **asdict(one.quality),
        "leaked": one.leaked,
        "decay_gain": one.decay_gain,
        "calibration": [asdict(tenth) for tenth in one.calibration],
        "steps": [asdict(step) for step in one.steps],
        "navigation": None if file is None else [list(row) for row in rows],
    }
