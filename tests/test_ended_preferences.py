"""Ended preferences come back if asked for; contexts that could not be compared are reported."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.small_world import QUESTION, ask

from secondhop.cli.trace_tree import preference_line
from secondhop.errors import ModelError
from secondhop.mcp.replies import preference_text
from secondhop.memories.records import Preference
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.selection import preferences as rules
from secondhop.recall import Recall
from secondhop.stores.records import Vectors

pytestmark = pytest.mark.usefixtures("library_of_tests")

CONTEXT = "prepare for my Carefeed interview"
NOW = datetime(2026, 4, 1, tzinfo=UTC)


def on(month: int) -> datetime:
    return datetime(2026, month, 1, tzinfo=UTC)


async def remembered(recall: Recall, text: str, *, month: int, scope: str = "always") -> str:
    """Store a preference of the topic "length"; returns its id."""
    wish = Preference(text=text, scope=scope, topic="length")
    return (await recall.memories.aremember(wish, at=on(month))).memory_id


async def test_asked_for_a_replaced_preference_comes_back_behind_the_others_and_marked(
    recall: Recall,
) -> None:
    short = await remembered(recall, "Keep answers short", month=1)
    long = await remembered(recall, "Explain at length", month=2)
    old = await remembered(recall, "Start with numbers", month=1, scope=CONTEXT)
    new = await remembered(recall, "Start with the story", month=2, scope=CONTEXT)

    plain = await recall.arecall(QUESTION, at=NOW)
    result = await recall.arecall(QUESTION, at=NOW, include_stale=True)

    assert [one.id for one in plain.preferences] == [long, new]
    assert [(one.id, one.stale, one.replaced_by) for one in result.preferences] == [
        (long, "", ""),
        (new, "", ""),
        (short, f"superseded by {long} on 2026-02-01", long),
        (old, f"superseded by {new} on 2026-02-01", new),
    ]


async def test_every_view_of_an_ended_preference_says_that_it_ended(recall: Recall) -> None:
    short = await remembered(recall, "Keep answers short", month=1)
    await recall.memories.adeprecate(short, "not any more", at=on(3))

    result = await recall.arecall(QUESTION, at=NOW, include_stale=True)
    (kept,) = recall.trace(result.trace_id).preferences
    story = await recall.aexplain(result.trace_id, short)

    (given,) = result.preferences
    assert given.stale.startswith("deprecated")
    assert preference_text(given) == f"Keep answers short [{given.stale}]"
    assert kept.stale == given.stale
    assert preference_line(kept).endswith(given.stale)
    assert "is no longer valid" in story.story[0]


async def test_what_was_believed_then_leaves_out_what_was_written_later(recall: Recall) -> None:
    short = await remembered(recall, "Keep answers short", month=1)
    await remembered(recall, "Explain at length", month=3)

    then = await recall.arecall(QUESTION, at=NOW, as_of=on(2), include_stale=True)

    assert [(one.id, one.stale) for one in then.preferences] == [(short, "")]


async def test_what_ended_takes_the_place_of_nothing_that_holds(
    recall: Recall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "CONTEXTS", 1)
    holds = await recall.memories.aremember(
        Preference(text="Ask", scope=CONTEXT, topic="a"), at=on(1)
    )
    newer = await recall.memories.aremember(
        Preference(text="Wait", scope=CONTEXT, topic="b"), at=on(2)
    )
    await recall.memories.adeprecate(newer.memory_id, "no", at=on(3))

    result = await recall.arecall(QUESTION, at=NOW, include_stale=True)

    assert [one.id for one in result.preferences] == [holds.memory_id]


class WithoutPassages(HashingEmbedder):
    """Embeds questions but fails on passages."""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        raise ModelError("the model is away")


async def test_a_model_that_cannot_compare_contexts_is_named_in_answer_and_trace(
    recall: Recall,
) -> None:
    always = await remembered(recall, "Keep answers short", month=1)
    await remembered(recall, "Start with numbers", month=1, scope=CONTEXT)
    services = replace(recall.admin.services, embedder=WithoutPassages())

    result, trace = await ask(services)

    assert [one.id for one in result.preferences] == [always]
    said = "preferences for a context were not looked up: the model is away"
    assert said in result.degraded
    assert said in trace.degraded
    assert said in next(step.error for step in trace.steps if step.node == "dispatch")
