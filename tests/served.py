"""The program ``prum-eval`` for tests that call it often: each call is a fork of one process that has imported it all.

A call has the arguments, folder, environment and standard streams that its caller gives it, and ends as any process
does. Only the time in which Python imports numpy, lxml and prum-eval again is saved. Where forks are not safe the
program is the installed one.

As a script, ``served.py ADDRESS`` is the process that is forked, and ``served.py ADDRESS ARGUMENT...`` calls it.
"""

from __future__ import annotations

import marshal
import os
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_STREAMS = 3


def folder() -> str:
    """The folder that holds the program, for the front of PATH; the process that is forked ends with this one."""
    if sys.platform != "linux":
        return os.path.dirname(sys.executable)  # noqa: PTH120 - whoever calls from a shell imports little
    if os.getpid() not in _FOLDERS:
        _FOLDERS[os.getpid()] = _start()
    return _FOLDERS[os.getpid()]


_FOLDERS: dict[int, str] = {}
"""The folder that each process uses: a fork of a test process starts its own."""


def _start() -> str:
    import atexit
    import subprocess
    import tempfile
    from pathlib import Path

    holder = tempfile.TemporaryDirectory(prefix="prum-eval-served-")
    program, address = Path(holder.name, "prum-eval"), Path(holder.name, "socket")
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -IS '{__file__}' '{address}' -- \"$@\"\n", encoding="utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, str(address)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    atexit.register(holder.cleanup)
    atexit.register(process.communicate)  # closes its standard input, upon which it ends
    if not process.stdout.readline():
        raise RuntimeError("the process that runs prum-eval did not start")
    return holder.name


def _call(address: str, arguments: list[str]) -> int:
    """Have a fork run the program with these arguments and all else of this process; returns its exit status."""
    with socket.socket(socket.AF_UNIX) as call:
        if call.fileno() < _STREAMS:
            raise OSError("a call needs its three standard streams")
        call.connect(address)
        socket.send_fds(call, [b"streams"], range(_STREAMS))
        call.sendall(marshal.dumps((os.getcwd(), dict(os.environ), arguments)))  # noqa: PTH109
        call.shutdown(socket.SHUT_WR)
        return int(call.recv(3) or 255)


def _serve(address: str) -> list[str]:
    """Answer calls until standard input ends. Returns, in a fork for each call, what its arguments are."""
    import select
    import signal

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks that answer
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        print("listening", flush=True)
        while True:
            ready, _, _ = select.select([listening, sys.stdin], [], [])
            if sys.stdin in ready:
                sys.exit()
            call, _ = listening.accept()
            if not os.fork():
                break
            call.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, streams, _, _ = socket.recv_fds(call, len(b"streams"), _STREAMS)
    here, environment, arguments = marshal.loads(b"".join(iter(lambda: call.recv(1 << 16), b"")))  # noqa: S302 - ours
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        call.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    call.close()
    os.chdir(here)
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        before = getattr(sys, name)
        now = open(number, mode, encoding=before.encoding, errors=before.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, now)
        setattr(sys, f"__{name}__", now)
    return arguments


def _import_all() -> None:
    """Import every module that a command may need."""
    import importlib
    import pkgutil
    from contextlib import suppress

    import prum_eval

    for module in pkgutil.walk_packages(prum_eval.__path__, "prum_eval."):
        if not module.name.endswith(".__main__"):
            with suppress(ImportError):  # of what is optional
                importlib.import_module(module.name)
    for name in ("tabulate", "matplotlib.figure", "matplotlib.backends.backend_svg"):
        with suppress(ImportError):
            importlib.import_module(name)


def _run(arguments: list[str]) -> NoReturn:
    """Run the program and end, without the seconds in which Python takes down all that was imported."""
    import atexit
    import traceback

    from prum_eval.cli.main import main

    sys.argv = ["prum-eval", *arguments]
    status = 1
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    except BaseException:  # noqa: BLE001 - said as Python says it
        traceback.print_exc()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    address, *rest = sys.argv[1:]
    if rest:
        sys.exit(_call(address, rest[1:]))
    _import_all()
    _run(_serve(address))
