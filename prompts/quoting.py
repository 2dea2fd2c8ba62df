"""Quotes stored text in prompts: cleaned, between tags that the text cannot foresee.

Stored text is data. A model reads it between tags that are drawn for the call, without control
characters and invisible characters. Nothing else is removed: a note about instructions, votes or
prompts is shown as it was written.
"""

import hmac
import re
import secrets
from base64 import b32encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

TAG_CHARS: Final = 5
"""Base-32 characters of a tag: one guess in 27 million is right."""

_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LINE_END: Final = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MODEL_TOKEN: Final = re.compile(r"<(\|[^|>\n]{1,40}\|)>")


class Tags:
    """Draws tags that no stored text can foresee.

    A tag is a keyed hash of all the text that it will enclose. With a fixed secret, the same prompt
    gets the same tag, so that its answer can be cached.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        """`secret`: by default a new one for each draw. Evaluations that cache answers fix it."""
        self._secret = secret

    def draw(self, texts: Sequence[str]) -> str:
        """A short tag that occurs in none of the texts; it ends in a letter.

        An id is a tag and a number, so the letter shows where the number begins.
        """
        secret = self._secret or secrets.token_bytes(32)
        seed = b"\x00".join(text.encode("utf-8", "replace") for text in texts)
        together = "\n".join(texts).casefold()
        turn = 0
        while True:
            digest = hmac.new(secret, turn.to_bytes(4) + seed, sha256).digest()
            tag = b32encode(digest).decode().casefold()[:TAG_CHARS]
            if tag not in together and tag[-1].isalpha():
                return tag
            turn += 1


def clean(text: str) -> str:
    """A text without control characters and invisible characters."""
    if text.isascii() and text.replace("\n", " ").isprintable():
        return text  # as nearly every text is
    whole = text.encode("utf-8", "replace").decode("utf-8")
    lines = _LINE_END.sub("\n", whole)
    return _CONTROL.sub("", _INVISIBLE.sub("", _ESCAPE.sub("", lines)))


def quoted(text: str) -> str:
    """A stored text as a model reads it: clean, and without the control tokens of model servers.

    >>> quoted("The log says <|im_start|> twice; x |> f")
    'The log says ‹|im_start|› twice; x |> f'
    """
    return _MODEL_TOKEN.sub(r"‹\1›", clean(text))


def title_line(text: str, *, chars: int = 90) -> str:
    """A stored title, label or word as one short quoted line; angle brackets could forge a tag."""
    line = " ".join(quoted(text[: 4 * chars]).split())[:chars]
    return line.replace("<", "‹").replace(">", "›")


def plain_id(word: str) -> str:
    """An id in a model's answer, without what models put around it.

    >>> plain_id("<memory abcde7>")
    'abcde7'
    """
    return (
        word.strip("<>[]()\"'`*.:;| ")
        .casefold()
        .removeprefix("memory ")
        .removeprefix("message ")
        .strip()
    )
