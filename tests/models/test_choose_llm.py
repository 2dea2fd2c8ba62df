import pytest
from langchain_core.language_models import FakeListChatModel

from secondhop.errors import UsageError
from secondhop.models.choose_llm import chosen_llm, llm_spec, make_llm
from secondhop.models.langchain_llm import LangchainLLM
from secondhop.models.openai_llm import OpenAILLM


def test_a_word_names_a_model_that_runs_where_the_variable_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
    llm = make_llm("openai:tiny:1b")
    assert isinstance(llm, OpenAILLM)
    assert llm.model_id == "openai:tiny:1b@localhost:11434/v1"


@pytest.mark.parametrize("spec", ["", "openai", "openai:", "gpt-4.1-mini", "ollama:x"])
def test_an_unknown_word_is_refused_with_those_that_are_known(spec: str) -> None:
    with pytest.raises(UsageError, match="openai:MODEL"):
        make_llm(spec)


def test_what_is_given_is_taken_as_it_is_or_adapted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    named = chosen_llm("openai:m")
    assert named is not None
    assert named.model_id == "openai:m"
    assert chosen_llm(named) is named

    class Named(FakeListChatModel):
        model: str = "fake"

    adapted = chosen_llm(Named(responses=["{}"]))
    assert isinstance(adapted, LangchainLLM)
    assert adapted.model_id == "langchain:Named:fake"


@pytest.mark.parametrize(
    ("said", "model", "key", "meant"),
    [
        (None, None, False, None),
        (None, "m", False, None),
        (None, None, True, None),
        (None, "m", True, "openai:m"),
        ("", "m", True, "openai:m"),
        ("openai", "m", False, "openai:m"),
        ("openai:", "m", True, "openai:m"),
        ("openai:other", "m", True, "openai:other"),
        ("nonsense", "m", True, "nonsense"),
    ],
)
def test_a_key_and_a_model_together_are_a_wish_to_use_it(
    said: str | None, model: str | None, key: bool, meant: str | None
) -> None:
    assert llm_spec(said, openai_model=model, openai_key=key) == meant
