from contextlib import closing
from pathlib import Path

import pytest
from langchain_core.embeddings import Embeddings

from secondhop.errors import UsageError
from secondhop.models.choose_embedder import chosen_embedder, make_embedder
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.models.langchain_embedder import LangchainEmbedder


@pytest.mark.parametrize(
    ("spec", "model_id"),
    [
        ("default", "bge-small-en-v1.5-int8@6c9c6101"),
        ("bge-small-en-v1.5", "bge-small-en-v1.5-int8@6c9c6101"),
        ("hashing", "hashing-v1-256"),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small"),
        ("openai:org/model:tag", "openai:org/model:tag"),
    ],
)
def test_a_word_names_an_embedder_and_nothing_is_loaded_yet(spec: str, model_id: str) -> None:
    assert make_embedder(spec, offline=True).model_id == model_id


@pytest.mark.parametrize("spec", ["", "openai", "openai:", "Default", "bert", "hashing:9"])
def test_any_other_word_is_refused_with_the_words_there_are(spec: str) -> None:
    with pytest.raises(UsageError, match=r"default.*hashing.*openai:MODEL"):
        make_embedder(spec)


def test_the_default_model_is_shared_while_it_is_in_use() -> None:
    first = make_embedder("default", offline=True)
    assert make_embedder("bge-small-en-v1.5", offline=True) is first
    assert make_embedder("default") is not first


class Unmeasured(Embeddings):
    """Whoever gives it does not say how long its vectors are."""

    model = "tiny"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0, 0.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0, 0.0]


async def test_the_length_of_vectors_is_learned_behind_a_cache_too(tmp_path: Path) -> None:
    cached = CachingEmbedder(LangchainEmbedder(Unmeasured()), tmp_path / "cache.db")
    with closing(cached):
        assert (await chosen_embedder(cached)).dimension == 3
    assert (await chosen_embedder(Unmeasured())).dimension == 3
