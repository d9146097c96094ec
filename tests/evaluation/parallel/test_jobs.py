"""Runs shared by processes: the same bytes as from one process, in the same order."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from prum_eval import UsageError, evaluate
from prum_eval.evaluation.evaluate_run import evaluate_runs, run_outcomes
from prum_eval.evaluation.options import EvaluationOptions
from prum_eval.evaluation.parallel import Workers, make_executor
from prum_eval.evaluation.plan import TopicCache
from prum_eval.evaluation.prepare import prepare
from prum_eval.processes import available_cpus
from tests.evaluation.parallel.calls import DEMO, A, B, C, call, script
from tests.gold import ROOT, run
from tests.slow import slow


@pytest.mark.parametrize(
    "arguments",
    [
        f"-m all -q {DEMO} {A} {B} {C} {A} {B}",
        f"-t inex2009-thorough -q {DEMO} {A} {B} {C}",  # looks into all documents that the runs name
        slow(f"-m all -c -M 3 -u t2i:tolerance=100 {DEMO} {A} {B} {C}"),
        "-m eprum -u graph --navigation {0}/navigation.tsv {0}/qrels {0}/run {0}/run".format("fixtures/worked/P1"),
        "-m all fixtures/toy/qrels fixtures/toy/run fixtures/toy/run",
    ],
)
def test_jobs_change_nothing(arguments):
    alone = call(f"eval -f json {arguments}")
    assert alone.status == 0
    assert call(f"eval -f json -j 2 {arguments}") == alone


def test_more_jobs_than_runs_and_one_a_processor():
    alone = call(f"eval {DEMO} {A} {B}")
    for jobs in ("3", "0", "auto"):
        assert call(f"eval -j {jobs} {DEMO} {A} {B}") == alone


def test_standard_input_is_read_by_the_main_process():
    text = (ROOT / B).read_bytes()
    alone = call(f"eval -f json -m official {DEMO} {A} - {A}", stdin=text)
    assert alone.status == 0
    assert call(f"eval -f json -m official -j 2 {DEMO} {A} - {A}", stdin=text) == alone
    passages = f"eval -f json -t inex2009-thorough {DEMO} {A} - {A}"
    assert call(f"{passages} -j 2", stdin=text) == call(passages, stdin=text)


def test_the_order_is_that_of_the_items_whichever_is_ready_first():
    futures: list[Future[str]] = []

    def submit(item):
        futures.append(Future())
        if item == 4:  # all are out: the last is ready first
            for number in range(4, -1, -1):
                futures[number].set_result(f"found {number}")
        return futures[-1]

    assert list(Workers(2, submit).map_in_order(range(5))) == [f"found {number}" for number in range(5)]


def test_no_more_items_are_out_than_were_asked_for():
    out = []

    def submit(item):
        out.append(item)
        future: Future[int] = Future()
        future.set_result(item)
        return future

    found = Workers(2, submit, max_pending=3).map_in_order(iter(range(10)))
    assert next(found) == 0
    assert out == [0, 1, 2]
    assert list(found) == list(range(1, 10))


@pytest.mark.parametrize("value", ["-1", "two", "1.5", ""])
def test_jobs_that_are_no_number(value):
    output = run(f"eval -j={value} {DEMO} {A}") if value else call(f"eval {DEMO} {A} -j")
    assert output.status == 2
    if value:
        said = f"={value}"
        text = f"Error: Invalid value for '-j' / '--jobs': '{said}' is neither a whole number from 0 up nor auto\n"
        assert output.err.endswith(text)


def test_jobs_of_python():
    with pytest.raises(
        UsageError, match=re.escape("jobs=-1: jobs is a number of processes, or 0 for one per processor")
    ):
        evaluate("fixtures/toy/qrels", "fixtures/toy/run", jobs=-1)


def test_one_run_or_one_job_needs_no_other_process():
    assert make_executor(1, 9) is None
    assert make_executor(4, 1) is None
    assert (make_executor(0, 2) is None) == (available_cpus() == 1)


KINDS = {
    "elements": ("fixtures/demo/assessments", "fixtures/demo/structure.tsv", A),
    "passages": ("fixtures/demo/judged.txt", None, C),
    "documents": ("fixtures/toy/qrels", None, "fixtures/toy/run"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_workers_share_survives_pickling(kind, monkeypatch):
    monkeypatch.chdir(ROOT)
    assessments, structure, path = KINDS[kind]
    plan = prepare(
        EvaluationOptions(
            assessments=assessments, runs=path, structure=structure, measures="all", complete=True, limit=9
        )
    )
    assert "__reduce__" not in vars(type(plan))
    (here,) = evaluate_runs(plan)
    again = pickle.loads(pickle.dumps(plan))  # noqa: S301 - of our own making
    (there,) = evaluate_runs(again)
    assert there == here
    assert (again.complete, again.limit, len(again.sources)) == (True, 9, 1)
    assert [one for one, _ in again.pairs] == [one for one, _ in plan.pairs]


def test_workers_are_sent_no_runs_and_nothing_that_other_runs_left():
    sent = []

    class Backend:
        remote = ships = True

        @contextlib.contextmanager
        def workers(self, work, shared):
            sent.append(pickle.loads(pickle.dumps(shared)))  # noqa: S301 - of our own making
            shared[1].judged_topics["any"] = None
            sent.append(pickle.loads(pickle.dumps(shared)))  # noqa: S301
            yield Workers(1, lambda item: SimpleNamespace(result=lambda: work(sent[0], item)))

    runs = {"a": {"1": {"d": 1.0}}, "b": {"1": {"d": 2.0}}}
    plan = prepare(EvaluationOptions(assessments={"1": {"d": 1}}, runs=runs, measures="map"))
    assert len(plan.sources) == 2
    outcomes = [outcome for source in run_outcomes(replace(plan, backend=Backend())) for outcome in source]
    assert [outcome.result.all["map"] for outcome in outcomes] == [1, 1]
    for shared, cache in sent:
        assert not shared.sources
        assert isinstance(cache, TopicCache)
    assert not sent[1][1].judged_topics


START = """
import sys, threading
from prum_eval import evaluate
if __name__ == "__main__":
    threading.Thread(target=threading.Event().wait, daemon=True).start()  # forbids to fork
    runs = [{a!r}, {b!r}, {a!r}]
    found = [evaluate("fixtures/demo/assessments", runs, structure="fixtures/demo/structure.tsv", measures="all",
                      jobs=jobs).to_dict() for jobs in (1, 2)]
    print(found[0] == found[1], len(found[1]["runs"]))
