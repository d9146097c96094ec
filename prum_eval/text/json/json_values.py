"""JSON, strictly: no key twice in an object, no NaN, no number that a double or 64 bits cannot hold."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from prum_eval.errors import InputError
from prum_eval.text.numbers import integer, shown


class BadValueError(ValueError):
    """Something in JSON is bad; the text says what."""


def bad_json(error: ValueError | RecursionError) -> BadValueError:
    """What is wrong with an object of one line, from what its decoder raised."""
    if isinstance(error, BadValueError):
        return error
    if isinstance(error, RecursionError):
        return BadValueError("no JSON object: nested too deeply")
    if isinstance(error, json.JSONDecodeError):
        return BadValueError(f"no JSON object: {error.msg} at column {error.colno}")
    return BadValueError("no JSON object: a number has too many digits")


def json_document(text: str, name: str, *, nan: bool = False) -> Any:  # noqa: ANN401 -- whatever the file holds
    """What a JSON text holds, read from the input of that name; with `nan` this constant is None.

    Raises:
        InputError: it is no JSON, nested too deeply, or holds a value that is refused.
    """

    def constant(word: str) -> None:
        return None if nan and word == "NaN" else no_number(word)

    try:
        return json.loads(
            text, object_pairs_hook=once, parse_constant=constant, parse_float=_finite, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise InputError(name, error.lineno, f"no JSON: {error.msg}") from error
    except BadValueError as error:
        raise InputError(name, None, f"no JSON: {error}") from error
    except RecursionError as error:
        raise InputError(name, None, "no JSON: nested too deeply") from error


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these members.

    Raises:
        BadValueError: a key is there twice.
    """
    values = dict(pairs)
    if len(values) != len(pairs):
        keys: set[str] = set()
        twice = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise BadValueError(f"the key {shown(twice)} is there twice")
    return values


def no_number(text: str) -> NoReturn:
    """Refuse a constant.

    Raises:
        BadValueError: always.
    """
    raise BadValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadValueError(f"{shown(text)} is no finite number")
    return number


def _integer(text: str) -> int:
    number = integer(text.encode())
    if number is None:
        raise BadValueError(f"{shown(text)} is no integer of 64 bits")
    return number


DECODER = json.JSONDecoder(object_pairs_hook=once, parse_constant=no_number)
"""Of values whose objects have no key twice."""
