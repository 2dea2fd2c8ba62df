"""Checks that mem0 and LangMem, as published on PyPI, read what secondhop writes.

    python -m tools.peers

`.ci/check-peers` runs it in an environment with both.
"""

import json
import os
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.store.memory import InMemoryStore

from secondhop import Recall, RecallStore
from secondhop.testing import note

langmem: Any = import_module("langmem")
mem0: Any = import_module("mem0")

SIZE = 64
NOTES = {
    "plan": "My plan for the first year: hire two designers.",
    "tea": "Green tea steeps at seventy degrees.",
    "résumé": "Résumé: eight years of product work.",
}


def main() -> None:
    """Run both checks in a temporary folder."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        langmem_tools_work_on_our_store(Path(name) / "langmem")
        exports_are_read_back(Path(name))


def langmem_tools_work_on_our_store(folder: Path) -> None:
    """LangMem's two tools store and find in a `RecallStore`, separately for each user."""
    namespace = ("memories", "{user}")
    with RecallStore(folder, embedder="hashing") as store:
        manage = langmem.create_manage_memory_tool(namespace=namespace, store=store)
        search = langmem.create_search_memory_tool(namespace=namespace, store=store)
        peanuts = {"action": "create", "content": "Mara is allergic to peanuts."}
        manage.invoke(peanuts, of_user("mara"))
        asked = {"query": "What must Mara not eat?"}
        assert "peanuts" in str(search.invoke(asked, of_user("mara")))
        assert "peanuts" not in str(search.invoke(asked, of_user("noor")))
    print("LangMem's tools store and find in a RecallStore")


def of_user(name: str) -> Any:
    """The configuration of a call for one user."""
    return {"configurable": {"user": name}}


def exports_are_read_back(folder: Path) -> None:
    """The import loops of docs/adopt.md restore every exported memory in mem0 and LangMem."""
    with Recall.open(folder / "store", entity="mara", embedder="hashing") as recall:
        recall.add([note(memory_id, text) for memory_id, text in NOTES.items()])
        exported = {one: recall.admin.export_as(one) for one in ("mem0", "langmem")}
    kept = json.loads(json.dumps(exported))

    memory = mem0_of(folder / "mem0")
    for one in kept["mem0"]["results"]:
        memory.add(one["memory"], user_id=one["user_id"], metadata=one["metadata"], infer=False)
    read = memory.get_all(filters={"user_id": "mara"})["results"]
    assert {one["memory"] for one in read} == set(NOTES.values()), read
    print(f"mem0 holds {len(read)} of {len(NOTES)} exported memories")

    store = InMemoryStore()
    for one in kept["langmem"]:
        store.put(tuple(one["namespace"]), one["key"], one["value"])
    namespace = tuple(kept["langmem"][0]["namespace"])
    search = langmem.create_search_memory_tool(namespace=namespace, store=store)
    told = str(search.invoke({"query": "everything", "limit": 10}))
    assert all(json.dumps(text, ensure_ascii=False)[1:-1] in told for text in NOTES.values()), told
    print(f"LangMem finds {len(NOTES)} of {len(NOTES)} exported memories")


def mem0_of(folder: Path) -> Any:
    """A mem0 memory in a folder, with fake embeddings and a model that is never called."""
    embeddings, model = DeterministicFakeEmbedding(size=SIZE), FakeListChatModel(responses=[""])
    return mem0.Memory.from_config(
        {
            "embedder": {"provider": "langchain", "config": {"model": embeddings}},
            "llm": {"provider": "langchain", "config": {"model": model}},
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(folder), "embedding_model_dims": SIZE},
            },
            "history_db_path": str(folder.with_suffix(".db")),
        }
    )


if __name__ == "__main__":
    main()
