"""Requests that name something unknown or impossible: exit status 2, nothing printed, the nearest known name."""

from __future__ import annotations

import fnmatch

import pytest

from prum_eval.records import AssessmentKind
from prum_eval.relevance.quantisations import QUANTISATIONS_BY_KIND
from tests.gold import run

PASSED_OVER = (
    "items=article with consider below 1 gives the ideal list no expected length: a target that is passed over is "
    "never seen"
)
DEMO = "-s fixtures/demo/structure.tsv fixtures/demo/assessments fixtures/demo/run-a.xml"
MODELS = "none, hierarchical, coverage, t2i, bep-distance, logistic, siblings, graph"
SCALES = ", ".join(QUANTISATIONS_BY_KIND[AssessmentKind.ELEMENTS_2005])
T2I = "tolerance, decay"
MODIFIERS = "once, rank_decay, items, consider"


def refused(command):
    output = run(command)
    assert output.status == 2
    assert output.out == ""
    return output.err


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("-m mapp", "no measure mapp; did you mean map?"),
        ("-m eprum_maps", "no measure eprum_maps; did you mean eprum_map?"),
        ("-m offical", "no measure offical; did you mean official?"),
        ("-m gen_recal_5", "no measure gen_recal_5; did you mean gen_recall?"),
        ("-m qqqq", "no measure qqqq; prum-eval measures lists them"),
        ("-m GR", "no measure GR; did you mean gen_recall?"),
        ("-m GR@10", "no measure GR; did you mean gen_recall?"),
        ("-m map,,P@5", "an extra comma in map,,P@5"),
        ("-m map -m eprun", "no measure eprun; did you mean eprum?"),
        ("-u hierarchicl", f"no user model hierarchicl (there are: {MODELS}); did you mean hierarchical?"),
        ("-u zzz", f"no user model zzz (there are: {MODELS})"),
        (
            "-m gen_recall:user_model=logistics",
            f"no user model logistics (there are: {MODELS}); did you mean logistic?",
        ),
        ("--targets idael", "no targets idael (there are: ideal, relevant, bep, passages); did you mean ideal?"),
        (
            "--quantisation genn",
            f"no quantisation genn for elements, 2005-2007 (there are: {SCALES}); did you mean gen?",
        ),
        (
            "-m map:quantisation=strikt",
            f"no quantisation strikt for elements, 2005-2007 (there are: {SCALES}); did you mean strict?",
        ),
        (
            "-u t2i:tolerence=3",
            f"user model t2i has no parameter tolerence (it has: {T2I}, {MODIFIERS}); did you mean tolerance?",
        ),
        ("-u none:A=1", f"user model none has no parameter A (it has: {MODIFIERS})"),
        ("-m map:moode=exact", "map has no parameter moode"),
        (
            "-m eprum_map:moode=exact",
            "eprum_map has no parameter moode, nor has user model hierarchical; did you mean mode?",
        ),
        ("-m gen_recall:mode=exact", "gen_recall has no parameter mode, nor has user model hierarchical"),
        (
            "-m gen_recall:user_model=t2i,tolerence=3",
            "gen_recall has no parameter tolerence, nor has user model t2i; did you mean tolerance?",
        ),
        ("--set modee=exact", "--set modee: no selected measure has that parameter; did you mean mode?"),
        ("-m gen_recall --set mode=exact", "--set mode: no selected measure has that parameter"),
        ("-m map --set at_recall=ratio", "--set at_recall: no selected measure has that parameter"),
        ("-u none --set tolerance=3", "--set tolerance: no selected measure has that parameter"),
    ],
)
def test_unknown_names(options, text):
    assert refused(f"eval {options} {DEMO}") == f"prum-eval: {text}\n"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("-m P.0", "P.0: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.0.5", "P.0.5: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.five", "P.five: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.5,", "an extra comma in P.5,"),
        ("-m P.nan", "P.nan: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.1e300", "P.1e300: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.2147483648", "P.2147483648: a cut-off of P is a whole number from 1 to 2147483647"),
        (
            "-m gen_recall.9223372036854775808",
            "gen_recall.9223372036854775808: a cut-off of gen_recall is a whole number from 1 to 2147483647",
        ),
        ("-m P.1_0", "P.1_0: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.1e1", "P.1e1: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.5.x", "P.5.x: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.١٢", "P.١٢: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m P.²", "P.²: a cut-off of P is a whole number from 1 to 2147483647"),
        ("-m iprec_at_recall.nan", "iprec_at_recall.nan: a level of iprec_at_recall is a number from 0 to 1"),
        ("-m iprec_at_recall.0_1", "iprec_at_recall.0_1: a level of iprec_at_recall is a number from 0 to 1"),
        ("-m iprec_at_recall.١", "iprec_at_recall.١: a level of iprec_at_recall is a number from 0 to 1"),
        ("-m magp:beta=1_0", "beta=1_0: beta is a number from 0 up"),
        ("-m magp:beta=١", "beta=١: beta is a number from 0 up"),
        ("-m nxcg.5:ideal_rank=next", "nxcg has no parameter ideal_rank"),
        ("-m xcg.5:base=full", "xcg has no parameter base"),
        ("-m eprum_P.5:at_recall=ratio", "eprum_P has no parameter at_recall, nor has user model hierarchical"),
        ("-m gR.5:beta=1", "gR has no parameter beta"),
        ("-m magp:short=divide", "magp has no parameter short"),
        ("-m ng_s_map:denominator=sum", "ng_s_map has no parameter denominator"),
        ("--set ideal_rank=next -m nxcg.5", "--set ideal_rank: no selected measure has that parameter"),
        ("--set at_recall=ratio -m eprum_P", "--set at_recall: no selected measure has that parameter"),
        ("-m eprum_map.5", "eprum_map.5: eprum_map takes no cut-offs or levels"),
        ("-m eprum_map_5", "eprum_map.5: eprum_map takes no cut-offs or levels"),
        ("-m iprec_at_recall.1.5", "iprec_at_recall.1.5: a level of iprec_at_recall is a number from 0 to 1"),
        ("-m eprum_map:mode=fast", "mode=fast: mode is exact or normal"),
        ("-m prum_map:mode=", "'mode=' is not a setting; write key=value"),
        ("-m prum_map:", "'' is not a setting; write key=value"),
        ("-m prum_map:mode", "'mode' is not a setting; write key=value"),
        ("-m prum_map:mode=exact,mode=paper", "mode is set twice"),
        ("-u t2i:tolerance=-3", "tolerance=-3: tolerance is a number from 0 up"),
        ("-u t2i:tolerance=much", "tolerance=much: tolerance is a number from 0 up"),
        ("-u t2i:tolerance=nan", "tolerance=nan: tolerance is a number from 0 up"),
        ("-u bep-distance:A=0", "A=0: A is a number above 0"),
        ("-u siblings:p=1.5", "p=1.5: p is a number from 0 to 1"),
        ("-u none:rank_decay=2", "rank_decay=2: rank_decay is a number from 0 to 1"),
        ("-u hierarchical:once=yes", "once=yes: once is on or off"),
        ("--set at_recall=sum -m eprum_map", "at_recall=sum: at_recall is product or ratio"),
        ("--ideal-list greedy --items article", "ideal_list=greedy and items=article cannot be combined"),
        (
            "-m eprum_P.5 -u hierarchical:items=article,consider=.5",
            f"{PASSED_OVER}; eprum_P needs one",
        ),
    ],
)
def test_values_that_are_not_legal(options, text):
    assert refused(f"eval {options} {DEMO}") == f"prum-eval: {text}\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("fixtures/toy/qrels fixtures/toy/run --targets bep",
         "assessments of documents have no targets of kind bep (they have: ideal, relevant)"),
        ("fixtures/toy/qrels fixtures/toy/run --targets passages",
         "assessments of documents have no targets of kind passages (they have: ideal, relevant)"),
        ("fixtures/demo/judged.txt fixtures/demo/run-a.offsets.run --targets ideal",
         "assessments of passages have no targets of kind ideal (they have: bep, passages)"),
        ("fixtures/toy/qrels fixtures/toy/run --quantisation sog",
         "no quantisation sog for documents (there are: gen, strict)"),
    ],
)  # fmt: skip
def test_what_the_assessments_do_not_have(arguments, text):
    assert refused(f"eval {arguments}") == f"prum-eval: {text}\n"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (f"eval --struture x {DEMO}", "No such option*--struture*--structure*"),
        (f"eval --nothing-like-it {DEMO}", "No such option*--nothing-like-it*"),
        ("evl fixtures/toy/qrels fixtures/toy/run", "No such command 'evl'. Did you mean 'eval'?"),
        ("mesures", "No such command 'mesures'. Did you mean 'measures'?"),
        ("xyz", "No such command 'xyz'."),
        ("eval fixtures/toy/qrels", "Missing argument 'RUN [RUN ...]'."),
        ("eval", "Missing argument 'ASSESSMENTS'."),
        (f"eval -M 0 {DEMO}", "Invalid value for '-M': 0 is not in the range 1<=x<=2147483647."),
        (f"eval -M few {DEMO}", "Invalid value for '-M': 'few' is not a whole number."),
        (f"eval --digits 18 {DEMO}", "Invalid value for '--digits': 18 is not in the range 0<=x<=17."),
        (f"eval --collection-size 0 {DEMO}",
         f"Invalid value for '-N' / '--collection-size': 0 is not in the range 1<=x<={2**53}."),
        (f"eval --prum-mode fast {DEMO}",
         "Invalid value for '--prum-mode': 'fast' is not one of 'paper', 'exact', 'normal'."),
        (f"eval --rank-by name {DEMO}", "Invalid value for '--rank-by': 'name' is not one of 'file', 'rank', 'score'."),
        (f"eval --navigation-kind walk {DEMO}",
         "Invalid value for '--navigation-kind': 'walk' is not one of 'reach', 'step'."),
        (f"eval --ideal-list best {DEMO}",
         "Invalid value for '--ideal-list': 'best' is not one of 'targets', 'greedy'."),
        (f"eval --items all {DEMO}", "Invalid value for '--items': 'all' is not *'article'."),
        (f"eval --set alpha {DEMO}", "Invalid value for '--set': 'alpha' is not a setting; write KEY=VALUE"),
        (f"eval -f trek {DEMO}", "Invalid value for '-f' / '--format': 'trek' is not one of 'trec', *'markdown'*"),
        ("eval - -", "- (standard input) can be one input only"),
        ("eval -s - fixtures/toy/qrels -", "- (standard input) can be one input only"),
        ("check --assessments - -", "- (standard input) can be one input only"),
        ("check", "nothing to check: give a RUN, --assessments, --structure or --navigation"),
    ],
)  # fmt: skip
def test_unknown_options_commands_and_values(command, text):
    lines = refused(command).splitlines()
    assert lines[0].startswith("Usage: prum-eval ")
    assert fnmatch.fnmatchcase(lines[-1], "Error: " + text.replace("[", "[[]"))  # * where versions of click differ


