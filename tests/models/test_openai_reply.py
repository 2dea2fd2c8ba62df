import json
from typing import Any

import pytest

from secondhop.models.chat_transport import BrokenReplyError
from secondhop.models.openai_reply import read_chat_reply


def body(message: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message}], **more}).encode()


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "plain"}, "plain"),
        ({"content": None}, ""),
        ({}, ""),
        (
            {"content": [{"type": "text", "text": "in "}, {"type": "x"}, {"text": "parts"}]},
            "in parts",
        ),
    ],
)
def test_the_text_is_found_in_every_dialect(message: dict[str, Any], text: str) -> None:
    assert read_chat_reply(body(message)).text == text


@pytest.mark.parametrize(
    "raw",
    [b"", b"null", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"choices": []}', b'{"choices": [1]}'],
)
def test_what_is_no_completion_is_broken(raw: bytes) -> None:
    with pytest.raises(BrokenReplyError):
        read_chat_reply(raw)
