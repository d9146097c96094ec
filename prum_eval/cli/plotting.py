"""The options of pictures, for every command that draws one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class _Picture(click.Path):
    """The file of a picture; one that cannot be made is refused before anything is computed."""

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> str:  # noqa: ANN401
        from prum_eval.report.plots.pictures import check_picture

        check_picture(value)
        return str(value)


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
            type=_Picture(),
            help=f"Draw {what}: FILE is a .png, .svg or .pdf. Needs matplotlib (extra plot).",
        )
        return plot(size(command))

    return decorate
