"""A contest: all get the same passages, systems that cannot run are named, tables are right."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from benchmarks.contest import (
    Contest,
    Ground,
    fed_by,
    hold,
)
from benchmarks.contest_own import own_entries
from benchmarks.function_system import function_entry
from tests.evals.small_scenario import small_scenario

from secondhop import Recall
from secondhop.errors import UsageError
from secondhop.evals.scenarios import store_scenario


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
