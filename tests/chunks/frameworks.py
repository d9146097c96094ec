"""The shapes of LangChain, LlamaIndex and Haystack: stand-ins in the usual tests, the packages in `make frameworks`.

Each framework makes documents of texts, cuts them, and hands chunks over as its retrievers do.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

REAL = bool(os.environ.get("PRUM_EVAL_FRAMEWORKS"))
"""Whether the packages are installed and are to be used."""


def windows(text: str, size: int, overlap: int) -> list[tuple[int, str]]:
    """Pieces of words with their places."""
    words = text.split(" ")
    places = [0, *accumulate(len(word) + 1 for word in words)]
    cut = range(0, max(1, len(words) - overlap), size - overlap)
    return [(places[first], " ".join(words[first : first + size])) for first in cut]


class LangChain:
    """Documents with `page_content` and `metadata`; pairs with a score."""

    def __init__(self) -> None:
        if REAL:
            from langchain_core.documents import Document
        else:

            class Document:
                def __init__(self, page_content: str, metadata: dict[str, Any]) -> None:
                    self.id = None
                    self.page_content = page_content
                    self.metadata = metadata

        self.document = Document

    def documents(self, texts: dict[str, str]) -> list[Any]:
        return [self.document(page_content=text, metadata={"source": f"/docs/{name}"}) for name, text in texts.items()]

    def split(self, documents: list[Any], size: int, overlap: int) -> list[Any]:
        if REAL:
            from langchain_text_splitters import CharacterTextSplitter

            splitter = CharacterTextSplitter(
                " ", chunk_size=6 * size, chunk_overlap=6 * overlap, add_start_index=True, strip_whitespace=False
            )
            return splitter.split_documents(documents)
        return [
            self.document(page_content=text, metadata={**one.metadata, "start_index": place})
            for one in documents
            for place, text in windows(one.page_content, size, overlap)
        ]

    def misplaced(self, chunks: list[Any]) -> list[Any]:
        """As a splitter that counts tokens numbers its chunks."""
        return [
            self.document(page_content=one.page_content, metadata={**one.metadata, "start_index": number % 3 - 1})
            for number, one in enumerate(chunks)
        ]

    def results(self, chunks: list[Any], scores: list[float]) -> list[Any]:
        return list(zip(chunks, scores, strict=True))

    def place(self, chunk: Any) -> tuple[str, int]:
        return chunk.page_content, chunk.metadata["start_index"]


class LlamaIndex:
    """Nodes with `start_char_idx`, in nodes with scores."""

    def __init__(self) -> None:
        if REAL:
            from llama_index.core.schema import Document, NodeRelationship, NodeWithScore, TextNode

            self.relationship: Any = NodeRelationship.SOURCE
        else:

            @dataclass
            class TextNode:
                text: str
                metadata: dict[str, Any] = field(default_factory=dict)
                start_char_idx: int | None = None
                end_char_idx: int | None = None
                relationships: dict[Any, Any] = field(default_factory=dict)
                id_: str = ""

                @property
                def ref_doc_id(self) -> str | None:
                    return self.relationships.get("source")

                def as_related_node_info(self) -> str:
                    return self.id_

            class Document(TextNode):
                pass

            @dataclass
            class NodeWithScore:
                node: TextNode
                score: float | None = None

            self.relationship = "source"
        self.document, self.node, self.scored = Document, TextNode, NodeWithScore

    def documents(self, texts: dict[str, str]) -> list[Any]:
        return [self.document(text=text, id_=name) for name, text in texts.items()]

    def split(self, documents: list[Any], size: int, overlap: int) -> list[Any]:
        if REAL:
            from llama_index.core.node_parser import TokenTextSplitter

            return TokenTextSplitter(chunk_size=2 * size, chunk_overlap=2 * overlap).get_nodes_from_documents(documents)
        return [
            self._node(text, {self.relationship: one.as_related_node_info()}, (place, place + len(text)))
            for one in documents
            for place, text in windows(one.text, size, overlap)
        ]

    def misplaced(self, chunks: list[Any]) -> list[Any]:
        places = [(None, None), (0, 5), (1, None)]
        return [self._node(one.text, one.relationships, places[number % 3]) for number, one in enumerate(chunks)]

    def _node(self, text: str, relationships: Any, place: tuple[int | None, int | None]) -> Any:
        return self.node(text=text, relationships=relationships, start_char_idx=place[0], end_char_idx=place[1])

    def results(self, chunks: list[Any], scores: list[float]) -> list[Any]:
        return [self.scored(node=chunk, score=score) for chunk, score in zip(chunks, scores, strict=True)]

    def place(self, chunk: Any) -> tuple[str, int]:
        return chunk.text, chunk.start_char_idx


class Haystack:
    """Documents with `content`, `meta` and `score`."""

    def __init__(self) -> None:
        if REAL:
            from haystack import Document
        else:

            @dataclass
            class Document:
                content: str
                meta: dict[str, Any] = field(default_factory=dict)
                score: float | None = None
                id: str = ""

                def __post_init__(self) -> None:
                    self.id = self.id or hashlib.sha256(f"{self.content}{self.meta}".encode()).hexdigest()

        self.document = Document

    def documents(self, texts: dict[str, str]) -> list[Any]:
        return [self.document(content=text, id=name) for name, text in texts.items()]

    def split(self, documents: list[Any], size: int, overlap: int) -> list[Any]:
        if REAL:
            from haystack.components.preprocessors import DocumentSplitter

            splitter = DocumentSplitter(split_by="word", split_length=size, split_overlap=overlap)
            return splitter.run(documents)["documents"]
        return [
            self.document(content=text, meta={"source_id": one.id, "split_id": number, "split_idx_start": place})
            for one in documents
            for number, (place, text) in enumerate(windows(one.content, size, overlap))
        ]

    def misplaced(self, chunks: list[Any]) -> list[Any]:
        return [
            self.document(content=one.content, meta={**one.meta, "split_idx_start": number % 2})
            for number, one in enumerate(chunks)
        ]

    def results(self, chunks: list[Any], scores: list[float]) -> list[Any]:
        return [
            self.document(content=chunk.content, meta=chunk.meta, score=score)
            for chunk, score in zip(chunks, scores, strict=True)
        ]

    def place(self, chunk: Any) -> tuple[str, int]:
        return chunk.content, chunk.meta["split_idx_start"]


FRAMEWORKS = {"LangChain": LangChain, "LlamaIndex": LlamaIndex, "Haystack": Haystack}
