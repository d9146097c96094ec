"""What a configuration file means: measures with labels and parameters, inputs, defaults of the call."""

from __future__ import annotations

from prum_eval.evaluation.configuration.common import Configuration
from prum_eval.evaluation.configuration.evalj import from_metrics
from prum_eval.evaluation.configuration.toml import from_toml
from prum_eval.evaluation.configuration.xcgeval import from_properties
from prum_eval.formats.reading import read_configuration
from prum_eval.records.configuration import Dialect


def configuration(path: str) -> Configuration:
    """Read a configuration file of any of the three forms.

    Raises:
        InputError: bad data in it, with file, line and reason.
    """
    file = read_configuration(path)
    meaning = {Dialect.OURS: from_toml, Dialect.EVALJ: from_metrics, Dialect.XCGEVAL: from_properties}
    return meaning[file.dialect](file)
