"""What the tools of a session tell is what the library tells of the same votes."""

from pathlib import Path

import pytest
from mcp import Client
from tests.interfaces.mcp_world import ARGUMENTS, MARA, content, recalls_in
from tests.small_world import LIFE, QUESTION

from secondhop.mcp.server import memory_server
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")


async def filled(folder: Path) -> Path:
    """A store of Mara's life."""
    async with await Recall.aopen(folder, entity=MARA, embedder="hashing") as recall:
        await recall.aadd(LIFE)
    return folder


async def test_a_session_of_tools_tells_the_values_of_a_session_of_the_library(
    tmp_path: Path,
) -> None:
    served, opened = await filled(tmp_path / "served"), await filled(tmp_path / "opened")
    async with await Recall.aopen(opened, entity=MARA, embedder="hashing") as recall:
        ours = [await recall.astart_session(QUESTION, k=3)]
        hot, cold = ours[0].ids()[:2]
        ballots = [{hot: "hot", cold: "cold"}, {hot: "hot"}]
        for votes in ballots:
            ours.append(await recall.avote(ours[0].session_id, votes, by="agent"))
        ended = await recall.aresolve(ours[0].session_id)

    async with Client(memory_server(recalls_in(served), entity=MARA)) as client:
        told = [content(await client.call_tool("recall_session_start", ARGUMENTS))]
        session = {"sessionId": told[0]["sessionId"]}
        for votes in ballots:
            cast = {**session, "votes": votes}
            told.append(content(await client.call_tool("recall_vote", cast)))
        resolved = content(await client.call_tool("recall_resolve", session))

    for ours_now, told_now in zip(ours, told, strict=True):
        assert [one["id"] for one in told_now["memories"]] == ours_now.ids()
        assert (told_now["converged"], told_now["why"]) == (ours_now.converged, ours_now.why)
        assert len(told_now["changes"]) == len(ours_now.changes)
        for change, line in zip(ours_now.changes, told_now["changes"], strict=True):
            assert line.startswith(f"{change.memory_id} {change.change}: {change.why}")
    assert [one.converged for one in ours] == [False, False, True]
    assert any(line.startswith(f"{cold} left: ") for line in told[1]["changes"])
    assert (resolved["updated"], resolved["learned"]) == (2, True)
    assert (ended.learned.updated, ended.learned.learned) == (2, True)
    assert resolved["acceptedMemoryIds"] == [hot]
