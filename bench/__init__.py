"""Workloads and timings. ``bench.gen_inex`` makes the workloads; tests use it too."""
