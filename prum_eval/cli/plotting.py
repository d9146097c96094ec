"""The options of pictures, for every command that draws one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _checked(_ctx: click.Context, _parameter: click.Parameter, path: str | None) -> str | None:
    """Refuse a picture that cannot be made before anything is computed."""
    if path is not None:
        from prum_eval.report.plots.pictures import check_picture

        check_picture(path)
    return path


def plot_options(what: str) -> Callable[[Decorated], Decorated]:
    """``--plot FILE`` and ``--plot-size``, as parameters `plot` and `plot_size`; `what` says what is drawn."""

    def decorate(command: Decorated) -> Decorated:
        size = click.option(
            "--plot-size",
            type=click.Choice(["column", "slide"]),
            default="column",
            show_default=True,
            help="Panels as wide as a column of a paper, or one slide of 16:9.",
        )
        plot = click.option(
            "--plot",
            metavar="FILE",
            callback=_checked,
            help=f"Draw {what}: FILE is a .png, .svg or .pdf. Needs matplotlib (extra plot).",
        )
        return plot(size(command))

    return decorate