def test_names_are_checked_before_files_are_read():
    assert refused("eval -m mapp missing missing") == "prum-eval: no measure mapp; did you mean map?\n"


def test_unknown_measure_to_explain():
    assert refused("measures eprum_mapp") == "prum-eval: no measure eprum_mapp; did you mean eprum_map?\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            f"eval --collection-size {10**30}",
            f"'-N' / '--collection-size': {10**30} is not in the range 1<=x<={2**53}.",
        ),
        (f"eval -M {2**31}", "'-M': 2147483648 is not in the range 1<=x<=2147483647."),
        ("eval -M 1_0", "'-M': '1_0' is not a whole number."),
        (f"eval -j {10**9}", f"'-j' / '--jobs': '{10**9}' is neither a whole number from 0 up nor auto"),
        ("eval --digits \u0661", "'--digits': '\u0661' is not a whole number."),
        ("index -j 1025", "'-j' / '--jobs': 1025 is not in the range 1<=x<=1024."),
        ("correlate --top +-2", "'--top': '+-2' is not a whole number."),
        ("gold check --absolute inf", "'--absolute': 'inf' is not a finite number."),
        ("gold check --absolute 1e999", "'--absolute': '1e999' is not a finite number."),
    ],
)
def test_numbers_beyond_their_range(options, reason):
    output = run(f"{options} fixtures/toy/run")
    assert (output.status, output.out, output.err.splitlines()[-1]) == (2, "", f"Error: Invalid value for {reason}")
