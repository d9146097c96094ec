"""The pages of measures: an index, and one page a family, from the registry and the texts in docs/families."""

from __future__ import annotations

import re
from pathlib import Path

from prum_eval.measures.base import Direction, Measure, Need, Shape
from prum_eval.measures.registry import SETS, all_measures, expand_name, families
from prum_eval.parameters import Parameter
from prum_eval.relevance.quantisations import QUANTISATIONS_BY_KIND

FOLDER = Path(__file__).resolve().parent
NOTE = "<!-- written by docs/generate.py; do not edit -->\n"
PLACE = "<!-- measures -->\n"

INTRODUCTION = """\
Ask for a measure, a family or a set with `-m`: `NAME`, `NAME.5,10` or `NAME_5`, and `:key=value,key=value` after it
sets parameters. Every printed name is accepted back. An instance with a parameter off its default prints with it, as in
`prum_map:mode=exact`. [Which one](which.md) is a page of its own.

Names are taken in any case, with `@` before cut-offs, with settings in parentheses as ir_measures writes them, and
several in one `-m` with commas: `-m map,nDCG@10,P@5,10,AP(rel=2)`. A part that begins with a letter is a new measure,
unless it follows `:` and is a `key=value`. A measure that takes no cut-offs stands for the one that is the same with
some: `ndcg.10` is `ndcg_cut.10`. What other tools call a measure is [known too](#also-known-as); values print under
our names unless `--names as-given` is there. In the format `trec` they print in the order of this page, in tables in
the order in which they are asked for.

Beside its own parameters every measure has `quantisation`, and on graded documents `rel`, the smallest grade that is
relevant (1). `-l` sets it for all measures but `ndcg`, `ndcg_cut` and `rbp`: as in trec_eval their gains are grades
whatever it is. With `-m ndcg:rel=2` grades below it gain nothing. With `judged_only=on` a measure drops results in
documents that are not judged for their topic, as `-J` does for all of them: `P_10:judged_only=on`.

Measures that follow a user have `targets`, `user_model` and the parameters of that [user model](user-models.md) too.
Where both have one of the same name, as `rbp` and `siblings` have `p`, the plain name is the measure's; that of the
model is set in `-u siblings:p=0.5`, or as `model.p` wherever parameters are set: `-m rbp:p=0.9,model.p=0.5`,
`--set model.p=0.5`. `_K` stands for a cut-off, `_X` for a recall level."""

ALSO = """\
## Also known as

What trec_eval, pytrec_eval, ir_measures and ranx call measures of this page, beside our names in any case (`MAP`,
`nDCG`, `RBP`, `Success`). A name that sets parameters gives the number of that tool, and means it in its own case:
`ERR` of gdeval and ir_measures takes 4 for the largest grade whatever the file says, `err` takes that of the file.
`RBP(rel=2)` counts what is relevant as 1: `cwl_rbp:rel=2`. `hits` of ranx is a mean, `num_rel_ret` a sum."""

SOURCES = """\
## Sources

* [PRUM] Piwowarski, Gallinari, Dupret: Precision recall with user modeling (PRUM), TOIS 25(1), 2007
* [EPRUM] Piwowarski, Dupret: Evaluation in (XML) information retrieval: expected precision-recall with user modelling,
  SIGIR 2006
* [INEX06] Lalmas, Kazai, Kamps, Pehcevski, Piwowarski, Robertson: INEX 2006 Evaluation Measures
* [ING] Gövert, Fuhr, Lalmas, Kazai: Evaluating the effectiveness of content-oriented XML retrieval methods, Information
  Retrieval 9(6), 2006
* inex_eval 3.1, the tool of the INEX campaigns of 2007 to 2010; trec_eval 10, of NIST
* [LIT] later literature of the campaigns, not verified against the original rules
"""


def plain(text: str) -> str:
    """A text of the registry, with what Markdown would take for emphasis or tags made harmless."""
    return re.sub(r"([*_])", r"\\\1", text.replace("<", "&lt;").replace(">", "&gt;"))


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def parameters(listed: tuple[Parameter, ...]) -> list[str]:
    """A table of parameters."""
    if not listed:
        return []
    rows = ["| parameter | default | values | meaning |", "|---|---|---|---|"]
    for one in listed:
        default = "from the inputs" if one.default is None else f"`{one.default}`"
        rows.append(f"| `{one.name}` | {default} | {one.legal_values} | {plain(one.meaning)} |")
    return [*rows, ""]


