"""The change that `explain` names admits a memory, and nothing smaller does. Here with cues."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes import note

from secondhop.errors import UsageError
from secondhop.graph.deciding import deciding, score_text, score_to_beat
from secondhop.graph.explanation import Explanation
from secondhop.graph.trace import RecallTrace
from secondhop.recall import Recall

ASKED, PAY = "What may I bake for Ana?", "Help me pay the farrier"
OLD, NEW = "farrier-2024", "farrier-2025"


def smallest_k(told: Explanation) -> int:
    """The k that the explanation names."""
    found = re.search(r"--k (\d+)", told.nearest_change)
    assert found, told.nearest_change
    return int(found.group(1))


def text_of(number: int) -> str:
    """Words that no other note has."""
    return " ".join(f"{word}{number}" for word in ("cake", "flour", "nut", "plum", "tin", "oven"))


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    """Fifty notes with cues; one note is marked as outdated by another."""
    async with await Recall.aopen(tmp_path, embedder="hashing") as opened:
        notes = [
            replace(
                note(f"n{n}", f"{'Ana ' * (n % 5)}bakes {text_of(n)}"), cues=(f"bake {text_of(n)}",)
            )
            for n in range(48)
        ]
        old = replace(
            note(OLD, "Seventy in cash for the farrier", day=2), cues=("pay the farrier",)
        )
        new = replace(
            note(NEW, "The farrier costs 85 pounds now", day=3),
            cues=("what does the farrier cost",),
            replaces=(OLD,),
        )
        await opened.aadd([*notes, old, new])
        yield opened


async def asked(recall: Recall, k: int = 6, question: str = ASKED) -> RecallTrace:
    return recall.trace((await recall.arecall(question, k=k, effort="none")).trace_id)


async def test_it_names_the_smallest_k_that_admits_it(recall: Recall) -> None:
    trace = await asked(recall)
    cut = [one.memory_id for one in trace.candidates if one.slot is None] + [*trace.rest]
    assert len(cut) == 44

    for memory_id in [*cut[::7], OLD]:
        told = await recall.aexplain(trace, memory_id)
        k = smallest_k(told)
        assert memory_id in (await asked(recall, k)).returned, told.nearest_change
        assert memory_id not in (await asked(recall, k - 1)).returned, told.nearest_change


async def test_no_cue_is_offered_for_what_a_newer_memory_is_noted_to_replace(
    recall: Recall,
) -> None:
    told = await recall.aexplain(await asked(recall), OLD)
    assert f"Against it: {NEW} “About {NEW}” is recorded as its replacement." in told.story
    assert "secondhop cues" not in told.nearest_change

    await recall.memories.cues.aadd(OLD, ASKED)
    assert OLD not in (await asked(recall)).returned


async def test_without_the_note_that_it_is_replaced_it_comes_back(recall: Recall) -> None:
    told = await recall.aexplain(await asked(recall, 2, PAY), OLD)
    assert (
        f"or storing {NEW} “About {NEW}” without saying that it replaces this one"
        in told.nearest_change
    )

    assert (
        f"; or `--as-of` with a time before {NEW} “About {NEW}” was written" in told.nearest_change
    )
    then = datetime(2026, 1, 2, 23, tzinfo=UTC)
    assert OLD in (await recall.arecall(PAY, k=2, as_of=then)).ids()

    newer = note(NEW, "The farrier costs 85 pounds now", day=3)
    await recall.aadd([replace(newer, cues=("what does the farrier cost",))])
    assert OLD in (await asked(recall, 2, PAY)).returned


async def test_a_cue_is_offered_only_where_it_may_lift_it_far_enough(recall: Recall) -> None:
    trace = await asked(recall)
    far = next(one for one in trace.candidates[::-1] if not one.outdated_by)
    told = await recall.aexplain(trace, far.memory_id)
    needed = score_to_beat(trace)
    assert "; or add a cue, which may lift it: `secondhop cues" in told.nearest_change

    others = [one for one in trace.candidates if one is not far]
    for cue, offered in (("bake a cake", True), (ASKED, False)):
        own = far.model_copy(update={"cue": cue})
        cued = trace.model_copy(update={"candidates": [*others, own]})
        told = await recall.aexplain(cued, far.memory_id)
        assert ("secondhop cues" in told.nearest_change) == offered

    weak = far.model_copy(update={"factors": {"newer": needed}, "weakened_by": "n1"})
    weaker = trace.model_copy(update={"candidates": [*others, weak]})
    told = await recall.aexplain(weaker, far.memory_id)
    assert "secondhop cues" not in told.nearest_change


async def test_a_vote_of_an_earlier_session_is_a_reason_and_can_be_taken_back(
    recall: Recall,
) -> None:
    trace = await asked(recall, 7)
    cold = trace.returned[-1]
    async with recall.sessions.open(ASKED, k=7) as session:
        await session.vote({cold: "cold"}, by="person", go_on=False)
        await session.resolve()
    trace = await asked(recall, 7)
    assert cold not in trace.returned

    told = await recall.aexplain(trace, cold)

    assert f"Against it: a session voted it down for “{ASKED}”." in told.story
    assert any("votes in earlier sessions × 0." in line for line in told.computed)
    assert f"or `recall.learning.forget([{cold!r}])`" in told.nearest_change
    await recall.learning.aforget([cold])
    assert cold in (await asked(recall, 7)).returned


async def test_a_score_is_told_with_what_made_it_and_no_other_number(recall: Recall) -> None:
    trace = await asked(recall, k=60)
    for one in trace.candidates:
        told = await recall.aexplain(trace, one.memory_id)
        scores = re.findall(r"score of (\d\.\d+)", " ".join(told.computed))
        assert scores[0] == score_text(trace, one.score)
        assert scores[-1] == score_text(trace, deciding(trace, one))
        assert "relevance" not in " ".join([*told.story, *told.computed])


async def test_a_look_up_that_nothing_answers_says_so_and_what_it_took(recall: Recall) -> None:
    result = await recall.arecall("Who repaired the boiler?", effort="none")
    assert not result.memories

    told = await recall.aexplain(result.trace_id, OLD)

    for said in (told.story[-1], result.maybe[0].cut_by):
        assert "(the question was taken for a look-up, and the best match would do with" in said
        enough = re.search(r"a ranking\.min_score of (0\.\d\d); it is 0\.35\)", said)
        assert enough
        assert f"`--set ranking.min_score={enough[1]} " in told.nearest_change
    assert "add a cue" not in told.nearest_change


@pytest.mark.parametrize("question", ["Who repaired the boiler?", "Help me sell the ferry"])
async def test_the_question_as_a_cue_answers_what_nothing_answered(
    recall: Recall, question: str
) -> None:
    result = await recall.arecall(question, effort="none")
    assert not result.memories
    held_back = next(one.id for one in result.maybe if one.id != OLD)

    told = await recall.aexplain(result.trace_id, held_back)
    assert f"; or add a cue, which may lift it: `secondhop cues {held_back} " in told.nearest_change
    await recall.memories.cues.aadd(held_back, question)
    assert held_back in (await recall.arecall(question, effort="none")).ids()


async def test_a_greeting_that_nothing_answers_offers_no_lower_bar(recall: Recall) -> None:
    result = await recall.arecall("hello there", effort="none")
    assert not result.memories

    told = await recall.aexplain(result.trace_id, OLD)

    assert told.nearest_change == "a question nearer to what is stored"
    assert told.story[-1].endswith("nothing stored is near enough to the question itself.")


async def test_what_a_name_of_the_question_brings_is_there_for_that_name(tmp_path: Path) -> None:
    notes = [note(f"n{n}", text_of(n)) for n in range(20)]
    long = " ".join(map(text_of, range(90, 99)))
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd([*notes, note("keller", f"Keller: {long}", day=9)])
        result = await recall.arecall("Which violin did Frau Keller sell?", effort="none", k=20)
        told = await recall.aexplain(result.trace_id, "keller")

    assert told.story[0] == "It mentions “Keller”, as the question does."
    weak = [memory.id for memory in result.memories if memory.weak]
    assert weak
    assert "keller" not in weak


async def test_what_was_written_after_the_date_of_a_recall_is_told_so(tmp_path: Path) -> None:
    june = datetime(2026, 1, 20, tzinfo=UTC)
    notes = [note(f"n{n}", text_of(n), day=1 + n % 28) for n in range(90)]
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd(notes)
        result = await recall.arecall("Which cake3 has plum3?", as_of=june, effort="none")
        later = [one.memory_id for one in notes if one.created_at > june]
        stories = [await recall.aexplain(result.trace_id, one) for one in later]
        sooner = set(result.ids()).isdisjoint(later)
        now = await recall.arecall(text_of(27), effort="none")

    assert sooner
    assert len(later) > 20  # more than a trace notes
    for told in stories:
        assert told.story[-1] == "It was not returned: written after 2026-01-20 00:00."
        assert told.nearest_change == "a recall as of a later time"
    assert "n27" in now.ids()


async def test_what_searches_found_far_off_is_not_called_unfound(tmp_path: Path) -> None:
    notes = [note(f"n{n}", text_of(n)) for n in range(90)]
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd(notes)
        result = await recall.arecall("Help me bake with cake3 and plum4", effort="none")
        trace = recall.trace(result.trace_id)
        stories = [await recall.aexplain(trace, one.memory_id) for one in notes]

    found = {hit.memory_id for query in trace.queries for hit in (*query.dense, *query.lexical)}
    assert len(found) > len(trace.scores())
    for told in stories:
        unfound = "No query of this recall found it." in told.story
        assert unfound == (told.memory_id not in found), told
        assert "depth_factor" not in told.nearest_change


async def test_what_is_close_to_one_ahead_comes_last_and_is_told_so_with_or_without_a_slot(
    tmp_path: Path,
) -> None:
    said = "Ana is allergic to nuts and eats no cake that contains any of them."
    first, copy = note("ana", said), note("copy", f"{said} Really.")
    others = [note(f"cake-{n}", f"Which cake is cake {n}? Ana has {n} of them.") for n in range(9)]
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd([first, copy, *others])
        question = "Which nuts and cake may Ana not eat?"
        for k in (1, 4, 11):
            trace = await asked(recall, k, question)
            told = await recall.aexplain(trace, "copy")
            own, last = trace.candidate("copy"), trace.candidate(trace.returned[-1])
            assert own
            assert last
            assert own.close_to == "ana"
            assert "is close in wording or meaning to ana “About ana”, and such" in told.story[-1]
            assert "slots go by score" not in told.story[-1]
            if not told.returned:
                assert deciding(trace, own) > deciding(trace, last) or k == 1
                assert "copy" in (await asked(recall, smallest_k(told), question)).returned
        ahead = await recall.aexplain(trace, trace.returned[-2])
    assert told.returned
    assert "Next came copy “About copy”" in ahead.story[-1]
    assert "but it is close in wording or meaning to ana “About ana”." in ahead.story[-1]


async def test_a_replaced_memory_with_a_slot_is_told_why_it_comes_last(recall: Recall) -> None:
    trace = await asked(recall, 50, PAY)
    told = await recall.aexplain(trace, OLD)
    assert trace.returned[-1] == OLD
    assert "it is recorded as replaced by a newer one, and such memories come" in told.story[-1]


async def test_in_a_session_one_number_of_slots_is_told_and_every_change_admits_the_memory(
    recall: Recall,
) -> None:
    await recall.aadd(
        [note(f"n{n}", f"{'Ana ' * (n % 5)}bakes {text_of(n)}") for n in range(50, 90)]
    )
    async with recall.sessions.open(ASKED, k=6) as session:
        first = session.answer.ids()
        votes = {first[0]: "hot", first[1]: "cold", first[2]: "spark", first[5]: "hot"}
        answer = await session.vote(votes, by="person")
        trace = recall.trace(answer.trace_id)
        stories = {
            one.memory_id: await recall.aexplain(trace, one.memory_id) for one in trace.candidates
        }
    assert answer.branches
    assert len(answer.memories) == 8
    in_branches = {one.id for branch in answer.branches for one in branch.memories}
    scores = [deciding(trace, one) for one in trace.candidates if one.slot is None and one.drops]
    assert scores
    offered, out = set[str](), list[Explanation]()
    for memory_id, told in stories.items():
        slots = re.findall(r"slot \d+ of (\d+)|place \d+ for (\d+) slots", told.story[-1])
        assert {number for found in slots for number in found} <= {"8", ""}
        if memory_id in in_branches:
            assert told.story[-1] == "It is in a branch beside the answer and takes no slot."
        elif told.nearest_change.startswith("ask again without this vote"):
            offered.add(memory_id)
        elif not told.returned:
            out.append(told)
    assert offered == {first[1], first[2]}
    (ninth,) = [one for one in trace.candidates if any(drop.rank == 9 for drop in one.drops)]
    last = stories[trace.returned[7]].story[-1]
    assert "slot 8 of 8 for “the question itself”" in last
    assert f"Next came {ninth.memory_id} " in last

    assert offered <= {*(await asked(recall, 6)).returned}

    nearer = ["nearer to it" in told.nearest_change for told in out]
    assert any(nearer)
    assert not all(nearer)
    for told in out[::3]:
        if "nearer to it" in told.nearest_change:
            again = await asked(recall, question=(await recall.memories.aget(told.memory_id)).text)
        else:
            assert "in a new recall without votes" in told.nearest_change
            k = smallest_k(told) if "--k" in told.nearest_change else 6
            more = k // 4 if "a little more" in told.nearest_change else 0
            again = await asked(recall, k + more)
        assert told.memory_id in again.returned, told.nearest_change


async def test_a_vote_of_a_later_round_is_changed_in_a_new_session(recall: Recall) -> None:
    stories: list[Explanation] = []
    for second in ("cold", "hot"):
        async with recall.sessions.open(ASKED, k=6) as session:
            first = session.answer.ids()
            answer = await session.vote({first[0]: "hot"}, by="person")
            voted = answer.ids()[3]
            answer = await session.vote({voted: second}, by="person")
        stories.append(await recall.aexplain(recall.trace(answer.trace_id), voted))
    cold, hot = stories
    assert cold.nearest_change.startswith(
        "ask again in a new session with the same votes before round 2, and a hot one for it there"
    )
    assert hot.returned


async def test_each_search_is_told_with_its_own_round(recall: Recall) -> None:
    async with recall.sessions.open(ASKED, k=6) as session:
        first = session.answer.ids()
        answer = await session.vote({first[0]: "hot", first[2]: "spark"}, by="person")
        trace = recall.trace(answer.trace_id)
        stories = [await recall.aexplain(trace, one.memory_id) for one in trace.candidates]
    moved = [one.computed for one in stories if "as votes moved it" in " ".join(one.computed)]
    assert moved
    asked_in = {(query.text, str(query.round)) for query in trace.queries}
    for told in stories:
        for number, searches in re.findall(
            r"in round (\d): (.+?)(?=; in round|\.$)", told.computed[-1]
        ):
            texts = re.findall(r"“([^”]*)”", searches)
            assert {(text, number) for text in texts} <= asked_in
            assert len(re.findall(r"by words", searches)) <= len(texts)


async def test_a_memory_that_takes_no_more_cues_must_lose_one_first(recall: Recall) -> None:
    trace = await asked(recall)
    stories = [await recall.aexplain(trace, one.memory_id) for one in trace.candidates]
    far = next(told.memory_id for told in stories if "--add" in told.nearest_change)
    for number in range(5):  # it was stored with one
        await recall.memories.cues.aadd(far, f"mend the violin {number}")

    told = await recall.aexplain(await asked(recall), far)
    assert "--k " in told.nearest_change
    assert "--add" not in told.nearest_change
    assert f"in place of one of its 6, which may lift it: `secondhop cues {far}`" in (
        told.nearest_change
    )
    with pytest.raises(UsageError, match="the most it may have"):
        await recall.memories.cues.aadd(far, "mend the cello")
