"""An agent that looks into the person's memory by itself: secondhop as a langchain-core tool.

A scripted chat model stands in for a real one; put yours in its place
(`init_chat_model(...).bind_tools([tool])`), the loop stays the same.

    python examples/agent_tool.py                       # offline, without a model
    python examples/agent_tool.py --embedder default    # with the real embedding model
"""

import argparse
import tempfile
from datetime import UTC, datetime

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

from secondhop import Memory, Message, Recall

NOTES = {
    "Landlord": "The landlord wants every repair in writing, by letter, with two weeks' notice.",
    "Leak": "The bathroom ceiling leaks since Sunday, the stain is 40 cm wide.",
    "Last repair": "When the heating failed he paid nothing until I sent photos.",
    "Tomatoes": "The tomatoes need water twice a week.",
}
QUESTION = "Write to the landlord about the leak in the bathroom"


def main(embedder: str) -> None:
    """The usual loop: the model answers, tools run, until it asks for none."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Recall.open(folder, embedder=embedder) as recall,
    ):
        recall.add(memory(title, text) for title, text in NOTES.items())
        tool = recall.as_tool(k=3)
        model = scripted_model(tool.name)
        talk: list[AnyMessage] = [HumanMessage(QUESTION)]
        while True:
            said = model.invoke(talk)
            talk.append(said)
            if not said.tool_calls:
                break
            for call in said.tool_calls:
                told = tool.invoke(call)
                assert isinstance(told, ToolMessage)
                print(f"tool {call['name']} → {len(told.artifact.memories)} memories:")
                print(told.text)
                talk.append(told)
        print(f"model → {talk[-1].text}")


def scripted_model(tool_name: str) -> GenericFakeChatModel:
    """A model that asks the tool once, then answers."""
    wish = ToolCall(name=tool_name, args={"question": QUESTION}, id="1", type="tool_call")
    letter = AIMessage("Dear landlord, since Sunday … (photos enclosed, in writing, as agreed)")
    return GenericFakeChatModel(messages=iter([AIMessage("", tool_calls=[wish]), letter]))


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
    main(parser.parse_args().embedder)
