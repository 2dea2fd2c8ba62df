"""secondhop as a LangChain retriever and as an agent's tool."""

import json
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict, Field, SkipValidation

from secondhop.errors import UnknownEntityError
from secondhop.graph.result import RecalledMemory, RecallResult
from secondhop.nodes.state import Effort
from secondhop.prompts.quoting import clean
from secondhop.sync import BackgroundLoop
from secondhop.wording import NOTHING_YET

if TYPE_CHECKING:
    from secondhop.askable import Askable


class SecondhopRetriever(BaseRetriever):
    """Gives one document per memory: the evidence is its text, everything else its metadata.

    [] if nothing is stored for the person yet.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    recall: "SkipValidation[Any]"
    """An open `Recall`."""
    k: int | None = None
    """How many memories to return; None: `RecallLimits.k`."""
    tokens: int | None = None
    """Fill this many tokens with evidence, instead of k slots."""
    effort: Effort | None = None
    """How much a language model is asked; None: the default of `Recall.arecall`."""

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        with suppress(UnknownEntityError):
            return documents(await self.recall.arecall(query, **self._options()))
        return []

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        with suppress(UnknownEntityError):
            return documents(self.recall.recall(query, **self._options()))
        return []

    def _options(self) -> dict[str, Any]:
        return {"k": self.k, "tokens": self.tokens, "effort": self.effort}


def documents(result: RecallResult) -> list[Document]:
    """The memories of a result as documents, best first."""
    return [
        Document(
            id=memory.id,
            page_content=evidence_text(memory),
            metadata=memory.model_dump(mode="json", exclude={"evidence"}),
        )
        for memory in result.memories
    ]


def evidence_text(memory: RecalledMemory) -> str:
    """The evidence passages of a memory, best first, with a blank line between them."""
    return "\n\n".join(evidence.text for evidence in memory.evidence)


class RecallQuestion(BaseModel):
    """What an agent gives the tool."""

    question: str = Field(
        description="What the person asked, in their own words; do not shorten it to keywords."
    )


def recall_tool(
    recall: "Askable",
    loop: BackgroundLoop,
    *,
    k: int | None = None,
    tokens: int | None = None,
    effort: Effort | None = None,
) -> BaseTool:
    """A tool whose text answer is for the model; its artifact holds the trace id and memory ids.
    `loop` runs it for callers without an event loop."""

    async def arun(question: str) -> tuple[str, dict[str, Any]]:
        if not question.strip():
            return no_memories("Ask a question in words.")
        with suppress(UnknownEntityError):
            return answered(await recall.arecall(question, k=k, tokens=tokens, effort=effort))
        return no_memories(NOTHING_YET)

    def run(question: str) -> tuple[str, dict[str, Any]]:
        return loop.run(partial(arun, question))

    return StructuredTool.from_function(
        func=run,
        coroutine=arun,
        name="recall_memories",
        description=(
            "Look into the person's long-term memory before answering: returns the memories a "
            "good answer needs, also those the question does not name (plans, limits, people, "
            "past attempts), each with its date and why it is there. Use it whenever the answer "
            "depends on what this person said, did, decided or prefers."
        ),
        args_schema=RecallQuestion,
        response_format="content_and_artifact",
    )


def answered(result: RecallResult) -> tuple[str, dict[str, Any]]:
    """A result as (text for the model, artifact for the program).

    The artifact is small, because LangGraph writes all messages of a chat into every checkpoint.
    """
    return as_text(result), {"trace_id": result.trace_id, "memory_ids": result.ids()}


def no_memories(text: str) -> tuple[str, dict[str, Any]]:
    """An answer without memories, as (text for the model, artifact for the program)."""
    return text, {"trace_id": "", "memory_ids": []}


def as_text(result: RecallResult) -> str:
    """A result as an agent reads it. Stored text is quoted as JSON strings, so that it cannot pass
    for anything else."""
    if not result.memories:
        return "Nothing stored answers this."
    return "\n\n".join(
        f"[{number}] {quoted(memory.title)} ({memory.created_at.date()}, id {quoted(memory.id)})\n"
        f"Why: {clean(memory.why)}\n{quoted(evidence_text(memory))}"
        for number, memory in enumerate(result.memories, start=1)
    )


def quoted(text: str) -> str:
    """Stored text as a JSON string, on one line, without control and invisible characters."""
    return json.dumps(clean(text), ensure_ascii=False)
