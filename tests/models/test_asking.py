"""What is said when an answer does not come in time."""

import asyncio

import pytest
from pydantic import BaseModel

from secondhop.models.account import Account
from secondhop.models.asking import Asking, completed
from secondhop.models.llm import LLMError


class Reply(BaseModel):
    text: str


async def never() -> Reply:
    raise TimeoutError


@pytest.mark.parametrize(
    ("deadline_s", "told"),
    [(3.59938, "3.6 s"), (30.0, "30 s"), (120.04, "120 s"), (0.04, "0.04 s"), (-0.2, "0 s")],
)
async def test_seconds_are_told_as_people_say_them(deadline_s: float, told: str) -> None:
    account = Account(deadline=asyncio.get_running_loop().time() + 9.0, requests=1, tokens=None)
    asking = Asking(name="m", messages=[], schema=Reply, max_tokens=10, account=account)

    with pytest.raises(LLMError, match=rf"m gave no answer within {told}; "):
        await completed(asking, never, deadline_s=deadline_s)
