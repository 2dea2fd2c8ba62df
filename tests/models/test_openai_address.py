import pytest

from secondhop.errors import UsageError
from secondhop.models.choose_llm import make_llm
from secondhop.models.openai_client import OpenAIConnection, api_key_of, base_url_of


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


def test_an_empty_variable_names_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert base_url_of(None) is None


def test_a_key_from_a_file_loses_its_line_break(monkeypatch: pytest.MonkeyPatch) -> None:
    assert api_key_of("sk-SECRET\n") == "sk-SECRET"
    monkeypatch.setenv("OPENAI_API_KEY", " sk-OTHER\r\n")
    assert api_key_of(None) == api_key_of(" ") == "sk-OTHER"
