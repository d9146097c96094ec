"""A sweep as JSON at full precision."""

from __future__ import annotations

from prum_eval.analysis.sensitivity.result import Sweep
from prum_eval.report.layout import Layout
from prum_eval.report.writing import json_text
from prum_eval.version import __version__


def sweep_json(sweep: Sweep, _layout: Layout) -> str:
    """Everything; null where a value is not defined."""
    values = [sweep.value(place) for place in range(len(sweep.values))]
    return json_text(
        {
            "version": __version__,
            "signature": sweep.signature,
            **sweep.inputs,
            "parameter": sweep.label,
            "key": sweep.varied.key,
            "values": values,
            "reference": values[sweep.reference],
            "alpha": sweep.alpha,
            "runs": [{"run_id": name, "path": path} for name, path in zip(sweep.runs, sweep.paths, strict=True)],
            "means": [{key: cell for key, cell in row.items() if key != "tau"} for row in sweep.rows()],
            "tau": {
                name: [{"value": value, "tau": tau} for value, tau in zip(values, own, strict=True)]
                for name, own in sweep.tau.items()
            },
            "changes": [
                {
                    "measure": one.measure,
                    "upper": sweep.runs[one.upper],
                    "lower": sweep.runs[one.lower],
                    "before": values[one.before],
                    "after": values[one.after],
                    "at": one.at,
                }
                for one in sweep.changes
            ],
        }
    )
