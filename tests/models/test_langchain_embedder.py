import threading

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from pydantic import SecretStr

from secondhop.errors import ModelError, UsageError
from secondhop.models.langchain_embedder import LangchainEmbedder


class SyncEmbeddings(Embeddings):
    """Has only synchronous methods, like many adapters; tells queries from documents."""

    def __init__(self, model: str = "tiny") -> None:
        self.model = model
        self.threads: set[int] = set()
        self.seen: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.threads.add(threading.get_ident())
        self.seen += texts
        return [[float(len(text)), 1.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.threads.add(threading.get_ident())
        self.seen.append(text)
        return [float(len(text)), -1.0]


class FailingEmbeddings(SyncEmbeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise ConnectionResetError("gone")

    def embed_query(self, text: str) -> list[float]:
        return []


class TalkativeEmbeddings(SyncEmbeddings):
    """Repeats its key in a long message."""

    def __init__(self) -> None:
        super().__init__()
        self.key = SecretStr("sk-SECRET-012345")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise ValueError(f"no such key: {self.key.get_secret_value()} {'x' * 1_000}")


async def test_a_synchronous_model_runs_in_a_thread_and_its_rows_become_unit_vectors() -> None:
    model = SyncEmbeddings()
    rows = await LangchainEmbedder(model).embed_passages(["a", "abc"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    assert rows[1, 0] / rows[1, 1] == pytest.approx(3.0)
    assert threading.get_ident() not in model.threads


async def test_whatever_the_model_raises_becomes_a_model_error_with_its_cause() -> None:
    embedder = LangchainEmbedder(FailingEmbeddings())
    with pytest.raises(ModelError, match="ConnectionResetError: gone") as failure:
        await embedder.embed_passages(["a"])
    assert isinstance(failure.value.__cause__, ConnectionResetError)
    with pytest.raises(ModelError, match="vectors of length"):
        await embedder.embed_queries(["a"])


async def test_the_models_keys_stay_out_of_what_is_told() -> None:
    with pytest.raises(ModelError, match="no such key: …") as failure:
        await LangchainEmbedder(TalkativeEmbeddings()).embed_passages(["a"])
    assert "SECRET" not in str(failure.value)
    assert len(str(failure.value)) < 300


def test_the_id_comes_from_the_class_and_its_model_or_must_be_given() -> None:
    assert LangchainEmbedder(SyncEmbeddings("m1")).model_id == "langchain:SyncEmbeddings:m1"
    assert LangchainEmbedder(SyncEmbeddings("m1"), model_id="mine").model_id == "mine"
    told = r"pass LangchainEmbedder\(…, model_id='NAME'\) of secondhop.models.langchain_embedder "
    with pytest.raises(UsageError, match=told):
        LangchainEmbedder(SyncEmbeddings(""))
