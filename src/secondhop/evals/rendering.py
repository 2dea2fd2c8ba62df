"""Renders the prompts that a language model would read for a question, without calling one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NoReturn, TypeVar, Unpack

from pydantic import BaseModel

from secondhop.annotate.annotator import Annotator
from secondhop.annotate.parts import PART_TOKENS, parts_of
from secondhop.annotate.sheet import map_titles
from secondhop.graph.builder import build_recall_graph
from secondhop.models.llm import AnswerBounds, ChatMessage, LLMError
from secondhop.nodes.llm_services import llm_services
from secondhop.nodes.state import RecallInput
from secondhop.observe.llm import LLMObserver
from secondhop.observe.port import SPEAKER, Turn
from secondhop.observe.service import known_things
from secondhop.prompts.templates import Prompt, RenderedPrompt
from secondhop.recall import Recall
from secondhop.running import run_recall
from secondhop.stores.records import Memory, Message

T = TypeVar("T", bound=BaseModel)


class Listener:
    """A language model that records what it is asked, and always fails to answer."""

    model_id = "listener"

    def __init__(self) -> None:
        self.heard: dict[str, RenderedPrompt] = {}
        """{schema class name: the messages of its first call}; also under the names of its bases.
        """

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: type[T], **bounds: Unpack[AnswerBounds]
    ) -> NoReturn:
        """Always raises LLMError."""
        system, user = (message["content"] for message in messages)
        for known in schema.__mro__:
            self.heard.setdefault(known.__name__, RenderedPrompt(system, user))
        raise LLMError("there is no model to answer")


async def rendered_prompts(
    question: str, recall: Recall, prompts: Mapping[str, Prompt], *, at: datetime | None = None
) -> Mapping[str, RenderedPrompt]:
    """{prompt name: its messages} in a recall in which the model never answers.

    The prompts `observe` and `annotate` are filled as if the question were a message or a note. A
    prompt that the recall does not reach is left out; without candidates, for example, there is no
    vote.
    """
    await recall.admin.awarm()
    listener = Listener()
    planner, critic = llm_services(
        listener, prompts=prompts, planning=recall.admin.services.settings.planning
    )
    asked: RecallInput = {"question": question, "asked_at": at.isoformat() if at else None}
    services = replace(recall.admin.services, planner=planner, critic=critic)
    async for _ in run_recall(build_recall_graph(services), asked, services=services):
        pass
    found = {
        prompt.name: listener.heard[prompt.schema]
        for prompt in prompts.values()
        if prompt.schema in listener.heard
    }
    return found | {
        "observe": await rendered_observation(question, recall, prompts, at=at),
        "annotate": await rendered_annotation(question, recall, prompts, at=at),
    }


async def rendered_annotation(
    text: str, recall: Recall, prompts: Mapping[str, Prompt], *, at: datetime | None = None
) -> RenderedPrompt:
    """The messages of the prompt that writes cues, for a note with this text written now."""
    note = Memory(
        memory_id="note",
        title="",
        source="note",
        created_at=at or recall.admin.services.clock(),
        messages=(Message("user", text),),
    )
    titles = await map_titles(recall.admin.store)
    parts = parts_of(note, tokens=PART_TOKENS)[:1]
    return Annotator(Listener(), prompts).sheet(parts, titles=titles).prompt


async def rendered_observation(
    said: str, recall: Recall, prompts: Mapping[str, Prompt], *, at: datetime | None = None
) -> RenderedPrompt:
    """The messages of the prompt that reads conversations, for one message of the user."""
    now = at or recall.admin.services.clock()
    turns = [Turn(role=SPEAKER, content=said, at=now)]
    known = await recall.admin.store.look(lambda view: known_things(view, turns, now=now))
    return LLMObserver(Listener(), prompts).sheet(turns, known).prompt
