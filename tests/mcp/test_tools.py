"""The tools of the MCP server, through a client in the same process."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import Tool
from tests.mcp.mcp_world import (
    ARGUMENTS,
    MARA,
    content,
    ids,
    recalls_in,
    words,
)
from tests.mcp.mcp_world import store as store
from tests.small_world import QUESTION

from secondhop.mcp.server import memory_server
from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")


Connected = Callable[[], Client]


@pytest.fixture
def connected(store: Path) -> Connected:
    """A client of a server of Mara's memory."""
    return lambda: Client(memory_server(recalls_in(store), entity=MARA))


async def test_every_tool_says_when_to_use_it_and_what_it_gives_back(connected: Connected) -> None:
    async with connected() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

        described = [tool.description or "" for tool in tools.values()]
        assert all("Use it" in text and "\n  " not in text for text in described)
        assert all(tool.output_schema for tool in tools.values())
        assert {"sessionId", "memories", "sparkBranches", "converged", "round"} <= set(
            (tools["recall_vote"].output_schema or {})["properties"]
        )
        assert set(tools["recall_resolve"].input_schema["properties"]) == {
            "sessionId",
            "acceptedMemoryIds",
            "note",
            "dryRun",
        }
        hints = {name: hints_of(tool) for name, tool in tools.items()}
        assert hints == {
            "recall": (True, False, False),
            "recall_briefing": (True, False, False),
            "recall_session_start": (False, False, False),
            "recall_vote": (False, False, False),
            "recall_resolve": (False, False, True),
            "remember": (False, False, False),
            "observe": (False, False, False),
            "forget": (False, True, True),
            "history": (True, False, False),
            "explain": (True, False, False),
        }
        sessions = {"recall_session_start", "recall_vote"}  # they write only a session
        for name in {one for one, (reads, *_) in hints.items() if not reads} - sessions:
            assert "dryRun" in tools[name].input_schema["properties"]


def hints_of(tool: Tool) -> tuple[bool, bool, bool]:
    """The hints of a tool: (read-only, destructive, idempotent)."""
    told = tool.annotations
    assert told is not None
    return bool(told.read_only_hint), bool(told.destructive_hint), bool(told.idempotent_hint)


async def test_recall_gives_what_the_library_gives_and_tells_its_steps(
    connected: Connected, store: Path
) -> None:
    async with connected() as client:
        steps: list[tuple[float, str]] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            steps.append((progress, message or ""))

        found = await client.call_tool("recall", ARGUMENTS, progress_callback=hear)

        async with await Recall.aopen(store, entity=MARA, embedder=HashingEmbedder()) as recall:
            asked = await recall.arecall(QUESTION, k=3)
        assert ids(found) == asked.ids()
        assert len(asked.ids()) == 3
        assert [number for number, _ in steps] == list(range(1, len(steps) + 1))
        told = [message for _, message in steps]
        for step in ("hop 1, dispatch: ", "hop 1, retrieve: ", "hop 2, suggest: ", "fuse: "):
            assert any(message.startswith(f"round 1, {step}") for message in told), step
    assert len(steps) <= 12, "a line for each step, and not for each search"


async def test_recall_heeds_a_filter(connected: Connected) -> None:
    async with connected() as client:
        tagged = {"text": "Carefeed interview: bring the portfolio.", "tags": ["filtered"]}
        kept = content(await client.call_tool("remember", tagged))
        asked = {"query": QUESTION, "where": {"tags": ["filtered"]}}
        told = await client.call_tool("recall", asked)

        assert ids(told) == [kept["memoryId"]]
        await client.call_tool("forget", {"memoryIds": [kept["memoryId"]]})


async def test_a_follow_up_is_searched_with_what_was_asked_before(connected: Connected) -> None:
    async with connected() as client:
        follow_up = {"query": "And how do I do that?", "limit": 3}
        alone = ids(await client.call_tool("recall", follow_up))
        found = ids(await client.call_tool("recall", follow_up | {"earlier": [QUESTION]}))

        assert alone != found == ids(await client.call_tool("recall", ARGUMENTS))


async def test_a_session_is_voted_on_and_resolved(connected: Connected) -> None:
    async with connected() as client:
        first = content(await client.call_tool("recall_session_start", ARGUMENTS))
        hot, cold = (memory["id"] for memory in first["memories"][:2])

        ballot = {"sessionId": first["sessionId"], "votes": {hot: "hot", cold: "wrong"}}
        second = content(await client.call_tool("recall_vote", ballot))
        ended = content(
            await client.call_tool(
                "recall_resolve", {"sessionId": first["sessionId"], "note": "used"}
            )
        )

        shown = [memory["id"] for memory in second["memories"]]
        assert (first["round"], second["round"]) == (1, 2)
        assert shown[0] == hot
        assert cold not in shown
        assert ended["acceptedMemoryIds"] == [hot]
        (proposal,) = second["proposals"]
        assert (proposal["memoryId"], ended["proposals"]) == (cold, [proposal])
        late = await client.call_tool("recall_vote", ballot)
        assert late.is_error
        assert "resolved" in words(late)


