"""Configuration files of three forms, recognised by content: our TOML, EvalJ's metrics (XML), XCGEval's properties."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from enum import Enum, auto

from prum_eval.errors import InputError, raise_first
from prum_eval.formats.configuration.evalj_xml import read_metrics
from prum_eval.formats.configuration.properties import KNOWN, read_properties
from prum_eval.formats.configuration.toml import read_toml
from prum_eval.records.configuration import Block, Entry
from prum_eval.text.streams import display_name, open_input

# A key with a colon after it is never TOML; one with an equals sign may be either.
_PROPERTY = re.compile(rf"^[ \t]*(?:[A-Za-z_]\w*[ \t]*:|(?:{'|'.join(KNOWN)})[ \t]*=)", re.MULTILINE)


class Form(Enum):
    """The forms of configuration files."""

    TOML = auto()
    METRICS = auto()
    PROPERTIES = auto()


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """What a configuration file says: keys with values and lines, and a block a measure (none in properties)."""

    path: str
    form: Form
    entries: dict[str, Entry] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()


def read_configuration(path: str) -> ConfigurationFile:
    """Read a configuration file.

    Raises:
        InputError: it cannot be read, or a line of it is not of the form.
    """
    name = display_name(path)
    with open_input(path) as stream:
        content = stream.read()
    if not content.strip():
        raise InputError(name, 1, "the file is empty")
    if content.lstrip().startswith(b"<"):
        return ConfigurationFile(name, Form.METRICS, blocks=read_metrics(io.BytesIO(content), name, raise_first))
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(name, line, "the text is not UTF-8") from error
    if _PROPERTY.search(text):
        return ConfigurationFile(name, Form.PROPERTIES, read_properties(text, name))
    entries, blocks = read_toml(text, name)
    return ConfigurationFile(name, Form.TOML, entries, blocks)
