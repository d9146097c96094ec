"""Bad configuration files: FILE:LINE: reason, exit status 1, nothing printed."""

from __future__ import annotations

import pytest

from prum_eval.measures.tasks import TASKS
from prum_eval.text.xml import ENTITY_REMEDY as REMEDY
from tests.gold import run

TOY = "fixtures/toy/qrels fixtures/toy/run"
DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
KINDS = "expected a string, a number, true or false, or a list of strings"


@pytest.fixture
def refused(tmp_path):
    def refused(text, inputs=TOY):
        path = tmp_path / "c"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        output = run(f"eval --config {path} {inputs}")
        assert (output.status, output.out) == (1, "")
        return output.err.removesuffix("\n").removeprefix(f"{tmp_path}/")

    return refused


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "c:1: the file is empty"),
        (" \n\n", "c:1: the file is empty"),
        (b"limit = 3\ntask = '\xff'\n", "c:2: the text is not UTF-8"),
        ("limit = 3\nlimit 5\n", "c:2: not TOML: Expected '=' after a key in a key/value pair"),
        ("limit = 3\ntsk = 'x'\n", "c:2: no key tsk; did you mean task?"),
        ("zzz = 3\n", "c:1: no key zzz"),
        ("[inputs]\nlimit = 3\n", f"c:1: inputs: {KINDS}"),
        ("limit = 3\n\n[measures]\nmeasure = 'map'\n", "c:3: measures: write each as [[measures]]"),
        ("limit = 3\nmeasures = 5\n", "c:2: measures: write each as [[measures]]"),
        ("runs = [1]\n", f"c:1: runs: {KINDS}"),
        ("task = 'inex2006-focussed'\n",
         "c:1: no task inex2006-focussed; did you mean inex2006-focused? (prum-eval measures --tasks lists all)"),
        ("task = 5\n", "c:1: task: expected a text, found '5'"),
        ("assessments = ''\n", "c:1: assessments: expected a text, found ''"),
        ("assessments = ['a']\n", "c:1: assessments: expected a text, found 'a'"),
        ("structure = '-'\n", "c:1: - cannot be named in a configuration file"),
        ("runs = []\n", "c:1: runs: expected a list of paths or patterns"),
        ("runs = 7\n", "c:1: runs: expected a list of paths or patterns"),
        ("limit = 3\nruns = ['c', '*.run']\n", "c:2: no file matches *.run"),
        ('runs = ["a\\u0000*"]\n', "c:1: 'a\\x00*' is no path"),
        ('assessments = "\\u0000"\n', "c:1: '\\x00' is no path"),
        ("limit = 3\n" + ".".join("a" * 100_000) + " = 1\n", "c:2: not TOML: a key of too many parts"),
        ("[" + " . ".join(["'a'"] * 100) + "]\n", "c:1: not TOML: a key of too many parts"),
        ("runs = [\n" + "'nowhere',\n" * 50_000 + "7]\n", f"c:1: runs: {KINDS}"),
        ("#" * (1 << 20) + "\n", "c: more than 1048576 bytes, the limit for such a file"),
        ("runs = ['']\n", "c:1: an empty name cannot be named in a configuration file"),
        ("complete = 1\n", "c:1: complete: expected true or false, found '1'"),
        ("limit = 0\n", "c:1: limit: expected a whole number from 1 up, found '0'"),
        ("limit = true\n", "c:1: limit: expected a whole number from 1 up, found 'on'"),
        ("limit = 2.5\n", "c:1: limit: expected a whole number from 1 up, found '2.5'"),
    ],
)  # fmt: skip
def test_toml(refused, text, reason):
    assert refused(text) == reason


@pytest.mark.parametrize("text", ["limit = 3\ntask = 'x\n", "runs = [\n  'a',\n", "limit = 3\nlimit = 4\n"])
def test_text_that_is_not_toml(refused, text):
    assert refused(text).startswith("c:2: not TOML: ")


