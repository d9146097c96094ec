"""The page of tasks, from their records."""

from __future__ import annotations

from measure_pages import NOTE, plain, sentence

from prum_eval.measures.tasks import TASKS, Task

INTRODUCTION = """\
A task is a campaign's official choice of measures and settings in one word: `prum-eval eval -t NAME`, in a
[configuration file](configuration.md) `task = "NAME"`. Whatever else is given comes before it: `--set beta=1`,
`--quantisation strict`, `-u none`, `-M 100` change one setting, `-m` adds a measure. The signature says what held.

Specifications are as `-m` takes them. Where a setting names a family, it holds for the [measures](measures.md) of that
family alone. [LIT] marks what only later literature reports, not verified against the original rules; the other
sources are listed with the measures. What is inferred is said last.
"""


def task_section(task: Task) -> list[str]:
    """One task: meaning, measures, settings, source."""
    settings = [f"`{one}`" if "=" in one else one for one in task.settings]
    return [
        f"## {task.name}",
        "",
        plain(sentence(task.summary)),
        "",
        f"Measures: {' '.join(f'`{spec}`' for spec in task.specs)}",
        "",
        f"Settings: {', '.join(settings) or 'the defaults'}",
        "",
        f"Source: {plain(task.source)}",
        "",
        *([plain(sentence(task.note.removesuffix("."))), ""] if task.note else []),
    ]


def tasks_page() -> str:
    """docs/tasks.md."""
    lines = ["# Tasks", "", NOTE, INTRODUCTION]
    for task in TASKS.values():
        lines += task_section(task)
    return "\n".join(lines).rstrip("\n") + "\n"
