"""The door of the program: what is set before anything large is imported, and what becomes of errors."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from prum_eval.cli.standard_streams import guard_standard_streams, leave_standard_output
from prum_eval.errors import InputError, PrumEvalError, printable


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 bad data, 2 bad usage."""
    # numpy reads this when it is imported, worker processes inherit it. Its threads wait by spinning, which costs more
    # than many an evaluation; the few products of matrices here win little by them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What is imported and read lives until the call ends, and nothing in it refers back: looking for cycles often is
    # in vain. So is looking as the process ends, where what is frozen is passed over.
    gc.set_threshold(200_000, 50, 100)
    guard_standard_streams()
    status = run(args)
    gc.freeze()
    sys.exit(status)


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    import click

    from prum_eval.cli.group import commands
    from prum_eval.cli.verbosity import QUIET, colour_asked

    try:
        status: Any = commands.main(args, prog_name="prum-eval", standalone_mode=False)
        sys.stdout.flush()
    except PrumEvalError as error:
        quiet = QUIET in (sys.argv if args is None else args)
        for warning in () if quiet else getattr(error, "__notes__", ()):  # of a result that did not come about
            click.echo(f"prum-eval: {warning}", err=True)
        from prum_eval.cli.output import is_coloured  # what fails may have failed before it was imported

        coloured = is_coloured(sys.stderr, colour_asked(sys.argv if args is None else args))
        click.echo(_in_red(error) if coloured else error.message, err=True, color=coloured)
        return _ended(error.exit_status)
    except click.ClickException as error:
        error.show(said := io.StringIO())
        click.echo(printable(said.getvalue(), lines=True), err=True, nl=False)  # it quotes arguments
        return _ended(error.exit_code)
    except click.Abort:
        click.echo("prum-eval: interrupted", err=True)
        return _ended(130)
    except (BrokenPipeError, SystemExit):
        # The reader has gone (click makes that a SystemExit): nothing to say, and nothing more to flush at exit.
        leave_standard_output()
        return 0
    return status if isinstance(status, int) else 0


def _in_red(error: PrumEvalError) -> str:
    """The message with who says it, or the place that it is about, in red."""
    import click

    reason = error.reason if isinstance(error, InputError) else str(error)
    place = error.message.removesuffix(reason)
    return click.style(place.rstrip(), fg="red") + place[len(place.rstrip()) :] + reason


def _ended(status: int) -> int:
    """The exit status of a call that failed, whose error is told once: what was printed before may not fit either."""
    try:
        sys.stdout.flush()
    except (PrumEvalError, OSError):
        leave_standard_output()
    return status
