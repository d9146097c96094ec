"""``python -m bench.profile_run FOLDER``: where the time of one call goes, by the standard profiler."""

from __future__ import annotations

import cProfile
import pstats
import sys
from pathlib import Path

from prum_eval import evaluate


def profile(folder: Path, rows: int = 12) -> list[str]:
    """A table of the functions with the largest own time."""
    profiler = cProfile.Profile()
    profiler.enable()
    evaluate(
        folder / "assessments",
        max(folder.glob("run?.thorough.paths.run")),
        structure=folder / "structure.tsv",
        measures=["prum", "eprum"],
        user_model="hierarchical",
    )
    profiler.disable()
    stats = pstats.Stats(profiler).get_stats_profile()
    found = sorted(stats.func_profiles.items(), key=lambda item: -item[1].tottime)[:rows]
    lines = ["| function | file | calls | share |", "|---|---|---|---|"]
    for name, one in found:
        place = "built in" if one.file_name == "~" else "/".join(Path(one.file_name).parts[-2:])
        lines.append(f"| `{name.replace('|', '')}` | {place} | {one.ncalls} | {one.tottime / stats.total_tt:.0%} |")
    return lines


if __name__ == "__main__":
    print("\n".join(profile(Path(sys.argv[1]))))
