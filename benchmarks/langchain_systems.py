"""LangChain's retrievers: langchain-chroma, MMR, BM25, EnsembleRetriever."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from benchmarks.as_langchain import AsLangchain
from benchmarks.contest import Asked, Contender, Entry, Ground
from benchmarks.libraries import library
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from secondhop.evals.baselines import MMR_LAMBDAS, PASSAGES_PER_MEMORY
from secondhop.stores.catalog.analysis import STOP_WORDS, document_terms

EMPTY_TERMS = frozenset(term for word in STOP_WORDS for term in document_terms(word))

MMR_FETCH = 5
"""Passages that MMR chooses from, as a multiple of those wanted (LangChain's default: 20 for 4)."""

BATCH = 1000
"""Documents added in one call; Chroma accepts a few thousand."""


def telling_terms(text: str) -> list[str]:
    """Stemmed terms without stop words, identifiers split: the best input for BM25 here."""
    return [term for term in document_terms(text) if term not in EMPTY_TERMS]


@dataclass(frozen=True, slots=True)
class Shelf:
    """A scenario's passages in langchain-chroma."""

    chroma: Any
    documents: list[Document]

    def retriever(self, **search: Any) -> BaseRetriever:
        """A retriever by similarity, or with the options in `search`."""
        found: BaseRetriever = self.chroma.as_retriever(**search)
        return found

    def by_words(self, *, k: int) -> BaseRetriever:
        """A BM25Retriever over the terms of our own word index, instead of LangChain's default of
        words between spaces."""
        bm25 = library("langchain_community.retrievers").BM25Retriever
        found: BaseRetriever = bm25.from_documents(
            self.documents, preprocess_func=telling_terms, k=k
        )
        return found


class Shelves:
    """One shelf per scenario, shared by all retrievers."""

    def __init__(self) -> None:
        self._shelves: dict[str, Shelf] = {}

    async def of(self, ground: Ground) -> Shelf:
        """The passages, stored by langchain-chroma in memory with cosine distance.

        Raises:
            NotRunError: langchain-chroma is not installed.
        """
        name = ground.scenario.name
        if name not in self._shelves:
            shelf = await asyncio.to_thread(filled, ground, AsLangchain(ground.embedder))
            ground.closing.callback(shelf.chroma.delete_collection)
            self._shelves[name] = shelf
        return self._shelves[name]


def filled(ground: Ground, embeddings: AsLangchain) -> Shelf:
    """A new shelf with all passages."""
    chromadb = library("chromadb")
    chroma = library("langchain_chroma").Chroma(
        collection_name=f"bench-{uuid4().hex}",
        embedding_function=embeddings,
        client=chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False)),
        collection_configuration={"hnsw": {"space": "cosine"}},
    )
    documents = [
        Document(
            page_content=fed.text,
            id=fed.passage_id,
            metadata={"memory_id": fed.memory_id, "passage_id": fed.passage_id},
        )
        for fed in ground.passages
    ]
    for start in range(0, len(documents), BATCH):
        chroma.add_documents(documents[start : start + BATCH])
    return Shelf(chroma, documents)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A retriever as a contender; a memory has the rank of its first passage."""

    made: Mapping[int, BaseRetriever]
    """{k: the retriever for k memories}."""

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        documents = await asyncio.to_thread(self.made[k].invoke, asked.text)
        return first_memories(documents, k=k)


@dataclass(frozen=True, slots=True)
class Diverse:
    """MMR of langchain-chroma.

    It returns the passages that MMR chose in the order of similarity, so the number asked for
    matters: k passages, and more only as long as they belong to fewer than k memories.
    """

    shelf: Shelf
    lambda_: float

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        return await asyncio.to_thread(self._ranked, asked.text, k)

    def _ranked(self, text: str, k: int) -> list[str]:
        ids: list[str] = []
        for wanted in range(k, MMR_FETCH * k + 1):
            search = {"k": wanted, "fetch_k": MMR_FETCH * k, "lambda_mult": self.lambda_}
            retriever = self.shelf.retriever(search_type="mmr", search_kwargs=search)
            ids = first_memories(retriever.invoke(text), k=k)
            if len(ids) == k:
                break
        return ids


def first_memories(documents: list[Document], *, k: int) -> list[str]:
    """The first k memory ids of these passages, without repeats."""
    ids: Mapping[str, None] = dict.fromkeys(
        str(document.metadata["memory_id"]) for document in documents
    )
    return list(ids)[:k]


def similar(shelf: Shelf, k: int) -> BaseRetriever:
    """The nearest passages, enough for k memories."""
    return shelf.retriever(search_kwargs={"k": PASSAGES_PER_MEMORY * k})


def ensemble(shelf: Shelf, k: int) -> BaseRetriever:
    """Similarity and BM25 with equal weights; reciprocal rank fusion, LangChain's default of 60."""
    made: BaseRetriever = library("langchain_classic.retrievers").EnsembleRetriever(
        retrievers=[similar(shelf, k), shelf.by_words(k=PASSAGES_PER_MEMORY * k)],
        weights=[0.5, 0.5],
        id_key="passage_id",
    )
    return made


def words(shelf: Shelf, k: int) -> BaseRetriever:
    """BM25Retriever alone."""
    return shelf.by_words(k=PASSAGES_PER_MEMORY * k)


MAKERS: Mapping[str, Callable[[Shelf, int], BaseRetriever]] = {
    "langchain-chroma": similar,
    "langchain BM25": words,
    "EnsembleRetriever": ensemble,
}


def langchain_entries(shelves: Shelves) -> list[Entry]:
    """The retrievers that need only the question."""

    def entry(name: str, make: Callable[[Shelf, int], BaseRetriever]) -> Entry:
        async def opened(ground: Ground) -> Contender:
            shelf = await shelves.of(ground)
            wanted = {question.k for question in ground.scenario.questions}
            return Retrieved({k: await asyncio.to_thread(make, shelf, k) for k in wanted})

        return Entry(name=name, open=opened)

    found = [entry(name, make) for name, make in MAKERS.items()]
    found[1:1] = [diverse_entry(lambda_, shelves) for lambda_ in MMR_LAMBDAS]
    return found


def diverse_entry(lambda_: float, shelves: Shelves) -> Entry:
    """MMR with one lambda."""

    async def opened(ground: Ground) -> Contender:
        return Diverse(await shelves.of(ground), lambda_)

    return Entry(name=f"langchain MMR {lambda_}", open=opened)
