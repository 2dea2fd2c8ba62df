"""The store for LangGraph: like `InMemoryStore`, except that its searches are recalls."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall
from langgraph import prebuilt
from langgraph.prebuilt import InjectedStore
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from tests.small_world import LIFE, QUESTION

from secondhop import RecallStore, UsageError

pytestmark = pytest.mark.usefixtures("library_of_tests")

ANA = ("memories", "ana")


class ScriptedChat(GenericFakeChatModel):
    """Gives its messages one after another; ignores which tools it is given."""

    def bind_tools(self, tools: Any, **named: Any) -> Self:
        return self


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RecallStore]:
    with RecallStore(tmp_path / "store", embedder="hashing") as opened:
        yield opened


labels = st.sampled_from(["memories", "ana", "noor"])
namespaces = st.lists(labels, min_size=1, max_size=3).map(tuple)
keys = st.sampled_from(["a", "b", "c"])
leaves = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8)
values = st.dictionaries(
    st.sampled_from(["n", "text", "inner"]),
    st.recursive(leaves, lambda some: st.lists(some, max_size=2) | st.dictionaries(labels, some)),
)
filters = st.none() | st.fixed_dictionaries(
    {"n": st.integers(-5, 5) | st.dictionaries(st.sampled_from(["$eq", "$ne"]), leaves, min_size=1)}
)
paths = st.lists(labels | st.just("*"), min_size=1, max_size=2).map(tuple)
conditions = st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), paths)
prefixes = st.lists(labels, max_size=2).map(tuple)
operations: st.SearchStrategy[Op] = (
    st.tuples(namespaces, keys, st.none() | values).map(lambda of: PutOp(of[0], of[1], of[2]))
    | st.tuples(namespaces, keys).map(lambda of: GetOp(of[0], of[1]))
    | st.tuples(prefixes, filters).map(lambda of: SearchOp(of[0], of[1], limit=100))
    | st.lists(conditions, max_size=2).map(lambda of: ListNamespacesOp(tuple(of)))
)


def told(result: Any) -> Any:
    """A result without what may differ: times, and the order of a search without words."""
    if isinstance(result, Item):
        return result.namespace, result.key, result.value
    if isinstance(result, list):
        return sorted(map(told, result), key=repr)  # pyright: ignore[reportUnknownArgumentType]
    return result


def held(op: Op, result: Any, reference: InMemoryStore) -> Any:
    """`told`, but without empty namespaces, which only `InMemoryStore` lists."""
    if not isinstance(op, ListNamespacesOp):
        return told(result)
    return told([one for one in result if any(i.namespace == one for i in reference.search(one))])


@settings(deadline=None, max_examples=15, phases=[Phase.explicit, Phase.generate])
@given(batches=st.lists(st.lists(operations, min_size=1, max_size=5), max_size=5))
def test_it_does_what_the_store_in_memory_does(
    batches: Sequence[Sequence[Op]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("items")
    reference = InMemoryStore()
    with RecallStore(folder / "store", embedder="hashing") as store:
        for ops in batches:
            expected = reference.batch(ops)
            before = [held(op, result, reference) for op, result in zip(ops, expected, strict=True)]
            assert [told(one) for one in store.batch(ops)] == before


def test_a_search_is_a_second_hop_recall_in_its_namespace_alone(store: RecallStore) -> None:
    for memory in LIFE:
        store.put(ANA, memory.memory_id, {"kind": "Memory", "content": {"content": memory.text}})
    store.put(("memories", "noor"), "theirs", {"content": QUESTION})

    found = store.search(ANA, query=QUESTION, limit=4)

    assert len(found) == 4
    assert {one.namespace for one in found} == {ANA}
    assert {"plan", "wins", "coaching"} <= {one.key for one in found}
    assert all(one.score for one in found)
    both = store.search(("memories",), query=QUESTION, limit=4)
    assert "theirs" in [one.key for one in both][:2]


def test_a_search_opens_the_catalogs_of_its_namespaces_alone(tmp_path: Path) -> None:
    with RecallStore(tmp_path, embedder="hashing", max_open=1) as store:
        for namespace in (("memories", "noor"), ANA):
            store.put(namespace, "a", {"text": "tea"})
        assert len(store.search(("memories",))) == 2
        (noors,) = tmp_path.glob("entities/memories-noor-*/catalog.db")
        noors.write_bytes(b"damaged")

        assert [one.key for one in store.search(ANA, query="tea")] == ["a"]


def test_namespaces_are_listed_to_a_depth(store: RecallStore) -> None:
    for namespace in (ANA, ("memories", "noor"), ("drafts",)):
        store.put(namespace, "a", {"text": "x"})

    assert store.list_namespaces(max_depth=1) == [("drafts",), ("memories",)]
    assert store.list_namespaces(suffix=("noor",)) == [("memories", "noor")]
    assert store.list_namespaces(prefix=("memories",), limit=1, offset=1) == [("memories", "noor")]


def test_filters_and_items_that_are_not_indexed_leave_the_slots_to_others(
    store: RecallStore,
) -> None:
    for number in range(12):
        text = f"The boiler was repaired, invoice {number}."
        store.put(ANA, f"i{number}", {"text": text, "n": number}, index=None if number else False)

    found = store.search(ANA, query="boiler invoice", filter={"n": {"$lt": 4}})

    assert {one.key for one in found} == {"i1", "i2", "i3"}
    assert store.get(ANA, "i0") is not None


def test_fields_named_by_index_alone_are_searched(store: RecallStore) -> None:
    store.put(ANA, "a", {"text": "oats", "secret": "boiler"}, index=["text"])
    store.put(ANA, "b", {"text": "oats and the boiler"})

    assert store.search(ANA, query="boiler")[0].key == "b"


def test_a_new_value_keeps_the_first_date_and_a_deleted_item_leaves_no_text(
    store: RecallStore, tmp_path: Path
) -> None:
    store.put(ANA, "a", {"text": "tangerine"})
    first = store.get(ANA, "a")
    store.put(ANA, "a", {"text": "two  spaces\tand a tab"})
    second = store.get(ANA, "a")
    assert first is not None
    assert second is not None
    assert second.value == {"text": "two  spaces\tand a tab"}
    assert second.created_at == first.created_at < second.updated_at

    store.delete(ANA, "a")
    store.delete(ANA, "never was")

    assert store.get(ANA, "a") is None
    assert store.list_namespaces() == []
    files = (path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert not any(b"tangerine" in content for content in files)


def test_what_cannot_be_kept_is_refused(store: RecallStore) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {"text": "x"})])
    with pytest.raises(UsageError, match="JSON"):
        store.put(ANA, "k", {"text": object()})
    with pytest.raises(NotImplementedError):  # as LangGraph raises it for a store without TTL
        store.put(ANA, "k", {"text": "x"}, ttl=5)


@pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
async def test_an_agent_s_tools_use_it_from_any_event_loop(store: RecallStore) -> None:
    await store.aput(ANA, "a", {"text": "The tomatoes need water twice a week."})

    async def look(question: str, store: Annotated[Any, InjectedStore()]) -> str:
        """Search the memory."""
        found = await store.asearch(ANA, query=question)
        return str(found[0].value["text"])

    calls = [ToolCall(name="look", args={"question": "tomatoes water"}, id="1", type="tool_call")]
    script = iter([AIMessage(content="", tool_calls=calls), AIMessage(content="Twice a week.")])
    create: Any = vars(prebuilt)["create_react_agent"]  # untyped, and deprecated for langchain's
    agent = create(ScriptedChat(messages=script), [look], store=store)

    done = await agent.ainvoke({"messages": [("user", "When do the tomatoes need water?")]})

    assert [one.content for one in done["messages"][-2:]] == [
        "The tomatoes need water twice a week.",
        "Twice a week.",
    ]


@pytest.mark.parametrize("key", ["", " a", "a\n", "a\0b", "\ud800"])
def test_a_key_that_would_be_kept_otherwise_is_refused(store: RecallStore, key: str) -> None:
    with pytest.raises(UsageError, match="key"):
        store.put(ANA, key, {"text": "oats"})
