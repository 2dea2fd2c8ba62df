"""What sessions prove becomes a cue: recalls of similar questions gain, others do not change, and
forgotten lessons are gone. Uses real stores and the hashing embedder."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from tests.small_world import QUESTION
from tests.store_files import stores_below

from secondhop.graph.session_result import ResolvedSession, VotesOfRound
from secondhop.graph.trace import RecallTrace
from secondhop.memories.records import Fact, StoredCue
from secondhop.recall import Recall
from secondhop.sessions.learner import Learned, Resolution
from secondhop.stores.cues import LONGEST_QUESTION, MOST_PROVED, MOST_VOTES

pytestmark = pytest.mark.usefixtures("library_of_tests")

OTHER = "What do my tomatoes need?"
AT = datetime(2026, 3, 1, tzinfo=UTC)
VOTES = {"research-1": "cold", "research-2": "cold", "plan": "hot", "wins": "hot"}


async def teach(
    recall: Recall,
    *,
    votes: Mapping[str, str] = VOTES,
    times: int = 1,
    by: Literal["person", "agent"] = "person",
    at: datetime = AT,
) -> None:
    """Hold sessions about the interview, with votes, and resolve them."""
    for _ in range(times):
        async with recall.sessions.open(QUESTION, k=6, at=at) as session:
            shown = session.answer.ids()
            cast = {one: vote for one, vote in votes.items() if one in shown}
            await session.vote(cast, by=by, go_on=False)
            await session.resolve()


async def ended(
    recall: Recall, accepted: Sequence[str] | None = None, *, dry_run: bool = False
) -> Resolution:
    """Resolve a session after one answer, without a vote."""
    async with recall.sessions.open(QUESTION, k=4, at=AT) as session:
        return await session.resolve(accepted, dry_run=dry_run)


def resolved(
    question: str, *, hot: Sequence[str], by: Literal["person", "agent"] = "person"
) -> ResolvedSession:
    """A resolved session that came from a host's graph."""
    return ResolvedSession(
        session_id="s",
        entity="mara",
        question=question,
        asked_at=AT,
        rounds=1,
        shown=list(hot),
        votes=[VotesOfRound(round=1, by=by, hot=list(hot))],
        accepted=[],
        sparks=[],
    )


async def traced(recall: Recall, question: str = QUESTION, *, days: float = 0) -> RecallTrace:
    found = await recall.arecall(question, k=4, at=AT + timedelta(days=days))
    return recall.trace(found.trace_id)


def factors(trace: RecallTrace) -> dict[str, float]:
    return {
        one.memory_id: one.factors["learned"]
        for one in trace.candidates
        if "learned" in one.factors
    }


async def of_sessions(recall: Recall, memory_id: str | None = None) -> list[StoredCue]:
    return [one for one in await recall.memories.cues.alist(memory_id) if one.origin == "session"]


async def test_what_a_session_proves_is_a_cue_and_the_next_recall_says_so(recall: Recall) -> None:
    before = await traced(recall)
    await teach(recall, times=3)

    found = await recall.arecall(QUESTION, k=4, at=AT)

    after = recall.trace(found.trace_id)
    (cue,) = await of_sessions(recall, "plan")
    assert (cue.text, cue.proved, cue.written_at) == (QUESTION, 3, AT)
    assert factors(before) == {}
    learned = factors(after)
    assert min(learned["plan"], learned["wins"]) > 1
    assert learned["research-1"] < 1
    assert after.returned.index("plan") <= before.returned.index("plan")
    proved = f"A session proved it useful for “{QUESTION}”"
    (plan,) = [one for one in found.memories if one.id == "plan"]
    assert plan.why.startswith(proved)
    told = await recall.aexplain(after, "plan")
    assert f"{proved}." in told.story
    assert any("votes in earlier sessions × " in sentence for sentence in told.computed)


async def test_another_question_is_recalled_as_if_nothing_had_been_learned(recall: Recall) -> None:
    before = await traced(recall, OTHER)
    await teach(recall, times=3)

    after = await traced(recall, OTHER)

    assert after.returned == before.returned
    assert factors(after) == {}
    assert [one.score for one in after.candidates] == [one.score for one in before.candidates]


