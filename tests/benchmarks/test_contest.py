"""A contest: all get the same passages, systems that cannot run are named, tables are right."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from benchmarks.contest import (
    Asked,
    Contender,
    Contest,
    Entry,
    Ground,
    fed_by,
    hold,
)
from benchmarks.contest_own import own_entries
from benchmarks.contest_table import difference
from benchmarks.function_system import function_entry
from tests.evals.small_scenario import small_scenario

from secondhop import Recall
from secondhop.errors import UsageError
from secondhop.evals.scenarios import store_scenario
from secondhop.ingest.batches import embedding_text

BEST = {"interview": ["plan", "wins", "coaching", "research-2"], "garden": ["bread", "garden"]}


@dataclass
class Knowing:
    """Answers from a table, and records what it was asked."""

    asked: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        self.asked.append((asked.text, k))
        found = BEST["garden"] if "tomatoes" in asked.text else BEST["interview"]
        return found[:k]


class Silent:
    """Finds nothing."""

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        return []


def entry(name: str, contender: Contender) -> Entry:
    async def opened(ground: Ground) -> Contender:
        return contender

    return Entry(name=name, open=opened)


@pytest.fixture
async def ground(tmp_path: Path, library_of_tests: None) -> AsyncIterator[Ground]:
    scenario = small_scenario()
    async with (
        await Recall.aopen(tmp_path / "store", embedder="hashing") as recall,
        AsyncExitStack() as closing,
    ):
        await store_scenario(scenario, recall)
        yield Ground(
            scenario=scenario,
            recall=recall,
            passages=await fed_by(recall),
            embedder=recall.admin.services.embedder,
            folder=tmp_path,
            closing=closing,
        )


async def test_everybody_gets_what_our_store_embeds(ground: Ground) -> None:
    memories = {memory.memory_id: memory for memory in ground.scenario.memories}

    assert {fed.memory_id for fed in ground.passages} == set(memories)
    stored = await ground.recall.admin.store.passages([fed.passage_id for fed in ground.passages])
    for fed in ground.passages:
        assert fed.text == embedding_text(memories[fed.memory_id], stored[fed.passage_id])
    assert any(fed.text.startswith("Research on Carefeed\n\n") for fed in ground.passages)


async def test_scores_are_those_of_the_labels(ground: Ground) -> None:
    contest = Contest()
    await hold([entry("knowing", Knowing()), entry("silent", Silent())], ground, contest)

    scores = contest.scores["knowing"]["small"]
    assert scores["interview"].measures["facet_recall"] == 1.0
    gap = difference(contest, "knowing", "silent", measure="facet_recall")
    assert (gap.difference, gap.low, gap.high) == (1.0, 1.0, 1.0)


def bread_first(memories: dict[str, str]) -> Callable[[str, int], Iterable[str]]:
    """A search that is not ours: memories with the word bread, then the rest, all of it twice."""
    order = sorted(memories, key=lambda one: "bread" not in memories[one].lower())
    return lambda question, k: [*order, *order]


async def test_a_function_takes_part(ground: Ground) -> None:
    contest = Contest()
    await hold([function_entry(f"{__name__}:bread_first")], ground, contest)

    (scores,) = contest.scores[f"{__name__}:bread_first"].values()
    assert scores["garden"].ranked[0] == "bread"
    assert len(set(scores["garden"].ranked)) == len(scores["garden"].ranked)
    with pytest.raises(UsageError, match="MODULE:FUNCTION"):
        function_entry("nowhere")


async def test_our_own_systems_all_answer(ground: Ground) -> None:
    contest = Contest()
    systems = own_entries()
    await hold(systems, ground, contest)

    assert list(contest.scores) == [one.name for one in systems]
    assert not contest.not_run
    ours = contest.scores["secondhop"]["small"]["interview"].measures
    alone = contest.scores["bm25"]["small"]["interview"].measures
    assert ours["facet_recall"] >= 0.75 > alone["facet_recall"]
