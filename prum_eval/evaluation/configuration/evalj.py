"""EvalJ's choice of metrics (INEX 2006, Best in Context): EPRUM and BEPD as measures of ours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from prum_eval.errors import InputError, errors_at
from prum_eval.evaluation.configuration.common import Configuration, text_of, unique_label
from prum_eval.measures.registry import BY_NAME
from prum_eval.measures.specs import MeasureSpec
from prum_eval.parameters import Parameter, nearest
from prum_eval.records.configuration import ConfigurationBlock, ConfigurationEntry, ConfigurationFile
from prum_eval.user_models import bep_distance

_GENERATORS = {"BEPTargetGenerator": "bep"}
_BINARY = {"true": "off", "false": "on"}
_QUANTISATIONS = ("Exh", "Gen", "Strict")
_BEHAVIOURS = {"BEPDistance": bep_distance.MODEL.name}
_EPRUM = ("id", "only", "binary", "generator", "quantisation", "behaviour", "behaviour.A")
_BEPD = ("id", "only", "a")


def from_metrics(file: ConfigurationFile) -> Configuration:
    """The meaning of EvalJ's ``<metrics>``: a labelled request a metric.

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
        only = text_of(block.entries, "only", file.path)
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
    shape = next(one for one in BY_NAME["bepd"].parameters if one.name == "A")
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
    return f"no {what} {name} ({_list(known)}){nearest(name, known)}"


def _list(known: Mapping[str, object] | tuple[str, ...]) -> str:
    return f"known: {', '.join(known)}"
