"""Configuration files in TOML: task, inputs, and a table a measure."""

from __future__ import annotations

from prum_eval.errors import InputError, UsageError, errors_at
from prum_eval.evaluation.configuration.common import (
    MERGE,
    Configuration,
    matching,
    resolved,
    said,
    text_of,
    unique_label,
)
from prum_eval.measures.registry import BY_NAME
from prum_eval.measures.specs import COMMON, MODEL, MeasureSpec, measures_of, model_key, of_model
from prum_eval.measures.tasks import task_of
from prum_eval.parameters import Parameter, nearest
from prum_eval.records.configuration import ConfigurationBlock, ConfigurationEntry, ConfigurationFile
from prum_eval.user_models.registry import BUILT_IN, REGISTERED, parameters_of, parse_choice, user_model

KEYS = ("task", "assessments", "structure", "runs", "complete", "limit", "merge", "measures")
MEASURE_KEYS = ("measure", "id", "only")


def from_toml(file: ConfigurationFile) -> Configuration:
    """The meaning of a configuration in TOML.

    Raises:
        InputError: an unknown key, task, measure or parameter (the nearest is named), or a value of the wrong kind.
    """
    for key, entry in file.entries.items():
        if key not in KEYS:
            raise InputError(file.path, entry.line, f"no key {key}{nearest(key, KEYS)}")
    seen: dict[str, int] = {}
    task = text_of(file.entries, "task", file.path)
    with errors_at((file.path, file.entries["task"].line) if task is not None else None):
        chosen = None if task is None else task_of(task)
    return Configuration(
        tuple(_request(file, block, seen) for block in file.blocks),
        chosen,
        _path(file, "assessments"),
        _path(file, "structure"),
        _runs(file),
        _complete(file),
        _limit(file),
        _merge(file),
    )


def _path(file: ConfigurationFile, key: str) -> str | None:
    text = text_of(file.entries, key, file.path)
    return None if text is None else resolved(file, text, file.entries[key].line)


def _runs(file: ConfigurationFile) -> tuple[str, ...] | None:
    entry = file.entries.get("runs")
    if entry is None:
        return None
    names = (entry.value,) if isinstance(entry.value, str) else entry.value
    if not isinstance(names, tuple) or not names:
        raise InputError(file.path, entry.line, "runs: expected a list of paths or patterns")
    return matching(file, names, entry.line)


def _complete(file: ConfigurationFile) -> bool:
    entry = file.entries.get("complete", ConfigurationEntry(value=False, line=0))
    if not isinstance(entry.value, bool):
        raise InputError(file.path, entry.line, f"complete: expected true or false, found {said(entry.value)!r}")
    return entry.value


def _limit(file: ConfigurationFile) -> int | None:
    entry = file.entries.get("limit")
    if entry is None:
        return None
    if isinstance(entry.value, bool) or not isinstance(entry.value, int) or entry.value < 1:
        raise InputError(
            file.path, entry.line, f"limit: expected a whole number from 1 up, found {said(entry.value)!r}"
        )
    return entry.value


def _merge(file: ConfigurationFile) -> str | None:
    merge = text_of(file.entries, "merge", file.path)
    if merge not in (None, MERGE):
        raise InputError(file.path, file.entries["merge"].line, f"merge: expected {MERGE!r}, found {merge!r}")
    return merge


def _request(file: ConfigurationFile, block: ConfigurationBlock, seen: dict[str, int]) -> MeasureSpec:
    place = (file.path, block.line)
    spec = text_of(block.entries, "measure", file.path)
    if spec is None:
        raise InputError(*place, "a measure without the key measure")
    named = (file.path, block.entries["measure"].line)
    if ":" in spec:
        raise InputError(*named, f"measure: {spec}: parameters are keys of their own")
    with errors_at(named):
        names = measures_of(spec)
    settings: dict[str, str] = {}
    for key, entry in block.entries.items():
        if key not in MEASURE_KEYS:
            settings |= _setting(file.path, spec, names, key, entry, block)
    label = unique_label(seen, file, block.entries.get("id"))
    return MeasureSpec(spec, settings, label, text_of(block.entries, "only", file.path), place)


def _setting(
    path: str, spec: str, names: tuple[str, ...], key: str, entry: ConfigurationEntry, block: ConfigurationBlock
) -> dict[str, str]:
    """A parameter of the measures or of a user model, in text; a user model may bring its own: ``t2i:tolerance=100``.

    Raises:
        InputError: there is none of that name, or the value is not legal.
    """
    text = said(entry.value)
    with errors_at((path, entry.line)):
        if key == "user_model":
            model, own = parse_choice(text)
            user_model(model)
            return {**{f"{MODEL}{one}": value for one, value in own.items()}, key: model}
        known = _parameters(() if of_model(key) else names, block)
        if key not in COMMON and model_key(key) not in known and "user_model" not in block.entries:
            known |= {one.name: [one] for model in REGISTERED.usable().values() for one in model.parameters}
        if key not in COMMON and model_key(key) not in known:
            raise UsageError(f"{spec} has no parameter {key}{nearest(key, [*MEASURE_KEYS, *known, *COMMON])}")
        _check(known.get(model_key(key), []), text)
    return {key: text}


def _parameters(names: tuple[str, ...], block: ConfigurationBlock) -> dict[str, list[Parameter]]:
    """Parameters of measures and of the user model, of all user models where none is named."""
    named = block.entries.get("user_model")
    models = list(BUILT_IN.values()) if named is None else [user_model(parse_choice(said(named.value))[0])]
    found: dict[str, list[Parameter]] = {}
    for owner in (*(BY_NAME[name].parameters for name in names), *map(parameters_of, models)):
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
