"""Synthetic INEX-like workloads: a collection's structure, XML and text assessments, runs. Same options, same bytes.

Files written to OUT:

structure.tsv             docid TAB path TAB start TAB length, one element a line, documents in order of their number,
                          elements in document order; line 1 names the columns after a '#'
docs/ID.xml               with --xml: the document, no white space added, its text nodes exactly as long as promised
assessments/topic-T.xml   assessments as INEX 2005 (--graded) and 2006 published them: every assessed document, its best
                          entry point, passages, and every element that holds highlighted text
assessments-2003/         with --scales: the same on the two scales of 0 to 3 of INEX 2003, without passages
qrels.txt                 the same in the text form of INEX 2007-2010, five fields where nothing is highlighted
qrels.trec                the same at document level
runK.TASK.paths.run       topic Q0 docid rank score run-id path path
runK.TASK.offsets.run     topic Q0 docid rank score run-id offset length
runK.TASK.xml             the same as an XML submission; TASK is thorough (overlap allowed), focused (the same without
                          overlap), ric (focused, a document's results together) or bic (one result a document)
runK.doc.trec             documents by their best result
MANIFEST.txt              parameters and counts
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from bench.inex_assessments import write_assessments
from bench.inex_documents import Document, make_document, write_xml
from bench.inex_runs import write_runs
from bench.inex_scales import write_assessments_2003
from bench.inex_workload import PRESETS, Workload


def generate(out: Path, preset: str = "small", **overrides: float) -> str:
    """Write a workload into the folder ``out``, made if need be, and return its manifest.

    Args:
        out: the folder to write to.
        preset: name of one of ``PRESETS``.
        overrides: fields of ``Workload`` that differ from the preset's; an unknown name is a ``TypeError``.

    """
    workload = dataclasses.replace(PRESETS[preset], **overrides)  # type: ignore[arg-type]  # checked by the fields
    workload = dataclasses.replace(workload, assessed=min(workload.assessed, workload.docs))
    (out / "assessments").mkdir(parents=True, exist_ok=True)
    documents = _write_collection(out, workload)
    judged, counts = write_assessments(out, workload, documents)
    on_scales = write_assessments_2003(out, workload, documents, judged) if workload.scales else None
    results = write_runs(out, workload, documents, judged)
    elements = sum(len(document.paths) for document in documents.values())
    characters = sum(document.length for document in documents.values())
    lines = [
        workload.manifest_line(),
        f"documents {workload.docs} elements {elements} characters {characters}",
        (
            f"assessed {workload.topics * workload.assessed} relevant {counts.relevant}"
            f" passages {counts.passages} assessed elements {counts.elements}"
        ),
        *([] if on_scales is None else [f"assessed elements on the scales of 2003 {on_scales}"]),
        *(f"{run} {count} results" for run, count in results.items()),
    ]
    manifest = "".join(f"{line}\n" for line in lines)
    (out / "MANIFEST.txt").write_text(manifest, encoding="utf-8", newline="\n")
    return manifest


def _write_collection(out: Path, workload: Workload) -> dict[int, Document]:
    if workload.xml:
        (out / "docs").mkdir(exist_ok=True)
    documents = {}
    with (out / "structure.tsv").open("w", encoding="utf-8", newline="\n") as structure:
        structure.write("#docid\tpath\tstart\tlength\n")
        for number in workload.document_ids():
            document = documents[number] = make_document(number, workload.elements, workload.seed)
            rows = zip(document.paths, document.starts, document.lengths, strict=True)
            structure.writelines(f"{number}\t{path}\t{start}\t{length}\n" for path, start, length in rows)
            if workload.xml:
                write_xml(document, out / "docs" / f"{number}.xml")
    return documents


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.gen_inex",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--preset", choices=PRESETS)
    for field in dataclasses.fields(Workload):
        if "help" in field.metadata:
            values = " / ".join(str(getattr(workload, field.name)) for workload in PRESETS.values())
            number = float if field.type == "float" else int
            parser.add_argument(
                f"--{field.name}", type=number, metavar="N", help=f"{field.metadata['help']} [{values}]"
            )
    parser.add_argument("--seed", type=int, metavar="N", help="another seed, another workload of the same shape [1]")
    parser.add_argument("--graded", action="store_true", help="exhaustivity 1, 2 and ? (2005) instead of 2 (2006)")
    parser.add_argument("--scales", action="store_true", help="write assessments on the scales of INEX 2003 too")
    parser.add_argument(
        "--xml", action=argparse.BooleanOptionalAction, help="write the documents themselves; on in preset small"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of the generator."""
    options = vars(_parser().parse_args(arguments))
    print(generate(**options), end="")


if __name__ == "__main__":
    main()
