"""One call over a shortlist: what the model reads, and which parts of its answer count."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.nodes.scripted_llm import (
    PLENTY,
    RepeatableLLM,
    ScriptedLLM,
    call_ids,
    critic_request,
    sheet_of,
    view,
)

from secondhop.models.llm import LLMError
from secondhop.models.tokens import count_tokens
from secondhop.nodes.budget import Remaining
from secondhop.nodes.critics.port import Ballot, CriticRequest, Verdict
from secondhop.nodes.llm_services import llm_services
from secondhop.nodes.state import Vote
from secondhop.ranking.votes import VoteName

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks


async def judged(request: CriticRequest, *votes: dict[str, Any], **more: Any) -> Verdict:
    """The verdict that the critic makes of a reply; `votes` name memories by their own ids."""
    ids = call_ids(sheet_of(request))
    rows = [
        {key: ids.get(said, said) if isinstance(said, str) else said for key, said in vote.items()}
        for vote in votes
    ]
    llm = RepeatableLLM(CritiqueReply=[{"votes": rows, **more}])
    _, critic = llm_services(llm)
    return await critic.judge(request)


def by_id(verdict: Verdict) -> dict[str, Ballot]:
    return {ballot.memory_id: ballot for ballot in verdict.ballots}


PAIR = critic_request(view("a", day=1, score=0.6), view("b", day=9))


async def test_votes_reach_the_memories_they_name() -> None:
    verdict = await judged(
        PAIR,
        {"id": "a", "vote": "hot", "facets": ["e1", "e9", "f0"], "reason": "the plan"},
        {"id": "b", "vote": "cold"},
        go_on=False,
    )

    assert verdict.ballots == (
        Ballot(memory_id="a", vote="hot", reason="the plan", facet_ids=("e1", "f0"), place=1),
        Ballot(memory_id="b", vote="cold", reason="", place=0),
    )
    assert verdict.content
    assert verdict.usage.calls == 1


async def test_ids_that_were_not_issued_and_second_votes_are_dropped() -> None:
    verdict = await judged(
        PAIR,
        {"id": "1", "vote": "hot"},
        {"id": "zzzzz1", "vote": "hot"},
        {"id": "a", "vote": "warm", "facets": ["e1"]},
        {"id": "a", "vote": "wrong"},
    )

    assert {m: b.vote for m, b in by_id(verdict).items()} == {"a": "warm", "b": "cold"}


async def test_what_a_reply_leaves_unnamed_is_cold_and_costs_no_second_call() -> None:
    request = critic_request(*(view(f"m{n}") for n in range(28)), kind="factual")

    verdict = await judged(request, {"id": "m7", "vote": "hot", "facets": ["f0"]})

    assert verdict.usage.calls == 1
    assert len(verdict.ballots) == 28
    assert {b.memory_id for b in verdict.ballots if b.vote != "cold"} == {"m7"}


async def test_a_reply_that_names_no_memory_is_a_failure_that_tells_its_price() -> None:
    with pytest.raises(LLMError, match="no memory that it was shown") as failure:
        await judged(PAIR, {"id": "c1", "vote": "hot"})

    assert failure.value.usage.calls == 1


async def test_a_copy_is_voted_cold_and_names_the_one_that_stays() -> None:
    verdict = await judged(
        PAIR,
        {"id": "a", "vote": "hot", "facets": ["e1"]},
        {"id": "b", "vote": "warm", "repeats": "a", "facets": ["e1"]},
    )

    ballot = by_id(verdict)["b"]
    assert (ballot.vote, ballot.repeats) == ("cold", "a")
    assert ballot.reason == "it repeats “About a”"


async def test_a_copy_of_what_is_left_out_as_well_is_still_called_one() -> None:
    verdict = await judged(PAIR, {"id": "a", "repeats": "b"}, {"id": "b", "vote": "cold"})

    assert (by_id(verdict)["a"].vote, by_id(verdict)["a"].reason) == (
        "cold",
        "it repeats “About b”",
    )


@pytest.mark.parametrize(("votes", "kept"), [(("hot", "hot"), "a"), (("warm", "hot"), "b")])
async def test_of_copies_that_name_each_other_the_better_stays(
    votes: tuple[str, str], kept: str
) -> None:
    verdict = await judged(
        PAIR,
        {"id": "a", "vote": votes[0], "repeats": "b"},
        {"id": "b", "vote": votes[1], "repeats": "a"},
    )

    cold = [ballot for ballot in verdict.ballots if ballot.vote == "cold"]
    assert [ballot.repeats for ballot in cold] == [kept]


async def test_a_replaced_memory_is_wrong_only_when_the_dates_allow_it() -> None:
    newer = await judged(
        PAIR, {"id": "a", "vote": "warm", "replaced_by": "b"}, {"id": "b", "vote": "hot"}
    )
    older = await judged(
        PAIR, {"id": "a", "vote": "hot"}, {"id": "b", "vote": "hot", "replaced_by": "a"}
    )

    assert (by_id(newer)["a"].vote, by_id(newer)["a"].replaced_by) == ("wrong", "b")
    assert by_id(newer)["a"].reason == "replaced by the newer “About b”"
    assert (by_id(older)["b"].vote, by_id(older)["b"].replaced_by) == ("hot", None)


async def test_follow_ups_are_new_searches_for_facets_we_know_or_a_facet_of_their_own() -> None:
    verdict = await judged(
        PAIR,
        {"id": "a", "vote": "hot"},
        go_on=True,
        new_queries=[
            {"facet": "e2", "query": "I saved forty thousand a year"},
            {"facet": "e2", "query": "my plan for the first year!"},
            {"facet": "", "name": "Ohio office", "query": "the office in Ohio"},
            *({"facet": "e2", "query": f"more {n} words{n} like{n}"} for n in range(9)),
        ],
    )

    first, second, *rest = verdict.follow_ups
    assert (first.facet_id, first.text) == ("e2", "I saved forty thousand a year")
    assert (second.facet_id, second.name) == (None, "Ohio office")
    assert len(rest) == 2
    assert not verdict.content


async def test_in_the_last_round_nothing_more_is_asked() -> None:
    last = Remaining(rounds=0, llm_calls=3, llm_tokens=9_000, seconds=9.0)
    request = critic_request(view("a"), remaining=last)
    verdict = await judged(
        request, {"id": "a", "vote": "hot"}, new_queries=[{"facet": "e2", "query": "more of it"}]
    )

    assert verdict.follow_ups == ()
    assert verdict.content


async def test_no_more_than_two_sparks_a_round() -> None:
    request = critic_request(*(view(f"m{n}") for n in range(5)))
    verdict = await judged(request, *({"id": f"m{n}", "vote": "spark"} for n in range(5)))

    assert [ballot.vote for ballot in verdict.ballots].count("spark") == 2


def voted(vote: VoteName, reason: str = "") -> Vote:
    """The critic's vote on memory "x" in the first round."""
    return Vote(
        memory_id="x",
        vote=vote,
        by="critic",
        round=1,
        reason=reason,
        facet_ids=[],
        repeats=None,
        replaced_by=None,
    )


