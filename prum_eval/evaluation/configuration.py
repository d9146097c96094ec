"""The meaning of configuration files: measures with labels and parameters, inputs, defaults of the call.

There are three forms: TOML; EvalJ's ``<metrics>`` (INEX 2006, Best in Context: EPRUM and BEPD); and the property files
of XCGEval (INEX 2005 and 2006, Thorough and Focused: the xCG family).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from prum_eval.errors import InputError, UsageError, errors_at
from prum_eval.formats.reading import read_configuration
from prum_eval.measures.base import Shape
from prum_eval.measures.registry import MEASURES_BY_NAME
from prum_eval.measures.specs import MODEL_PREFIX, SHARED_SETTINGS, MeasureSpec, expand_spec, is_model_key, model_key
from prum_eval.measures.tasks import TASKS, Task, find_task
from prum_eval.parameters import Parameter, did_you_mean
from prum_eval.records import ConfigurationBlock, ConfigurationEntry, ConfigurationFile, Dialect
from prum_eval.relevance.quantisations import QUANTISATION_NAMES
from prum_eval.text.numbers import quote_value
from prum_eval.text.streams import STDIN, is_folder, is_regular_file
from prum_eval.user_models import bep_distance
from prum_eval.user_models.registry import BUILT_IN, PLUGIN_MODELS, find_user_model, model_parameters, parse_model_spec

if TYPE_CHECKING:
    from prum_eval.records import ConfigurationValue


MERGE_BY_DOCUMENT = "document"
"""The only way to merge results."""


@dataclass(eq=False, repr=False)
class Configuration:
    """The contents of a configuration file; arguments and options of the call come before it.

    `task`: the defaults of the call, of a task or of XCGEval's keys for all measures.
    """

    requests: tuple[MeasureSpec, ...] = ()
    task: Task | None = None
    assessments: str | None = None
    structure: str | None = None
    runs: tuple[str, ...] | None = None
    complete: bool | None = None
    limit: int | None = None
    merge: str | None = None
    warnings: tuple[str, ...] = ()


def resolve_path(file: ConfigurationFile, name: str, line: int) -> str:
    """A path in a configuration file, relative to the folder of that file.

    Raises:
        InputError: it is standard input, or nothing.
    """
    if "\0" in name:
        raise InputError(file.path, line, f"{quote_value(name)} is no path")
    if name in ("", STDIN):
        raise InputError(file.path, line, f"{name or 'an empty name'} cannot be named in a configuration file")
    return str(Path(file.path).parent / name)


def expand_patterns(file: ConfigurationFile, names: Sequence[str], line: int) -> tuple[str, ...]:
    """The files of paths and patterns: those of each pattern and folder in byte order, none twice.

    Raises:
        InputError: a pattern or a folder has no files.
    """
    import glob  # few calls have a configuration

    found: list[str] = []
    for name in names:
        path = resolve_path(file, name, line)
        pattern = os.path.join(glob.escape(path), "*") if is_folder(path) else path  # noqa: PTH118 - a pattern
        if glob.has_magic(pattern) and not is_regular_file(path):
            matches = sorted(one for one in glob.glob(pattern, recursive=True) if Path(one).is_file())  # noqa: PTH207
            if not matches:
                raise InputError(file.path, line, f"no file matches {name}")
            found += matches
        else:
            found.append(path)
    return tuple(dict.fromkeys(found))


def unique_label(seen: dict[str, int], file: ConfigurationFile, label: ConfigurationEntry | None) -> str | None:
    """A label that can be printed after a name and read back; `seen` holds those before with their lines.

    Raises:
        InputError: it is used twice, or holds a sign that means something in names.
    """
    if label is None:
        return None
    text = label.value
    if not isinstance(text, str) or not text or any(sign in ":,=" or sign.isspace() for sign in text):
        reason = f"id: expected a word without colon, comma, equals sign or blank, found {setting_text(text)!r}"
        raise InputError(file.path, label.line, reason)
    if text in seen:
        raise InputError(file.path, label.line, f"id {text} is used twice (first on line {seen[text]})")
    seen[text] = label.line
    return text


def setting_text(value: ConfigurationValue) -> str:
    """A value as in specifications: true is on, false is off."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


def entry_text(entries: Mapping[str, ConfigurationEntry], key: str, path: str) -> str | None:
    """The text under a key, None without the key.

    Raises:
        InputError: it is no text.
    """
    entry = entries.get(key)
    if entry is None:
        return None
    if not isinstance(entry.value, str) or not entry.value:
        raise InputError(path, entry.line, f"{key}: expected a text, found {setting_text(entry.value)!r}")
    return entry.value


