"""What one answer may cost, request by request."""

import asyncio

import pytest

from secondhop.errors import ModelError
from secondhop.models.account import Account
from secondhop.models.llm import Usage
from secondhop.models.prompt_size import PromptSize

PROMPT = PromptSize(["the boiler was repaired last winter " * 30])


async def account(*, tokens: int | None = None, requests: int = 3) -> Account:
    return Account(
        deadline=asyncio.get_running_loop().time() + 9.0, requests=requests, tokens=tokens
    )


async def test_where_there_is_plenty_nobody_counts_the_prompt() -> None:
    prompt = PromptSize(["some words"])
    assert (await account(tokens=10_000)).open_request(prompt=prompt, wanted=500) == 500
    assert "counted" not in vars(prompt)


@pytest.mark.model
async def test_what_is_left_bounds_the_reply() -> None:
    opened = await account(tokens=PROMPT.tokens + 300)
    assert opened.open_request(prompt=PROMPT, wanted=900) == 300


@pytest.mark.model
async def test_a_prompt_in_chinese_is_not_taken_for_a_short_one() -> None:
    prompt = PromptSize(["我们昨天在东京开会，讨论了新的预算和明年的计划。" * 40])
    with pytest.raises(ModelError, match="too few of the 1,000 tokens"):
        (await account(tokens=1_000)).open_request(prompt=prompt, wanted=300)


@pytest.mark.model
async def test_a_request_whose_cost_nobody_told_is_set_aside() -> None:
    opened = await account(tokens=10_000)
    opened.open_request(prompt=PROMPT, wanted=500)
    opened.open_request(prompt=PROMPT, wanted=500)
    opened.charge(Usage(prompt_tokens=7, completion_tokens=3))
    assert opened.closed().lost_tokens == PROMPT.tokens + 500
    assert (opened.closed().calls, opened.closed().tokens) == (2, 10)


async def test_no_request_goes_out_beyond_those_allowed() -> None:
    opened = await account(requests=1)
    opened.open_request(prompt=PROMPT, wanted=500)
    with pytest.raises(ModelError, match="no request is left of the 1"):
        opened.open_request(prompt=PROMPT, wanted=500)
