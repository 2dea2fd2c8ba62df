import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from tests.models.counting_embedder import CountingEmbedder

from secondhop.errors import ModelError
from secondhop.models.coalescing import CoalescingEmbedder
from secondhop.models.embedder import Vectors


@pytest.fixture
def counting() -> CountingEmbedder:
    return CountingEmbedder()


class GatedEmbedder(CountingEmbedder):
    """Answers queries only when the gate opens; notices when a call is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.started = asyncio.Event(), asyncio.Event()
        self.cancelled = 0

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.started.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await super().embed_queries(texts)


async def test_concurrent_queries_share_one_call_and_each_caller_gets_its_own_rows(
    counting: CountingEmbedder,
) -> None:
    embedder = CoalescingEmbedder(counting)
    first, second = await asyncio.gather(
        embedder.embed_queries(["a", "b"]), embedder.embed_queries(["b", "c"])
    )
    assert counting.query_calls == [["a", "b", "c"]]
    alone = CountingEmbedder()
    assert np.array_equal(first, await alone.embed_queries(["a", "b"]))
    assert np.array_equal(second, await alone.embed_queries(["b", "c"]))


async def test_a_query_seen_before_is_not_embedded_again(counting: CountingEmbedder) -> None:
    embedder = CoalescingEmbedder(counting, kept_queries=2)
    await embedder.embed_queries(["a", "b"])
    await embedder.embed_queries(["b", "c"])
    assert counting.query_calls == [["a", "b"], ["c"]]
    await embedder.embed_queries(["a"])  # pushed out by c
    assert counting.query_calls[2:] == [["a"]]


async def test_a_full_batch_does_not_wait_for_the_window(counting: CountingEmbedder) -> None:
    embedder = CoalescingEmbedder(counting, window_s=60.0, max_batch=2)
    async with asyncio.timeout(5):
        await asyncio.gather(embedder.embed_queries(["a"]), embedder.embed_queries(["b"]))


async def test_one_callers_cancellation_leaves_the_others_their_answer() -> None:
    inner = GatedEmbedder()
    embedder = CoalescingEmbedder(inner)
    leaves = asyncio.create_task(embedder.embed_queries(["a"]))
    stays = asyncio.create_task(embedder.embed_queries(["b"]))
    await inner.started.wait()
    leaves.cancel()
    await asyncio.sleep(0)
    inner.gate.set()
    assert (await stays).shape == (1, 16)
    assert leaves.cancelled()
    assert inner.cancelled == 0


async def test_a_call_that_nobody_waits_for_is_cancelled() -> None:
    inner = GatedEmbedder()
    embedder = CoalescingEmbedder(inner)
    callers = [asyncio.create_task(embedder.embed_queries([text])) for text in "ab"]
    await inner.started.wait()
    for caller in callers:
        caller.cancel()
    await asyncio.wait(callers)
    await asyncio.sleep(0.01)
    assert inner.cancelled == 1


async def test_an_error_reaches_every_caller_of_the_batch_and_the_next_batch_works(
    counting: CountingEmbedder,
) -> None:
    embedder = CoalescingEmbedder(counting)
    counting.failure = ModelError("down")
    outcomes = await asyncio.gather(
        *(embedder.embed_queries([text]) for text in "abc"), return_exceptions=True
    )
    assert [str(outcome) for outcome in outcomes] == ["down"] * 3
    counting.failure = None
    assert (await embedder.embed_queries(["a"])).shape == (1, 16)


def test_one_object_serves_event_loops_that_come_and_go(counting: CountingEmbedder) -> None:
    embedder = CoalescingEmbedder(counting, kept_queries=0)
    for text in ("a", "b"):
        assert asyncio.run(embedder.embed_queries([text])).shape == (1, 16)

    async def abandon() -> None:
        asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)  # type: ignore[union-attr] # inside a task
        await embedder.embed_queries(["c"])

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(abandon())
    assert asyncio.run(embedder.embed_queries(["d"])).shape == (1, 16)
