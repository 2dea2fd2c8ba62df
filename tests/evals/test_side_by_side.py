"""Concurrent work: in order, bounded, and ended by its first error."""

import asyncio

import pytest

from secondhop.evals.side_by_side import side_by_side


@pytest.mark.parametrize("at_once", [1, 3, 50])
async def test_results_keep_their_order_and_no_more_run_than_may(at_once: int) -> None:
    running, most, heard = 0, 0, list[int]()

    async def work(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (10 - number))
        running -= 1
        return number

    found = await side_by_side(range(10), work, at_once=at_once, progress=heard.append)

    assert found == list(range(10))
    assert most == min(at_once, 10)
    assert heard == list(range(1, 11))
