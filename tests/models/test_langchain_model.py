"""What the adapter makes of chat models of many makers."""

from typing import Any

import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import SecretStr
from tests.models.test_langchain_llm import ScriptedChat

from secondhop.models.langchain_model import without_own_retries, without_secrets


class SdkChat(ScriptedChat):
    """Keeps clients as langchain-openai does: whole, and by resource."""

    max_retries: int | None = None
    root: Any
    client: Any
    other: Any = None
    key: SecretStr = SecretStr("sk-SECRET-012345")


def test_clients_that_are_there_already_are_replaced_by_ones_that_send_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    root = AsyncOpenAI(api_key="k", base_url="http://127.0.0.1:9/v1")
    other = OpenAI(api_key="k", base_url="http://127.0.0.1:9/v1")
    given = SdkChat(turns=[], root=root, client=root.chat.completions, other=other)

    quiet = without_own_retries(given, name="m")

    assert isinstance(quiet, SdkChat)
    assert (quiet.max_retries, quiet.root.max_retries, quiet.other.max_retries) == (0, 0, 0)
    assert type(quiet.client) is type(root.chat.completions)
    assert vars(quiet.client)["_client"].max_retries == 0
    assert (given.max_retries, root.max_retries) == (None, 2)  # the host's own is left alone
    assert caplog.text == ""


def test_keys_are_taken_out_of_texts() -> None:
    model = SdkChat(turns=[], root=None, client=None)
    told = "key sk-SECRET-012345, https://me:pass@host/v1?key=abc&x=1, api_key=def in ?api_key=def"
    shown = without_secrets(told, model)
    assert shown.startswith("key …, https://…@host/v1?key=…&x=1")
    assert "?api_key=…" in shown
