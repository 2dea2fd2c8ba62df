"""secondhop as a langchain-core retriever and as an agent's tool."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from tests.small_world import LIFE, QUESTION

from secondhop.errors import UsageError
from secondhop.recall import Recall
from secondhop.wording import NOTHING_YET

pytestmark = pytest.mark.usefixtures("library_of_tests")


async def test_the_retriever_gives_one_document_a_memory_best_first(recall: Recall) -> None:
    result = await recall.arecall(QUESTION)

    documents = await recall.as_retriever().ainvoke(QUESTION)

    assert [document.id for document in documents] == result.ids()
    assert documents[0].page_content == result.memories[0].evidence[0].text
    assert documents[0].metadata["facets"] == result.memories[0].facets
    assert "evidence" not in documents[0].metadata


async def test_an_agent_calls_the_tool_and_reads_its_answer(recall: Recall) -> None:
    tool = recall.as_tool(k=3)
    wish = ToolCall(name=tool.name, args={"question": QUESTION}, id="call-1", type="tool_call")
    script = [AIMessage(content="", tool_calls=[wish]), AIMessage(content="Speak of the plan.")]
    model = GenericFakeChatModel(messages=iter(script))
    talk: list[HumanMessage | AIMessage | ToolMessage] = [HumanMessage(QUESTION)]

    while (answer := await model.ainvoke(talk)).tool_calls:
        talk.append(answer)
        for call in answer.tool_calls:
            reply = await tool.ainvoke(call)
            assert isinstance(reply, ToolMessage)
            talk.append(reply)

    told = talk[-1]
    assert isinstance(told, ToolMessage)
    assert len(told.artifact["memory_ids"]) == 3
    assert recall.trace(told.artifact["trace_id"]).returned == told.artifact["memory_ids"]
    assert "[1] " in str(told.content)
    assert "Why: " in str(told.content)
    assert answer.content == "Speak of the plan."


async def test_how_much_to_return_is_checked_when_retriever_and_tool_are_made(
    recall: Recall,
) -> None:
    wrong: Any
    for make in (recall.as_retriever, recall.as_tool):
        for wrong in ({"k": 0}, {"k": "3"}, {"tokens": 0}, {"k": 3, "tokens": 100}):
            with pytest.raises(UsageError, match=r"k|tokens"):
                make(**wrong)


async def test_the_tool_tells_an_agent_what_to_give_it(recall: Recall) -> None:
    tool = recall.as_tool()

    assert set(tool.args) == {"question"}
    assert "own words" in tool.args["question"]["description"]


def test_retriever_and_tool_work_without_an_event_loop(tmp_path: Path) -> None:
    with Recall.open(tmp_path / "store", embedder="hashing") as recall:
        recall.add(LIFE)
        assert len(recall.as_retriever(k=3).invoke(QUESTION)) == 3
        assert "[1] " in str(recall.as_tool().invoke({"question": QUESTION}))


async def test_the_tool_says_so_when_nothing_answers(recall: Recall) -> None:
    told = await recall.as_tool().ainvoke({"question": "zxqv wvut?"})

    assert told == "Nothing stored answers this."


async def test_a_new_person_and_a_blank_question_do_not_end_an_agents_run(
    tmp_path: Path, recall: Recall
) -> None:
    async with await Recall.aopen(tmp_path / "new", embedder="hashing") as new:
        assert await new.as_retriever().ainvoke(QUESTION) == []
        assert await new.as_tool().ainvoke({"question": QUESTION}) == NOTHING_YET
        assert await asyncio.to_thread(new.as_retriever().invoke, QUESTION) == []
        assert await asyncio.to_thread(new.as_tool().invoke, {"question": QUESTION}) == NOTHING_YET
    call = ToolCall(name="recall_memories", args={"question": " "}, id="call-1", type="tool_call")
    reply = await recall.as_tool().ainvoke(call)
    assert reply.artifact == {"trace_id": "", "memory_ids": []}
    assert "Ask a question" in reply.content


async def test_the_effort_is_checked_when_retriever_and_tool_are_made(recall: Recall) -> None:
    wrong: Any
    for make in (recall.as_retriever, recall.as_tool):
        for wrong in ("bogus", 3, ""):
            with pytest.raises(UsageError, match="effort cannot be"):
                make(effort=wrong)
        make(effort="none")
