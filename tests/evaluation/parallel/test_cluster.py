"""Runs evaluated by a Dask cluster: a scheduler and two workers, each a process of its own, on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import Future
from typing import NamedTuple

import pytest

from prum_eval import UsageError, evaluate
from prum_eval.errors import DataError
from prum_eval.evaluation import cluster
from tests.evaluation.parallel.calls import DEMO, A, B, C, call, script
from tests.gold import ROOT, run

pytest.importorskip("distributed")

PATIENCE = 60
"""Seconds for a process to start on a machine that has much to do."""


class Dask(NamedTuple):
    """A running scheduler, and the process numbers of its workers and its own."""

    address: str
    workers: list[int]
    scheduler: int


def said(path, pattern):
    """What a process wrote to a file, as soon as it did."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = re.search(pattern, path.read_text(encoding="utf-8")) if path.exists() else None
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    with _dask(tmp_path_factory.mktemp("dask")) as running:
        yield running


@pytest.fixture
def own_dask(tmp_path):
    with _dask(tmp_path) as running:
        yield running


@contextlib.contextmanager
def _dask(folder, *options):
    with contextlib.ExitStack() as stack:

        def start(name, *arguments):
            log = stack.enter_context((folder / f"{name}.log").open("wb"))
            command = [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = start("scheduler", "scheduler", "--port", "0", *options)
        address = said(folder / "scheduler.log", r"Scheduler at: +(t\w+://\S+)")[1]
        plain = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--local-directory", str(folder))
        workers = [start(name, "worker", address, *plain) for name in ("first", "second")]
        for name in ("first", "second"):
            said(folder / f"{name}.log", "Starting established connection")
        yield Dask(address, [worker.pid for worker in workers], scheduler.pid)


@pytest.mark.parametrize(
    "arguments",
    [
        f"-m all -q {DEMO} {A} {B} {C} {A}",
        f"-t inex2009-thorough {DEMO} {A} {B}",  # looks into all documents that the runs name
        f"-m map {DEMO} {A}",  # one run goes there too
    ],
)
def test_a_cluster_changes_nothing(dask, arguments):
    alone = call(f"eval -f json {arguments}")
    assert alone.status == 0
    assert call(f"eval -f json {arguments} --cluster {dask.address}") == alone


def test_failures_and_standard_input(dask, tmp_path):
    (tmp_path / "bad.run").write_text("101 Q0 a1 1 2.5 r\n101 Q0 a2 2 high r\n", encoding="utf-8")
    command = f"eval -f json {DEMO} {A} {tmp_path}/bad.run - missing {B}"
    text = (ROOT / B).read_bytes()
    alone = call(command, stdin=text)
    assert alone.status == 1
    assert f"{tmp_path}/bad.run:2: score" in alone.err.decode()
    assert call(f"{command} --cluster {dask.address}", stdin=text) == alone


QUIET = """
import logging
from prum_eval import evaluate
evaluate("fixtures/toy/qrels", ["fixtures/toy/run"] * 2, measures="map", cluster={address!r})
print(*(logging.getLogger(name).getEffectiveLevel() for name in ("distributed", "distributed.client")))
"""


def test_what_a_lost_worker_takes_with_it_is_not_said_before_it_is_lost(dask):
    """The client would log each result that it asks for again, at a level of its own."""
    assert script(QUIET.format(address=dask.address)).stdout == "50 50\n"


FALL = """
import json, os, signal
from prum_eval import evaluate
def kill(done, total):
    if done == 3:
        os.kill({worker}, signal.SIGKILL)
runs = {runs!r}
found = evaluate("fixtures/demo/assessments", runs, structure="fixtures/demo/structure.tsv", measures="all",
                 cluster={address!r}, progress=kill)
print(json.dumps(found.to_dict()))
"""


@pytest.mark.slow
def test_a_worker_that_falls_in_the_middle(dask):
    """The last test with this cluster: one of its workers is gone then."""
    runs = [A, B, C, A, B] * 8
    done = script(FALL.format(worker=dask.workers[0], runs=runs, address=dask.address))
    assert done.stderr == ""
    gone, _ = os.waitpid(dask.workers[0], os.WNOHANG)
    assert gone == dask.workers[0]
    alone = call(f"eval -f json -m all {DEMO} {' '.join(runs)}")
    assert json.loads(done.stdout) == json.loads(alone.out)
    assert len(json.loads(done.stdout)["runs"]) == 40


@pytest.mark.slow
def test_a_cluster_started_for_the_call():
    alone = call(f"eval -f json {DEMO} {A} {B}")
    assert call(f"eval -f json {DEMO} {A} {B} --cluster local -j 2") == alone


def test_no_scheduler():
    with socket.socket() as taken:  # a port where nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        output = call(f"eval {DEMO} {A} {B} --cluster {address}")
    assert (output.status, output.out) == (1, b"")
    assert output.err.decode() == f"prum-eval: no scheduler answers at {address}\n"


@pytest.mark.parametrize("address", ["nonsense", "http://127.0.0.1:1", "tcp://127.0.0.1", "tcp://h:1:2", "tcp://:1"])
def test_an_address_that_is_none(address):
    output = run(f"eval {DEMO} {A} {B} --cluster {address}")
    text = f"cluster={address}: cluster is tcp://HOST:PORT, the address of a Dask scheduler, or local"
    assert (output.status, output.out, output.err) == (2, "", f"prum-eval: {text}\n")


@pytest.mark.parametrize(
    ("address", "end"),
    [("h:1", ("h", 1)), ("tcp://10.0.0.1:8786", ("10.0.0.1", 8786)), ("tls://[::1]:99/", ("::1", 99))],
)
def test_host_and_port_of_an_address(address, end):
    assert cluster._host_and_port(address) == end


def test_workers_of_another_version(dask):
    text = "from prum_eval.evaluation import cluster; cluster.__version__ = '99'; "
    text += "from prum_eval.cli.main import run; "
    done = script(f"{text} raise SystemExit(run({f'eval {DEMO} {A} {B} --cluster {dask.address}'.split()}))")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"prum-eval: worker tcp://127\.0\.0\.1:\d+ has prum-eval \S+, this is 99\n", done.stderr)


