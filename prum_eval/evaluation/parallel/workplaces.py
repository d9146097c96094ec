"""Where runs are evaluated: in this process, in several, or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prum_eval.errors import UsageError

if TYPE_CHECKING:
    from prum_eval.evaluation.parallel.executors import Workplace


def place_of(jobs: int, runs: int, cluster: str | None = None) -> Workplace | None:
    """Where so many runs are evaluated with so many jobs (0: one a processor); None for this process.

    Raises:
        UsageError: a negative number of jobs, jobs of a cluster that has workers of its own, or no such cluster.
    """
    if jobs < 0:
        raise UsageError(f"jobs={jobs}: jobs is a number of processes, or 0 for one a processor")
    if cluster is None and (jobs == 1 or runs < 2):
        return None
    from prum_eval.evaluation.parallel.executors import Processes, processors  # few calls share runs out

    count = jobs or processors()
    if cluster is not None:
        from prum_eval.evaluation.parallel.cluster import LOCAL, Cluster, check_cluster

        check_cluster(cluster)
        if jobs != 1 and cluster != LOCAL:
            raise UsageError(f"jobs={jobs}: a cluster has workers of its own; jobs goes with cluster={LOCAL} only")
        return Cluster(cluster, processors() if jobs == 1 else count)
    return Processes(min(count, runs)) if min(count, runs) > 1 else None
