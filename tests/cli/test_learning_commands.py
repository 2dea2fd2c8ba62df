"""`secondhop learning …` and what `stats` says of sessions, as a shell calls them."""

import asyncio
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import over
from tests.small_world import LIFE, QUESTION, made_once

from secondhop.graph.session_result import ResolvedSession, VotesOfRound
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

Command = Callable[..., Any]


async def taught(store: Path) -> None:
    """Two sessions about the interview."""
    async with await Recall.aopen(store, embedder="hashing") as recall:
        await recall.aadd(LIFE)
        for _ in range(2):
            async with recall.sessions.open(QUESTION, k=6) as session:
                await session.vote({"plan": "hot", "wins": "warm"}, go_on=False)
                await session.resolve()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory.mktemp("learning"), taught)


@pytest.fixture
def command(original: Path, tmp_path: Path, no_variables: None) -> Command:
    shutil.copytree(original, tmp_path / "store")

    def run(*words: str, status: int = 0, plain: bool = False) -> Any:
        done = over(tmp_path / "store")(*words, *(() if plain else ("--json",)))
        assert done.exit_code == status, done.output
        return done.stderr if status else done.stdout if plain else json.loads(done.stdout)

    return run


def test_what_was_learned_is_shown(command: Command) -> None:
    (context,) = command("learning")["contexts"]
    table = command("learning", plain=True)

    assert [one["memory_id"] for one in context["memories"]] == ["plan", "wins"]
    assert context["memories"][0]["factor"] > context["memories"][1]["factor"] > 1
    assert "learning is on; 1 context;" in table
    assert "Goals for the first year" in table


def test_memories_contexts_and_all_are_forgotten(command: Command) -> None:
    assert command("learning", "--forget", "plan", "--dry-run") == {
        "contexts": 1,
        "memories": 1,
        "dry_run": True,
    }
    assert command("learning", "--forget", "plan")["dry_run"] is False
    (context,) = command("learning")["contexts"]
    assert [one["memory_id"] for one in context["memories"]] == ["wins"]

    for words in (("x",), ("x", "--dry-run")):
        assert "no context 'x'" in command("learning", "--forget-context", *words, status=2)
    command("learning", "--forget-context", context["context_id"])
    assert command("learning")["contexts"] == []
    command("learning", "--forget-all")
    assert command("stats")["sessions"]["sessions"] == 0


def test_learning_is_switched_off_and_on(command: Command) -> None:
    assert command("learning", "--off") == {"on": False}
    assert command("learning")["on"] is False
    assert "off: nothing is learned" in command("learning", plain=True)
    assert command("learning", "--on") == {"on": True}
    assert command("learning")["on"] is True


def test_stats_name_the_questions_whose_first_answers_are_not_good_enough(
    command: Command, tmp_path: Path
) -> None:
    asyncio.run(asked_often(tmp_path / "store"))

    sessions = command("stats")["sessions"]
    lines = command("stats", plain=True)

    assert sessions["sessions"] == pytest.approx(11, abs=0.1)
    (needy,) = sessions["needs_tuning"]
    assert (needy["sessions"], needy["mean_rounds"]) == (pytest.approx(3, abs=0.1), 4.0)
    assert [one["memory_id"] for one in needy["memories"]] == ["bread"]
    assert "the first answers are good, but not in 1 context;" in lines
    assert "needs 4 answers: about “About bread”" in " ".join(lines.split())


async def asked_often(store: Path) -> None:
    """Of the garden everything is known at once, of bread nobody finds anything."""
    async with await Recall.aopen(store, embedder="hashing") as recall:
        for number in range(9):
            slowly = number % 3 == 0
            told = ResolvedSession(
                session_id=f"s{number}",
                entity="default",
                question="How do I bake sourdough?" if slowly else "What do my tomatoes need?",
                asked_at=datetime.now(UTC),
                rounds=4 if slowly else 1,
                shown=["bread", "garden"],
                votes=[VotesOfRound(round=1, by="person", hot=["bread" if slowly else "garden"])],
                accepted=["bread" if slowly else "garden"],
                sparks=[],
            )
            await recall.learning.alearn(told)
