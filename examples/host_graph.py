"""The recall as a node of your own LangGraph: it reads `question` and writes `result`.

The host keeps its own state, context and checkpointer; the recall's steps stream through it as
those of a subgraph. cookbook/agent_with_votes.py has a session in its place, which waits for votes.

    python examples/host_graph.py                            # without a model
    python examples/host_graph.py --embedder default         # with the real embedding model
    python examples/host_graph.py --llm openai:gpt-4.1-mini  # a model plans and judges
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
    """The host's own state: the talk, and the two keys that it shares with the recall.

    Untracked: the memories are for this turn's reply, and no checkpoint holds them.
    """

    question: str
    result: Annotated[dict[str, Any], UntrackedValue]


async def read_question(state: ChatState) -> dict[str, Any]:
    """The recall is asked what the person said last."""
    return {"question": state["messages"][-1].text}


async def reply(state: ChatState) -> dict[str, Any]:
    """What the host does with the memories is its own business; a model would be asked here."""
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
    """Print every step as it ends, the recall's own indented below the host's.

    Dozens of searches run side by side: only the first of them is shown.
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
