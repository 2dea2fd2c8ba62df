from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from secondhop.models.bge_onnx import BgeOnnxEmbedder
from secondhop.models.hashing import HashingEmbedder
from secondhop.models.maxsim import MaxSimReranker


class WordStates:
    """One state a word: its hashed vector."""

    model_id = "words"

    def __init__(self) -> None:
        self.computed: list[str] = []

    async def token_states(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        self.computed += texts
        hashing = HashingEmbedder(64)
        return [await hashing.embed_passages(text.split()) for text in texts]


async def test_a_passage_that_holds_every_query_word_scores_one_whatever_else_it_holds() -> None:
    scores = await MaxSimReranker(WordStates()).rerank(
        "red bicycle", ["the bicycle was old and red", "the red car", "gardening", "red bicycle"]
    )
    assert scores[0] == pytest.approx(1.0, abs=1e-3)
    assert scores[3] == pytest.approx(1.0, abs=1e-3)
    assert 1.0 > scores[1] > scores[2] > 0.0


async def test_passages_are_read_once_and_the_query_each_time() -> None:
    model = WordStates()
    reranker = MaxSimReranker(model)
    first = await reranker.rerank("a", ["b", "c", "b"])
    second = await reranker.rerank("a", ["c", "b"])
    assert model.computed == ["a", "b", "c", "a"]
    assert second == [first[1], first[0]]
    assert first[0] == first[2]


async def test_the_cache_never_holds_more_bytes_than_allowed() -> None:
    model = WordStates()
    reranker = MaxSimReranker(model, cache_bytes=2 * 64 * 2)  # two one-word passages in float16
    await reranker.rerank("q", ["a", "b"])
    await reranker.rerank("q", ["a", "c"])  # b, used longest ago, goes
    model.computed.clear()
    await reranker.rerank("q", ["a", "c", "b"])
    assert model.computed == ["q", "b"]
    model.computed.clear()
    await reranker.rerank("q", ["too many words"])
    await reranker.rerank("q", ["too many words"])
    assert model.computed == ["q", "too many words"] * 2


async def test_no_passage_asks_no_model() -> None:
    model = WordStates()
    assert await MaxSimReranker(model).rerank("q", []) == []
    assert model.computed == []
    assert MaxSimReranker(model).model_id == "maxsim:words"


@pytest.mark.model
async def test_with_the_real_model_the_passage_that_answers_comes_first() -> None:
    passages = [
        "The harvest festival is in October.",
        "Anna moved to Lisbon in 2019 to study architecture.",
        "Buildings in the old town are protected.",
    ]
    scores = await MaxSimReranker(BgeOnnxEmbedder()).rerank("Where does Anna live now?", passages)
    assert max(scores) == scores[1]
    assert all(0.0 <= score <= 1.0 for score in scores)
