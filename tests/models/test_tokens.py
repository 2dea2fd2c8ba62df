"""Every test here needs the rank files that `make test` pulls."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from secondhop.models.tokens import count_tokens, prepare_tokens, truncate_to_tokens

pytestmark = pytest.mark.model


def whole_count(text: str) -> int:
    prepare_tokens()
    return len(tiktoken.get_encoding("cl100k_base").encode(text, disallowed_special=()))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("<|endoftext|>", 7),
        ("日本語", 4),
        ("\ud83d", 1),
        (" " * 80, 1),
    ],
)
def test_known_texts_have_their_known_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens == whole_count(text)


def test_counting_in_pieces_gives_what_counting_at_once_gives() -> None:
    rng = random.Random(7)
    words = ["word", "it's", "42", "1234567", " ", "\n", "\n\n", "\t", "!?", "...", "naïve", "日本"]
    words += ["😀", "\r\n", "x_y", "https://a.b/c?d=e", "'S", "  spaced  ", "\u00a0", "\u3000", "Ⅷ"]
    text = "".join(rng.choice(words) + rng.choice(["", " ", "\n"]) for _ in range(60_000))
    assert len(text) > 200_000
    assert count_tokens(text) == whole_count(text)


def test_ten_megabytes_are_cut_to_a_few_tokens_without_reading_them_all() -> None:
    text = "one two three " * 750_000
    assert truncate_to_tokens(text, 5) == "one two three one two"
    assert count_tokens(truncate_to_tokens("a" * 10_000_000, 1000)) == 1000


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(max_size=60), st.integers(-1, 40))
def test_a_cut_text_is_a_beginning_that_fits(text: str, n: int) -> None:
    cut = truncate_to_tokens(text, n)
    assert text.startswith(cut)
    assert count_tokens(cut) <= max(n, 0)
    if count_tokens(text) <= n:
        assert cut == text


def in_new_process(code: str, **environment: str) -> str:
    plain = {key: value for key, value in os.environ.items() if key != "TIKTOKEN_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**plain, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


def test_offline_without_the_ranks_says_how_to_pull_them(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from secondhop.errors import ModelUnavailableError
from secondhop.models.tokens import prepare_tokens
try:
    prepare_tokens(cache_dir=Path({str(tmp_path)!r}), offline=True)
except ModelUnavailableError as error:
    print(error)
"""
    assert "secondhop models pull" in in_new_process(code)
