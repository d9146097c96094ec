"""What options and arguments take: numbers, paths, and what a shell offers for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LARGEST_COUNT = 2**31 - 1
_WHOLE = r"[+-]?[0-9]{1,400}"
_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
PATH = click.Path(readable=False)
"""A file or folder, which a shell completes; what reads it says what is wrong with it."""


class WholeNumber(click.IntRange):
    """A whole number; Python itself would take ``1_0`` and the digits of other scripts too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The number that the text stands for."""
        if isinstance(value, str) and not re.fullmatch(_WHOLE, value):
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A finite number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The number that the text stands for."""
        if isinstance(value, str) and (not re.fullmatch(_DECIMAL, value) or float(value) == float("inf")):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return super().convert(value, param, ctx)


class OutputPath(click.Path):
    """A file that results go to; ``-`` is standard output."""

    def __init__(self) -> None:
        super().__init__(readable=False, allow_dash=True)


OUTPUT_PATH = OutputPath()


def completing(registry: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What a shell offers for a name of that registry, one of `prum_eval.cli.completion`."""

    def offer(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from prum_eval.cli.completion import offered  # a shell asks; most calls do not

        return offered(registry, incomplete)

    return offer


def folders(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a shell offers for a folder, which need not exist."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]