# Configuration files in TOML: task, inputs, and a table a measure.


KEYS = ("task", "assessments", "structure", "runs", "complete", "limit", "merge", "measures")
MEASURE_KEYS = ("measure", "id", "only")


def from_toml(file: ConfigurationFile) -> Configuration:
    """The meaning of a configuration in TOML.

    Raises:
        InputError: an unknown key, task, measure or parameter (the nearest is named), or a value of the wrong kind.
    """
    for key, entry in file.entries.items():
        if key not in KEYS:
            raise InputError(file.path, entry.line, f"no key {key}{did_you_mean(key, KEYS)}")
    seen: dict[str, int] = {}
    task = entry_text(file.entries, "task", file.path)
    with errors_at((file.path, file.entries["task"].line) if task is not None else None):
        chosen = None if task is None else find_task(task)
    return Configuration(
        tuple(_request(file, block, seen) for block in file.blocks),
        chosen,
        _path(file, "assessments"),
        _path(file, "structure"),
        _run_paths(file),
        _complete(file),
        _limit(file),
        _merge(file),
    )


def _path(file: ConfigurationFile, key: str) -> str | None:
    text = entry_text(file.entries, key, file.path)
    return None if text is None else resolve_path(file, text, file.entries[key].line)


def _run_paths(file: ConfigurationFile) -> tuple[str, ...] | None:
    entry = file.entries.get("runs")
    if entry is None:
        return None
    names = (entry.value,) if isinstance(entry.value, str) else entry.value
    if not isinstance(names, tuple) or not names:
        raise InputError(file.path, entry.line, "runs: expected a list of paths or patterns")
    return expand_patterns(file, names, entry.line)


def _complete(file: ConfigurationFile) -> bool | None:
    entry = file.entries.get("complete")
    if entry is None:
        return None
    if not isinstance(entry.value, bool):
        raise InputError(
            file.path, entry.line, f"complete: expected true or false, found {setting_text(entry.value)!r}"
        )
    return entry.value


def _limit(file: ConfigurationFile) -> int | None:
    entry = file.entries.get("limit")
    if entry is None:
        return None
    if isinstance(entry.value, bool) or not isinstance(entry.value, int) or entry.value < 1:
        raise InputError(
            file.path, entry.line, f"limit: expected a whole number from 1 up, found {setting_text(entry.value)!r}"
        )
    return entry.value


def _merge(file: ConfigurationFile) -> str | None:
    merge = entry_text(file.entries, "merge", file.path)
    if merge not in (None, MERGE_BY_DOCUMENT):
        raise InputError(
            file.path, file.entries["merge"].line, f"merge: expected {MERGE_BY_DOCUMENT!r}, found {merge!r}"
        )
    return merge


def _request(file: ConfigurationFile, block: ConfigurationBlock, seen: dict[str, int]) -> MeasureSpec:
    place = (file.path, block.line)
    spec = entry_text(block.entries, "measure", file.path)
    if spec is None:
        raise InputError(*place, "a measure without the key measure")
    named = (file.path, block.entries["measure"].line)
    if ":" in spec:
        raise InputError(*named, f"measure: {spec}: parameters are keys of their own")
    with errors_at(named):
        names = expand_spec(spec)
    settings: dict[str, str] = {}
    for key, entry in block.entries.items():
        if key not in MEASURE_KEYS:
            settings |= _setting(file.path, spec, names, key, entry, block)
    label = unique_label(seen, file, block.entries.get("id"))
    return MeasureSpec(spec, settings, label, entry_text(block.entries, "only", file.path), place)


def _setting(
    path: str, spec: str, names: tuple[str, ...], key: str, entry: ConfigurationEntry, block: ConfigurationBlock
) -> dict[str, str]:
    """A parameter of the measures or of a user model, in text; a user model may bring its own: ``t2i:tolerance=100``.

    Raises:
        InputError: there is none of that name, or the value is not legal.
    """
    text = setting_text(entry.value)
    with errors_at((path, entry.line)):
        if key == "user_model":
            model, own = parse_model_spec(text)
            find_user_model(model)
            return {**{f"{MODEL_PREFIX}{one}": value for one, value in own.items()}, key: model}
        known = _parameters(() if is_model_key(key) else names, block)
        if key not in SHARED_SETTINGS and model_key(key) not in known and "user_model" not in block.entries:
            known |= {one.name: [one] for model in PLUGIN_MODELS.usable().values() for one in model.parameters}
        if key not in SHARED_SETTINGS and model_key(key) not in known:
            raise UsageError(
                f"{spec} has no parameter {key}{did_you_mean(key, [*MEASURE_KEYS, *known, *SHARED_SETTINGS])}"
            )
        _check(known.get(model_key(key), []), text)
    return {key: text}


