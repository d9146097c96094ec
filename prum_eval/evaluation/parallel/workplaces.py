"""Where runs are evaluated: in this process, in several, or on a cluster."""

from __future__ import annotations

from prum_eval.errors import UsageError
from prum_eval.evaluation.parallel.executors import Processes, Workplace
from prum_eval.processes import processors


def place_of(jobs: int, runs: int, cluster: str | None = None) -> Workplace | None:
    """Where so many runs are evaluated with so many jobs (0: one a processor); None for this process.

    Raises:
        UsageError: a negative number of jobs, jobs of a cluster that has workers of its own, or no such cluster.
    """
    if jobs < 0:
        raise UsageError(f"jobs={jobs}: jobs is a number of processes, or 0 for one a processor")
    if cluster is None:
        count = min(jobs or processors(), runs)
        return Processes(count) if count > 1 else None
    from prum_eval.evaluation.parallel.cluster import LOCAL, Cluster, check_cluster  # few calls have one

    check_cluster(cluster)
    if jobs != 1 and cluster != LOCAL:
        raise UsageError(f"jobs={jobs}: a cluster has workers of its own; jobs goes with cluster={LOCAL} only")
    return Cluster(cluster, processors() if jobs in (0, 1) else jobs)
