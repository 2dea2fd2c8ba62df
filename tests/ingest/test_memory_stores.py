"""mem0, LangMem, Graphiti and Obsidian are read; mem0 and LangMem read what we export."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from tests.small_world import LIFE

from secondhop import Fact, Memory, Recall, RecallStore, UsageError, Where
from secondhop.memories.records import Version

pytestmark = pytest.mark.usefixtures("library_of_tests")

MEM0 = {
    "results": [
        {
            "id": "8a1f",
            "memory": "Grows tomatoes on the balcony",
            "hash": "2c",
            "metadata": {"title": "Balcony", "tags": ["garden"]},
            "categories": ["hobbies"],
            "created_at": "2026-01-02T10:00:00+00:00",
            "updated_at": "2026-02-03T10:00:00+00:00",
            "user_id": "ana",
        },
        {"id": "9b2e", "memory": "Allergic to nuts", "created_at": "2026-01-05T10:00:00-08:00"},
        {"id": "empty", "memory": ""},
    ]
}
ITEMS = [
    {
        "namespace": ["memories", "ana"],
        "key": "0e77",
        "value": {"kind": "Memory", "content": {"content": "Grows tomatoes  on the balcony"}},
        "created_at": "2026-01-02T10:00:00+00:00",
        "updated_at": "2026-02-03T10:00:00+00:00",
        "score": None,
    }
]
GRAPH = {
    "episodes": [
        {
            "uuid": "e1",
            "name": "chat 1",
            "source": "message",
            "source_description": "chat",
            "content": "ana: I work at Acme now.",
            "valid_at": "2026-01-02T10:00:00Z",
            "created_at": "2026-03-02T10:00:00Z",
            "entity_edges": ["f1"],
        }
    ],
    "edges": [
        {
            "uuid": "f1",
            "name": "WORKS_AT",
            "fact": "Ana works at Acme.",
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
            "valid_at": "2026-01-02T10:00:00Z",
            "invalid_at": "2026-04-01T00:00:00Z",
            "created_at": "2026-01-03T10:00:00Z",
        }
    ],
    "nodes": [
        {"uuid": "n1", "name": "Ana", "labels": ["Entity"], "summary": "Ana, who works at Acme."}
    ],
}


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await Recall.aopen(tmp_path / "s", entity="ana", embedder="hashing") as opened:
        yield opened


async def read(recall: Recall, folder: Path, name: str, content: Any) -> dict[str, Version]:
    """Ingest a file with this content; returns {id: memory}."""
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    await recall.aingest(file)
    return {one.memory_id: one for one in await recall.memories.alist()}


@pytest.mark.parametrize("content", [MEM0, MEM0["results"]], ids=["get_all", "rows"])
async def test_mem0_is_read_with_dates_and_tags(
    recall: Recall, tmp_path: Path, content: Any
) -> None:
    found = await read(recall, tmp_path, "mem0.json", content)

    assert set(found) == {"8a1f", "9b2e"}
    told = found["8a1f"]
    assert (told.text, told.title) == ("Grows tomatoes on the balcony", "Balcony")
    assert told.tags == ("hobbies", "garden")
    assert told.created_at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert found["9b2e"].created_at == datetime(2026, 1, 5, 18, tzinfo=UTC)


async def test_langmem_s_items_are_read_and_go_back_as_they_were(
    recall: Recall, tmp_path: Path
) -> None:
    found = await read(recall, tmp_path, "items.jsonl", "\n".join(map(json.dumps, ITEMS)))

    assert found["memories/ana/0e77"].text == "Grows tomatoes  on the balcony"
    told = await recall.admin.aexport_as("langmem")
    assert [{**one, "score": None} for one in told] == ITEMS


async def test_episodes_facts_and_entities_of_graphiti_are_read(
    recall: Recall, tmp_path: Path
) -> None:
    found = await read(recall, tmp_path, "graph.json", GRAPH)

    assert set(found) == {"e1", "f1", "n1"}
    assert found["e1"].created_at == datetime(2026, 1, 2, 10, tzinfo=UTC)
    assert found["f1"].text == "Ana works at Acme. (No longer true since 2026-04-01.)"
    assert (found["n1"].title, found["n1"].text) == ("Ana", "Ana, who works at Acme.")
    zep = {"episodes": [{"uuid": "z1", "content": "I moved.", "role_type": "user"}]}
    assert "z1" in await read(recall, tmp_path, "zep.json", zep)
    alone = await recall.arecall("Where does Ana work?", where=Where(sources=["episode"]))
    assert set(alone.ids()) == {"e1", "z1"}


async def test_a_vault_of_obsidian_is_read_with_its_tags_and_links(
    recall: Recall, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "app.json").write_text("{}")
    (vault / "Carefeed.md").write_text(
        '---\ntags: [work, "#jobs/2026"]\ncreated: 2026-01-02\n---\n'
        "# Carefeed\nSee [[Interview|the interview]] and ![[logo.png]]. #prep, not a#b or #12.\n"
        "```sh\n# comment #nope [[nope]]\n```\n[a link](https://x.org/#nope)\n"
    )
    (vault / "Interview.md").write_text("---\ntags: work\n---\nMonday at ten.")

    await recall.aingest(vault)
    found = {one.memory_id: one for one in await recall.memories.alist()}

    assert set(found) == {"Carefeed.md", "Interview.md"}
    told = found["Carefeed.md"]
    assert told.tags == ("work", "jobs/2026", "prep", "[[Interview]]", "[[logo.png]]")
    assert (told.title, told.created_at) == ("Carefeed", datetime(2026, 1, 2, tzinfo=UTC))
    linking = await recall.arecall("interview at Carefeed", where=Where(tags=["[[Interview]]"]))
    assert linking.ids() == ["Carefeed.md"]


async def test_an_export_for_mem0_is_read_as_it_was_written(recall: Recall, tmp_path: Path) -> None:
    await recall.aadd([*LIFE, tagged := note_with_tags()])
    told = await recall.admin.aexport_as("mem0")

    async with await Recall.aopen(tmp_path / "other", embedder="hashing") as other:
        found = await read(other, tmp_path, "mem0.json", told)
    assert set(found) == {one.memory_id for one in [*LIFE, tagged]}
    for memory in [*LIFE, tagged]:
        again = found[memory.memory_id]
        assert (again.text, again.title, again.tags) == (memory.text, memory.title, memory.tags)
        assert again.created_at == memory.created_at


def note_with_tags() -> Memory:
    return replace(LIFE[0], memory_id="tagged", tags=("work", "prep"))


async def test_an_export_for_langmem_fills_a_store(recall: Recall, tmp_path: Path) -> None:
    await recall.aadd(LIFE)
    reference = InMemoryStore()
    with RecallStore(tmp_path / "items", embedder="hashing") as store:
        for one in await recall.admin.aexport_as("langmem"):
            for each in (reference, store):
                each.put(tuple(one["namespace"]), one["key"], one["value"])

        assert {one.key for one in reference.search(("ana",), limit=99)} == {
            one.memory_id for one in LIFE
        }
        for memory in LIFE:
            item = store.get(("ana",), memory.memory_id)
            assert item is not None
            assert item.value["content"] == memory.text


async def test_what_does_not_hold_is_not_exported(recall: Recall) -> None:
    for value in ("Acme", "Globex"):
        await recall.memories.aremember(Fact(subject="me", attribute="employer", value=value))

    told = await recall.admin.aexport_as("mem0")

    assert [one["memory"] for one in told["results"]] == ["My employer is Globex."]
    with pytest.raises(UsageError, match="langmem"):
        await recall.admin.aexport_as("zep")  # type: ignore[arg-type]
