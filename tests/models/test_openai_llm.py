import asyncio
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.by_the_clock import BY_THE_CLOCK
from tests.models.fault_server import (
    NO_CHOICE,
    REFUSAL,
    Exchange,
    Fault,
    FaultServer,
    answer,
    body,
    half,
    hang,
    reset,
    running,
    status,
)
from tests.models.on_sockets import QUESTION, Answer, Bounds, ask, usage
from tests.models.on_sockets import openai_served as served

from secondhop.errors import UsageError
from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.llm import ChatMessage, Completion, LLMError, Usage
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.models.tokens import count_tokens

pytestmark = BY_THE_CLOCK

MESSAGES = [ChatMessage(role="user", content=QUESTION)]


async def test_an_answer_comes_by_schema_and_its_cost_with_it() -> None:
    async with served(server := FaultServer()) as llm:
        completion = await ask(llm, question=f"{QUESTION} \ud83d")
    assert completion == Completion(parsed=Answer(text="fine"), usage=usage(1, 1))
    assert server.asked_modes() == ["json_schema"]
    assert server.asked[0]["max_tokens"] == 50
    assert server.asked[0]["messages"] == [{"role": "user", "content": "a private question ?"}]
    assert llm.model_id == f"openai:{server.model}@127.0.0.1:{server.port}/v1"


@pytest.mark.parametrize("able", ["json_object", "text"])
@pytest.mark.parametrize("refused_by", [400, 500])
async def test_a_server_without_schemas_is_asked_in_the_next_way_and_that_is_remembered(
    able: str, refused_by: int
) -> None:
    server = FaultServer(modes=frozenset({able}), refusal_status=refused_by)
    ladder = ["json_schema", "json_object", "text"]
    ladder = ladder[: ladder.index(able) + 1]
    async with served(server) as llm:
        first = await ask(llm)
        for _ in range(2):
            await ask(llm)
        learned = len(server.asked)
        await ask(llm)
        assert server.asked_modes()[learned:] == [able]
    assert first.usage == usage(len(ladder), 1)
    assert server.asked_modes()[: len(ladder)] == ladder
    assert "JSON schema" in server.asked[-1]["messages"][-1]["content"]


async def test_a_single_500_does_not_cost_a_good_server_its_schemas() -> None:
    async with served(server := FaultServer(script=[status(500)])) as llm:
        await ask(llm)
        await ask(llm)
        server.script = [status(500)]
        assert (await ask(llm)).usage == usage(2, 1)
    assert server.asked_modes() == [
        "json_schema",
        "json_object",
        "json_schema",
        "json_schema",  # known to work by now, so a 500 counts as passing and is tried again
        "json_schema",
    ]


async def test_a_model_that_wants_the_other_word_for_its_bound_gets_it() -> None:
    refusal = status(400, message="Use 'max_completion_tokens' instead.")
    async with served(server := FaultServer(script=[refusal])) as llm:
        await ask(llm)
        await ask(llm)
    words = [
        sorted(asked.keys() & {"max_tokens", "max_completion_tokens"}) for asked in server.asked
    ]
    assert words == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


@pytest.mark.model
async def test_a_server_that_tells_no_usage_is_charged_by_our_own_count() -> None:
    told_nothing = body(b'{"choices": [{"message": {"content": "{\\"text\\": \\"fine\\"}"}}]}')
    async with served(FaultServer(otherwise=told_nothing)) as llm:
        spent = (await ask(llm)).usage
    assert (spent.calls, spent.completion_tokens) == (1, 6)
    assert 20 < spent.prompt_tokens < 120  # the words, and the schema that the model reads too


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (status(401), "check the API key"),
        (status(403), "allowed"),
        (status(404), "model's name"),
        (REFUSAL, "declined"),
        (answer("{}", finish_reason="content_filter"), "declined"),
    ],
)
async def test_what_no_second_try_would_cure_fails_at_once(fault: Fault, told: str) -> None:
    async with served(server := FaultServer(otherwise=fault)) as llm:
        with pytest.raises(LLMError, match=told) as failure:
            await ask(llm)
    assert len(server.asked) == failure.value.usage.calls == 1
    assert "secret-key" not in str(failure.value)
    assert "private" not in str(failure.value)


