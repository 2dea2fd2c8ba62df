"""Whose a bearer token is."""

from pathlib import Path

import pytest

from secondhop.errors import UsageError
from secondhop.mcp.tokens import Tokens, read_tokens

MARAS, NOORS = "m" * 32, "n" * 32


def test_a_token_is_of_one_entity_and_another_one_of_nobody() -> None:
    tokens = Tokens({MARAS: "mara", NOORS: "noor"})

    assert [tokens.entity_of(token) for token in (MARAS, NOORS, MARAS[:-1], "")] == [
        "mara",
        "noor",
        None,
        None,
    ]


@pytest.mark.parametrize("text", [f"{MARAS}: mara\n", f'{{"{MARAS}": "mara"}}'])
async def test_tokens_are_read_from_yaml_and_from_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens.yaml"
    path.write_text(text, encoding="utf-8")

    verified = await read_tokens(path).verify_token(MARAS)

    assert verified is not None
    assert (verified.subject, verified.client_id) == ("mara", "mara")
    assert await read_tokens(path).verify_token(NOORS) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no tokens"),
        ("[a, b]", "holds no tokens"),
        ("a: [", "neither YAML nor JSON"),
        ("secret: mara", "at least 16 characters"),
        ("1234567890123456789: mara", "quote one that is all digits"),
        (f"{MARAS}: ''", "is no name"),
    ],
)
def test_a_file_of_something_else_is_refused_and_no_token_is_shown(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "tokens.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=said) as refused:
        read_tokens(path)

    assert "secret" not in str(refused.value)
    assert MARAS not in str(refused.value)