async def test_a_question_about_the_past_does_not_know_it(recall: Recall) -> None:
    await teach(recall)

    past = await recall.arecall(QUESTION, k=4, as_of=AT)

    assert factors(recall.trace(past.trace_id)) == {}


async def test_nothing_is_learned_where_nothing_was_said_or_without_the_end(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.arecall(QUESTION)
    before = stores_below(tmp_path)
    async with recall.sessions.open(QUESTION, k=3) as left:
        await left.vote({left.answer.ids()[0]: "hot"})
    await recall.learning.areport()
    assert stores_below(tmp_path) == before

    assert (await ended(recall)).learned == Learned()
    assert (await ended(recall, [])).learned == Learned()
    would = await ended(recall, ["plan"], dry_run=True)
    assert would.learned == Learned(updated=1, learned=True)
    assert (await recall.learning.areport()).questions == []


async def test_what_was_said_to_have_helped_counts_without_a_vote_and_is_counted(
    recall: Recall,
) -> None:
    resolution = await ended(recall, ["plan", "wins"])

    assert resolution.learned == Learned(updated=2, learned=True)
    assert min(factors(await traced(recall)).values()) > 1
    assert factors(await traced(recall)).keys() == {"plan", "wins"}
    told = resolution.session
    counted = await recall.memories.acounters(*told.retrieved)
    assert {one for one, uses in counted.items() if uses.retrieved} == set(told.retrieved)
    assert {one for one, uses in counted.items() if uses.shown} == set(told.shown)
    assert {one for one, uses in counted.items() if uses.accepted} == {"plan", "wins"}


async def test_switched_off_nothing_is_learned_or_used_and_nothing_is_lost(
    recall: Recall, tmp_path: Path
) -> None:
    await teach(recall)
    await recall.learning.aswitch(on=False)
    before = stores_below(tmp_path)

    await teach(recall)

    assert stores_below(tmp_path) == before
    assert factors(await traced(recall)) == {}
    assert not (await recall.learning.areport()).on
    await recall.learning.aswitch(on=True)
    assert factors(await traced(recall))["plan"] > 1


async def test_nearly_the_same_question_strengthens_its_cue_up_to_a_bound(recall: Recall) -> None:
    for _ in range(3):
        await recall.learning.alearn(resolved(QUESTION, hot=["plan"]))
        await recall.learning.alearn(resolved(f"Please: {QUESTION}", hot=["plan"]))
    await recall.learning.alearn(resolved(OTHER, hot=["plan"]))

    cues = {one.text: one.proved for one in await of_sessions(recall, "plan")}

    assert cues == {QUESTION: MOST_VOTES, OTHER: 1}


async def test_a_memory_keeps_few_questions_those_that_say_most(recall: Recall) -> None:
    words = [f"w{number}x y{number}z q{number}v" for number in range(2 * MOST_PROVED)]
    for number, question in enumerate(words):
        for _ in range(1 + number % 2):
            await recall.learning.alearn(resolved(question, hot=["plan"]))

    kept = await of_sessions(recall, "plan")

    assert {one.text for one in kept} == set(words[1::2])


async def test_a_cue_that_leads_to_cold_votes_retires(recall: Recall) -> None:
    await teach(recall, votes={"plan": "hot"})
    await teach(recall, votes={"plan": "cold"}, by="agent", times=3)

    assert await of_sessions(recall, "plan") == []
    assert "plan" in (await traced(recall)).returned, "agents take back, and never refuse"


async def test_what_people_voted_out_of_three_sessions_does_not_come_back(recall: Recall) -> None:
    cold = (await recall.arecall(QUESTION, k=4, at=AT)).ids()[0]
    for _ in range(3):
        await teach(recall, votes={cold: "cold"})

    found = await traced(recall)
    near = await traced(recall, f"Please: {QUESTION}")
    other = await recall.arecall(OTHER, k=4, at=AT)
    faded = await traced(recall, days=200)

    assert cold not in found.returned
    every = (await recall.arecall(QUESTION, k=50, at=AT)).ids()
    assert cold not in every, "a slot was free"
    assert cold not in near.returned
    assert cold in faded.returned
    assert other.ids()
    told = await recall.aexplain(found, cold)
    assert any("people refused it for questions like this one" in line for line in told.story)
    assert f"recall.learning.forget([{cold!r}])" in told.nearest_change
    await recall.learning.aforget([cold])
    assert cold in (await traced(recall)).returned


async def test_the_report_tells_all_and_a_question_or_everything_is_forgotten(
    recall: Recall,
) -> None:
    now = datetime.now(UTC)
    await teach(recall, votes={"plan": "hot", "research-1": "wrong"}, at=now)
    await recall.learning.alearn(resolved(OTHER, hot=["garden"]))

    report = await recall.learning.areport()

    assert report.on
    told = {one.question: one.memories for one in report.questions}
    plan = told[QUESTION][0]
    assert (plan.memory_id, plan.title) == ("plan", "Goals for the first year")
    assert (plan.votes, plan.refused) == (1, False)
    assert [one.memory_id for one in told[QUESTION] if one.refused] == ["research-1"]
    await recall.memories.cues.aremove(plan.cue_id)
    assert await of_sessions(recall, "plan") == []
    await recall.learning.aforget_question(QUESTION)
    assert [one.question for one in (await recall.learning.areport()).questions] == [OTHER]
    await recall.learning.aforget_all()
    assert (await recall.learning.areport()).questions == []


async def test_a_question_goes_from_all_memories_when_one_that_it_was_about_is_forgotten(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.learning.alearn(resolved("zanzibar quokka marmalade", hot=["plan", "garden"]))
    await recall.learning.alearn(resolved(OTHER, hot=["garden"]))

    await recall.memories.aforget("plan")

    assert [(one.memory_id, one.text) for one in await recall.memories.cues.alist()] == [
        ("garden", OTHER)
    ]
    for path in (tmp_path / "store").rglob("*"):
        if path.is_file():
            assert b"quokka" not in path.read_bytes(), path


async def test_exports_and_another_embedding_model_carry_it(recall: Recall, tmp_path: Path) -> None:
    await teach(recall, times=2)
    await recall.learning.alearn(resolved("x " * 500, hot=["plan"]))
    before = [replace_dates(one) for one in await of_sessions(recall)]
    await recall.admin.aexport_to(tmp_path / "export.jsonl")

    async with await Recall.aopen(tmp_path / "other", entity="mara", embedder="hashing") as other:
        await other.admin.aimport_from(tmp_path / "export.jsonl")

        assert [replace_dates(one) for one in await of_sessions(other)] == before
        assert factors(await traced(other)) == factors(await traced(recall))


def replace_dates(cue: StoredCue) -> tuple[str, str, float, datetime | None]:
    return cue.memory_id, cue.text, cue.proved, cue.written_at


async def test_a_question_without_a_subject_proves_nothing_and_a_long_one_is_cut(
    recall: Recall, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def all_generic(self: object, rows: Sequence[object]) -> list[bool]:
        return [True] * len(rows)

    await recall.learning.alearn(resolved("tell " * 2_000, hot=["plan"], by="agent"))
    (cue,) = await of_sessions(recall)
    assert len(cue.text) <= LONGEST_QUESTION
    monkeypatch.setattr("secondhop.annotate.generic.GenericCues.among", all_generic)

    learned = await recall.learning.alearn(resolved("answer any question", hot=["wins"]))

    assert learned == Learned()
    assert await of_sessions(recall, "wins") == []


async def test_facts_that_were_corrected_carry_nothing_over(recall: Recall) -> None:
    old = await recall.memories.aremember(
        Fact(subject="me", attribute="employer", value="Carefeed")
    )
    await recall.learning.alearn(resolved(QUESTION, hot=["plan", old.memory_id]))
    new = await recall.memories.aupdate(old.memory_id, "Zeta")

    learned = factors(await traced(recall))

    assert set(learned) == {"plan"}
    assert await of_sessions(recall, new.memory_id) == []
