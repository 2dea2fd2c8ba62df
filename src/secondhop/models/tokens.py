"""Counts tokens, the unit of every budget, with tiktoken's cl100k_base and without network."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from secondhop.errors import ModelUnavailableError
from secondhop.models.assets import TIKTOKEN_RANKS, ensure_assets
from secondhop.text_cache import TextCache

if TYPE_CHECKING:
    from tiktoken import Encoding

    from secondhop.prompts.templates import RenderedPrompt

TokenCounter: TypeAlias = Callable[[str], int]
"""Tokens of a text."""

_PIECE_CHARS = 20_000
_LONGEST_RUN_CHARS = 100_000
_SAFE_CUT = re.compile(r"(?<=[^\W_])(?=[ \n])")
"""Between a letter or digit and a space or newline; no token of cl100k_base spans this place."""

_COUNTS_KEPT = 16_384
"""Texts whose counts are remembered, in some 3 MB: recalls count the same memories again and again,
and each prompt twice."""

_encoding: "Encoding | None" = None
_loading = threading.Lock()


def prepare_tokens(*, cache_dir: Path | None = None, offline: bool = False) -> "Encoding":
    """Load the ranks now from `cache_dir`, and fetch them once if allowed; later calls do
    nothing. Without this call, counting uses the default folder and may fetch. Raises
    ModelUnavailableError if the ranks are missing, and may not or could not be fetched."""
    global _encoding  # noqa: PLW0603 - it never changes, and takes 0.3 s to read
    with _loading:
        if _encoding is None:
            _encoding = _read_encoding(cache_dir, offline=offline)
        return _encoding


def count_tokens(text: str) -> int:
    """cl100k_base tokens of `text`; special tokens like <|endoftext|> count as plain text.

    Counts 5 MB per second, and remembers the latest counts. The result is exact, except for runs of
    over 100,000 characters without a safe place to cut (a letter or digit before a space or
    newline). They are cut anywhere, and each cut may add a token or two. Raises
    ModelUnavailableError as `prepare_tokens`.
    """
    return _counted(text)


def _counts(text: str) -> int:
    encoding = _encoding or prepare_tokens()
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


_counted = TextCache(_counts, size=_COUNTS_KEPT)


def prompt_tokens(prompt: "RenderedPrompt") -> int:
    """Tokens of the system and user message together."""
    return count_tokens(prompt.system) + count_tokens(prompt.user)


def truncate_to_tokens(text: str, n: int) -> str:
    """The longest beginning of `text` that ends with a token and has at most `n` tokens; "" for
    n < 1. Never ends in half a character. Reads no more of the text than it needs. Raises
    ModelUnavailableError as `prepare_tokens`."""
    encoding = _encoding or prepare_tokens()
    kept: list[str] = []
    left = n
    for piece in _pieces(text):
        tokens = encoding.encode_ordinary(piece)
        if len(tokens) > left:
            kept.append(_beginning(encoding, tokens[: max(left, 0)]))
            break
        kept.append(piece)
        left -= len(tokens)
    return "".join(kept)


def _beginning(encoding: "Encoding", tokens: list[int]) -> str:
    """The text of `tokens` without the half character they may end in."""
    limit = len(tokens)
    while tokens:
        text = encoding.decode_bytes(tokens).decode("utf-8", "ignore")
        if len(encoding.encode_ordinary(text)) <= limit:  # cut text may tokenise differently
            return text
        tokens = tokens[:-1]
    return ""


def _pieces(text: str) -> Iterator[str]:
    """Parts of `text`, in order, to tokenise one by one; saves memory and avoids deep regexes."""
    start = 0
    while len(text) - start > _PIECE_CHARS:
        limit = start + _LONGEST_RUN_CHARS
        cut = _SAFE_CUT.search(text, start + _PIECE_CHARS, min(limit, len(text)))
        end = cut.start() if cut else limit
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _read_encoding(cache_dir: Path | None, *, offline: bool) -> "Encoding":
    import tiktoken

    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        folder = ensure_assets(TIKTOKEN_RANKS, cache_dir=cache_dir, offline=offline)
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)  # tiktoken takes no argument for it
    try:
        return tiktoken.get_encoding("cl100k_base")
    except (OSError, ValueError) as error:  # requests' errors are OSErrors
        raise ModelUnavailableError(
            f"tiktoken could not load cl100k_base from TIKTOKEN_CACHE_DIR="
            f"{os.environ['TIKTOKEN_CACHE_DIR']}: {error}; unset that variable to use secondhop's "
            f"own copy (`secondhop models pull`)"
        ) from error