def test_jobs_go_with_a_local_cluster_only(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = "jobs=3: a cluster has workers of its own; jobs goes with cluster=local only"
    with pytest.raises(UsageError, match=f"^{text}$"):
        evaluate("fixtures/toy/qrels", "fixtures/toy/run", jobs=3, cluster="tcp://127.0.0.1:1")


def test_without_the_package(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(cluster, "find_spec", lambda _: None)
    with pytest.raises(UsageError) as raised:
        evaluate("fixtures/toy/qrels", "fixtures/toy/run", cluster="local")
    assert raised.value.message == "prum-eval: --cluster needs distributed: pip install distributed"
    assert raised.value.exit_status == 2


LOSE = """
import os, signal, time
from prum_eval.errors import DataError
from prum_eval.evaluation.cluster import ClusterBackend
try:
    with ClusterBackend({address!r}, 2).workers(lambda shared, item: time.sleep(600), None) as workers:
        waiting = [workers.submit(0), workers.submit(1)]
        time.sleep(1)
        for process in {processes!r}:
            os.kill(process, signal.{signal})
        lost = time.monotonic()
        waiting[0].result()
except DataError as error:
    print(error.message)
print(time.monotonic() - lost < 30)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "signal", "message"),
    [
        ("workers", "SIGKILL", "the cluster lost its workers"),
        ("scheduler", "SIGKILL", "the cluster lost its scheduler"),
        ("workers", "SIGSTOP", "the workers of the cluster do not answer"),
        ("scheduler", "SIGSTOP", "the scheduler of the cluster does not answer"),
    ],
)
def test_a_cluster_that_is_lost_or_stopped_is_said_within_half_a_minute(own_dask, lost, signal, message):
    processes = own_dask.workers if lost == "workers" else [own_dask.scheduler]
    done = script(LOSE.format(address=own_dask.address, processes=processes, signal=signal))
    assert (done.stdout, done.stderr) == (f"prum-eval: {message}\nTrue\n", "")


@pytest.mark.slow
def test_another_worker_takes_the_runs_of_one_that_is_stopped(own_dask):
    runs = [A, B, C, A, B] * 8
    text = FALL.replace("SIGKILL", "SIGSTOP")
    done = script(text.format(worker=own_dask.workers[0], runs=runs, address=own_dask.address))
    assert done.stderr == ""
    alone = call(f"eval -f json -m all {DEMO} {' '.join(runs)}")
    assert json.loads(done.stdout) == json.loads(alone.out)


@pytest.mark.slow
def test_a_worker_that_is_stopped_before_the_call(own_dask):
    os.kill(own_dask.workers[1], signal.SIGSTOP)
    time.sleep(1)  # it has sent a heartbeat just before, perhaps
    output = call(f"eval {DEMO} {A} {B} --cluster {own_dask.address}")
    assert (output.status, output.out) == (1, b"")
    assert re.fullmatch(rb"prum-eval: worker tcp://127\.0\.0\.1:\d+ does not answer\n", output.err)


class Stopped:
    """A client of a scheduler with workers that send what is listed, poll by poll."""

    status = "running"

    def __init__(self, *heartbeats):
        self.heartbeats = list(heartbeats)

    def get_executor(self, **_):
        return None

    def scatter(self, *_, **__):
        return None

    def sync(self, _ask, **_):
        beats = self.heartbeats.pop(0)
        return {f"w{number}": (beat, 1) for number, beat in enumerate(beats)}


def polled(monkeypatch, heartbeats, seconds):
    """What each poll says at these seconds."""
    clock = iter([0.0, *seconds])
    monkeypatch.setattr(cluster.time, "monotonic", lambda: next(clock))
    tasks = cluster._ClusterTasks(Stopped(*heartbeats), None, None)
    return [tasks.poll() for _ in heartbeats], tasks


def test_workers_without_a_new_heartbeat_answer_no_more(monkeypatch):
    times = [2.0 * number for number in range(1, 9)]
    polls, tasks = polled(monkeypatch, [(number, 1.0) for number in range(8)], times)
    assert polls[:6] == [{"w0": 1, "w1": 1}] * 6
    assert polls[7] == {"w0": 1}
    assert tasks.answering == ["w0"]
    with pytest.raises(DataError, match=r"^the workers of the cluster do not answer$"):
        polled(monkeypatch, [(1.0, 1.0)] * 8, times)


def test_time_in_which_nobody_polled_counts_little(monkeypatch):
    """As of a process that was stopped together with its workers, and continues before they do."""
    polls, tasks = polled(monkeypatch, [(1.0,), (1.0,), (2.0,)], [2.0, 500.0, 502.0])
    assert polls == [{"w0": 1}] * 3
    assert tasks.answering is None


INTERRUPTED = """
import os, signal, sys, threading
from prum_eval.evaluation import cluster
from prum_eval.cli.main import main
if __name__ == "__main__":
    place, moment = sys.argv[1].split(".")
    import distributed
    owner = {"LocalCluster": distributed, "Client": distributed, "_ClusterTasks": cluster}[place]
    function = getattr(owner, place)
    def interrupting(*arguments, **options):
        if moment == "during":
            threading.Timer(0.3, os.kill, (0, signal.SIGINT)).start()
        made = function(*arguments, **options)
        if moment == "after":
            os.kill(0, signal.SIGINT)
        return made
    setattr(owner, place, interrupting)
    main(sys.argv[2:])
"""


@pytest.mark.slow
@pytest.mark.parametrize("place", ["LocalCluster.during", "LocalCluster.after", "Client.after", "_ClusterTasks.after"])
def test_an_interrupt_while_a_local_cluster_starts(tmp_path, place):
    """Every process of the group gets it, as from a terminal."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "interrupted.py"), place]
    command += f"eval {DEMO} {A} {B} --cluster local -j 2".split()
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=60, start_new_session=True
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "prum-eval: interrupted")


def test_a_task_that_nobody_works_on_is_sent_again(monkeypatch):
    """As the first of these futures, which never ends though the workers are idle."""
    monkeypatch.setattr(cluster, "POLL_INTERVAL", 0.01)
    monkeypatch.setattr(cluster, "LOSS_TIMEOUT", 0.05)
    futures = [Future(), Future()]
    futures[1].set_result(7)

    class Sent:
        there = object()

        answering = None

        def poll(self):
            return {"w0": 0, "w1": 0}

        def scatter(self):
            self.there = object()

        def send(self, _item):
            return futures[1]

    assert cluster._Task(Sent(), "item", futures[0]).result() == 7
    assert futures[0].cancelled()


def tls_settings(folder):
    """Settings of Dask with certificates that are made here."""
    (folder / "key.pem").touch(0o600)
    subprocess.run(
        ["/usr/bin/env", "openssl", "req",
         "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=prum-eval-test",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    ends = {f"{end}__{what}": f"{what}.pem" for end in ("SCHEDULER", "WORKER", "CLIENT") for what in ("KEY", "CERT")}
    files = {"CA_FILE": "cert.pem", **{name.upper(): file.lower() for name, file in ends.items()}}
    return {f"DASK_DISTRIBUTED__COMM__TLS__{name}": str(folder / file) for name, file in files.items()}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
def test_tls(tmp_path, monkeypatch):
    settings = tls_settings(tmp_path)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with _dask(tmp_path, "--protocol", "tls") as running:
        assert running.address.startswith("tls://")
        alone = call(f"eval -f json {DEMO} {A} {B}")
        assert call(f"eval -f json {DEMO} {A} {B} --cluster {running.address}") == alone
        for name in settings:
            monkeypatch.delenv(name)
        output = call(f"eval {DEMO} {A} {B} --cluster {running.address}")
        reason = f"{running.address} needs certificates: see distributed.comm.tls in Dask's configuration"
        assert (output.status, output.out, output.err.decode()) == (1, b"", f"prum-eval: {reason}\n")
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        (tmp_path / "cert.pem").unlink()
        output = call(f"eval {DEMO} {A} {B} --cluster {running.address}")
        assert output.status == 1
        assert output.err.startswith(b"prum-eval: the certificates of Dask's configuration, distributed.comm.tls, are")
