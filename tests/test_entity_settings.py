"""Settings kept with an entity: every door heeds them; what the caller sets goes before them."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langgraph.checkpoint.memory import InMemorySaver
from tests.fakes import note
from tests.small_world import recall_settings

from secondhop.errors import UsageError
from secondhop.memories.delete_entity import adelete_entity
from secondhop.memories.reindex import reindex_entity
from secondhop.nodes.config import Config
from secondhop.nodes.state import RecallInput
from secondhop.recall import Recall
from secondhop.stores.store_directory import StoreDirectory

pytestmark = pytest.mark.usefixtures("library_of_tests")

QUESTION = "What goes into the plum cake of my grandmother?"
OLD = replace(
    note("old", "How I bake the plum cake of my grandmother: butter, plums, sugar"),
    created_at=datetime(1990, 1, 1, tzinfo=UTC),
)
NEW = note("new", "To bake a plum cake I take butter, plums and cinnamon")
NOW = datetime(2026, 1, 20, tzinfo=UTC)
BY_AGE: Mapping[str, str | float] = {"ranking.recency": "always", "ranking.recency_days": 20_000}
PLAIN, AGED = ["old", "new"], ["new", "old"]
"""The order of the two by what they say, and where age counts."""


async def opened(folder: Path, *, entity: str = "mara", **parts: Any) -> Recall:
    return await Recall.aopen(folder, entity=entity, embedder="hashing", **parts)


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await opened(tmp_path / "store") as recall:
        await recall.aadd([OLD, NEW])
        yield recall


async def order(recall: Recall) -> list[str]:
    return (await recall.arecall(QUESTION, k=2, at=NOW)).ids()


async def test_the_next_recall_heeds_them_in_every_open_memory(
    recall: Recall, tmp_path: Path
) -> None:
    async with await opened(tmp_path / "store") as elsewhere:
        before = await order(recall), await order(elsewhere)
        told = await recall.admin.akeep_settings(BY_AGE)
        after = await order(recall), await order(elsewhere)
        await elsewhere.admin.akeep_settings(dict.fromkeys(BY_AGE))
        taken_back = await order(recall), await order(elsewhere)

    assert before == (PLAIN, PLAIN)
    assert after == (AGED, AGED)
    assert taken_back == (PLAIN, PLAIN)
    assert told.kept == {"ranking.recency": "always", "ranking.recency_days": 20_000.0}
    assert told.in_force["ranking.recency"].said_by == "entity"
    assert told.in_force["ranking.freshness"].said_by == "default"


async def test_every_door_heeds_them(recall: Recall, tmp_path: Path) -> None:
    await recall.admin.akeep_settings(BY_AGE)
    asked: RecallInput = {"question": QUESTION, "k": 2, "asked_at": NOW.isoformat()}

    documents: list[Document] = await recall.as_retriever(k=2).ainvoke(QUESTION)
    node = await recall.graph.ainvoke(asked)
    reply = str(await recall.as_tool(k=2).ainvoke({"question": QUESTION}))
    session = await recall.sessions.astart(QUESTION, k=2, at=NOW)
    filled = await recall.arecall(QUESTION, tokens=500, at=NOW)
    saver = InMemorySaver()
    async with await opened(tmp_path / "store", checkpointer=saver) as resuming:
        again = await resuming.arecall(QUESTION, k=2, at=NOW, thread_id="t")

    assert [one.id for one in documents] == AGED
    assert [one["id"] for one in node["result"]["memories"]] == AGED
    assert reply.index("cinnamon") < reply.index("sugar")
    assert session.ids() == again.ids() == AGED
    assert recall.trace(filled.trace_id).settings["ranking.recency"] == "always"


async def test_the_caller_goes_before_the_entity_and_the_entity_before_a_file(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.admin.akeep_settings(BY_AGE)
    never = recall_settings(ranking={"recency": "never"})
    shipped = recall_settings(ranking={"recency": "auto"})
    cases: list[tuple[Config, list[str] | None, list[str], str]] = [
        (never, None, PLAIN, "caller"),
        (never, [], AGED, "entity"),
        (shipped, None, AGED, "entity"),
        (shipped, ["ranking.recency"], PLAIN, "caller"),
    ]

    for settings, decided, wanted, said_by in cases:
        async with await opened(tmp_path / "store", config=settings, decided=decided) as other:
            assert await order(other) == wanted
            assert (await other.admin.asettings()).in_force["ranking.recency"].said_by == said_by


async def test_a_session_goes_on_with_the_settings_that_it_began_with(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.admin.akeep_settings(BY_AGE)
    begun = await recall.sessions.astart(QUESTION, k=2, at=NOW)
    await recall.admin.akeep_settings(dict.fromkeys(BY_AGE))
    async with await opened(tmp_path / "store") as elsewhere:
        after = await elsewhere.sessions.avote(begun.session_id, {"new": "cold"}, by="agent")
        begun_again = await elsewhere.sessions.astart(QUESTION, k=2, at=NOW)

    assert begun.ids() == AGED
    assert after.round == 2
    assert begun_again.ids() == PLAIN


async def test_a_dry_run_tells_and_keeps_nothing(recall: Recall) -> None:
    told = await recall.admin.akeep_settings(BY_AGE, dry_run=True)

    assert told.dry_run
    assert told.in_force["ranking.recency"].value == "always"
    assert (await recall.admin.asettings()).kept == {}
    assert await order(recall) == PLAIN


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ranking.freshness": 0.5, "ranking.recensy": "always"}, "did you mean ranking.recency"),
        ({"ranking.min_score": 0.5}, "no setting that can be kept"),
        ({"ranking.recency": "sometimes"}, "recency cannot be 'sometimes'"),
        ({"ranking.recency_days": 0}, "above 0"),
        ({"ranking.recency_days": float("inf")}, "finite"),
        ({"ranking.recency_days": True}, "give a text or a number"),
        ({"ranking.freshness": 2}, "0..1"),
        ({"ranking.source_priority": "note"}, "no source with a factor"),
        ({"ranking.source_priority": "n\udcffte=1"}, "cannot be written"),
        ({7: "always"}, "7 is no setting"),
        (["ranking.recency"], "must look like"),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_of_it_kept(
    recall: Recall, changes: Any, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        await recall.admin.akeep_settings(changes)

    assert (await recall.admin.asettings()).kept == {}


async def test_what_another_version_keeps_is_left_alone_and_not_heeded(recall: Recall) -> None:
    await recall.store.keep_settings({"ranking.novelty": "1", "ranking.recency": "weekly"})

    assert (await recall.admin.asettings()).kept == {}
    assert await order(recall) == PLAIN
    await recall.admin.akeep_settings({"ranking.freshness": 0.5})
    assert (await recall.store.kept_settings())["ranking.novelty"] == "1"


async def test_an_export_whose_settings_cannot_be_is_refused_before_anything_is_stored(
    recall: Recall, tmp_path: Path
) -> None:
    header, *rest = [line async for line in recall.admin.aexport()]
    wrong = header[:-1] + ', "settings": {"ranking.recency": "sometimes"}}'
    async with await opened(tmp_path / "copy") as copy:
        with pytest.raises(UsageError, match="line 1 of the export"):
            await copy.admin.aimport([wrong, *rest])
        assert (await copy.memories.acounts()).memories == 0


async def test_a_reindex_keeps_them_and_deleting_the_entity_does_not(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.admin.akeep_settings(BY_AGE)
    await recall.memories.aforget("old")
    await recall.aclose()
    home = StoreDirectory(tmp_path / "store")
    await reindex_entity(home, "mara", embedder=recall.services.embedder)
    await home.aclose()

    async with await opened(tmp_path / "store") as copy:
        assert (await copy.admin.asettings()).kept == {**BY_AGE, "ranking.recency_days": 20_000.0}
    await adelete_entity(tmp_path / "store", "mara")
    async with await opened(tmp_path / "store") as anew:
        assert (await anew.admin.asettings()).kept == {}
