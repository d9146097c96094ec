"""Inputs in XML against a schema of the user's own, whatever else they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from prum_eval.collection.index.containers import matcher
from prum_eval.errors import InputError, Problems
from prum_eval.formats.assessments.read import assessment_files
from prum_eval.formats.format import FormatKind
from prum_eval.formats.registry import is_recognised
from prum_eval.text.streams import STDIN, Content, open_input, opened_with_head, read_content
from prum_eval.text.xml.schema import Schema, read_schema

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MARKUP = (b"<", b"\x00<", *_UTF_16_MARKS)
_NO_MARKUP = "the schema is for XML, which this is not"


class Grammar:
    """A schema, and how many files follow it."""

    def __init__(self, path: str, problems: Problems) -> None:
        self._problems = problems
        self._files = self._good = 0
        self._schema: Schema | None = None
        try:
            self._schema = read_schema(path)
        except InputError as problem:
            problems(problem)

    @property
    def note(self) -> str | None:
        """One line on the schema and what follows it."""
        if self._schema is None:
            return None
        files = f"{self._files} file{'s'[: self._files != 1]}"
        return f"{self._schema.path}: {self._schema.kind}, {self._good} of {files} valid"

    def runs(self, path: str) -> list[str | Content]:
        """Validate a file, or the documents of a directory; what of it is a run, to be read."""
        if path != STDIN and Path(path).is_dir():
            for file in _documents(path, self._problems):
                self._validate(file)
            return []
        content = self._validate(path)
        if content is None:
            return []
        kept: str | Content = content if path == STDIN else path
        if is_recognised(FormatKind.RUN, content):
            return [kept]
        if not _is_markup(content):
            self._problems(InputError(content.name, 1, _NO_MARKUP))
        return []

    def assessments(self, paths: Sequence[str]) -> list[tuple[str | Content, bool]]:
        """Validate the files of assessments; the same files, to be read."""
        files: list[tuple[str | Content, bool]] = []
        for path, main in assessment_files(paths, self._problems):
            content = self._validate(path)
            if content is not None:
                files.append((content if path == STDIN else path, main))
        return files

    def _validate(self, path: str) -> Content | None:
        """Validate a file, if it is XML; its bytes, None where it cannot be read."""
        try:
            content = read_content(path)
            if self._schema is not None and _is_markup(content):
                self._files += 1
                found = list(self._schema.violations(_plain(content), content.name))
                self._good += not found
                for problem in found:
                    self._problems(problem)
        except InputError as problem:
            self._problems(problem)
            return None
        return content


def _documents(path: str, problems: Problems) -> Iterator[str]:
    """Files below a directory that are documents by their endings; symbolic links are not followed."""
    is_document, found = matcher(()), False
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if is_document(name):
                found = True
                yield str(Path(folder, name))
    if not found:
        problems(InputError(path, None, "a directory without documents in XML"))


def _plain(content: Content) -> bytes:
    """The bytes, decompressed; those of UTF-16 as they are."""
    if content.data.startswith(_UTF_16_MARKS):
        return content.data
    with open_input(content) as stream:
        return stream.read()


def _is_markup(content: Content) -> bool:
    if content.data.startswith(_UTF_16_MARKS):
        return True
    stream, head = opened_with_head(content, lambda _: None)
    stream.close()
    return head.startswith(_MARKUP)
