import numpy as np
import pytest

from secondhop.models.hashing import HashingEmbedder


async def cosine(one: str, other: str) -> float:
    first, second = await HashingEmbedder().embed_passages([one, other])
    return float(first @ second)


async def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    related = await cosine("I interviewed at Carefeed", "preparing for the Carefeed interviews")
    unrelated = await cosine("I interviewed at Carefeed", "the tomatoes want more water")
    assert related > 0.4 > 0.2 > unrelated


async def test_an_embedding_has_the_figures_it_has_always_had() -> None:
    row = (await HashingEmbedder(8).embed_passages(["The cat sat"]))[0]
    expected = [-0.0488, 0.0823, -0.661, -0.0823, 0.0823, -0.0082, 0.0, -0.7351]
    assert row.tolist() == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("text", ["", " \n", "...", "日本語", "\ud800", "x" * 1_000_000, "a\x00b"])
async def test_any_text_gets_a_finite_unit_vector(text: str) -> None:
    rows = await HashingEmbedder().embed_passages([text])
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)


async def test_scripts_without_spaces_are_told_apart() -> None:
    assert await cosine("東京で面接があった", "東京で面接をした") > 0.3
    assert await cosine("東京で面接があった", "猫が好きです") < 0.1
