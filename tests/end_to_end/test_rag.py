"""Chunks and relevant spans from beginning to end: what the page on chunks computes, character by character."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from prum_eval import evaluate
from prum_eval.chunks import spans
from prum_eval.conversion.convert import convert
from tests.gold import ROOT

RAG = ROOT / "fixtures" / "rag"
CHUNKERS = ["windows", "paragraphs"]
TEXT_MEASURES = ["char_rec", "char_prec", "char_f1", "rel_size", "rel_ret_size", "ret_size"]


def lines(name):
    return [json.loads(line) for line in (RAG / f"{name}.jsonl").read_text().splitlines()]


def characters(name):
    """By topic, the characters (document, offset) of all chunks or spans."""
    found = {}
    for line in lines(name):
        spans = line["spans"] if "spans" in line else [[line["start"], line["end"]]]
        own = found.setdefault(line["topic"], set())
        own |= {(line["doc"], offset) for start, end in spans for offset in range(start, end)}
    return found


def topics(run, **options):
    return evaluate(RAG / "gold.jsonl", run, **options).runs[0].topics


def test_relevant_spans_are_the_quotes():
    texts = {path.stem: path.read_text() for path in (RAG / "documents").iterdir()}
    found = [
        [line["topic"], line["doc"], texts[line["doc"]][start:end]]
        for line in lines("gold") for start, end in line["spans"]
    ]  # fmt: skip
    assert sorted(found) == sorted(line.split("\t") for line in (RAG / "quotes.tsv").read_text().splitlines())
    assert {line["doc"]: line["doc_length"] for line in lines("gold")} == {
        name: len(text) for name, text in texts.items()
    }  # fmt: skip


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_characters(chunker):
    found = topics(RAG / f"{chunker}.jsonl", measures=TEXT_MEASURES, settings={"overlap": "novel"})
    gold, retrieved = characters("gold"), characters(chunker)
    for topic, values in found.items():
        both = len(gold[topic] & retrieved[topic])
        assert values["char_rec"] == pytest.approx(both / len(gold[topic]), abs=1e-12)
        # Of a text without anything relevant all is counted, what comes again too.
        relevant = {name for name, _ in gold[topic]}
        own = [line for line in lines(chunker) if line["topic"] == topic]
        size = sum(line["end"] - line["start"] for line in own if line["doc"] not in relevant)
        size += sum(name in relevant for name, _ in retrieved[topic])
        assert values["char_prec"] == pytest.approx(both / size, abs=1e-12)
        assert [values[name] for name in ("rel_size", "rel_ret_size", "ret_size")] == [len(gold[topic]), both, size]


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_merged_chunks_are_the_same_characters_once(chunker):
    found = topics(RAG / f"{chunker}.jsonl", measures=[*TEXT_MEASURES, "magp", "t2i_magp"], merge="document")
    gold, retrieved = characters("gold"), characters(chunker)
    for topic, values in found.items():
        both = len(gold[topic] & retrieved[topic])
        assert values["ret_size"] == len(retrieved[topic])
        assert values["char_prec"] == pytest.approx(both / len(retrieved[topic]), abs=1e-12)
        assert values["char_rec"] == pytest.approx(both / len(gold[topic]), abs=1e-12)


@pytest.mark.parametrize("name", CHUNKERS)
def test_the_script_makes_the_runs(name):
    done = subprocess.run([sys.executable, RAG / "chunks.py", name], capture_output=True, check=True)
    assert done.stdout == (RAG / f"{name}.jsonl").read_bytes()


def test_relevant_spans_come_from_the_quotes():
    found = spans(RAG / "quotes.tsv", RAG / "documents")
    made, kept = (
        sorted((line["topic"], line["doc"], line["doc_length"], line["spans"]) for line in own if line["spans"])
        for own in (map(json.loads, found.text.splitlines()), lines("gold"))
    )
    assert made == kept


@pytest.mark.parametrize("tolerance", [0, 50, 100, 295, 300])
@pytest.mark.parametrize("chunker", CHUNKERS)
def test_who_reads_on_finds_more(chunker, tolerance):
    """A span is seen if it ends after the start of a chunk and begins at most the tolerance after it."""
    measures = ["gen_recall.1,2,4"]
    found = topics(RAG / f"{chunker}.jsonl", measures=measures, user_model=f"t2i:tolerance={tolerance}")
    spans = [(line["topic"], line["doc"], *span) for line in lines("gold") for span in line["spans"]]
    for topic, values in found.items():
        chunks = [line for line in lines(chunker) if line["topic"] == topic]
        own = [span for span in spans if span[0] == topic]
        for cut in (1, 2, 4):
            seen = [
                any(one["doc"] == name and end > one["start"] >= start - tolerance for one in chunks[:cut])
                for _, name, start, end in own
            ]
            assert values[f"gen_recall_{cut}"] == pytest.approx(sum(seen) / len(seen), abs=1e-12)


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_json_lines_and_inex_text_give_the_same_numbers(tmp_path, chunker):
    for name, form in (("gold", "qrels-inex"), (chunker, "run-offsets")):
        (tmp_path / name).write_bytes(convert(str(RAG / f"{name}.jsonl"), form).content)
    options = {"measures": ["eprum", "gen_recall", "maip:overlap=novel", "counts"], "user_model": "t2i"}
    text = evaluate(tmp_path / "gold", tmp_path / chunker, **options).runs[0]
    chunks = evaluate(RAG / "gold.jsonl", RAG / f"{chunker}.jsonl", **options).runs[0]
    assert (text.run_id, text.topics, text.all) == (chunks.run_id, chunks.topics, chunks.all)
    assert chunks.all["eprum_map"] > 0
    for name, form in (("gold", "qrels-jsonl"), (chunker, "run-jsonl")):
        again = convert(str(tmp_path / name), form).content.decode()
        assert [json.loads(line) for line in again.splitlines()] == lines(name)
