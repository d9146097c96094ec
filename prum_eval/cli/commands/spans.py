"""``prum-eval spans``: relevant spans from quotes."""

from __future__ import annotations

import click

from prum_eval.cli.help import Command
from prum_eval.cli.options import PATH, Number, check_paths, output_option, verbosity_options
from prum_eval.cli.output import print_summary, print_warnings, write_output


@click.command("spans", cls=Command)
@click.argument("quotes", type=PATH)
@click.argument("texts", type=PATH)
@click.option(
    "--ambiguous",
    type=click.Choice(["refuse", "first", "all", "any"]),
    default="refuse",
    show_default=True,
    help="Handling of a quote that occurs in several places; any: each of them answers the question.",
)
@click.option(
    "--threshold",
    type=Number(0, 100, min_open=True),
    default=90,
    show_default=True,
    metavar="X",
    help="Least similarity (of 100) of a fuzzy match.",
)
@click.option("--lossy", is_flag=True, help="Skip quotes that occur nowhere, with a warning.")
@click.option(
    "--lengths", is_flag=True, help="Write the lengths of documents without a quote too, for user models that read on."
)
@output_option
@verbosity_options
def command(
    quotes: str, texts: str, ambiguous: str, threshold: float, lossy: bool, lengths: bool, output: str | None
) -> None:
    """Find the QUOTES that answer each question in the TEXTS, and write these relevant spans as JSON Lines.

    QUOTES has lines `topic TAB quote` or `topic TAB document TAB quote`, or JSON Lines with topic, quote and
    optionally doc. The keys facet, alternative and weight, columns under a header too, declare facets. TEXTS is a
    directory, an archive, JSON Lines with doc and text, or an index of documents. Files that are not text are
    skipped.

    A quote is searched literally; then with white space, quotation marks, dashes and letter case folded; then fuzzily,
    which needs rapidfuzz (the extra `chunks`). Quotes in several places or in none are reported as FILE:LINE: reason.
    Then nothing is written, unless --ambiguous or --lossy allows it.

    \b
    Example:
      prum-eval spans -o relevant.jsonl quotes.tsv corpus/
    """
    from prum_eval.chunks.relevant_spans import spans, summarise_matches

    check_paths(quotes, texts)
    found = spans(quotes, texts, ambiguous=ambiguous, threshold=threshold, lossy=lossy, lengths=lengths)
    print_warnings([*found.notes, *(f"lost: {quote}" for quote in found.lost)])
    print_summary(summarise_matches(found.quotes))
    write_output(found.text, output)
