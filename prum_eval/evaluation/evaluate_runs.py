"""Many runs, one after another or by workers: the same values, in the order of the arguments, whatever fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from prum_eval.errors import DataError, InputError, raise_first
from prum_eval.evaluation.evaluate_run import Evaluated, evaluate_run
from prum_eval.evaluation.inputs import Inputs
from prum_eval.evaluation.plan import Plan, make_plan
from prum_eval.formats import RankBy
from prum_eval.formats.reading import read_runs
from prum_eval.measures.specs import ConfiguredMeasure
from prum_eval.records.run import Run, RunKind
from prum_eval.text.streams import Content

if TYPE_CHECKING:  # a call with one run starts without it
    from prum_eval.evaluation.parallel.batches import RunSource
    from prum_eval.evaluation.parallel.executors import Workplace

Failure = InputError | DataError
"""What is wrong with one run. Other errors are about the call, and end it."""

Outcomes = Sequence[Evaluated | Failure]
"""What comes of the runs of one source."""

OnFailure = Callable[[Failure], object]
"""Called with what is wrong with a run; it may raise (the default), or let the other runs complete."""

OnProgress = Callable[[int, int], object]
"""Called with how many runs are done, of how many."""


@dataclass(frozen=True, eq=False)
class Job:
    """What every run of a call is evaluated with. `alone`: with a source of one run no other follows."""

    plan: Plan
    rank_by: RankBy | None
    alone: bool = False

    def __reduce__(self) -> tuple[object, ...]:
        # Measures of a plan hold functions that cannot be sent, and what it remembers need not be: made again there.
        plan = self.plan
        options = {name: getattr(plan, name) for name in _SENT}
        return _job, (plan.inputs, tuple(instance for instance, _ in plan.pairs), options, self.rank_by)


_SENT = ("complete", "limit", "task", "merge", "tokens", "judged_only", "topics")
"""What else a plan is made of."""


def _job(
    inputs: Inputs, instances: Sequence[ConfiguredMeasure], options: Mapping[str, Any], rank_by: RankBy | None
) -> Job:
    return Job(replace(make_plan(inputs, instances, {}), **options), rank_by)


def evaluate_runs(
    job: Job,
    sources: Sequence[RunSource],
    place: Workplace | None = None,
    *,
    problems: OnFailure = raise_first,
    progress: OnProgress | None = None,
) -> list[Evaluated]:
    """The values of all runs that have some, in order; what is wrong with the others goes to `problems`, in order too.

    `place`: where the work is done; in this process without one.
    """
    evaluated = []
    for done, outcomes in enumerate(outcomes_of(job, sources, place), start=1):
        for outcome in outcomes:
            if isinstance(outcome, Evaluated):
                evaluated.append(outcome)
            else:
                problems(outcome)
        if progress is not None:
            progress(done, len(sources))
    return evaluated


def outcomes_of(job: Job, sources: Sequence[RunSource], place: Workplace | None) -> Iterator[Outcomes]:
    """What comes of each source, in order, as soon as it and those before it are done."""
    if place is None:
        yield from (_outcomes_in(job, source) for source in sources)
        return
    from prum_eval.evaluation.parallel.batches import batches  # few calls share runs out

    if not place.remote:
        _ = job.plan.inputs.trees  # made once here, where forked processes find them
    with place.workers(_outcomes, job) as workers:
        for found in workers.in_order(batches(sources, workers.count, ship=place.ships)):
            yield from found


def read_documents(
    sources: Sequence[RunSource], rank_by: RankBy | None, place: Workplace | None = None, *, of_passages: bool = False
) -> tuple[list[RunSource], set[str]]:
    """Names of all documents in the runs, and the runs: read, unless processes here share that, else as they were.

    With `of_passages` only the documents where a result is a passage or a range.
    """
    if place is None or place.remote:
        read = [run for source in sources for run in read_source(source, rank_by)]
        return list(read), _names(read, of_passages=of_passages)
    from prum_eval.evaluation.parallel.batches import batches, reusable

    listed = [reusable(source) for source in sources]
    with place.workers(_documents, (rank_by, of_passages)) as workers:
        return listed, set().union(*workers.in_order(batches(listed, workers.count, ship=False)))


def _outcomes(job: Job, sources: Sequence[RunSource]) -> list[Outcomes]:
    return [_outcomes_in(job, source) for source in sources]


def _outcomes_in(job: Job, source: RunSource) -> Outcomes:
    outcomes: list[Evaluated | Failure] = []
    runs = read_source(source, job.rank_by)
    alone = job.alone and len(runs) == 1
    for run in runs:
        try:
            outcomes.append(run if isinstance(run, InputError) else evaluate_run(job.plan, run, alone=alone))
        except (InputError, DataError) as error:
            outcomes.append(error.with_traceback(None))  # which would keep the run in memory
    return outcomes


def _documents(how: tuple[RankBy | None, bool], sources: Sequence[RunSource]) -> set[str]:
    rank_by, of_passages = how
    read = (run for source in sources for run in read_source(source, rank_by))
    return _names(read, of_passages=of_passages)


def _names(runs: Iterable[Run | InputError], *, of_passages: bool) -> set[str]:
    """Names of the documents of all runs, or of those where results are passages or ranges."""
    named: set[str] = set()
    for run in runs:
        if not isinstance(run, InputError):
            names = run.documents
            if of_passages and run.kind is not RunKind.EXTENTS:
                codes = run.document[run.first_path != run.last_path].tolist()
                names = [run.documents[code] for code in set(codes)]
            named.update(names)
    return named


def read_source(source: RunSource, rank_by: RankBy | None) -> Sequence[Run | InputError]:
    """The runs of a source, or why it cannot be read."""
    if isinstance(source, Run | InputError):
        return (source,)
    try:
        return read_runs(source if isinstance(source, Content) else str(source), rank_by=rank_by)
    except InputError as error:
        return (error.with_traceback(None),)
