"""The ordinary adapter and whole recalls, against a real and very small model.

Its JSON is good under constraint, its judgement is not: what must hold is what a recall promises
with any model. How it did stands in the report at the end of the run.
"""

import itertools
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from pydantic import BaseModel
from tests.llm_smoke.narrow_server import REFUSAL, narrow_server, stricter_than
from tests.llm_smoke.tally import recall_lines, wire_table
from tests.llm_smoke.wire import Wire
from tests.small_world import QUESTION, Answer, SmallWorld, ask, recall_settings

from secondhop.models.chat_transport import AnswerMode
from secondhop.models.llm import ChatMessage, LLMError
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.config import RecallLimits
from secondhop.nodes.critics.vote_schema import CritiqueReply
from secondhop.nodes.llm_services import llm_services
from secondhop.nodes.planning.schema import DecomposeReply, ExpandReply

pytestmark = pytest.mark.llm

_numbers = itertools.count()

LATE_S = 1.0
"""How long after its deadline a recall may answer, on a machine that the model keeps busy."""

LIMITS = RecallLimits(rounds=2, deadline_s=240.0)

ASKED: Sequence[tuple[type[BaseModel], str]] = (
    (DecomposeReply, f"What kind of question is this? Give other words for it. {QUESTION}"),
    (ExpandReply, f"Which notes of mine would help, and why? {QUESTION}"),
    (
        CritiqueReply,
        "Vote on each note, hot or cold. a1: My plan for the first year in the new role. "
        f"a2: The tomatoes need water twice a week. The question: {QUESTION}",
    ),
)

QUESTIONS = (
    QUESTION,
    "What do I know about Carefeed?",
    "When does the dentist want to see me?",
    "How do I bake my sourdough bread?",
    "What is wrong with my car?",
    "What did I achieve in my last role?",
    "What did my coach tell me?",
    "What should I plant in the garden?",
    "Write a letter of application for me",
    "Where are the winter tyres?",
    "Plan my week",
    "Who is my landlord?",
)

RECALLS: Sequence[tuple[AnswerMode | None, Sequence[str]]] = (
    (None, QUESTIONS[:2]),
    ("json_object", QUESTIONS[2:4]),
    ("tool", QUESTIONS[4:6]),
    ("text", QUESTIONS[6:8]),
    (None, QUESTIONS[8:]),
)
"""Questions, and the strictest way of asking that the server takes; None: what it does take."""


@asynccontextmanager
async def adapter(base_url: str, *, mode: AnswerMode | None = None) -> AsyncGenerator[OpenAILLM]:
    """The adapter, new to the server; `mode`: whatever is stricter is refused."""
    name = f"asked-{next(_numbers)}"  # the server takes any; what is learnt of one stays with it
    async with AsyncExitStack() as stack:
        if mode is not None:
            door = await stack.enter_async_context(narrow_server(base_url, mode=mode))
            base_url = door.base_url
        timeout_s = LIMITS.deadline_s
        connection = OpenAIConnection(base_url=base_url, api_key="none", timeout_s=timeout_s)
        config = OpenAILLMConfig(model=name, connection=connection, temperature=0, concurrency=1)
        llm = OpenAILLM(config)
        stack.push_async_callback(llm.aclose)
        yield llm


async def ask_each(llm: OpenAILLM, *, calls: int) -> list[BaseModel | LLMError]:
    """An answer in every shape, or why there is none; never more than `calls` requests for one."""
    answers: list[BaseModel | LLMError] = []
    for schema, question in ASKED:
        asked: list[ChatMessage] = [{"role": "user", "content": question}]
        try:
            reply = await llm.complete(
                asked, schema=schema, max_tokens=400, deadline_s=120.0, max_calls=calls
            )
            answers.append(reply.parsed)
            spent = reply.usage
        except LLMError as error:
            answers.append(error)
            spent = error.usage
        assert 1 <= spent.calls <= calls
    return answers


async def test_the_adapter_finds_out_what_the_server_can(
    small_model: str, wire: Wire, report: list[str]
) -> None:
    async with adapter(small_model) as llm:
        answers = await ask_each(llm, calls=8)

    replied = {one.mode for one in wire.sent if one.answered}
    modes = " -> ".join(f"{one.mode} ({one.end})" for one in wire.sent)
    report += ["", "The ladder: " + modes, *wire_table(wire)]
    assert len(replied) == 1  # no rung is climbed for nothing
    assert replied != {"text"}  # the server enforces a shape in some way
    assert any(isinstance(answer, BaseModel) for answer in answers)


@pytest.mark.parametrize("mode", ["json_object", "tool", "text"])
async def test_where_the_stricter_ways_are_refused_the_next_one_is_asked(
    mode: AnswerMode, small_model: str, wire: Wire, report: list[str]
) -> None:
    async with adapter(small_model, mode=mode) as llm:
        answers = await ask_each(llm, calls=8)

    refused = [one.mode for one in wire.sent if one.end == f"HTTP {REFUSAL}"]
    replied = {one.mode for one in wire.sent if one.answered}
    report += ["", f"Where nothing stricter than {mode} is taken:", *wire_table(wire)]
    report += [f"  {answer}" for answer in answers if isinstance(answer, LLMError)]
    assert refused == list(stricter_than(mode))  # once each, and remembered
    assert replied == {mode}


@pytest.mark.parametrize(("mode", "questions"), RECALLS)
async def test_recalls_with_a_small_model_answer_within_their_bounds(
    mode: AnswerMode | None,
    questions: Sequence[str],
    small_model: str,
    wire: Wire,
    report: list[str],
    recalled: list[Answer],
    world: SmallWorld,
) -> None:
    stored = set(await world.store.content_hashes())
    answers: list[Answer] = []
    async with adapter(small_model, mode=mode) as llm:
        planner, critic = llm_services(llm, secret=b"the same prompts every time")
        settings = recall_settings(rounds=LIMITS.rounds, deadline_s=LIMITS.deadline_s)
        services = world.services(planner=planner, critic=critic, settings=settings)
        for question in questions:
            answers.append(await ask(services, question))
    recalled += answers

    report += [
        "",
        f"Whole recalls, nothing stricter than {mode or 'what works'}:",
        *wire_table(wire),
        *recall_lines(answers),
    ]
    reached = sum(one.answered or one.refused for one in wire.sent)  # who had no reply may not have
    assert reached <= sum(one.result.spent.llm_calls for one in answers) <= len(wire.sent)
    for one in answers:
        expect_bounds(one)
        expect_valid(one, stored)


def expect_bounds(answer: Answer) -> None:
    """Requests, tokens, time."""
    spent = answer.result.spent
    assert spent.llm_calls <= LIMITS.llm_calls
    assert spent.prompt_tokens + spent.completion_tokens <= LIMITS.llm_tokens
    assert spent.ms / 1_000 <= LIMITS.deadline_s + LATE_S
    assert spent.rounds <= LIMITS.rounds


def expect_valid(answer: Answer, stored: set[str]) -> None:
    """Memories that exist, each once, at most k; and whatever failed is named."""
    result, trace = answer.result, answer.trace
    ids = result.ids()
    assert len(set(ids)) == len(ids) <= LIMITS.k
    assert set(ids) <= stored
    assert trace.returned == ids
    assert all(step.error in result.degraded for step in trace.steps if step.error)
    assert all(memory.evidence and memory.facets and memory.why for memory in result.memories)