HEAD = 'runs = [\n  "c",\n]\n# a comment\n[[measures]]\nmeasure = "map"\n\n[[measures]]\n'


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("id = 'x'", "c:8: a measure without the key measure"),
        ("measure = 5", "c:9: measure: expected a text, found '5'"),
        ("measure = 'mapp'", "c:9: no measure mapp; did you mean map?"),
        ("id = 'x'\nmeasure = 'P.0'", "c:10: P.0: a cut-off of P is a whole number from 1 to 2147483647"),
        ("measure = 'map:quantisation=strict'",
         "c:9: measure: map:quantisation=strict: parameters are keys of their own"),
        ("measure = 'map'\nonyl = 'x'", "c:10: map has no parameter onyl; did you mean only?"),
        ("measure = 'eprum_map'\n\nmoode = 'exact'", "c:11: eprum_map has no parameter moode; did you mean mode?"),
        ("measure = 'map'\nmode = 'exact'", "c:10: map has no parameter mode"),
        ("measure = 'eprum_map'\nmode = 'fast'", "c:10: mode=fast: mode is exact or normal"),
        ("measure = 'eprum_map'\nmode = '''\nfast'''", "c:10: mode=fast: mode is exact or normal"),
        ("measure = 'bepd'\nA = 0", "c:10: A=0: A is a number above 0"),
        ("measure = 'bepd'\nA = inf", "c:10: A=inf: A is a number above 0"),
        ("measure = 'bepd'\nA = 1979-05-27", f"c:10: A: {KINDS}"),
        ("measure = 'gen_recall'\nuser_model = 't2i'\ntolerence = 5",
         "c:11: gen_recall has no parameter tolerence; did you mean tolerance?"),
        ("measure = 'gen_recall'\nuser_model = 't2j'", ("c:10: no user model t2j (there are: none, hierarchical, "
         "coverage, t2i, bep-distance, logistic, siblings, graph); did you mean t2i?")),
        ("measure = 'gen_recall'\nonly = ''", "c:10: only: expected a text, found ''"),
        ("measure = 'P'\nid = 'a b'",
         "c:10: id: expected a word without colon, comma, equals sign or blank, found 'a b'"),
        ("measure = 'P'\nid = 'A=1'",
         "c:10: id: expected a word without colon, comma, equals sign or blank, found 'A=1'"),
        ("measure = 'P'\nid = 5", "c:10: id: expected a word without colon, comma, equals sign or blank, found '5'"),
        ("measure = 'P'\nid = 'x'\n[[measures]]\nid = 'x'\nmeasure = 'map'",
         "c:12: id x is used twice (first on line 10)"),
    ],
)  # fmt: skip
def test_tables_of_measures(refused, table, reason):
    assert refused(HEAD + table) == reason


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("measure = 'gen_recall'\nid = 'x'\ntolerance = 5",
         "c:8: gen_recall has no parameter tolerance, nor has user model hierarchical; did you mean once?"),
        ("measure = 'map'\ntargets = 'passages'\nquantisation = 'strikt'",
         ("c:8: no quantisation strikt for elements, 2005-2007 (there are: gen, strict, genlifted, exh_gen, "
         "exh_strict, spec_gen, spec_strict); did you mean strict?")),
        ("measure = 'eprum_map'\nid = 'x'\nideal_list = 'greedy'\nitems = 'article'",
         "c:8: ideal_list=greedy and items=article cannot be combined"),
    ],
)  # fmt: skip
def test_what_only_the_inputs_tell_is_said_of_the_table(refused, table, reason):
    assert refused(HEAD + table, DEMO) == reason


def test_a_missing_input_is_said_of_the_table(refused):
    reason = refused(f"{HEAD}measure = 'prum_map'")
    size = "prum_map needs the number of elements of the collection: give --structure or --collection-size"
    assert reason == f"c:8: {size}"