def edges(one: Measure) -> list[str]:
    """A table of edge values."""
    count = one.shape is Shape.COUNT
    highest = "1" if one.bounded else "can pass 1; never clipped"
    counted = one.without_targets and not one.needs_relevance
    plainly = count or one.direction is Direction.NEITHER or (not one.bounded and Need.GAINS in one.needs)
    without = ("counted" if plainly else "counted, as 0") if counted else "left out of the mean; null in JSON"
    if one.zero_for_documents:
        without = f"of documents counted, as 0; else {without}"
    over = {Shape.COUNT: "sum", Shape.TEXT: "none"}.get(one.shape, "geometric mean" if one.average else "mean")
    return [
        "| edge | value |",
        "|---|---|",
        f"| over topics | {over} |",
        f"| topic without targets | {without} |",
        f"| empty list (`-c`) | {one.empty_list} |",
        *([] if count or one.shape is Shape.TEXT else [f"| highest value | {highest} |"]),
        "",
    ]


def measure(one: Measure) -> list[str]:
    """One measure: names, meaning, formula, parameters, edge values, source."""
    printed = " ".join(f"`{one.printed_name(point)}`" for point in one.cutoffs or (None,))
    head = [f"## {one.name}", "", plain(sentence(one.summary)), "", plain(one.explanation)]
    also = [f"Also known as: {', '.join(map(other_name, one.aliases))}", ""] if one.aliases else []
    return [
        *head,
        "",
        f"Prints: {printed}",
        "",
        *also,
        *parameters(one.parameters),
        *edges(one),
        f"Source: {plain(one.source)}.",
        "",
    ]


def template(family: str) -> str:
    """The text of a family, with the place where its measures go; of another package's family its name alone."""
    path = FOLDER / "families" / f"{family}.md.in"
    return path.read_text(encoding="utf-8") if path.exists() else f"# {family}\n\n{PLACE}"


def title(family: str) -> str:
    """The heading of a family's page."""
    return template(family).splitlines()[0].removeprefix("# ")


def family_page(family: str) -> str:
    """docs/measures/FAMILY.md."""
    heading, below = template(family).split("\n", 1)
    before, after = below.split(PLACE)
    ask = (
        f"Ask for all of them with `-m {family}`, or for each by its name. The [gallery](../gallery.md)\n"
        "shows how measures answer to near misses, overlap, noise, missing targets and reading effort."
    )
    lines = [line for one in all_measures() if one.family == family for line in measure(one)]
    return "\n".join([heading, "", NOTE + before + ask, "", *lines]) + after


def other_name(alias: str) -> str:
    """What another tool calls a measure, with the parameters that this name sets."""
    name, colon, settings = alias.partition(":")
    return f"`{name}` (with `{settings}`)" if colon else f"`{name}`"


def known_as(one: Measure) -> str:
    """A row of the table of other names."""
    also = ", ".join(map(other_name, one.aliases or (one.name,)))
    return f"| {also} | `{one.name}`{f', at cut-offs `{one.at_cutoffs}`' if one.at_cutoffs else ''} |"


def index_page() -> str:
    """docs/measures.md."""
    lines = ["# Measures", "", NOTE, INTRODUCTION, ""]
    for family in families():
        lines += [f"## {title(family)}", "", f"[`-m {family}`](measures/{family}.md)", ""]
        lines += ["| measure | meaning |", "|---|---|"]
        for one in all_measures():
            if one.family == family:
                link = f"measures/{family}.md#{one.name.lower()}"
                lines.append(f"| [`{one.name}{one.suffix}`]({link}) | {plain(one.summary)} |")
        lines += [""]
    lines += ["## Sets", ""]
    lines += [f"* `{name}`: {', '.join(f'`{one}`' for one in expand_name(name))}" for name in SETS if name != "all"]
    lines += ["* `all`: every measure whose inputs are there; what is left out is said", ""]
    lines += [ALSO, "", "| known as | measure |", "|---|---|"]
    lines += [known_as(one) for one in all_measures() if one.aliases or one.at_cutoffs]
    lines += [""]
    lines += ["## Quantisations", "", "| assessments | name | values | source |", "|---|---|---|---|"]
    for kind, table in QUANTISATIONS_BY_KIND.items():
        lines += [f"| {kind} | `{one.name}` | {plain(one.summary)} | {one.source} |" for one in table.values()]
    return "\n".join([*lines, "", SOURCES])


def pages() -> dict[str, str]:
    """All pages, by their path below docs."""
    return {"measures.md": index_page()} | {f"measures/{family}.md": family_page(family) for family in families()}
