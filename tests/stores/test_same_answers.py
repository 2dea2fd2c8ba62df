"""A recall returns the same memories no matter where the store is."""

import json
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.postgres_server import PostgresForTests

from secondhop import Recall
from secondhop.models.hashing import HashingEmbedder

pytestmark = pytest.mark.slow
SCENARIOS = Path(__file__).parents[2] / "examples" / "scenarios"
NAMES = ["carefeed", "episodes", "house", "ops-notes"]
AT_MOST = 15
"""Most questions taken from a scenario: 60 from all."""


def questions_of(scenario: Path) -> list[str]:
    queries = [str(one["query"]) for one in lines_of(scenario / "queries.jsonl")]
    rewordings = [text for one in lines_of(scenario / "rewordings.jsonl") for text in one["texts"]]
    return [*queries, *rewordings][:AT_MOST]


def lines_of(file: Path) -> list[dict[str, list[str]]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


async def answers(
    store: str | Path, scenario: Path, questions: Sequence[str], *, chroma_url: str | None = None
) -> dict[str, list[str]]:
    opened = await Recall.aopen(store, embedder=HashingEmbedder(), chroma_url=chroma_url)
    async with aclosing(opened) as recall:
        await recall.aingest(scenario / "conversations.jsonl")
        return {one: (await recall.arecall(one)).ids() for one in questions}


@pytest.mark.parametrize("name", NAMES)
async def test_questions_get_the_same_memories_from_every_place(
    name: str, tmp_path: Path, postgres: PostgresForTests, chroma_server: str
) -> None:
    scenario = SCENARIOS / name
    questions = questions_of(scenario)

    expected = await answers(tmp_path / "folder", scenario, questions)

    assert any(expected.values())
    server = {"chroma_url": chroma_server}
    assert await answers(tmp_path / "beside", scenario, questions, **server) == expected
    assert await answers(postgres.database(), scenario, questions, **server) == expected
    assert await answers(postgres.database(), scenario, questions) == expected