def _parameters(names: tuple[str, ...], block: ConfigurationBlock) -> dict[str, list[Parameter]]:
    """Parameters of measures and of the user model, of all user models where none is named."""
    named = block.entries.get("user_model")
    models = (
        list(BUILT_IN.values()) if named is None else [find_user_model(parse_model_spec(setting_text(named.value))[0])]
    )
    found: dict[str, list[Parameter]] = {}
    for owner in (*(MEASURES_BY_NAME[name].parameters for name in names), *map(model_parameters, models)):
        for parameter in owner:
            found.setdefault(parameter.name, []).append(parameter)
    return found


def _check(candidates: list[Parameter], text: str) -> None:
    """Refuse a value that none of the parameters of that name takes."""
    errors = []
    for parameter in candidates:
        try:
            parameter.parse(text)
        except UsageError as error:
            errors.append(error)
        else:
            return
    if errors:
        raise errors[0]


# EvalJ's <metrics>


_GENERATORS = {"BEPTargetGenerator": "bep"}
_BINARY = {"true": "off", "false": "on"}
_QUANTISATIONS = ("Exh", "Gen", "Strict")
_BEHAVIOURS = {"BEPDistance": bep_distance.MODEL.name}
_EPRUM = ("id", "only", "binary", "generator", "quantisation", "behaviour", "behaviour.A")
_BEPD = ("id", "only", "a")


def from_metrics(file: ConfigurationFile) -> Configuration:
    """The meaning of EvalJ's ``<metrics>``: a labelled request per metric.

    Raises:
        InputError: a metric, setting or value that is not known here.
    """
    seen: dict[str, int] = {}
    kinds = {"EPRUM": partial(_eprum, file.path), "BEPD": partial(_bepd, file.path)}
    requests = []
    for block in file.blocks:
        place = (file.path, block.line)
        if block.kind not in kinds:
            raise InputError(*place, _unknown("metric", block.kind, kinds))
        spec, settings = kinds[block.kind](block)
        only = entry_text(block.entries, "only", file.path)
        requests.append(MeasureSpec(spec, settings, unique_label(seen, file, block.entries.get("id")), only, place))
    if not requests:
        raise InputError(file.path, 1, "<metrics> holds no metric")
    return Configuration(tuple(requests))


def _eprum(path: str, block: ConfigurationBlock) -> tuple[str, dict[str, str]]:
    """The family eprum; the quantisation has no part in best entry points, the only targets known here."""
    entries = block.entries
    _check_keys(path, block, _EPRUM)
    settings = {}
    if "generator" not in entries:
        raise InputError(path, block.line, f"EPRUM lacks <generator> ({_list(_GENERATORS)})")
    settings["targets"] = _value(path, "generator", entries["generator"], _GENERATORS)
    if "binary" in entries:
        settings["graded"] = _value(path, "binary", entries["binary"], _BINARY)
    if "quantisation" in entries:
        _value(path, "quantisation", entries["quantisation"], {name: name for name in _QUANTISATIONS})
    if "behaviour" in entries:
        settings["user_model"] = _value(path, "behaviour", entries["behaviour"], _BEHAVIOURS)
    if "behaviour.A" in entries:
        settings["A"] = _number(path, entries["behaviour.A"], bep_distance.SCALE)
    return "eprum", settings


def _bepd(path: str, block: ConfigurationBlock) -> tuple[str, dict[str, str]]:
    _check_keys(path, block, _BEPD)
    shape = next(one for one in MEASURES_BY_NAME["bepd"].parameters if one.name == "A")
    return "bepd", {"A": _number(path, block.entries["a"], shape)} if "a" in block.entries else {}


def _check_keys(path: str, block: ConfigurationBlock, known: tuple[str, ...]) -> None:
    for key, entry in block.entries.items():
        if key not in known:
            raise InputError(path, entry.line, _unknown(f"setting of {block.kind}", key, known))


def _value(path: str, key: str, entry: ConfigurationEntry, known: Mapping[str, str]) -> str:
    if entry.value not in known:
        raise InputError(path, entry.line, _unknown(key, str(entry.value), known))
    return known[str(entry.value)]


def _number(path: str, entry: ConfigurationEntry, parameter: Parameter) -> str:
    text = str(entry.value)
    with errors_at((path, entry.line)):
        parameter.parse(text)
    return text