@pytest.mark.parametrize(
    "bad", ["sorry, no", '{"txt": "wrong schema"}', '{"text": "cut', "", "{'text': 'quotes'}"]
)
async def test_an_answer_that_does_not_fit_is_repaired_in_one_turn(bad: str) -> None:
    async with served(server := FaultServer(script=[answer(bad)])) as llm:
        completion = await ask(llm)
    assert completion == Completion(parsed=Answer(text="fine"), usage=usage(2, 2))
    shown, request = server.asked[1]["messages"][-2:]
    assert shown["content"] == (bad or "(an empty reply)")
    assert "could not be used" in request["content"]
    assert '"text"' in request["content"]


async def test_an_answer_that_was_cut_off_is_asked_for_shorter() -> None:
    cut = answer('{"text": "on and', finish_reason="length")
    async with served(server := FaultServer(script=[cut])) as llm:
        await ask(llm)
    assert "write less" in server.asked[1]["messages"][-1]["content"]


async def test_a_model_that_thinks_its_reply_away_gets_room_for_both() -> None:
    thought = answer("", finish_reason="length")
    async with served(server := FaultServer(script=[thought])) as llm:
        assert (await ask(llm)).usage == usage(2, 2)
        await ask(llm)
    assert [asked["max_tokens"] for asked in server.asked] == [50, 4_050, 4_050]
    assert server.asked[0]["messages"] == server.asked[1]["messages"]


BAD_FAULTS = {
    "429": status(429),
    "500": status(500),
    "400": status(400),
    "not JSON": answer("no"),
    "wrong JSON": answer('{"txt": 1}'),
    "no choice": NO_CHOICE,
    "cut off": half,
    "only thoughts": answer("", finish_reason="length"),
    "reset": reset,
    "other word": status(400, message="Use 'max_completion_tokens' instead."),
    "declined": REFUSAL,
}


