"""Counts tokens, the unit of every budget, with tiktoken's cl100k_base and without network."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from secondhop.errors import ModelUnavailableError
from secondhop.models.assets import TIKTOKEN_RANKS, ensure_assets

if TYPE_CHECKING:
    from tiktoken import Encoding

    from secondhop.prompts.templates import RenderedPrompt

TokenCounter: TypeAlias = Callable[[str], int]
"""Tokens of a text."""

_PIECE_CHARS = 20_000
_LONGEST_RUN_CHARS = 100_000
_SAFE_CUT = re.compile(r"(?<=[^\W_])(?=[ \n])")
"""Between a letter or digit and a space or newline: cl100k_base never joins across it."""

_encoding: "Encoding | None" = None
_loading = threading.Lock()


def prepare_tokens(*, cache_dir: Path | None = None, offline: bool = False) -> None:
    """Load the ranks now, from `cache_dir`, fetching them once if allowed; later calls do nothing.

    Counting works without this call, then with the default folder and fetching allowed.

    Raises:
        ModelUnavailableError: the ranks are missing and may not, or could not, be fetched.
    """
    _load(cache_dir=cache_dir, offline=offline)


def count_tokens(text: str) -> int:
    """cl100k_base tokens of `text`; words like <|endoftext|> count as the plain text they are.

    Exact, but for a run of over 100,000 characters without a space or newline after a letter or
    digit: it is cut there, which may count a token or two too many at each cut. 5 MB a second.

    Raises:
        ModelUnavailableError: the ranks are missing and could not be fetched.
    """
    encoding = _encoding or _load()
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


def prompt_tokens(prompt: "RenderedPrompt") -> int:
    """Tokens of both messages."""
    return count_tokens(prompt.system) + count_tokens(prompt.user)


def truncate_to_tokens(text: str, n: int) -> str:
    """The longest beginning of `text`, to a token's end, that counts at most `n` tokens.

    Reads no more of the text than it needs. "" for n < 1; never half a character.

    Raises:
        ModelUnavailableError: the ranks are missing and could not be fetched.
    """
    encoding = _encoding or _load()
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
        if len(encoding.encode_ordinary(text)) <= limit:  # cut text may tokenise otherwise
            return text
        tokens = tokens[:-1]
    return ""


def _pieces(text: str) -> Iterator[str]:
    """Parts of `text`, in order, that can be tokenised one by one (memory, and no deep regex)."""
    start = 0
    while len(text) - start > _PIECE_CHARS:
        limit = start + _LONGEST_RUN_CHARS
        cut = _SAFE_CUT.search(text, start + _PIECE_CHARS, min(limit, len(text)))
        end = cut.start() if cut else limit
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _load(*, cache_dir: Path | None = None, offline: bool = False) -> "Encoding":
    global _encoding  # noqa: PLW0603 - a constant of the world, kept because it takes 0.3 s to read
    with _loading:
        if _encoding is None:
            _encoding = _read_encoding(cache_dir, offline=offline)
        return _encoding


def _read_encoding(cache_dir: Path | None, *, offline: bool) -> "Encoding":
    import tiktoken

    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        folder = ensure_assets(TIKTOKEN_RANKS, cache_dir=cache_dir, offline=offline)
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)  # tiktoken knows no other way
    try:
        return tiktoken.get_encoding("cl100k_base")
    except (OSError, ValueError) as error:  # requests' errors are OSErrors
        raise ModelUnavailableError(
            f"tiktoken could not load cl100k_base from TIKTOKEN_CACHE_DIR="
            f"{os.environ['TIKTOKEN_CACHE_DIR']}: {error}; unset that variable to use secondhop's "
            f"own copy (`secondhop models pull`)"
        ) from error
