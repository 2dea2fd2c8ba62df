"""A LangGraph agent that shows what it remembers, waits for votes, and then answers.

The recall is a session: its graph stops with an interrupt after each answer, and the host's
checkpointer keeps it there, for a minute or a week. Later recalls learn from the hot votes.

    python examples/cookbook/agent_with_votes.py [--llm openai:gpt-4.1-mini]
"""

import argparse
import asyncio
import tempfile
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from secondhop import Recall, build_session_graph

NOTES = {
    "Allergies": "Birthday guests with an allergy: Mia gets a rash from walnuts.",
    "Last birthday": "The cake I did bake for Mia's last birthday was far too sweet.",
    "Kitchen": "Our oven runs 20 degrees too hot: bake every cake at less.",
    "Tyres": "The winter tyres are in the cellar, the summer tyres in the garage.",
}
QUESTION = "What cake should I bake for Mia's birthday?"


class AgentState(MessagesState):
    """The messages, and the two keys that the host shares with the session."""

    question: str
    resolved: dict[str, Any]


async def listen(state: AgentState) -> dict[str, Any]:
    """Ask the session what the person said last."""
    return {"question": state["messages"][-1].text}


async def answer(state: AgentState) -> dict[str, Any]:
    """Here a chat model would answer, using the memories that the person confirmed."""
    known = " ".join(NOTES[name] for name in state["resolved"]["accepted"])
    return {"messages": [AIMessage(f"(scripted) You confirmed: {known}")]}


def agent_over(recall: Recall) -> Any:
    agent = StateGraph(AgentState)
    agent.add_node("listen", listen)
    agent.add_node("session", build_session_graph(recall.admin.services))
    agent.add_node("answer", answer)
    agent.add_edge(START, "listen")
    agent.add_edge("listen", "session")
    agent.add_edge("session", "answer")
    return agent.compile(checkpointer=InMemorySaver())


async def main(llm: str | None) -> None:
    """Ask, vote on the answers, and resolve."""
    thread = RunnableConfig(configurable={"thread_id": "ana-1"})
    with tempfile.TemporaryDirectory() as folder:
        async with await Recall.aopen(folder, embedder="hashing", llm=llm) as recall:
            for title, text in NOTES.items():
                await recall.memories.aremember(text, title=title, memory_id=title)
            agent = agent_over(recall)
            state = await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}, thread)
            for votes in ({"Allergies": "hot", "Last birthday": "cold"}, {"Kitchen": "hot"}):
                shown = [one["title"] for one in state["__interrupt__"][0].value["memories"]]
                print(f"waits for votes on {', '.join(shown)}; voted: {votes}")
                state = await agent.ainvoke(Command(resume={"votes": votes}), thread)
            done = await agent.ainvoke(Command(resume={"resolve": {"note": "baked"}}), thread)
            print(f"{done['resolved']['rounds']} rounds\n{done['messages'][-1].text}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llm")
    asyncio.run(main(parser.parse_args().llm))
