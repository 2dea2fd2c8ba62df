"""A recall that plans and judges with a model behind a real HTTP server."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from secondhop import Memory, Message, Recall
from secondhop.errors import UsageError
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig


def note(name: str, text: str) -> Memory:
    """A note of one turn."""
    return Memory(
        memory_id=name,
        title=name,
        source="note",
        created_at=datetime(2026, 1, 5, tzinfo=UTC),
        messages=(Message("user", text),),
    )


async def test_a_model_that_cannot_be_reached_is_replaced_and_named(tmp_path: Path) -> None:
    connection = OpenAIConnection(base_url="http://127.0.0.1:9/v1", api_key="none")
    llm = OpenAILLM(OpenAILLMConfig(model="nobody", connection=connection))

    async with await Recall.aopen(tmp_path / "store", embedder="hashing", llm=llm) as recall:
        await recall.aadd([note("tea", "Green tea at 70 degrees for two minutes.")])
        result = await recall.arecall("How long does green tea steep?")
    await llm.aclose()

    assert result.ids() == ["tea"]
    assert {line.partition(":")[0] for line in result.degraded} >= {"decompose", "expand"}
    assert any(line.startswith("critique") for line in result.degraded)


async def test_an_unknown_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no language model 'nonsense'"):
        await Recall.aopen(tmp_path / "store", embedder="hashing", llm="nonsense")
