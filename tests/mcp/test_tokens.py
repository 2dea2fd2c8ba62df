"""What a token of the store opens over MCP."""

from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from secondhop.mcp import access
from secondhop.mcp.access import StoreTokens, bound_entity
from secondhop.server.tokens import Keyring, TokenFile


async def test_a_token_of_one_entity_opens_it_as_far_as_its_scope_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    text, _ = file.create(["mara"], "read")
    verified = await StoreTokens(Keyring(file)).verify_token(text)
    assert verified is not None
    monkeypatch.setattr(access, "get_access_token", lambda: verified)

    assert bound_entity(None, needs="read", without_token="noor") == "mara"
    with pytest.raises(ToolError, match="'mara' only"):
        bound_entity("noor", needs="read", without_token=None)
    with pytest.raises(ToolError, match="scope read; this needs write"):
        bound_entity(None, needs="write", without_token=None)


async def test_unknown_tokens_and_those_of_several_entities_open_nothing(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    tokens = StoreTokens(Keyring(file))
    texts = [file.create(entities, "admin")[0] for entities in (["mara", "noor"], ["*"])]

    assert [await tokens.verify_token(one) for one in (*texts, "x" * 40)] == [None] * 3
