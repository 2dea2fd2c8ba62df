import pytest
from langchain_core.language_models import FakeListChatModel

from secondhop.errors import UsageError
from secondhop.models.choose_llm import chosen_llm, make_llm
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
