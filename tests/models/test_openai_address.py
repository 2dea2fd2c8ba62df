import pytest

from secondhop.errors import ModelError, UsageError
from secondhop.models.choose_llm import make_llm
from secondhop.models.openai_client import OpenAIConnection, api_key_of, base_url_of


@pytest.mark.parametrize(
    "url",
    [
        "http://[bad",
        "http://127.0.0.1:99999/v1",
        "http://host:port/v1",
        "localhost:11434/v1",
        "ftp://host/v1",
        "http:///v1",
        "http://a host/v1",
        "http://host/v1\nX-Header: 1",
        "http://a..b/v1",
    ],
)
def test_an_address_that_cannot_be_is_refused_when_the_model_is_built(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="no address of a server"):
        OpenAIConnection(base_url=url)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(UsageError, match="no address of a server"):
        make_llm("openai:m")


def test_an_empty_variable_names_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert base_url_of(None) is None


def test_a_key_from_a_file_loses_its_line_break(monkeypatch: pytest.MonkeyPatch) -> None:
    assert OpenAIConnection(api_key="sk-SECRET\n").api_key == "sk-SECRET"
    monkeypatch.setenv("OPENAI_API_KEY", " sk-OTHER\r\n")
    assert api_key_of(None) == "sk-OTHER"
    assert api_key_of(" ") == "sk-OTHER"


@pytest.mark.parametrize("key", ["sk-SEC\nRET", "schlüSSEL-SEC", "sk-SEC\x00", "sk-SEC\u2026"])
def test_a_key_that_no_header_holds_is_refused_and_not_told(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="cannot be sent") as failure:
        OpenAIConnection(api_key=key)
    assert "SEC" not in str(failure.value)
    if "\x00" not in key:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        with pytest.raises(ModelError, match="cannot be sent") as at_use:
            api_key_of(None)
        assert "SEC" not in str(at_use.value)
