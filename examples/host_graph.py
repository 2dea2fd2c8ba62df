"""The recall as a node of your own LangGraph: it reads `question` and writes `result`.

The host keeps its own state and context; the recall's steps stream through it as a subgraph's.

    python examples/host_graph.py                       # offline, without a model
    python examples/host_graph.py --embedder default    # with the real embedding model
"""

import argparse
import asyncio
import tempfile
from datetime import UTC, datetime
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from secondhop import Memory, Message, Recall

NOTES = {
    "Allergies": "Birthday guests with an allergy: Mia gets a rash from walnuts.",
    "Last birthday": "The cake I did bake for Mia's last birthday was far too sweet.",
    "Kitchen": "Our oven runs 20 degrees too hot: bake every cake at less.",
    "Tyres": "The winter tyres are in the cellar.",
}


class ChatState(TypedDict):
    """The host's own state; `question` and `result` are what it shares with the recall."""

    question: str
    result: dict[str, Any]
    prompt: str


async def write_prompt(state: ChatState) -> dict[str, str]:
    """What the host does with the memories is its own business."""
    lines = [
        f"- {memory['title']}: {memory['evidence'][0]['text']}"
        for memory in state["result"]["memories"]
    ]
    return {"prompt": "\n".join([state["question"], "You know:", *lines])}


async def main(embedder: str) -> None:
    """Fill a store, build the host around the recall, stream it, print the prompt."""
    with tempfile.TemporaryDirectory() as folder:
        async with await Recall.aopen(folder, embedder=embedder) as recall:
            await recall.aadd(memory(title, text) for title, text in NOTES.items())
            await recall.awarm()
            host = StateGraph(ChatState)
            host.add_node("recall", recall.graph)
            host.add_node("write_prompt", write_prompt)
            host.add_edge(START, "recall")
            host.add_edge("recall", "write_prompt")
            host.add_edge("write_prompt", END)
            await stream(host.compile(), "What cake should I bake for Mia's birthday?")


async def stream(chat: Any, question: str) -> None:
    """Print every step once, the recall's own indented below the host's."""
    seen: set[str] = set()
    async for path, update in chat.astream({"question": question}, subgraphs=True):
        for node, values in update.items():
            label = f"  recall/{node}" if path else node
            if label not in seen:
                print(label)
            seen.add(label)
            if values and "prompt" in values:
                print(values["prompt"])


def memory(title: str, text: str) -> Memory:
    """A note of one turn."""
    return Memory(
        memory_id=title,
        title=title,
        source="note",
        created_at=datetime(2026, 1, 5, tzinfo=UTC),
        messages=(Message("user", text),),
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="hashing")
    asyncio.run(main(parser.parse_args().embedder))
