"""Validation in a process of its own: schemas may make libxml2 compute or wait without end, and documents fill memory.

A `SchemaProcess` starts the process, sends it the schema and then one document after the other, and starts it again
after the system ended it at a limit. `serve` is what runs in that process. Messages are lines of JSON; a document
follows its message as it is, perhaps compressed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum_eval.errors import InputError
from prum_eval.text.streams import (
    MAX_TEXT_BYTES,
    STDIN,
    Content,
    display_name,
    open_input,
    read_all_bytes,
    read_content,
)

if TYPE_CHECKING:
    from prum_eval.text.xml_schema import Schema

CPU_SECONDS = 30
"""Processor time for reading the schema, or for a document."""
WAIT_SECONDS = 120
"""Time for the same, when the process waits for something."""
MEMORY_BYTES = 512 << 20
"""Memory of the process."""

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_START = "from prum_eval.text.schema_process import serve; serve()"
_SIGNALS = {"SIGXCPU": "time", "SIGALRM": "wait"}
_Answer = dict[str, Any]


class SchemaProcess:
    """A schema, and the process that validates documents against it.

    Raises:
        InputError: the schema cannot be read, is broken or no schema, or takes too much time or memory.
    """

    def __init__(self, path: str) -> None:
        self.path = display_name(path)
        self._schema = path if path != STDIN else read_content(path)
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self.kind = self._start()
        except BaseException:
            self.close()
            raise

    def violations(self, content: Content) -> list[InputError]:
        """Violations of the schema by a document, ordered by line.

        Raises:
            InputError: the document cannot be parsed, or its validation takes too much time or memory.
        """
        if self._process is None:
            self._start()
        answer = self._ask({"name": content.name}, content.data, content.name, "validation against the schema")
        return [InputError(*problem) for problem in answer["problems"]]

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _start(self) -> str:
        """Start the process; the kind of the schema."""
        # Not the folder that the caller is in, whose files may be named like modules.
        package = str(Path(__file__).parents[2])
        folders = [folder for folder in (package, *sys.path) if os.path.isabs(folder)]  # noqa: PTH117
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), "OPENBLAS_NUM_THREADS": "1"},
            )
        except OSError as error:
            raise InputError(self.path, None, f"no process can be started to validate: {error.strerror}") from error
        message = {"name": self.path, "cpu": CPU_SECONDS, "wait": WAIT_SECONDS, "memory": MEMORY_BYTES}
        content = self._schema.data if isinstance(self._schema, Content) else None
        answer = self._ask(message, content, self.path, "reading the schema")
        return str(answer["kind"])

    def _ask(self, message: _Answer, content: bytes | None, name: str, action: str) -> _Answer:
        process = self._process
        assert process is not None  # noqa: S101 - started by the caller
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        line = b""
        with suppress(OSError):  # it ended
            process.stdin.write(json.dumps({**message, "size": None if content is None else len(content)}).encode())
            process.stdin.write(b"\n")
            process.stdin.write(content or b"")
            process.stdin.flush()
            line = process.stdout.readline()
        answer: _Answer = json.loads(line) if line.endswith(b"\n") else {"limit": self._ending()}
        if "error" in answer:
            raise InputError(*answer["error"])
        if "limit" in answer:
            self.close()
            raise InputError(name, None, f"{action} {_limit_text(answer['limit'])}")
        return answer

    def _ending(self) -> str:
        """Why the process ended."""
        process = self._process
        assert process is not None  # noqa: S101 - as above
        status = process.wait()
        with suppress(ValueError):
            return _SIGNALS.get(signal.Signals(-status).name, "end")
        return "end"


def _limit_text(limit: str) -> str:
    texts = {
        "time": f"takes more than {CPU_SECONDS} seconds of processor time",
        "wait": f"takes more than {WAIT_SECONDS} seconds",
        "memory": f"takes more than {MEMORY_BYTES >> 20} MiB of memory",
    }
    return texts.get(limit, "ended before its time, perhaps for lack of memory")


def serve() -> None:
    """Answer the messages on standard input: the first names the schema and the limits, each other a document."""
    messages, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what a library prints is no answer
    _end_with_parent()
    limits, schema = json.loads(messages.readline()), _Schema()
    _bound_memory(limits["memory"])
    message = limits
    while message:
        size = message["size"]
        content = None if size is None else Content(message["name"], messages.read(size))
        _bound_time(limits["cpu"], limits["wait"])
        answer = schema.answer(message["name"], content)
        _set_alarm(0)
        answers.write(f"{json.dumps(answer)}\n")
        answers.flush()
        message = json.loads(messages.readline() or b"null")


class _Schema:
    """The schema of this process, read by the first request."""

    def __init__(self) -> None:
        self._schema: Schema | None = None

    def answer(self, name: str, content: Content | None) -> _Answer:
        """Kind of the schema, later the violations of a document; else an error or the limit that was exceeded."""
        from prum_eval.text.xml import NO_MEMORY
        from prum_eval.text.xml_schema import read_schema

        try:
            if self._schema is None:
                self._schema = read_schema(name if content is None else content)
                return {"kind": self._schema.kind}
            assert content is not None  # noqa: S101 - of a document
            problems = self._schema.violations(_decompress(content), name)
            return {"problems": [[problem.path, problem.line, problem.reason] for problem in problems]}
        except InputError as error:
            if error.reason != NO_MEMORY:
                return {"error": [error.path, error.line, error.reason]}
        except MemoryError:
            pass
        return {"limit": "memory"}


def _bound_memory(size: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # systems that bound nothing
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _end_with_parent() -> None:
    """End this process when the main process ends, even if that is killed."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _bound_time(cpu_seconds: int, seconds: int) -> None:
    """Let the system end this process if what it does next takes longer."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(usage.ru_utime + usage.ru_stime) + 1 + cpu_seconds
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    _set_alarm(seconds)


def _set_alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):  # on POSIX systems
        signal.alarm(seconds)


def _decompress(content: Content) -> bytes:
    """The bytes, decompressed; those of UTF-16 as they are."""
    if content.data.startswith(_UTF_16_MARKS):
        return content.data
    with open_input(content) as stream:
        return read_all_bytes(stream, content.name, MAX_TEXT_BYTES)