EPRUM = '<metrics>\n<EPRUM id="e">\n<generator value="BEPTargetGenerator"/>\n{}\n</EPRUM>\n</metrics>\n'
BEHAVIOUR = '<behaviour value="{}"><A value="{}"/></behaviour>'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<metric>\n</metric>", "c:1: expected the root <metrics>, found <metric>"),
        ("<metrics>\n</metrics>", "c:1: <metrics> holds no metric"),
        ("<metrics>\n<EPRUM>", "c:2: the XML is cut off: the file ends inside an element"),
        ("<metrics>\n<EPRUM></BEPD></metrics>",
         "c:2: the XML is not well-formed: Opening and ending tag mismatch: EPRUM line 2 and BEPD"),
        ("<metrics>" + "\n<a>" * 3000, "c:2049: elements are nested more than 2048 deep"),
        ("<metrics>" + "\n" * (1 << 20), "c: more than 1048576 bytes, the limit for such a file"),
        ("<metrics>" + "<a value='1'>" * 2000 + "</a>" * 2000 + "</metrics>",
         "c:1: no metric a (known: EPRUM, BEPD)"),
        ('<!DOCTYPE metrics [<!ENTITY e "x">]>\n<metrics/>',
         f"c:1: declaration of the entity 'e': entity declarations are refused{REMEDY}"),
        ('<metrics>\n<EPRUN id="x"/>\n</metrics>', "c:2: no metric EPRUN (known: EPRUM, BEPD); did you mean EPRUM?"),
        ('<metrics>\n<BEPD id="x">5</BEPD>\n</metrics>',
         "c:2: <BEPD> holds text; values stand in the attribute value"),
        ('<metrics>\n<BEPD id="x"/>\n<BEPD id="x"/>\n</metrics>', "c:3: id x is used twice (first on line 2)"),
        ('<metrics>\n<BEPD id="x" onyl="y"/>\n</metrics>',
         "c:2: no setting of BEPD onyl (known: id, only, a); did you mean only?"),
        ('<metrics>\n<BEPD id="x">\n<a value="0"/></BEPD>\n</metrics>', "c:3: A=0: A is a number above 0"),
        ('<metrics>\n<BEPD id="x">\n<a>0</a></BEPD>\n</metrics>', "c:3: <a> has one attribute, value"),
        ('<metrics>\n<BEPD id="x">\n<a value="1"/>\n<a value="2"/></BEPD>\n</metrics>',
         "c:4: <a> is set twice (first on line 3)"),
        ('<metrics>\n<EPRUM id="x"/>\n</metrics>', "c:2: EPRUM lacks <generator> (known: BEPTargetGenerator)"),
        ('<metrics>\n<EPRUM id="x">\n<generator value="Ideal"/></EPRUM>\n</metrics>',
         "c:3: no generator Ideal (known: BEPTargetGenerator)"),
        (EPRUM.format('<binary value="maybe"/>'), "c:4: no binary maybe (known: true, false)"),
        (EPRUM.format('<quantisation value="Exhaustive"/>'), ("c:4: no quantisation Exhaustive (known: Exh, Gen, "
         "Strict)")),
        (EPRUM.format(BEHAVIOUR.format("BEPDistanse", 1)),
         "c:4: no behaviour BEPDistanse (known: BEPDistance); did you mean BEPDistance?"),
        (EPRUM.format(BEHAVIOUR.format("BEPDistance", "far")), "c:4: A=far: A is a number above 0"),
        (EPRUM.format('<A value="1"/>'),
         "c:4: no setting of EPRUM A (known: id, only, binary, generator, quantisation, behaviour, behaviour.A)"),
    ],
)  # fmt: skip
def test_metrics(refused, text, reason):
    assert refused(text, DEMO) == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("TASK: Focused\nMETRICS nxCG\n", "c:2: expected KEY: value or KEY=value, found 'METRICS nxCG'"),
        ("TASK: Focused\n\nMETRIC: nxCG\n", "c:3: no key METRIC; did you mean METRICS?"),
        ("TASK: Focused\n# again\nTASK: Thorough\n", "c:3: TASK is set twice (first on line 1)"),
        ("TASK:\n", "c:1: TASK has no value"),
        ("TASK: Focussed\n", "c:1: TASK: no task Focussed (known: Thorough, Focused); did you mean Focused?"),
        ("TASK: Focused\nMETRICS: nxCG, nxCX\n",
         "c:2: METRICS: no metric nxCX (known: ep/gr, MAep, nxCG, xCG, MAnxCG); did you mean nxCG?"),
        ("METRICS: nxCG,\n", "c:1: METRICS: an empty value in the list nxCG,"),
        ("METRICS: nxCG\nDCV: 5, ten\n",
         "c:2: DCV: nxcg.5,ten: a cut-off of nxcg is a whole number from 1 to 2147483647"),
        ("TASK: Focused\nDCV: 5\n", "c:2: DCV without METRICS"),
        ("METRICS: nxCG\nOVERLAP: on, yes\n", "c:2: overlap=yes: overlap is on or off"),
        ("METRICS: nxCG\nOVERLAP: on, on\n", "c:2: OVERLAP: a value comes twice in the list on, on"),
        ("METRICS: nxCG\nALPHA: 2\n", "c:2: alpha=2: alpha is a number from 0 to 1"),
        ("METRICS: nxCG\nQUANT_FUNCTIONS: genn\n", "c:2: QUANT_FUNCTIONS: no quantisation genn; did you mean gen?"),
        ("METRICS: nxCG\nASSESSMENTS_DIR: $nowhere_at_all/a\n",
         "c:2: $nowhere_at_all is defined neither in this file nor in the environment"),
        ("ASSESSMENTS_DIR: $a/x\na: ${b}/y\nb: $a\n", "c:3: $a stands for itself"),
        ("SUBMISSIONRUNS_DIR: runs/*\n", "c:1: no file matches runs/*"),
    ],
)  # fmt: skip
def test_properties(refused, text, reason):
    assert refused(text, DEMO) == reason


