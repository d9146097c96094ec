"""``prum-eval spans``: gold spans from quotes."""

from __future__ import annotations

import click

from prum_eval.cli.options import PATH, Number, check_paths, output_option, verbosity_options
from prum_eval.cli.output import print_summary, print_warnings, write_output


@click.command("spans")
@click.argument("quotes", type=PATH)
@click.argument("texts", type=PATH)
@click.option(
    "--ambiguous",
    type=click.Choice(["refuse", "first", "all"]),
    default="refuse",
    show_default=True,
    help="What becomes of a quote that stands in several places.",
)
@click.option(
    "--threshold",
    type=Number(0, 100, min_open=True),
    default=90,
    show_default=True,
    metavar="X",
    help="How like a quote its place has to be, of 100, if it is not the same.",
)
@click.option("--lossy", is_flag=True, help="Leave out quotes that have no place, and say which.")
@output_option
@verbosity_options
def command(quotes: str, texts: str, ambiguous: str, threshold: float, lossy: bool, output: str | None) -> None:
    """Write gold spans as JSON Lines: where the QUOTES that answer each question stand in the TEXTS.

    QUOTES has lines `topic TAB quote` or `topic TAB document TAB quote`, or JSON Lines with topic, quote and perhaps
    doc. TEXTS is a directory, an archive, JSON Lines with doc and text, or an index of documents, which are then read
    as the index did (--without, --raw). Files that are not text are skipped.

    A quote is looked for as it is; else with white space, quotation marks, dashes and letter case folded; else
    fuzzily, which needs rapidfuzz (the extra `chunks`). Quotes in several places or in none are listed as FILE:LINE:
    reason, and nothing is written unless --ambiguous or --lossy says what becomes of them.
    """
    from prum_eval.chunks.gold_spans import spans, summarise_matches

    check_paths(quotes, texts)
    gold = spans(quotes, texts, ambiguous=ambiguous, threshold=threshold, lossy=lossy)
    print_warnings([*gold.notes, *(f"lost: {quote}" for quote in gold.lost)])
    print_summary(summarise_matches(gold.quotes))
    write_output(gold.text, output)
