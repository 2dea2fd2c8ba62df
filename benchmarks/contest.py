"""Compares systems that search memories on the same questions, passages and vectors."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import perf_counter, process_time
from typing import Protocol

from secondhop.errors import SecondhopError
from secondhop.evals.measures import Measures, measure
from secondhop.evals.scenario import Question, Scenario
from secondhop.ingest.batches import embedding_text
from secondhop.models.embedder import Embedder
from secondhop.recall import Recall

WARM_UP = "Which of my notes is the oldest?"
"""Asked before the clock starts, so that everything is loaded."""


class NotRunError(SecondhopError):
    """A system cannot take part here; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fed:
    """One passage as every system gets it."""

    passage_id: str
    memory_id: str
    text: str
    """With title and headings, as our store embeds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, as every system gets it."""

    text: str
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a system may work with: one scenario, stored in our store."""

    scenario: Scenario
    recall: Recall
    passages: Sequence[Fed]
    """All passages in our store."""
    embedder: Embedder
    """The one that our store uses."""
    folder: Path
    """A temporary folder for a system's files."""
    closing: AsyncExitStack
    """Systems register here what has to be closed."""


class Contender(Protocol):
    """A system that holds the passages of a scenario and searches them."""

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """At most k memory ids, best first, without repeats."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A system by name."""

    name: str
    open: Callable[[Ground], Awaitable[Contender]]
    """Stores the passages; raises NotRunError if the system cannot take part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One system's result on one question."""

    measures: Measures
    ms: float
    """Wall time, including the embedding of the system's queries."""
    cpu_ms: float
    """Processor time of all threads; other work on the machine disturbs it less."""
    ranked: list[str]


@dataclass(frozen=True, slots=True)
class Contest:
    """The scores of all systems."""

    scores: dict[str, dict[str, dict[str, Score]]] = field(default_factory=lambda: {})
    """{system: {scenario: {question id: score}}}, in the order of the entries."""
    not_run: dict[str, str] = field(default_factory=dict[str, str])
    """{system: why it did not run}."""


async def hold(
    entries: Sequence[Entry],
    ground: Ground,
    contest: Contest,
    *,
    heard: Callable[[str], None] = lambda _: None,
) -> None:
    """Score the entries one after the other, so that they do not disturb each other.

    `heard` is called with the name of each.
    """
    for entry in entries:
        if entry.name in contest.not_run:
            continue
        heard(entry.name)
        try:
            contender = await entry.open(ground)
        except NotRunError as error:
            contest.not_run[entry.name] = str(error)
            contest.scores.pop(entry.name, None)
            continue
        by_scenario = contest.scores.setdefault(entry.name, {})
        by_scenario[ground.scenario.name] = await scored(contender, ground.scenario)


async def scored(contender: Contender, scenario: Scenario) -> dict[str, Score]:
    """{question id: score}, after one warm-up question that does not count."""
    first = scenario.questions[0]
    await contender.rank(Asked(text=WARM_UP, asked_at=first.asked_at), k=first.k)
    return {question.id: await score(contender, question) for question in scenario.questions}


async def score(contender: Contender, question: Question) -> Score:
    """Ask one question, and measure answer and time."""
    asked = Asked(text=question.query, asked_at=question.asked_at)
    began, worked = perf_counter(), process_time()
    ranked = await contender.rank(asked, k=question.k)
    ms, cpu_ms = 1000 * (perf_counter() - began), 1000 * (process_time() - worked)
    return Score(
        measures=measure(question, ranked),
        ms=ms,
        cpu_ms=cpu_ms,
        ranked=ranked,
    )


async def fed_by(recall: Recall) -> list[Fed]:
    """Every stored passage, sorted by memory id, in the order of the memory."""
    fed: list[Fed] = []
    ids = sorted(await recall.admin.store.content_hashes())
    owned = await recall.admin.store.passage_ids(ids)
    for memory_id in ids:
        memory = await recall.admin.store.memory(memory_id)
        if memory is None:
            continue
        wanted = owned[memory_id]
        passages = await recall.admin.store.passages(wanted)
        fed += [
            Fed(
                passage_id=passage_id,
                memory_id=memory_id,
                text=embedding_text(memory, passages[passage_id]),
            )
            for passage_id in wanted
        ]
    return fed