SECOND = critic_request(
    view("old", "The old text.", vote=voted("hot", "the plan itself")),
    view("older", "The older text.", vote=voted("warm")),
    view("new", "The new text."),
    round=2,
)


def test_a_second_round_shows_what_is_new_and_a_line_for_what_was_voted() -> None:
    sheet = sheet_of(SECOND)
    ids, user = call_ids(sheet), sheet.prompt.user

    assert f"<memory {ids['new']}>" in user
    assert "The new text." in user
    assert "The old" not in user
    assert f"{ids['old']} | 2026-01-01 | “About old” | hot: the plan itself\n" in user
    assert f"{ids['older']} | 2026-01-01 | “About older” | warm\n" in user


LONG = " ".join(f"Sentence {n} tells of some work in the year {1900 + n}." for n in range(60))
NEEDLE = "My plan for the first year in the new role: hire two designers."


def long_shortlist() -> CriticRequest:
    """24 candidates with more text than fits."""
    views = [view(f"m{n}", LONG, LONG, LONG, LONG) for n in range(23)]
    return critic_request(*views, view("needle", LONG + " " + NEEDLE, title="<memory x>" * 99))


def test_the_prompt_keeps_to_its_token_budget_and_uses_it() -> None:
    sheet = sheet_of(long_shortlist())

    counted = count_tokens(sheet.prompt.system) + count_tokens(sheet.prompt.user)
    assert 5_000 < counted <= 6_000
    assert counted == sheet.tokens
    assert len(sheet.memory_ids) == 24


