"""The default embedding model: bge-small-en-v1.5, int8, on onnxruntime. English, 384 dimensions."""

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.errors import ModelUnavailableError
from secondhop.models.assets import BGE_SMALL, ensure_assets, is_intact
from secondhop.models.embedder import Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped] # it ships no types
    from tokenizers import Tokenizer

DIMENSION = 384
MAX_TOKENS = 512
QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
_MAX_CHARS = 50_000
"""Text beyond this is not tokenised; 512 tokens are about 2,500 characters."""

_LoadedModel: TypeAlias = "tuple[InferenceSession, Tokenizer]"


class BgeOnnxEmbedder:
    """bge-small-en-v1.5 (int8 ONNX): CLS pooling, unit length, at most 512 tokens per text.

    Every text runs through the model alone; several texts run in parallel, each on one thread.
    The int8 model scales activations by the largest one in the *batch*. In a batch, a text's
    vector would depend on its neighbours (measured: cosine distance 0.004 on average, 0.009 at
    most). Alone, a text has the same vector every time on one machine, and needs no padding.

    The model is loaded at the first call. It is safe to share between threads and event loops. A
    call uses at most `threads` cores and may yield them after each text, so a query waits for one
    passage, not for a whole ingest.

    Source: Xiao et al., C-Pack, 2023, arXiv:2309.07597 (model, prefix and pooling).
    """

    model_id = f"bge-small-en-v1.5-int8@{BGE_SMALL.files[0].sha256[:8]}"
    """Model, precision, and the beginning of the model file's sha256."""
    dimension = DIMENSION

    def __init__(
        self,
        *,
        cache_dir: Path | None = None,
        offline: bool = False,
        threads: int | None = None,
    ) -> None:
        """`threads`: how many texts run in parallel; default one per core, at most 4."""
        self._threads = threads or min(_usable_cores(), 4)
        self._cache_dir, self._offline = cache_dir, offline
        self._loading, self._starting = threading.Lock(), threading.Lock()
        self._model: _LoadedModel | None = None
        self._workers: ThreadPoolExecutor | None = None
        self._workers_pid = 0

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), 384]; tokens of a text after the 512th are ignored. Raises
        ModelUnavailableError if the model files are missing and may not, or cannot, be fetched."""
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        return np.stack(await self._vectors(texts))

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Like `embed_passages`, with the prefix that the model was trained with for queries."""
        return await self.embed_passages([QUERY_PREFIX + text for text in texts])

    async def _vectors(self, texts: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """One vector per text, in order. Longest texts run first, so that no core idles at the end.

        At most `threads` texts are handed out at a time; a cancelled call stops after these.
        """
        loop, workers = asyncio.get_running_loop(), self._running_workers()
        waiting = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        computed: dict[int, npt.NDArray[np.float32]] = {}

        async def work() -> None:
            while waiting:
                at = waiting.pop()
                computed[at] = await loop.run_in_executor(workers, self._vector, texts[at])

        tasks = [loop.create_task(work()) for _ in range(min(self._threads, len(texts)))]
        try:
            await asyncio.gather(*tasks)
        finally:  # if one failed or the caller gave up, hand out no more
            waiting.clear()
            for task in tasks:
                task.cancel()
        return [computed[at] for at in range(len(texts))]

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        session, tokenizer = self._model or self._load()
        # the tokenizer refuses a lone surrogate (half of a cut emoji)
        plain = text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        ids = np.array([tokenizer.encode(plain).ids], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        states: npt.NDArray[np.float32] = np.asarray(session.run(None, feed)[0])[0]
        unit: npt.NDArray[np.float32] = states[0] / np.linalg.norm(states[0])  # that of [CLS]
        return unit

    def _load(self) -> _LoadedModel:
        with self._loading:
            if self._model is None:
                folder = ensure_assets(BGE_SMALL, cache_dir=self._cache_dir, offline=self._offline)
                self._model = _load_model(folder)
            return self._model

    def _running_workers(self) -> ThreadPoolExecutor:
        with self._starting:  # not `_loading`: the event loop must not wait for a model to load
            if self._workers is None or self._workers_pid != os.getpid():
                # a forked child inherits the pool but not its threads
                self._workers = ThreadPoolExecutor(self._threads, thread_name_prefix="bge")
                self._workers_pid = os.getpid()
            return self._workers


def _load_model(folder: Path) -> _LoadedModel:
    for file in BGE_SMALL.files:
        if not is_intact(file, folder=folder):  # a damaged model would silently give wrong vectors
            raise ModelUnavailableError(
                f"{folder / file.name} is damaged (its sha256 is not the pinned one); "
                f"`secondhop models pull` fetches it again"
            )
    import onnxruntime
    from tokenizers import Tokenizer

    runtime: Any = onnxruntime  # its classes come from C++, without types
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # texts run side by side instead
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session: InferenceSession = runtime.InferenceSession(
        str(folder / "model_quantized.onnx"), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    return session, tokenizer


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
