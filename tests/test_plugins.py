"""Objects of other packages: found by name under an entry-point group, in nobody's way when they are broken."""

from __future__ import annotations

import importlib
import pickle
import sys
import warnings
from dataclasses import dataclass, field, fields, replace

import pytest

from prum_eval.errors import UsageError
from prum_eval.measures.base import Measure, Shape
from prum_eval.parameters import Parameter
from prum_eval.plugins import Plugins, deprecated_fields
from prum_eval.report import layout
from prum_eval.user_models import model

ENTRY_POINTS = """
[some.group]
seven = plugged_in:seven
text = plugged_in:text
none = plugged_in:nothing
lost = plugged_in:absent
broken = plugged_in_broken:seven
"""


@pytest.fixture
def numbers(tmp_path, monkeypatch):
    """The whole numbers that a package registers."""
    information = tmp_path / "plugged_in-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-in\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (tmp_path / "plugged_in.py").write_text('seven, text, nothing = 7, "11", None\n', encoding="utf-8")
    (tmp_path / "plugged_in_broken.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield Plugins("some.group", "number", int, lambda found, *_: int(found) if isinstance(found, str) else None)
    sys.modules.pop("plugged_in", None)


def test_names_do_not_need_the_objects(numbers):
    assert list(numbers) == ["seven", "text", "none", "lost", "broken"]
    assert len(numbers) == 5
    assert "broken" in numbers
    assert "plugged_in" not in sys.modules


def test_objects_are_loaded_or_adapted(numbers):
    assert (numbers["seven"], numbers["text"]) == (7, 11)
    assert numbers.get("eight") is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none", "number none: plugged_in:nothing is no int"),
        ("lost", "number lost cannot be loaded from plugged_in:absent: module 'plugged_in' has no attribute 'absent'"),
        ("broken", "number broken cannot be loaded from plugged_in_broken:seven: division by zero"),
    ],
)
def test_what_is_wrong_is_said_where_it_is_asked_for(numbers, name, reason):
    with pytest.raises(UsageError) as error:
        numbers[name]
    assert str(error.value) == reason


def test_what_is_broken_does_not_hide_the_others(numbers):
    assert numbers.usable() == {"seven": 7, "text": 11}


def test_a_group_that_nobody_uses():
    assert dict(Plugins("no.such.group", "number", int)) == {}


@deprecated_fields(absent="missing_results", early="negative_offsets")
@dataclass(frozen=True, slots=True)
class Record:
    name: str
    missing_results: bool = False
    negative_offsets: bool = True
    notes: list[str] = field(default_factory=list)


def test_new_field_names_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record = Record("r", missing_results=True)
        assert (record.missing_results, record.negative_offsets) == (True, True)
        assert replace(record, name="s") == Record("s", missing_results=True)
        assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301 -- its own bytes
        assert [one.name for one in fields(Record)] == ["name", "missing_results", "negative_offsets", "notes"]


def test_old_keywords_set_the_new_fields():
    with pytest.warns(DeprecationWarning, match=r"^Record\.absent is deprecated: use missing_results$") as warned:
        record = Record("r", absent=True)
    assert record == Record("r", missing_results=True)
    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=r"Record\.early is deprecated: use negative_offsets"):
        assert replace(Record("r"), early=False) == Record("r", negative_offsets=False)


def test_old_attributes_read_the_new_fields():
    record = Record("r", missing_results=True)
    with pytest.warns(DeprecationWarning, match=r"Record\.absent is deprecated: use missing_results") as warned:
        assert record.absent is True
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    ("record", "arguments", "old", "new", "value"),
    [
        (Measure, ("m", "m", "", "", "", Shape.SCALAR, len), "also", "aliases", ("other",)),
        (Measure, ("m", "m", "", "", "", Shape.SCALAR, len), "drawn", "curve_levels", (0.5,)),
        (Parameter, ("p", 1.0, ""), "law", "distribution", "geometric"),
        (model.Reach, (1, 1, None, None, None), "own", "exact", 7),
        (model.ReadingDistribution, (), "drawn", "inverse_survival", max),
        (model.EstimableParameter, ("p", len, len, None), "share", "is_share", True),
        (model.UserModel, ("u", "", "", "", len), "leads", "navigation_basis", model.NavigationBasis.GRAPH),
        (model.UserModel, ("u", "", "", "", len), "ways", "paths", len),
        (model.UserModel, ("u", "", "", "", len), "law", "estimable_parameter", len),
    ],
)
def test_old_fields_of_plug_in_records(record, arguments, old, new, value):
    with pytest.warns(DeprecationWarning, match=f"{record.__name__}.{old} is deprecated: use {new}"):
        made = record(*arguments, **{old: value})
    assert getattr(made, new) == value
    with pytest.warns(DeprecationWarning, match=f"{record.__name__}.{old} is deprecated: use {new}"):
        assert getattr(made, old) == value


def test_the_old_field_of_a_ranked_topic():
    topic = model.RankedTopic("t", *[None] * 6)
    with pytest.warns(DeprecationWarning, match="use contained_nodes"):
        assert topic.entered is topic.contained_nodes


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        (model, "Leads", "NavigationBasis"),
        (model, "ReadingLaw", "ReadingDistribution"),
        (model, "ParameterLaw", "EstimableParameter"),
        (model, "features_of_pairs", "pair_features"),
        (layout, "formatted", "format_value"),
    ],
)
def test_old_names_of_modules(module, old, new):
    with pytest.warns(DeprecationWarning, match=f"{old} is deprecated: use {new}"):
        assert getattr(module, old) is getattr(module, new)
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute '{old}x'"):
        getattr(module, f"{old}x")


@pytest.mark.parametrize(
    ("code", "reason"), [("import sys\nsys.exit(0)\n", "SystemExit(0)"), ("raise GeneratorExit\n", "GeneratorExit()")]
)
def test_no_plug_in_ends_the_program(numbers, tmp_path, code, reason):
    (tmp_path / "plugged_in_broken.py").write_text(code, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        numbers["broken"]
    assert str(error.value) == f"number broken cannot be loaded from plugged_in_broken:seven: {reason}"
    assert numbers.usable() == {"seven": 7, "text": 11}
