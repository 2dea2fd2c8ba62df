"""The recall as a node of your own LangGraph: it reads `question` and writes `result`.

The host keeps its own state, context and checkpointer, and streams the recall's steps as those of a
subgraph. cookbook/agent_with_votes.py instead uses a session, which waits for votes.

    python examples/host_graph.py                            # without a model
    python examples/host_graph.py --embedder default         # with the real embedding model
    python examples/host_graph.py --llm openai:gpt-4.1-mini  # a model plans and votes
"""

import argparse
import asyncio
import tempfile
from datetime import UTC, datetime
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

from secondhop import Recall

DAY = datetime(2026, 1, 5, tzinfo=UTC)
NOTES = {
    "Allergies": "Birthday guests with an allergy: Mia gets a rash from walnuts.",
    "Last birthday": "The cake I did bake for Mia's last birthday was far too sweet.",
    "Kitchen": "Our oven runs 20 degrees too hot: bake every cake at less.",
    "Tyres": "The winter tyres are in the cellar, the summer tyres in the garage.",
}
TALK = ("What cake should I bake for Mia's birthday?", "And where are the winter tyres?")


class ChatState(MessagesState):
    """The host's own state: the messages, and the two keys that it shares with the recall.

    `result` is untracked: the memories are only for this turn's reply, so no checkpoint holds them.
    """

    question: str
    result: Annotated[dict[str, Any], UntrackedValue]


async def read_question(state: ChatState) -> dict[str, Any]:
    """Ask the recall what the person said last."""
    return {"question": state["messages"][-1].text}


async def reply(state: ChatState) -> dict[str, Any]:
    """Use the memories; here a real host would ask a model."""
    known = [
        f"- {memory['title']}: {memory['evidence'][0]['text']}"
        for memory in state["result"]["memories"]
    ]
    return {"messages": [AIMessage("\n".join(["I remember:", *known]))]}


def host_graph(recall: Recall) -> Any:
    """read_question -> recall -> reply, with a checkpoint after each."""
    host = StateGraph(ChatState)
    host.add_node("read_question", read_question)
    host.add_node("recall", recall.graph)
    host.add_node("reply", reply)
    host.add_edge(START, "read_question")
    host.add_edge("read_question", "recall")
    host.add_edge("recall", "reply")
    host.add_edge("reply", END)
    return host.compile(checkpointer=InMemorySaver())


async def main(embedder: str, llm: str | None) -> None:
    """Fill a store, build the host around the recall, and talk twice on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        async with await Recall.aopen(folder, embedder=embedder, llm=llm) as recall:
            for title, text in NOTES.items():
                await recall.memories.aremember(text, title=title, memory_id=title, at=DAY)
            await recall.admin.awarm()
            chat = host_graph(recall)
            for said in TALK:
                await turn(chat, said)


async def turn(chat: Any, said: str) -> None:
    """Print each step as it ends, with the recall's steps indented.

    A step that runs several times in a turn is shown once.
    """
    print(f"> {said}")
    shown: set[str] = set()
    thread = RunnableConfig(configurable={"thread_id": "ana-1"})
    turn_input = {"messages": [HumanMessage(said)]}
    async for path, update in chat.astream(turn_input, thread, subgraphs=True):
        for node, values in update.items():
            label = f"  recall/{node}" if path else node
            if label not in shown:
                print(label)
            shown.add(label)
            if node == "reply":
                print(values["messages"][-1].text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--llm")
    given = parser.parse_args()
    asyncio.run(main(given.embedder, given.llm))