async def test_a_vote_sent_again_because_its_reply_was_lost_counts_once(
    connected: Connected,
) -> None:
    async with connected() as client:
        first = content(await client.call_tool("recall_session_start", ARGUMENTS))
        votes = {first["memories"][0]["id"]: "hot"}
        ballot = {"sessionId": first["sessionId"], "votes": votes, "requestId": "vote-1"}
        second = content(await client.call_tool("recall_vote", ballot))

        again = content(await client.call_tool("recall_vote", ballot))

        assert (second["round"], again["round"]) == (2, 2)
        assert again["memories"] == second["memories"]
        unnamed = {**ballot, "requestId": "vote-2", "round": 1}
        refused = await client.call_tool("recall_vote", unnamed)
        assert refused.is_error
        assert "round 2" in words(refused)


async def test_what_is_remembered_comes_back_until_it_is_forgotten(connected: Connected) -> None:
    async with connected() as client:
        kept = content(
            await client.call_tool(
                "remember", {"text": "Zeta", "subject": "me", "attribute": "employer"}
            )
        )
        asked = {"query": "My employer is Zeta?", "limit": 2}
        found = await client.call_tool("recall", asked)

        assert kept["done"] == "remembered"
        assert kept["memoryId"] in ids(found)
        gone = content(await client.call_tool("forget", {"memoryIds": [kept["memoryId"]]}))
        assert gone["memoryIds"] == [kept["memoryId"]]
        assert kept["memoryId"] not in ids(await client.call_tool("recall", asked))


async def test_what_messages_state_is_shown_first_and_then_written_once(
    connected: Connected,
) -> None:
    talk = [
        {"role": "assistant", "content": "I live in the cloud.", "at": "2026-01-05T09:00:00Z"},
        {"role": "user", "content": "I live in Bonn.", "at": "2026-01-05T09:01:00Z"},
        {"role": "user", "content": "We moved to Trier.", "at": "2026-03-01T09:00:00Z", "id": 3},
    ]
    async with connected() as client:
        dry = content(await client.call_tool("observe", {"messages": talk, "dryRun": True}))
        told = content(await client.call_tool("observe", {"messages": talk}))
        again = content(await client.call_tool("observe", {"messages": talk}))

        assert (dry.pop("dryRun"), told.pop("dryRun")) == (True, False)
        assert dry == told
        bonn, trier = told["added"]
        assert (bonn["value"], bonn["message"], bonn["quote"]) == ("Bonn", 1, "I live in Bonn")
        assert (trier["value"], trier["supersedes"]) == ("Trier", [bonn["memoryId"]])
        assert (again["added"], len(again["duplicates"])) == ([], 2)
        await client.call_tool("forget", {"memoryIds": [bonn["memoryId"], trier["memoryId"]]})


async def test_forget_names_the_conversation_that_still_says_it(connected: Connected) -> None:
    talk = [{"role": "user", "content": "My dentist is Dr. Peeters.", "at": "2026-01-05T09:00:00Z"}]
    async with connected() as client:
        told = content(await client.call_tool("observe", {"messages": talk, "keepAs": "talk"}))
        (fact,) = [one["memoryId"] for one in told["added"]]

        gone = content(await client.call_tool("forget", {"memoryIds": [fact]}))

        assert (gone["complete"], gone["repeatedIn"], gone["stillIn"]) == (True, ["talk"], [])
        await client.call_tool("forget", {"memoryIds": ["talk"]})


@pytest.mark.parametrize("named", ["garden", "tomatoes"])
async def test_explain_tells_why_a_memory_stayed_out(connected: Connected, named: str) -> None:
    async with connected() as client:
        trace_id = content(await client.call_tool("recall", ARGUMENTS))["traceId"]
        story = content(await client.call_tool("explain", {"traceId": trace_id, "memoryId": named}))

        assert story["memoryId"] == "garden"
        assert story["returned"] is False
        assert story["cutBy"]


async def test_a_memory_in_which_nothing_is_stored_yet_says_so_without_an_error(
    store: Path,
) -> None:
    async with Client(memory_server(recalls_in(store), entity="newcomer")) as client:
        asked = await client.call_tool("recall", {"query": "What can I cook tonight?"})
        elsewhere = await client.call_tool("recall", {"query": "Who?", "entity": MARA})

    assert not asked.is_error
    assert (ids(asked), content(asked)["degraded"]) == (
        [],
        ["Nothing is stored about this person yet."],
    )
    assert elsewhere.is_error


async def test_no_reply_shows_control_characters(store: Path, connected: Connected) -> None:
    async with await Recall.aopen(store, entity=MARA, embedder="hashing") as recall:
        await recall.memories.aremember("\x1b[2JThe \u202ezebraquartz is in the cellar")
    async with connected() as client:
        found = await client.call_tool("recall", {"query": "Where is the zebraquartz?"})
        (first, *_) = content(found)["memories"]

        assert first["text"] == first["title"] == "The zebraquartz is in the cellar"
