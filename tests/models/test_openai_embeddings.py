"""The embeddings that most hosts have, langchain-openai's own class, on real sockets."""

import asyncio
import gc
from collections.abc import Generator

import numpy as np
import pytest
from langchain_openai import OpenAIEmbeddings
from pydantic import SecretStr
from tests.models.embeddings_server import EmbeddingsServer

from secondhop.errors import ModelError
from secondhop.models.embedder import Vectors
from secondhop.models.langchain_embedder import LangchainEmbedder

pytestmark = [
    pytest.mark.slow,
    # nobody can close the connections of a loop that is gone
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

KEY = "sk-secret-0123456789"
TEXTS = ["half \ud83d an emoji", *(str(number) * (number + 1) for number in range(1, 20))]


@pytest.fixture
def server() -> Generator[EmbeddingsServer]:
    running = EmbeddingsServer()
    running.keeps_order = True  # langchain-openai takes rows as they come
    yield running
    running.close()
    gc.collect()  # what warns of it warns here


def embedder_of(server: EmbeddingsServer) -> LangchainEmbedder:
    embeddings = OpenAIEmbeddings(
        model="m",
        base_url=server.base_url,
        api_key=SecretStr(KEY),
        max_retries=0,
        check_embedding_ctx_length=False,
    )
    return LangchainEmbedder(embeddings)


def test_every_event_loop_gets_its_vectors(server: EmbeddingsServer) -> None:
    embedder = embedder_of(server)

    async def embedded() -> tuple[Vectors, Vectors]:
        return await embedder.embed_passages(TEXTS), await embedder.embed_queries(TEXTS)

    (first, first_queries), *others = [asyncio.run(embedded()) for _ in range(3)]

    assert first.shape == (20, 8)
    assert np.allclose(np.linalg.norm(first, axis=1), 1.0)
    assert np.array_equal(first, first_queries)
    for passages, queries in others:
        assert np.array_equal(passages, first)
        assert np.array_equal(queries, first)


async def test_a_refusal_is_told_without_the_key(server: EmbeddingsServer) -> None:
    server.script = [(401, {}, f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode())]
    with pytest.raises(ModelError, match="401") as failure:
        await embedder_of(server).embed_passages(["a"])
    assert KEY not in str(failure.value)
