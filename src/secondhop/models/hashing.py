"""An embedder without a model, for tests and offline machines: hashed words and trigrams."""

import asyncio
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from secondhop.errors import UsageError
from secondhop.models.embedder import Vectors

MAX_CHARS = 20_000
"""How many characters of a text are read; a passage has about 2,000."""
_TRIGRAM_WEIGHT = 0.25
_STOPWORD_WEIGHT = 0.1
_THREAD_FROM_CHARS = 100_000
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_SUFFIX = re.compile(r"(?<=\w{3})(ations?|ingly|ings?|edly|ed|ies|es|s|ly|ment|ness|y|e)$")
_STOPWORDS = frozenset(
    _WORD.findall(
        "a an and are as at be but by did do does for from had has have he her his how i if in is "
        "it its me my of on or our she so that the their them they this to was we were what when "
        "where which who will with you your"
    )
)


class HashingEmbedder:
    """Bag of roughly stemmed words and letter trigrams, by signed hashing.

    Texts that share words or parts of words are near; synonyms are not. Vectors are the same on
    every machine. An empty text gets a fixed unit vector.

    Source: Weinberger et al., Feature Hashing for Large Scale Multitask Learning, ICML 2009.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 1:
            raise UsageError(f"a hashing embedder needs dimension >= 1, not {dimension}")
        self.model_id, self.dimension = f"hashing-v1-{dimension}", dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dimension], rows of unit length."""
        if sum(map(len, texts)) > _THREAD_FROM_CHARS:
            return await asyncio.to_thread(self._embed, texts)
        return self._embed(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as `embed_passages`."""
        return await self.embed_passages(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float64)
        for row, text in zip(rows, texts, strict=True):
            for word, count in Counter(_words(text)).items():
                slots, weights = _features(word, self.dimension)
                np.add.at(row, slots, (1.0 + np.log(count)) * weights)
            if not np.any(row):  # no word at all, or signs that cancel out
                row[0] = 1.0
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows.astype(np.float32)


def _words(text: str) -> list[str]:
    """Words in lower case; overlapping pairs of letters in scripts without spaces."""
    plain = unicodedata.normalize("NFKC", text[:MAX_CHARS]).casefold()
    words: list[str] = []
    for word in _WORD.findall(plain):
        if _UNSPACED.search(word):
            words += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            words.append(word)
    return words


@lru_cache(maxsize=20_000)
def _features(word: str, dimension: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Slots int64 [n] and signed weights float64 [n] of a word's stem and trigrams."""
    framed = f"#{word}#"
    trigrams = [framed[at : at + 3] for at in range(len(framed) - 2)]
    hashed = [_slot(f"w:{_SUFFIX.sub('', word)}", dimension)]
    hashed += [_slot(f"t:{trigram}", dimension) for trigram in trigrams]
    weights = np.full(len(hashed), _TRIGRAM_WEIGHT / np.sqrt(len(trigrams)))
    weights[0] = 1.0
    if word in _STOPWORDS:
        weights *= _STOPWORD_WEIGHT
    signs = np.array([sign for _, sign in hashed], dtype=np.float64)
    return np.array([slot for slot, _ in hashed], dtype=np.int64), signs * weights


def _slot(feature: str, dimension: int) -> tuple[int, int]:
    """(position, sign) of a feature."""
    digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return (number >> 1) % dimension, 1 if number & 1 else -1
