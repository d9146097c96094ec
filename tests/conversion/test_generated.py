"""Generated collections, converted round and back: the same numbers, the same files."""

from __future__ import annotations

import pytest

from bench.gen_inex import generate
from prum_eval import evaluate
from prum_eval.conversion.convert import convert
from prum_eval.conversion.losses import LossError
from tests.gold import run

MEASURES = ["counts", "map", "prum", "eprum", "gen_recall", "grp", "xcg", "nxcg", "maip:overlap=novel"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    generate(folder, "small")
    return folder


@pytest.fixture(scope="module", params=["thorough", "ric"])
def plain_run(request, collection):
    """A run without elements that share their extent with one around them, which offsets cannot tell apart."""
    outermost = {}
    for line in (collection / "structure.tsv").read_text().splitlines()[1:]:
        name, path, *extent = line.split("\t")
        outermost.setdefault((name, *extent), (name, path))
    kept = set(outermost.values())
    lines = (collection / f"run2.{request.param}.paths.run").read_text().splitlines(keepends=True)
    plain = [line for line in lines if (line.split()[2], line.split()[6]) in kept]
    assert 100 < len(plain) < len(lines)
    path = collection / f"{request.param}.plain.run"
    path.write_text("".join(plain))
    return path


def chain(collection, path, *forms, **options):
    """Paths of the files of a chain of conversions."""
    for form in forms:
        made = convert(str(path), form, structure=str(collection / "structure.tsv"), **options)
        path = collection / f"{path.name}.{form}"
        path.write_bytes(made.content)
        yield path


def numbers(collection, path):
    structure = collection / "structure.tsv"
    measures = [*MEASURES, "magp", "gR"] if "ric" in path.name else MEASURES
    result = evaluate(
        collection / "assessments", path, structure=structure, measures=measures, user_model="hierarchical"
    )
    return result.runs[0].topics, result.runs[0].all, result.runs[0].run_id


def test_paths_offsets_xml_and_back(collection, plain_run):
    wanted = numbers(collection, plain_run)
    assert wanted[1]["num_rel_ret"] > 0
    for path in chain(collection, plain_run, "run-offsets", "run-xml", "run-paths", "run-ranges", "run-offsets"):
        assert numbers(collection, path) == wanted
    *_, offsets, paths = chain(collection, plain_run, "run-offsets", "run-paths")
    assert offsets.read_text() != paths.read_text()
    rows = [[line.split() for line in path.read_text().splitlines()] for path in (paths, plain_run)]
    results, wanted_results = ([(*row[:3], float(row[4]), *row[5:7]) for row in listed] for listed in rows)
    assert results == wanted_results


def test_chunks_and_back(collection, plain_run):
    wanted = numbers(collection, plain_run)
    *_, offsets, chunks, again = chain(collection, plain_run, "run-offsets", "run-jsonl", "run-offsets")
    assert numbers(collection, chunks) == wanted
    assert again.read_bytes() == offsets.read_bytes()


@pytest.mark.parametrize("name", ["run1.focused", "run2.bic"])
def test_the_offsets_of_the_generator(collection, name):
    """What is lost by offsets is lost in the generator's own too."""
    made, = chain(collection, collection / f"{name}.paths.run", "run-offsets", lossy=True)  # fmt: skip
    columns = [line.split() for line in made.read_text().splitlines()]
    wanted = [line.split() for line in (collection / f"{name}.offsets.run").read_text().splitlines()]
    assert [(*row[:4], *row[5:]) for row in columns] == [(*row[:4], *row[5:]) for row in wanted]
    assert [float(row[4]) for row in columns] == [float(row[4]) for row in wanted]


def test_xml_is_the_paths(collection):
    *_, paths = chain(collection, collection / "run1.thorough.xml", "run-ranges")
    made = [line.split() for line in paths.read_text().splitlines()]
    wanted = [line.split() for line in (collection / "run1.thorough.paths.run").read_text().splitlines()]
    assert [[*row[:4], *row[5:]] for row in made] == [[*row[:4], *row[5:]] for row in wanted]


def test_documents_of_a_run(collection):
    """Documents at their best rank are the generator's ranking of documents."""
    made, = chain(collection, collection / "run1.bic.paths.run", "run-trec", lossy=True)  # fmt: skip
    found = [line.split() for line in made.read_text().splitlines()]
    wanted = [line.split() for line in (collection / "run1.doc.trec").read_text().splitlines()]
    assert [row[:5] for row in found] == [[*row[:4], str(float(row[4]))] for row in wanted]


def test_documents_as_roots_and_extents(collection):
    flat = collection / "run1.doc.trec"
    wanted = numbers(collection, flat)
    for path in chain(collection, flat, "run-paths", "run-offsets", "run-xml"):
        assert numbers(collection, path) == wanted
    *_, again = chain(collection, flat, "run-offsets", "run-trec")
    assert numbers(collection, again) == wanted


def test_xml_judgements_as_text(collection):
    made = convert(str(collection / "assessments"), "qrels-inex", structure=str(collection / "structure.tsv"))
    assert made.losses == ()
    assert made.content == (collection / "qrels.txt").read_bytes()


@pytest.mark.parametrize("source", ["assessments", "qrels.txt"])
def test_judgements_of_documents(collection, source):
    with pytest.raises(LossError):
        convert(str(collection / source), "qrels-trec")
    made = convert(str(collection / source), "qrels-trec", lossy=True)
    assert made.content == (collection / "qrels.trec").read_bytes()
    (loss,) = made.losses
    assert loss.count == len((collection / "qrels.txt").read_text().splitlines())


def test_relevant_spans_and_back(collection):
    (spans,) = chain(collection, collection / "qrels.txt", "qrels-jsonl")
    assert convert(str(spans), "qrels-inex").content == (collection / "qrels.txt").read_bytes()
    direct = convert(str(collection / "assessments"), "qrels-jsonl", structure=str(collection / "structure.tsv"))
    assert direct.content == spans.read_bytes()


def test_graded_elements_do_not_follow_from_passages(tmp_path):
    generate(tmp_path, "small", graded=True, topics=2)
    made = convert(
        str(tmp_path / "assessments"), "qrels-inex", structure=str(tmp_path / "structure.tsv"), lossy=True
    )  # fmt: skip
    assert made.content == (tmp_path / "qrels.txt").read_bytes()
    text = "".join(path.read_text() for path in (tmp_path / "assessments").iterdir())
    assert [loss.count for loss in made.losses] == [text.count('exhaustivity="1"') + text.count('exhaustivity="?"')]


def test_structures_and_back(collection):
    source = collection / "structure.tsv"
    xml = collection / "structure.xml"
    xml.write_bytes(convert(str(source), "structure-xml").content)
    again = convert(str(xml), "structure-text").content.decode()
    assert again.splitlines()[1:] == source.read_text().splitlines()[1:]
    results = collection / "run1.focused.paths.run"
    measures = ["prum", "eprum"]
    one, other = (
        evaluate(collection / "assessments", results, structure=path, measures=measures) for path in (source, xml)
    )  # fmt: skip
    assert one.runs[0].topics == other.runs[0].topics


def test_an_index_is_a_structure_too(collection, tmp_path):
    source, index = collection / "structure.tsv", tmp_path / "index"
    assert run(f"index {source} -o {index}").status == 0
    for form in ("structure-text", "structure-xml"):
        assert convert(str(index), form).content == convert(str(source), form).content
    paths = str(collection / "run1.focused.paths.run")
    one, other = (convert(paths, "run-offsets", structure=str(path), lossy=True) for path in (source, index))
    assert one == other


def test_losses_of_an_index_have_no_line(tmp_path):
    (tmp_path / "text").write_text("d\t/a[1]\t0\t9\nd\t/a[1]/p[2]\t0\t3\nd\t/a[1]/p[4]\t3\t3\n")
    assert run(f"index {tmp_path}/text -o {tmp_path}/index").status == 0
    refused = run(f"convert --to structure-xml {tmp_path}/index")
    what = "elements whose position is not their place among siblings: 2; they are numbered anew"
    assert refused.err.splitlines()[0] == f"{tmp_path}/index: {what}"