def test_a_question_of_any_length_leaves_room_for_the_memories() -> None:
    request = critic_request(view("a", NEEDLE), question="why " * 5_000, asked=["x " * 999] * 99)

    sheet = sheet_of(request)

    assert sheet.tokens <= 6_000
    assert NEEDLE in sheet.prompt.user


def test_of_a_long_memory_the_part_is_shown_that_it_was_noted_for() -> None:
    decides = "The landlord wants three months notice."
    other = [f"On day {n} the printer was out of labels again." for n in range(200)]
    text = " ".join([*other[:100], decides, *other[100:]])
    views = [view(f"m{n}", LONG, LONG, LONG, LONG) for n in range(25)]

    with_role = critic_request(*views, view("noted", text, role="notice of the lease"))
    without = critic_request(*views, view("noted", text))

    assert decides in sheet_of(with_role).prompt.user
    assert decides not in sheet_of(without).prompt.user


async def test_a_critic_without_budget_asks_nothing() -> None:
    llm = ScriptedLLM()
    _, critic = llm_services(llm)
    left = Remaining(rounds=1, llm_calls=1, llm_tokens=900, seconds=9.0)

    with pytest.raises(LLMError, match="are left"):
        await critic.judge(critic_request(view("a"), remaining=left))
    assert llm.prompts == []


def test_the_model_reads_dates_notes_facets_and_how_many_to_pick() -> None:
    newer = datetime(2026, 1, 9, tzinfo=UTC)
    request = critic_request(
        view("a", "old price", repeats="b", role="price <list>"),
        view("b", "new price", day=9),
        view("c", "older", replaced_by="b", replaced_at=newer),
        view("d", "oldest", replaced_by="gone", replaced_at=newer),
        remaining=PLENTY,
    )
    sheet = sheet_of(request)
    ids, user = call_ids(sheet), sheet.prompt.user

    assert f"“About a” | price ‹list› | repeats? {ids['b']}\nold price" in user
    assert "2026-01-09 | note | “About b”\nnew price" in user
    assert f"2026-01-01 | note | “About c” | noted as replaced by {ids['b']}, 2026-01-09" in user
    assert "noted as replaced by a memory that is not shown, 2026-01-09" in user
    assert "e2 | achievements | Needs achievements." in user
    assert "2026-03-01 (Sunday)" in user
    assert "- my plan for the first year" in user
    assert "the first 6 become the answer" in sheet.prompt.system


async def test_who_mistakes_the_ids_of_what_it_likes_has_not_judged() -> None:
    """Then a memory that the reply does not name is not a memory that the model dislikes."""

    def misread(user: str) -> object:
        real = re.findall(r"<memory (\w+)>", user)
        votes = [{"id": f"{real[0]}99", "vote": "hot"}, {"id": real[1], "vote": "cold"}]
        return {"votes": votes, "go_on": False}

    _, critic = llm_services(RepeatableLLM(CritiqueReply=[misread]))

    with pytest.raises(LLMError, match="no memory that it was shown"):
        await critic.judge(PAIR)