def test_a_file_that_is_not_there(tmp_path):
    output = run(f"eval --config {tmp_path}/c {TOY}")
    assert (output.status, output.err) == (1, f"{tmp_path}/c: cannot be read: No such file or directory\n")


def test_inputs_that_neither_the_call_nor_the_configuration_names(tmp_path):
    (tmp_path / "c").write_text("limit = 3\n", encoding="utf-8")
    missing = "them, or a configuration file with them\n"
    assert run(f"eval --config {tmp_path}/c") == (2, "", f"prum-eval: no assessments: give {missing}")
    assert run(f"eval --config {tmp_path}/c fixtures/toy/qrels") == (2, "", f"prum-eval: no runs: give {missing}")


def test_standard_input_is_one_input():
    output = run("eval --config - - fixtures/toy/run")
    assert output.status == 2
    assert output.err.endswith("- (standard input) can be one input only\n")


def test_all_tasks_may_be_named(tmp_path):
    for name in TASKS:
        (tmp_path / "c").write_text(f"task = '{name}'\n", encoding="utf-8")
        output = run(f"eval --config {tmp_path}/c missing missing")
        assert output.err == "missing: cannot be read: No such file or directory\n"


@pytest.mark.parametrize("end", ["x", "$EMPTY"])
def test_placeholders_that_stand_for_more_and_more(refused, monkeypatch, end):
    monkeypatch.setenv("EMPTY", "")
    laughs = "".join(f"A{level}: " + f"$A{level + 1}" * 9 + "\n" for level in range(40)) + f"A40: {end}\n"
    message = refused(f"TASK: $A0\n{laughs}")
    if end == "x":
        assert message == "c:36: $A34 stands for more than 65536 characters"
    else:  # each key is looked up once
        assert message.startswith("c:1: ")


def test_placeholders_that_are_nested_too_deeply(refused):
    text = "TASK: $A0\n" + "".join(f"A{level}: $A{level + 1}\n" for level in range(3000)) + "A3000: x\n"
    assert refused(text) == "c:101: $A100 is nested more than 100 deep"
