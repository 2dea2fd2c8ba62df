import pytest

from secondhop.errors import UsageError
from secondhop.models.choose_embedder import make_embedder


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
