"""XCGEval's property files (INEX 2005-2006, Thorough and Focused): the xCG family, its settings, inputs."""

from __future__ import annotations

from prum_eval.errors import InputError, UsageError, errors_at
from prum_eval.evaluation.configuration.common import Configuration, matching, resolved
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import BY_NAME
from prum_eval.measures.specs import MeasureSpec, measures_of
from prum_eval.measures.tasks import TASKS, Task
from prum_eval.parameters import nearest
from prum_eval.records.configuration import ConfigurationFile
from prum_eval.relevance.quantisations import NAMES

_METRICS = {
    "ep/gr": ("maep", "ep_at_gr"),
    "MAep": ("maep",),
    "nxCG": ("nxcg",),
    "xCG": ("xcg",),
    "MAnxCG": ("manxcg",),
}
_BASES = {"Thorough": TASKS["inex2006-thorough"], "Focused": TASKS["inex2006-focused"]}
_DIMENSIONS = (("OVERLAP", "overlap"), ("ALPHA", "alpha"), ("QUANT_FUNCTIONS", "quantisation"))
"""Keys that may hold a list, each with our parameter."""


def from_properties(file: ConfigurationFile) -> Configuration:
    """The meaning of a property file: one value is a setting of the call, several make labelled instances.

    TASK chooses the recall base of the ideal list and whether overlap counts, where OVERLAP does not say; runs of any
    task are taken. Nothing is written to RESULTS_DIR.

    Raises:
        InputError: a metric or value that is not known here.
    """
    settings = {name: _values(file, key, name) for key, name in _DIMENSIONS if key in file.entries}
    instances: list[dict[str, str]] = [{}]
    for name, values in settings.items():
        if len(values) > 1:
            instances = [{**one, name: value} for one in instances for value in values]
    family = dict(_base(file))
    family |= {name: values[0] for name, values in settings.items() if len(values) == 1 and name != "quantisation"}
    quantisations = settings.get("quantisation", [])
    common = {"quantisation": quantisations[0]} if len(quantisations) == 1 else {}
    line = file.entries["METRICS"].line if "METRICS" in file.entries else 0
    requests = tuple(MeasureSpec(spec, one, place=(file.path, line)) for spec in _specs(file) for one in instances)
    return Configuration(
        requests,
        Task("", "XCGEval", "EvalJ", (), common, {"xcg": family}),
        _assessments(file),
        runs=_runs(file),
        warnings=_warnings(file),
    )


def _listed(file: ConfigurationFile, key: str) -> list[str]:
    entry = file.entries[key]
    values = [one.strip() for one in str(entry.value).split(",")]
    if not all(values):
        raise InputError(file.path, entry.line, f"{key}: an empty value in the list {entry.value}")
    if len(set(values)) < len(values):
        raise InputError(file.path, entry.line, f"{key}: a value comes twice in the list {entry.value}")
    return values


def _values(file: ConfigurationFile, key: str, name: str) -> list[str]:
    """Values of a parameter in our spelling."""
    path, line, found = file.path, file.entries[key].line, []
    known = {one.casefold(): one for one in NAMES}
    parameter = next((one for one in BY_NAME["nxcg"].parameters if one.name == name), None)
    for text in _listed(file, key):
        value = text.casefold()
        if parameter is None and value not in known:
            raise InputError(path, line, f"{key}: no quantisation {text}{nearest(text, NAMES)}")
        with errors_at((path, line)):
            found.append(known[value] if parameter is None else (parameter.parse(value), value)[1])
    return found


def _base(file: ConfigurationFile) -> dict[str, str]:
    """Defaults of the xCG family by TASK."""
    if "TASK" not in file.entries:
        return {}
    entry = file.entries["TASK"]
    known = {name.casefold(): task for name, task in _BASES.items()}
    task = known.get(str(entry.value).casefold())
    if task is None:
        reason = f"TASK: no task {entry.value} (known: {', '.join(_BASES)}){nearest(str(entry.value), _BASES)}"
        raise InputError(file.path, entry.line, reason)
    return dict(task.of_family["xcg"])


def _specs(file: ConfigurationFile) -> list[str]:
    """Specifications of the metrics, with the cut-offs of DCV."""
    if "METRICS" not in file.entries:
        if "DCV" in file.entries:
            raise InputError(file.path, file.entries["DCV"].line, "DCV without METRICS")
        return []
    known = {name.casefold(): names for name, names in _METRICS.items()}
    names: list[str] = []
    for metric in _listed(file, "METRICS"):
        if metric.casefold() not in known:
            hint = f"(known: {', '.join(_METRICS)}){nearest(metric, _METRICS)}"
            raise InputError(file.path, file.entries["METRICS"].line, f"METRICS: no metric {metric} {hint}")
        names += known[metric.casefold()]
    cutoffs = _listed(file, "DCV") if "DCV" in file.entries else []
    return [_spec(file, name, cutoffs) for name in dict.fromkeys(names)]


def _spec(file: ConfigurationFile, name: str, cutoffs: list[str]) -> str:
    measure = BY_NAME[name]
    if measure.shape is not Shape.AT_RANKS:
        return name
    points = cutoffs or [str(int(point)) for point in measure.cutoffs]  # xcg without cut-offs is the whole family
    spec = f"{name}.{','.join(points)}"
    try:
        measures_of(spec)
    except UsageError as error:
        raise InputError(file.path, file.entries["DCV"].line, f"DCV: {error}") from error
    return spec


def _assessments(file: ConfigurationFile) -> str | None:
    entry = file.entries.get("ASSESSMENTS_DIR")
    return None if entry is None else resolved(file, str(entry.value), entry.line)


def _runs(file: ConfigurationFile) -> tuple[str, ...] | None:
    entry = file.entries.get("SUBMISSIONRUNS_DIR")
    return None if entry is None else matching(file, _listed(file, "SUBMISSIONRUNS_DIR"), entry.line)


def _warnings(file: ConfigurationFile) -> tuple[str, ...]:
    entry = file.entries.get("RESULTS_DIR")
    reason = "RESULTS_DIR: nothing is written there; results go to standard output, or to the file of -o"
    return () if entry is None else (f"{file.path}:{entry.line}: {reason}",)
