"""The options of pictures, for every command that draws one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from prum_eval.cli.option_types import OutputPath
from prum_eval.cli.options import Decorator
from prum_eval.errors import UsageError
from prum_eval.parameters import nearest
from prum_eval.report.registry import format_names, output_format


class Picture(OutputPath):
    """The file of a picture, as an output; one that cannot be made is refused before anything is computed."""

    def __init__(self, result: str) -> None:
        super().__init__()
        self._result = result

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The format of the extension, and the path."""
        extension = Path(value).suffix[1:].lower()
        if extension in format_names(self._result, "--plot", plugins=False):
            from prum_eval.report.plots.pictures import check_matplotlib

            check_matplotlib()
        elif extension not in (names := format_names(self._result, "--plot")):
            ending = f".{extension} is no format of pictures" if extension else "a picture needs an extension"
            hint = nearest(extension, names) if extension else ""
            raise UsageError(f"--plot {value}: {ending} (there are: {', '.join(names)}){hint}")
        return output_format(extension), value


def plot_options(result: str, what: str) -> Decorator:
    """``--plot FILE`` and ``--plot-size``, as parameters `plot`, an output, and `plot_size`.

    Args:
        result: the class of results that are drawn.
        what: what is drawn of them.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
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
            type=Picture(result),
            help=f"Draw {what}: FILE is a .png, .svg or .pdf. Needs matplotlib (extra plot).",
        )
        return plot(size(command))

    return decorate
