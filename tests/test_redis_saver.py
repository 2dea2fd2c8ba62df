"""Checkpoints on a plain Redis server: LangGraph's conformance tests, and when they expire."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from tests.local_server import free_port
from tests.redis_server import redis_url as redis_url

from secondhop.errors import StoreUnavailableError, UsageError
from secondhop.redis_saver import PlainRedisSaver


@pytest.mark.slow
async def test_it_passes_the_conformance_tests_of_langgraph(redis_url: str) -> None:
    @checkpointer_test(name="PlainRedisSaver")
    async def made() -> AsyncIterator[PlainRedisSaver]:
        saver = PlainRedisSaver(redis_url, prefix=uuid4().hex)
        yield saver
        saver.close()

    report = await validate(made)

    assert report.passed_all_base(), {name: one.failures for name, one in report.results.items()}


@pytest.mark.slow
async def test_a_thread_is_gone_so_long_after_its_last_step(redis_url: str) -> None:
    saver = PlainRedisSaver(redis_url, ttl_s=0.2, prefix=uuid4().hex)
    config: Any = {"configurable": {"thread_id": "chat", "checkpoint_ns": ""}}

    await saver.aput(config, empty_checkpoint(), {}, {})
    assert await saver.aget_tuple(config) is not None
    await asyncio.sleep(0.3)
    assert await saver.aget_tuple(config) is None
    saver.close()


async def test_an_address_that_is_none_and_a_server_that_is_gone_are_errors_of_ours() -> None:
    for wrong in ("127.0.0.1:6379", "redis://127.0.0.1?no_such_option=1"):
        with pytest.raises(UsageError, match="redis://HOST"):
            PlainRedisSaver(wrong)

    saver = PlainRedisSaver(f"redis://127.0.0.1:{free_port()}/0")
    config: Any = {"configurable": {"thread_id": "chat", "checkpoint_ns": ""}}
    for asked in (
        saver.aput(config, empty_checkpoint(), {}, {}),
        saver.aget_tuple(config),
        anext(saver.alist(None)),
        saver.adelete_thread("chat"),
    ):
        with pytest.raises(StoreUnavailableError, match="Redis server"):
            await asked
