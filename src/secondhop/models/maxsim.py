"""Re-ranking by late interaction: every query token looks for its best match in the passage."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol

import numpy as np
import numpy.typing as npt

_CACHE_BYTES = 128 * 1024 * 1024


class TokenStatesModel(Protocol):
    """A model that shows its token states, such as `BgeOnnxEmbedder`."""

    @property
    def model_id(self) -> str:
        """Names the model and its revision."""
        ...

    async def token_states(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """float32 [tokens, dim] a text, rows of unit length, first and last row special tokens."""
        ...


class MaxSimReranker:
    """MaxSim over the token states of an embedding model.

    score = (1 + mean over query tokens of the largest cosine with any passage token) / 2, so 0..1.
    ColBERT sums where this takes the mean; for one query the order is the same. Passage states are
    kept (float16) up to `cache_bytes`, least recently used first out.

    Source: Khattab & Zaharia, ColBERT, SIGIR 2020, arXiv:2004.12832.
    """

    def __init__(self, model: TokenStatesModel, *, cache_bytes: int = _CACHE_BYTES) -> None:
        self._model = model
        self._cache = _StatesCache(cache_bytes)

    @property
    def model_id(self) -> str:
        """ "maxsim:<model id>"."""
        return f"maxsim:{self._model.model_id}"

    async def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, in order, 0..1. The caller bounds how many: 60 ms a new one."""
        if not passages:
            return []
        keys = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in passages]
        known = {key: states for key in keys if (states := self._cache.get(key)) is not None}
        missing = {key: text for key, text in zip(keys, passages, strict=True) if key not in known}
        query_states, *fresh = await self._model.token_states([query, *missing.values()])
        for key, fresh_states in zip(missing, fresh, strict=True):
            known[key] = fresh_states.astype(np.float16)
            self._cache.put(key, known[key])
        return [_max_sim(query_states, known[key]) for key in keys]


def _max_sim(
    query_states: npt.NDArray[np.float32], passage_states: npt.NDArray[np.float16]
) -> float:
    """Mean of the best cosines, mapped from -1..1 to 0..1."""
    cosines = query_states @ passage_states.astype(np.float32).T
    mean = float(cosines.max(axis=1).mean())
    return min(1.0, max(0.0, (1.0 + mean) / 2.0))


class _StatesCache:
    """Least recently used token states, bounded in bytes."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit, self._used = limit_bytes, 0
        self._kept: OrderedDict[bytes, npt.NDArray[np.float16]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> npt.NDArray[np.float16] | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: bytes, states: npt.NDArray[np.float16]) -> None:
        with self._lock:
            if key in self._kept or states.nbytes > self._limit:
                return
            self._kept[key] = states
            self._used += states.nbytes
            while self._used > self._limit:
                _, dropped = self._kept.popitem(last=False)
                self._used -= dropped.nbytes
