"""Many recalls at a time against models that fail at random, and what each one met."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from tests.llm_faults.heartbeat import Heartbeat, heartbeat
from tests.llm_faults.weather import FAIR, SCHEMAS, Seen, Weather
from tests.models.fault_server import running
from tests.small_world import recall_settings

from secondhop.graph.builder import RecallGraph, build_recall_graph
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.models.circuit_breaker import BreakerSettings
from secondhop.models.llm import StructuredLLM
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig
from secondhop.nodes.config import Config, RecallLimits
from secondhop.nodes.llm_services import llm_services
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallInput
from secondhop.running import run_recall

ENDPOINTS = (
    (0.0, BreakerSettings(failures=10_000, patience_s=10_000.0)),  # never given up
    (0.5, BreakerSettings(cooldown_s=0.3)),  # open, half-open and closed in turns
    (0.9, BreakerSettings()),  # open for good, as far as a test can see
)
"""(share of faults that look like a dead server, settings of the circuit breaker)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """A model endpoint, and the settings of a recall that asks it."""

    endpoint: int
    settings: Config


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A compiled graph as a chatbot has one, with little time, few calls or few tokens."""

    bounds: Bounds
    graph: RecallGraph
    services: Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one recall."""

    mark: str
    limits: RecallLimits
    result: RecallResult
    trace: RecallTrace
    started: float
    """As perf_counter tells it."""
    ended: float

    @property
    def deadline(self) -> float:
        """As perf_counter tells it."""
        return self.started + self.limits.deadline_s

    @property
    def cut_short(self) -> bool:
        """Whether a step was cancelled while it ran, so that what it had spent is not known."""
        return "was cancelled" in self.trace.stop_detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """All outcomes, what the server saw, and how late the event loop ran."""

    outcomes: Sequence[Outcome]
    weather: Weather
    heart: Heartbeat

    def seen(self, outcome: Outcome) -> Seen:
        """What the server saw of a recall."""
        return self.weather.seen[outcome.mark]


def drawn_bounds(count: int, *, seed: int) -> list[Bounds]:
    """Random bounds: little time, few calls and few tokens, mixed differently each time."""
    chance = random.Random(seed)
    return [
        Bounds(
            endpoint=chance.choices(range(len(ENDPOINTS)), weights=[4, 3, 1])[0],
            settings=recall_settings(
                deadline_s=chance.choice([chance.uniform(0.1, 0.4), chance.uniform(0.6, 3.0)]),
                llm_calls=chance.randint(1, 8),
                llm_tokens=chance.choice([3_000, 8_000, 40_000, 40_000]),
                rounds=chance.randint(1, 4),
                k=chance.randint(1, 8),
            ),
        )
        for _ in range(count)
    ]


async def storm(
    services: Services, bounds: Sequence[Bounds], *, recalls: int, at_once: int, seed: int
) -> Storm:
    """Run recalls over the store of `services`, `at_once` at a time, taking the bounds in turn."""
    weather, gate = Weather(seed), asyncio.Semaphore(at_once)
    async with endpoints(weather) as llms:
        backends = [backend(own, llms[own.endpoint], services) for own in bounds]
        await outcome_of(FAIR, backends[0])

        async def one(number: int) -> Outcome:
            async with gate:
                return await outcome_of(f"(ask {number})", backends[number % len(backends)])

        async with heartbeat() as heart:
            outcomes = await asyncio.gather(*map(one, range(1, recalls + 1)))
    return Storm(outcomes=outcomes, weather=weather, heart=heart)


def backend(bounds: Bounds, llm: StructuredLLM, services: Services) -> Backend:
    """A graph that plans and judges with the model."""
    planner, critic = llm_services(llm)
    own = replace(services, planner=planner, critic=critic, settings=bounds.settings)
    return Backend(bounds=bounds, graph=build_recall_graph(own), services=own)


async def outcome_of(mark: str, asked: Backend) -> Outcome:
    """One recall, from question to answer."""
    question: RecallInput = {"question": f"Help me prepare for my Carefeed interview {mark}"}
    started = time.perf_counter()
    async for event in run_recall(asked.graph, question, services=asked.services):
        if event.result is not None and event.trace is not None:
            return Outcome(
                mark=mark,
                limits=asked.bounds.settings.limits,
                result=event.result,
                trace=event.trace,
                started=started,
                ended=time.perf_counter(),
            )
    raise AssertionError("the recall ended without an answer")


@asynccontextmanager
async def endpoints(weather: Weather) -> AsyncGenerator[list[StructuredLLM]]:
    """A server and a model for each entry of `ENDPOINTS`."""
    async with AsyncExitStack() as stack:
        llms: list[StructuredLLM] = []
        for silent, breaker in ENDPOINTS:
            server = await stack.enter_async_context(running(weather.server(silent=silent)))
            connection = OpenAIConnection(
                base_url=server.base_url, api_key="k", max_wait_s=0.05, timeout_s=0.4
            )
            config = OpenAILLMConfig(model=server.model, connection=connection, breaker=breaker)
            llm = OpenAILLM(config)
            stack.push_async_callback(llm.aclose)
            llms.append(llm)
        yield llms


def failed_nodes(trace: RecallTrace) -> list[str]:
    """The node of each step that should have asked the model but did without it."""
    return [step.node for step in trace.steps if step.node in SCHEMAS.values() and step.error]


def answered_nodes(trace: RecallTrace) -> list[str]:
    """The node of each step that the model answered."""
    asking = [step for step in trace.steps if step.node in SCHEMAS.values()]
    return [step.node for step in asking if step.llm_calls and not step.error]