"""


def test_new_interpreters_find_the_same_as_forked_processes(tmp_path):
    path = tmp_path / "main.py"
    path.write_text(START.format(a=A, b=B), encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=ROOT, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("True 3\n", "")


FALL = """
import os
from prum_eval.evaluation.parallel import ProcessBackend
from prum_eval.errors import DataError
try:
    with ProcessBackend(2).workers(lambda shared, item: os._exit(3), None) as workers:
        list(workers.map_in_order(range(4)))
except DataError as error:
    print(error.message)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only forked processes can be given such work")
def test_a_worker_that_falls():
    done = script(FALL)
    reason = "a worker process ended before its time, perhaps for lack of memory; fewer --jobs need less"
    assert (done.stdout, done.stderr) == (f"prum-eval: {reason}\n", "")


SLEEP = """
import os, time
from prum_eval.evaluation.parallel import ProcessBackend
def work(shared, item):
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: two workers write at once
    time.sleep(60)
with ProcessBackend(2).workers(work, None) as workers:
    list(workers.map_in_order(range(2)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only forked processes can be given such work")
@pytest.mark.parametrize("sign", [signal.SIGKILL, slow(signal.SIGTERM)])
def test_workers_do_not_outlive_a_main_process_that_was_killed(sign):
    with subprocess.Popen([sys.executable, "-c", SLEEP], stdout=subprocess.PIPE, text=True, cwd=ROOT) as main:
        workers = [int(main.stdout.readline()) for _ in range(2)]
        main.send_signal(sign)
        main.wait(10)
        until = time.monotonic() + 10
        while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
            time.sleep(0.02)
        alive = [pid for pid in workers if Path(f"/proc/{pid}").exists()]
        for pid in alive:
            os.kill(pid, signal.SIGKILL)
        assert not alive


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_progress_bar_on_a_terminal_only(jobs):
    command = f"eval -j {jobs} -m map {DEMO} {A} {B}"
    on_terminal = on_a_terminal(command)
    assert re.search(rb"Runs +\[#+\] +100%", on_terminal)
    assert b"Runs" not in call(command).err
    assert b"Runs" not in on_a_terminal(f"eval -m map {DEMO} {A}")  # one run alone


def on_a_terminal(command: str) -> bytes:
    """What a command writes to standard error where that is a terminal."""
    import pty

    main, other = pty.openpty()
    arguments = [sys.executable, "-m", "prum_eval", *command.split()]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=other, cwd=ROOT) as process:
        os.close(other)
        text = b""
        with contextlib.suppress(OSError):  # Linux says so when the other end is closed
            while part := os.read(main, 4096):
                text += part
    os.close(main)
    assert process.returncode == 0
    return text
