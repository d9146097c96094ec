"""Runs and alignment of what frameworks return; with the packages themselves in `make frameworks`."""

import random
from itertools import pairwise

import pytest

from prum_eval import evaluate
from prum_eval.chunks import align, run
from tests.chunks.frameworks import FRAMEWORKS, REAL

DICE = random.Random(4)
WORDS = ["the", "tram", "and", "a", "bus", "stops", "at", "harbour,", "tickets", "are", "No", "ticket:", "Straße", "5"]
TEXTS = {f"d{n}.txt": " ".join(f"{DICE.choice(WORDS)}{k % 60}" for k in range(90)) for n in range(4)}
REPEATED = "a a a a b a a a a b " * 4 + "end"


@pytest.fixture(params=FRAMEWORKS)
def framework(request):
    return FRAMEWORKS[request.param]()


def rows(run):
    """Document, start and end of all results."""
    return [
        (run.documents[code], start, start + length)
        for code, start, length in zip(run.document, run.start.tolist(), run.length.tolist(), strict=True)
    ]


@pytest.mark.parametrize("scored", [True, False])
@pytest.mark.parametrize("texts", [None, "mapping", "documents", "directory"])
def test_a_run(framework, scored, texts, tmp_path):
    documents = framework.documents(TEXTS)
    chunks = framework.split(documents, 7, 2)[:12]
    scores = [1 / rank for rank in range(1, 13)]
    results = framework.results(chunks, scores) if scored else chunks
    given = {"mapping": TEXTS, "documents": documents, "directory": str(tmp_path)}.get(texts)
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = run({"Where?": results[:5], "When?": results[5:]}, name="mine", texts=given)
    assert (found.run_id, found.topics, found.bounds.tolist()) == ("mine", ("Where?", "When?"), [0, 5, 12])
    assert [score == one for score, one in zip(found.score.tolist(), scores, strict=True)] == [scored] * 12
    prefix = "/docs/" if "LangChain" in str(type(framework)) and texts in {None, "documents"} else ""
    place = 0
    for chunk, (document, start, end) in zip(chunks, rows(found), strict=True):
        text, said = framework.place(chunk)
        name = document.removeprefix(prefix) if texts != "directory" else f"{document}.txt"
        assert document.startswith(prefix)
        assert (TEXTS[name][start:end], start) == (text, said)
        place = max(place, end)
    assert place > 20


def test_distances_are_no_scores(framework):
    chunks = framework.split(framework.documents(TEXTS), 7, 2)[:3]
    found = run({"1": framework.results(chunks, [0.1, 0.2, 0.2])})
    assert [start for _, start, _ in rows(found)] == [framework.place(chunk)[1] for chunk in chunks]
    assert all(score != score for score in found.score)  # noqa: PLR0124 -- not a number


@pytest.mark.parametrize(("size", "overlap"), [(7, 2), (3, 0), (5, 4), (40, 10)])
def test_alignment(framework, size, overlap):
    documents = framework.documents(TEXTS)
    chunks = framework.split(documents, size, overlap)
    right = [framework.place(chunk) for chunk in chunks]
    found = align(framework.misplaced(chunks), documents)
    assert [framework.place(chunk) for chunk in found.chunks] == right
    assert found.count("not found") == 0
    assert found.count("mended") >= len(chunks) - 2 * len(TEXTS)
    assert align(found.chunks, documents).count("kept") == align(chunks, documents).count("kept") == len(chunks)


@pytest.mark.parametrize(("size", "overlap"), [(7, 2), (6, 1)])
def test_texts_that_repeat_themselves(framework, size, overlap):
    documents = framework.documents({"d": REPEATED})
    chunks = framework.split(documents, size, overlap)
    places = [framework.place(chunk) for chunk in align(framework.misplaced(chunks), documents).chunks]
    steps = [later - start for (_, start), (_, later) in pairwise(places)]
    assert all(REPEATED.startswith(text, start) for text, start in places)
    assert len(set(steps)) == 1  # cut evenly
    assert len(steps) > 1


def test_aligned_chunks_are_evaluated(framework):
    documents = framework.documents(TEXTS)
    chunks = align(framework.misplaced(framework.split(documents, 7, 2)), documents).chunks
    results = framework.results(chunks[:2], [2.0, 1.0])
    name = rows(run({"1": results}))[0][0]
    gold = [{"topic": "1", "doc": name, "doc_length": len(TEXTS["d0.txt"]), "spans": [[0, 10]]}]
    assert (
        evaluate(gold, run({"1": results}), measures="char_rec:overlap=novel").runs[0].all["char_rec:overlap=novel"]
        == 1
    )


@pytest.mark.skipif(not REAL, reason="needs langchain-text-splitters")
def test_a_splitter_that_takes_its_overlap_for_one_of_characters():
    from langchain_text_splitters import CharacterTextSplitter

    documents = FRAMEWORKS["LangChain"]().documents(
        {"d": " ".join(f"{word}{number}" for number, word in enumerate(WORDS * 9))}
    )
    splitter = CharacterTextSplitter(
        " ", chunk_size=20, chunk_overlap=5, length_function=lambda text: len(text.split(" ")), add_start_index=True
    )
    chunks = splitter.split_documents(documents)
    assert sum(one.metadata["start_index"] < 0 for one in chunks) > 2
    found = align(chunks, documents)
    assert (found.count("not found"), found.count("mended")) == (
        0,
        sum(one.metadata["start_index"] < 0 for one in chunks),
    )
    for one in found.chunks:
        assert documents[0].page_content.startswith(one.page_content, one.metadata["start_index"])