@given(
    names=st.lists(st.sampled_from(sorted(BAD_FAULTS)), max_size=5),
    calls=st.integers(0, 6),
    tokens=st.none() | st.integers(0, 400),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_under_any_run_of_faults_the_bounds_of_an_answer_hold(
    names: list[str], calls: int, tokens: int | None
) -> None:
    async def spent() -> Usage:
        async with served(server) as llm:
            try:
                return (await ask(llm, calls=calls, tokens=tokens)).usage
            except LLMError as error:
                return error.usage

    server = FaultServer(script=[BAD_FAULTS[name] for name in names])
    usage_told = asyncio.run(spent())

    assert len(server.asked) == usage_told.calls <= calls
    if tokens is not None:
        assert usage_told.tokens <= tokens


@pytest.mark.model
async def test_few_tokens_shorten_the_reply_and_too_few_send_nothing() -> None:
    async with served(server := FaultServer()) as llm:
        prompt = (await ask(llm, tokens=10_000)).usage.prompt_tokens
        assert server.asked[0]["max_tokens"] == 50
        with pytest.raises(LLMError, match="too few of the 60 tokens"):
            await ask(llm, tokens=60)
        await llm.complete(
            MESSAGES,
            schema=Answer,
            max_tokens=900,
            deadline_s=5.0,
            max_calls=1,
            max_total_tokens=500,
        )
    assert prompt == 10
    assert len(server.asked) == 2
    assert 200 < server.asked[1]["max_tokens"] < 500


@pytest.mark.model
async def test_a_lost_reply_is_taken_off_the_tokens_that_are_left() -> None:
    async with served(server := FaultServer(otherwise=reset)) as llm:
        with pytest.raises(LLMError, match=r"of the 350 tokens .* lost") as failure:
            await ask(llm, tokens=350)
    assert len(server.asked) == 2  # about 130 each: the third might exceed them
    assert failure.value.usage == Usage(calls=2)


async def test_a_server_that_is_not_there_opens_the_circuit_too() -> None:
    async with running(gone := FaultServer()):
        pass
    connection = OpenAIConnection(base_url=gone.base_url, api_key="k", max_wait_s=0.01)
    llm = OpenAILLM(OpenAILLMConfig(model=gone.model, connection=connection))
    told = r"did not answer earlier \(connection refused\) and is not asked again"
    with pytest.raises(LLMError, match=told) as failure:  # on the fourth try
        await ask(llm)
    assert failure.value.usage.calls == 3
    async with running(FaultServer(port=gone.port)):
        with pytest.raises(LLMError, match="connection refused"):
            await ask(llm)
    await llm.aclose()


async def test_a_caller_in_a_hurry_does_not_close_an_endpoint_to_the_others() -> None:
    async with served(server := FaultServer(), Bounds(breaker=BreakerSettings())) as llm:
        await ask(llm)  # opens the client, with time to spare
        server.script = [hang] * 5
        for _ in range(5):
            with pytest.raises(LLMError):
                await ask(llm, deadline_s=0.2)
        assert (await ask(llm)).parsed.text == "fine"


async def test_a_slow_answer_that_callers_cannot_wait_for_does_not_close_an_endpoint() -> None:
    async with served(server := FaultServer(), Bounds(breaker=BreakerSettings())) as llm:
        server.script = [hang] * 4
        for _ in range(2):
            late = (ask(llm, deadline_s=1.2) for _ in range(2))
            assert all(
                isinstance(one, LLMError)
                for one in await asyncio.gather(*late, return_exceptions=True)
            )
        assert (await ask(llm)).parsed.text == "fine"


async def test_who_waits_long_in_vain_closes_an_endpoint_to_the_others() -> None:
    bounds = Bounds(breaker=BreakerSettings())
    async with served(FaultServer(otherwise=hang), bounds) as llm:
        with pytest.raises(LLMError, match="gave no answer within"):
            await ask(llm, deadline_s=2.1)
        with pytest.raises(LLMError, match="is not asked again"):
            await ask(llm)


def test_limits_that_cannot_be_are_refused_and_secrets_stay_out_of_the_name() -> None:
    with pytest.raises(UsageError):
        OpenAILLMConfig(model="")
    with pytest.raises(UsageError):
        OpenAILLMConfig(model="m", concurrency=0)
    connection = OpenAIConnection(base_url="http://me:password@host:1/v1/", api_key="k")
    llm = OpenAILLM(OpenAILLMConfig(model="m", connection=connection))
    assert llm.model_id == "openai:m@host:1/v1"


async def greedy(exchange: Exchange) -> None:
    """Counts a third more tokens in every text than we do, and writes as many as it may."""
    asked = exchange.asked
    shape = json.dumps(asked.get("response_format", {}).get("json_schema", {}))
    texts = [*(message["content"] for message in asked["messages"]), shape]
    told = {
        "prompt_tokens": math.ceil(1.34 * sum(map(count_tokens, texts))) + 7,
        "completion_tokens": asked["max_tokens"],
    }
    choice = {"message": {"content": '{"text": "fine"}'}}
    await exchange.send(200, json.dumps({"choices": [choice], "usage": told}).encode())


@pytest.mark.model
@pytest.mark.parametrize(
    "text", ["The boiler was repaired. ", "我们昨天讨论了预算。", "9f86d081884c7d65 "]
)
async def test_the_cap_holds_with_a_model_that_makes_more_tokens_of_a_text(text: str) -> None:
    async def spent(cap: int) -> Usage:
        completion = await llm.complete(
            [ChatMessage(role="user", content=text * 150)],
            schema=Answer,
            max_tokens=1_500,
            deadline_s=5.0,
            max_calls=3,
            max_total_tokens=cap,
        )
        return completion.usage

    async with served(server := FaultServer(otherwise=greedy)) as llm:
        prompt = (await spent(9_000)).prompt_tokens
        for room in (900, 300):
            assert (await spent(prompt + room)).tokens <= prompt + room
        with pytest.raises(LLMError, match="too few"):
            await spent(prompt + 100)
    assert len(server.asked) == 3
