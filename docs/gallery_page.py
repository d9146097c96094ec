"""The gallery of measures: a page with a picture a family, made from simulated runs."""

from __future__ import annotations

from pathlib import Path

from measure_pages import NOTE, plain, title

from prum_eval.experiments.gallery import SITUATIONS, Answers, answers
from prum_eval.measures.registry import all_measures, families, measures_by_printed_name
from prum_eval.report.plots import answers_svg

FOLDER = Path(__file__).resolve().parent
PLACE = "<!-- situations -->\n"


def gallery_pages() -> dict[str, str]:
    """docs/gallery.md, and a picture of each family, by their path below docs."""
    shown = answers("all")
    measured = measures_by_printed_name(shown.by_measure)
    pictures: dict[str, Answers] = {}
    counts = {one.family for one in all_measures() if one.is_count}
    for family in sorted(families(), key=lambda family: family in counts):  # counts last: little is to be seen there
        own = tuple(one for one in shown.answers if measured[one.measure].family == family)
        if own:
            pictures[family] = Answers(own)
    return {"gallery.md": _page(pictures)} | {
        f"gallery/{family}.svg": answers_svg(found) for family, found in pictures.items()
    }


def _page(pictures: dict[str, Answers]) -> str:
    heading, below = (FOLDER / "gallery.md.in").read_text(encoding="utf-8").split("\n", 1)
    rows = ["| situation | what is done to the ideal list |", "|---|---|"]
    rows += [f"| {one.name} | {one.meaning} |" for one in SITUATIONS]
    lines = [heading, "", NOTE, below.strip().replace(PLACE.strip(), "\n".join(rows)), ""]
    for family, found in pictures.items():
        names = list(found.by_measure)
        about = f"How {', '.join(names)} answer" if len(names) > 1 else f"How {names[0]} answers"
        lines += [f"## {plain(title(family))}", "", f"[What they are](measures/{family}.md)", ""]
        lines += [f"![{about} to the five situations](gallery/{family}.svg)", ""]
    return "\n".join(lines)
