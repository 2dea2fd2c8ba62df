from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from secondhop.errors import ModelError
from secondhop.models.llm import ChatMessage, Completion, LLMError, StructuredLLM, Usage

T = TypeVar("T", bound=BaseModel)


class Answer(BaseModel):
    text: str


class EchoLLM:
    """The smallest thing that fits the port."""

    model_id = "echo"

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[T],
        max_tokens: int,
        deadline_s: float,
        max_calls: int,
        max_total_tokens: int | None = None,
    ) -> Completion[T]:
        parsed = schema.model_validate({"text": messages[-1]["content"]})
        return Completion(parsed=parsed, usage=Usage(calls=1, prompt_tokens=max_tokens))


async def test_an_answer_has_the_type_that_was_asked_for() -> None:
    llm: StructuredLLM = EchoLLM()
    completion = await llm.complete(
        [{"role": "user", "content": "hi"}],
        schema=Answer,
        max_tokens=3,
        deadline_s=1.0,
        max_calls=1,
    )
    assert completion.parsed.text == "hi"


def test_usage_adds_up() -> None:
    first = Usage(calls=1, prompt_tokens=2, completion_tokens=3, cached_tokens=1)
    assert first + first == Usage(calls=2, prompt_tokens=4, completion_tokens=6, cached_tokens=2)


def test_a_failure_is_a_model_error_and_tells_what_was_spent() -> None:
    assert isinstance(LLMError("no"), ModelError)
    assert LLMError("no").usage == Usage()
    assert LLMError("no", usage=Usage(calls=3)).usage.calls == 3