def _unknown(what: str, name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    return f"no {what} {name} ({_list(known)}){did_you_mean(name, known)}"


def _list(known: Mapping[str, object] | tuple[str, ...]) -> str:
    return f"known: {', '.join(known)}"


# XCGEval's property files


_METRICS = {
    "ep/gr": ("maep", "ep_at_gr"),
    "MAep": ("maep",),
    "nxCG": ("nxcg",),
    "xCG": ("xcg",),
    "MAnxCG": ("manxcg",),
}
_BASES = {"Thorough": TASKS["inex2006-thorough"], "Focused": TASKS["inex2006-focused"]}
_DIMENSIONS = (("OVERLAP", "overlap"), ("ALPHA", "alpha"), ("QUANT_FUNCTIONS", "quantisation"))
"""Keys that may hold a list, each with its parameter here."""


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
    requests = tuple(
        MeasureSpec(spec, one, source_line=(file.path, line)) for spec in _specs(file) for one in instances
    )
    return Configuration(
        requests,
        Task("", "XCGEval", "EvalJ", (), common, {"xcg": family}),
        _assessments(file),
        runs=_runs_xcgeval(file),
        warnings=_warnings(file),
    )


def _list_values(file: ConfigurationFile, key: str) -> list[str]:
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
    known = {one.casefold(): one for one in QUANTISATION_NAMES}
    parameter = next((one for one in MEASURES_BY_NAME["nxcg"].parameters if one.name == name), None)
    for text in _list_values(file, key):
        value = text.casefold()
        if parameter is None and value not in known:
            raise InputError(path, line, f"{key}: no quantisation {text}{did_you_mean(text, QUANTISATION_NAMES)}")
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
        reason = f"TASK: no task {entry.value} (known: {', '.join(_BASES)}){did_you_mean(str(entry.value), _BASES)}"
        raise InputError(file.path, entry.line, reason)
    return dict(task.family_settings["xcg"])


def _specs(file: ConfigurationFile) -> list[str]:
    """Specifications of the metrics, with the cut-offs of DCV."""
    if "METRICS" not in file.entries:
        if "DCV" in file.entries:
            raise InputError(file.path, file.entries["DCV"].line, "DCV without METRICS")
        return []
    known = {name.casefold(): names for name, names in _METRICS.items()}
    names: list[str] = []
    for metric in _list_values(file, "METRICS"):
        if metric.casefold() not in known:
            hint = f"(known: {', '.join(_METRICS)}){did_you_mean(metric, _METRICS)}"
            raise InputError(file.path, file.entries["METRICS"].line, f"METRICS: no metric {metric} {hint}")
        names += known[metric.casefold()]
    cutoffs = _list_values(file, "DCV") if "DCV" in file.entries else []
    return [_spec(file, name, cutoffs) for name in dict.fromkeys(names)]


def _spec(file: ConfigurationFile, name: str, cutoffs: list[str]) -> str:
    measure = MEASURES_BY_NAME[name]
    if measure.shape is not Shape.AT_RANKS:
        return name
    points = cutoffs or [str(int(point)) for point in measure.cutoffs]  # xcg without cut-offs is the whole family
    spec = f"{name}.{','.join(points)}"
    try:
        expand_spec(spec)
    except UsageError as error:
        raise InputError(file.path, file.entries["DCV"].line, f"DCV: {error}") from error
    return spec


def _assessments(file: ConfigurationFile) -> str | None:
    entry = file.entries.get("ASSESSMENTS_DIR")
    return None if entry is None else resolve_path(file, str(entry.value), entry.line)


def _runs_xcgeval(file: ConfigurationFile) -> tuple[str, ...] | None:
    entry = file.entries.get("SUBMISSIONRUNS_DIR")
    return None if entry is None else expand_patterns(file, _list_values(file, "SUBMISSIONRUNS_DIR"), entry.line)


def _warnings(file: ConfigurationFile) -> tuple[str, ...]:
    entry = file.entries.get("RESULTS_DIR")
    reason = "RESULTS_DIR: nothing is written there; results go to standard output, or to the file of -o"
    return () if entry is None else (f"{file.path}:{entry.line}: {reason}",)


def load_configuration(path: str) -> Configuration:
    """Read a configuration file of any of the three forms.

    Raises:
        InputError: bad data in it, with file, line and reason.
    """
    file = read_configuration(path)
    meaning = {Dialect.NATIVE: from_toml, Dialect.EVALJ: from_metrics, Dialect.XCGEVAL: from_properties}
    return meaning[file.dialect](file)
