"""The keys of `secondhop session`, in a script on standard input, come to the answers that votes
come to at every other interface."""

import asyncio
import json
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.cli.test_one_pipeline import judged, opened
from tests.mcp.mcp_world import MARA, command, environment
from tests.mcp.mcp_world import store as store
from tests.small_world import QUESTION

from secondhop.cli.session_lines import VOTES
from secondhop.graph.session_result import SessionAnswer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_variables")]

NUMBERED = re.compile(r"^ *\d+\. (.+) \(\d{4}-\d\d-\d\d\)", re.MULTILINE)
"""A memory as a round shows it: its title and date."""


class Voted(NamedTuple):
    """A session of three answers by a person, and what its end comes to."""

    answers: list[SessionAnswer]
    end: dict[str, Any]


async def voted_by_person(folder: Path) -> Voted:
    """As `voted_by_library`; nothing is learned."""
    async with await opened(folder) as recall, recall.sessions.open(QUESTION, k=3) as session:
        answers = [session.answer]
        for _ in range(2):
            answers.append(await session.vote(judged(new_of(answers[-1]))))
        resolution = await session.resolve(dry_run=True)
        return Voted(answers, resolution.session.model_dump(mode="json"))


def new_of(answer: SessionAnswer) -> list[str]:
    """What the answer shows for the first time, its branches left out."""
    return [one for one in answer.ids() if one in answer.new]


def keys_for(answer: SessionAnswer) -> str:
    """The same votes, by the numbers that a terminal gives."""
    key = {vote: letter for letter, vote in VOTES.items()}
    numbers = {one: number for number, one in enumerate(answer.ids(), start=1)}
    return " ".join(f"{numbers[one]}{key[vote]}" for one, vote in judged(new_of(answer)).items())


def titles_in(screen: str) -> list[list[str]]:
    """Titles that each round showed, those of branches last."""
    return [NUMBERED.findall(shown) for shown in re.split(r"^Round \d+", screen, flags=re.M)[1:]]


def titles_of(answer: SessionAnswer) -> list[str]:
    """The same of an answer."""
    branched = [memory for branch in answer.branches for memory in branch.memories]
    return [memory.title for memory in (*answer.memories, *branched)]


def test_a_script_of_keys_comes_to_the_answers_of_the_library(store: Path) -> None:
    voted = asyncio.run(voted_by_person(store))
    script = "\nn\n".join([*map(keys_for, voted.answers[:2]), "r"])

    line = command(store, "session", QUESTION, "--entity", MARA, "--k", "3", "--json")
    done = subprocess.run(
        line,
        input=script.encode(),
        capture_output=True,
        env=environment(),
        timeout=60,
        check=True,
    )

    assert titles_in(done.stderr.decode()) == list(map(titles_of, voted.answers))
    same = {"rounds", "shown", "retrieved", "votes", "accepted", "sparks", "proposals"}
    end = json.loads(done.stdout)["resolved"]
    assert {key: end[key] for key in same} == {key: voted.end[key] for key in same}
    assert (end["rounds"], len(end["votes"]), len(end["sparks"])) == (3, 2, 2)
