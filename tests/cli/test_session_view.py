"""What people see of a session's round: what changed, how to behave, what wrong votes propose."""

import io
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from tests.cli.conftest import memory

from secondhop.cli.session_view import show_round
from secondhop.graph.result import RecalledPreference, Spent
from secondhop.graph.session_result import (
    AnswerChange,
    SessionAnswer,
    SparkBranch,
    SupersessionProposal,
    VoteRecord,
)

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def shown(*, titles: dict[str, str] | None = None, place: str = "", **told: Any) -> str:
    """The round of such an answer, on a wide screen."""
    answer: dict[str, Any] = {
        "session_id": "s",
        "entity": "mara",
        "question": "?",
        "asked_at": DAY,
        "round": 2,
        "rounds_left": 2,
        "expires_at": DAY,
        "memories": [memory(0)],
        "kept": [],
        "new": [],
        "converged": False,
        "why": "",
        "spent": Spent(),
    }
    on = Console(file=io.StringIO(), width=200, markup=False, highlight=False, emoji=False)
    show_round(SessionAnswer.model_validate(answer | told), on, titles=titles or {}, place=place)
    assert isinstance(on.file, io.StringIO)
    return on.file.getvalue()


def voted(memory_id: str, vote: str) -> VoteRecord:
    return VoteRecord(memory_id=memory_id, vote=vote, by="person", round=1)


def test_what_came_and_what_left_is_told_by_title_with_the_votes_that_did_it() -> None:
    branch = SparkBranch(sparked_by="spark", title="A walk", memories=[memory(1)])
    changes = [
        AnswerChange(memory_id="m-0", change="came", because=[voted("old", "hot")], why="Found."),
        AnswerChange(
            memory_id="old", change="left", because=[voted("spark", "spark")], why="Gone."
        ),
        AnswerChange(memory_id="nobody-knows", change="left", why="Others took its place."),
    ]

    lines = shown(titles={"old": "Old plan"}, changes=changes, branches=[branch]).splitlines()

    assert lines[1:4] == [
        '  + "[red]Goals[/red] for the first year": Found. (hot on "Old plan" by the person)',
        '  - "Old plan": Gone. (spark on "A walk" by the person)',
        "  - nobody-knows: Others took its place.",
    ]


def test_a_proposal_comes_with_the_command_that_makes_it_so() -> None:
    proposals = [
        SupersessionProposal(memory_id="old", replaced_by="m-0", why="It is newer."),
        SupersessionProposal(memory_id="odd", replaced_by=None, why="Nothing newer is seen."),
    ]

    text = shown(titles={"old": "Old plan"}, place=" --entity mara", proposals=proposals)

    assert (
        'voted wrong: "Old plan"; in its place "[red]Goals[/red] for the first year"? '
        "It is newer.\n"
        "   nothing is written; to do it: secondhop update old --replaced-by m-0 --entity mara\n"
        "voted wrong: odd. Nothing newer is seen.\n"
    ) in text


def test_nothing_in_it_steers_the_terminal() -> None:
    hostile = "m \x1b[2J\x1b]0;owned\x07\u202e; rm"
    vote = voted(hostile, "hot")
    text = shown(
        titles={hostile: ""},
        changes=[AnswerChange(memory_id=hostile, change="left", because=[vote], why=hostile)],
        proposals=[SupersessionProposal(memory_id=hostile, replaced_by=hostile, why=hostile)],
        preferences=[
            RecalledPreference(id="p", text=hostile, scope=hostile, created_at=DAY, score=1)
        ],
    )

    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "secondhop update 'm ; rm' --replaced-by 'm ; rm'" in text
