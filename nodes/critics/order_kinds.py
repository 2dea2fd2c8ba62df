"""Which kinds of words of an order (`order_words.py`) a sentence holds, language by language."""

import re
from functools import lru_cache
from typing import Final, TypeAlias

from secondhop.nodes.critics.disguises import fold
from secondhop.nodes.critics.order_words import ORDER_WORDS

Kind: TypeAlias = tuple[str, str]
"""(language, kind of word)."""

_WORD: Final = re.compile(r"[^\W\d_]{2,40}")
_UNSPACED: Final = re.compile(
    "[\u0900-\u09ff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af_]"
)


_INSIDE: Final = re.compile(
    "[\u0111\u01a1\u01b0\u1ea0-\u1ef9\u0900-\u09ff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Signs of writing in which words are looked for inside others, and of Vietnamese."""


def has_words_inside(text: str) -> bool:
    """Whether words of orders may stand in a text without spaces around them."""
    return not text.isascii() and _INSIDE.search(text) is not None


def kinds_in(reading: str, *, inside: bool) -> frozenset[Kind]:
    """The kinds of words in a folded text.

    Args:
        inside: words without spaces around them count; as `has_words_inside` says of the text
            before it was folded.
    """
    found = {kind for word in set(_WORD.findall(reading)) for kind in _kinds_of(word)}
    if inside:
        found.update(
            kind for part in _ANYWHERE_PATTERN.findall(reading) for kind in _ANYWHERE[part]
        )
    return frozenset(found)


def language_of_order(kinds: frozenset[Kind], *, least: int = 3) -> str:
    """The language in which so many kinds of words make an order; "" for none."""
    for language in {language for language, _ in kinds}:
        own = {kind for of, kind in kinds if of == language}
        aimed = "first" in own or own >= {"judge", "others"}
        if len(own) >= least and aimed and own & {"text", "judge"}:
            return language
    return ""


def _sorted_by_form() -> tuple[dict[str, set[Kind]], dict[str, set[Kind]], dict[str, set[Kind]]]:
    """Whole words, stems, and what is found anywhere, each with its kinds."""
    exact: dict[str, set[Kind]] = {}
    stems: dict[str, set[Kind]] = {}
    anywhere: dict[str, set[Kind]] = {}
    for language, kinds in ORDER_WORDS.items():
        for kind, listed in kinds.items():
            for word in listed.split():
                plain = fold(word).replace("_", " ")
                form = stems if plain.endswith("*") else exact
                form = anywhere if _UNSPACED.search(word) else form
                form.setdefault(plain.rstrip("*"), set()).add((language, kind))
    return exact, stems, anywhere


_EXACT, _STEMS, _ANYWHERE = _sorted_by_form()
_STEM_LENGTHS: Final = sorted({len(stem) for stem in _STEMS})
_ANYWHERE_PATTERN: Final = re.compile(
    "|".join(map(re.escape, sorted(_ANYWHERE, key=len, reverse=True)))
)


@lru_cache(maxsize=30_000)
def _kinds_of(word: str) -> frozenset[Kind]:
    found = set(_EXACT.get(word, ()))
    for length in _STEM_LENGTHS:
        found |= _STEMS.get(word[:length], set()) if length <= len(word) else set()
    return frozenset(found)
