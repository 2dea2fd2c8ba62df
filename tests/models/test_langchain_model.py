"""What the adapter makes of chat models of many makers."""

from typing import Any

import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import SecretStr
from tests.models.test_langchain_llm import ScriptedChat

from secondhop.models.langchain_llm import without_own_retries


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
