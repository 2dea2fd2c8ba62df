import pytest

from secondhop.errors import ModelError, UsageError
from secondhop.models.choose_llm import make_llm
from secondhop.models.llm import ChatMessage
from secondhop.models.openai_client import OpenAIConnection, api_key_of, base_url_of
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.critics.vote_schema import CritiqueReply


@pytest.mark.parametrize(
    "url", ["http://host:port/v1", "localhost:11434/v1", "ftp://host/v1", "http:///v1"]
)
def test_an_address_that_cannot_be_is_refused_when_the_model_is_built(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="address of the model's server"):
        OpenAIConnection(base_url=url)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(UsageError, match="address of the model's server"):
        make_llm("openai:m")


def test_the_refusal_of_an_address_tells_nothing_of_its_password() -> None:
    with pytest.raises(UsageError, match="not valid; write it like") as failure:
        OpenAIConnection(base_url="http://me:SEC/RET@host/v1")
    assert "SEC" not in str(failure.value)


def test_an_empty_variable_names_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert base_url_of(None) is None


def test_a_key_from_a_file_loses_its_line_break(monkeypatch: pytest.MonkeyPatch) -> None:
    assert api_key_of("sk-SECRET\n") == "sk-SECRET"
    monkeypatch.setenv("OPENAI_API_KEY", " sk-OTHER\r\n")
    assert api_key_of(None) == api_key_of(" ") == "sk-OTHER"


async def test_a_key_that_no_header_holds_is_named_as_the_fault_and_not_told() -> None:
    connection = OpenAIConnection(base_url="http://127.0.0.1:9/v1", api_key="schlüSSEL-SEC")
    llm = OpenAILLM(OpenAILLMConfig(model="m", connection=connection))
    with pytest.raises(ModelError, match="the API key holds a character") as failure:
        await llm.complete(
            [ChatMessage(role="user", content="judge")],
            schema=CritiqueReply,
            max_tokens=50,
            deadline_s=5.0,
            max_calls=1,
        )
    await llm.aclose()
    assert "SEC" not in str(failure.value)
