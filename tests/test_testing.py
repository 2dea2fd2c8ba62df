"""The public test doubles."""

import os
import tempfile
from pathlib import Path

import pytest

from secondhop.errors import ModelError
from secondhop.testing import (
    ModelRequest,
    Script,
    ScriptedModel,
    ScriptEndedError,
    note,
    temporary_recall,
)

QUESTION = "How long does green tea steep?"
TEA = note("tea", "Green tea steeps at 70 degrees for two minutes.")


PLANNED: dict[str, Script] = {
    "decompose": [{"kind": "procedural"}],
    "expand": [{"intent": "make tea"}],
}


def nothing_voted(request: ModelRequest) -> object:
    return {"votes": []}


async def test_a_scripted_model_plans_and_judges_a_recall() -> None:
    script: dict[str, Script] = {**PLANNED, "critique": nothing_voted}
    model = ScriptedModel(script)
    async with temporary_recall([TEA], llm=model) as recall:
        result = await recall.arecall(QUESTION)
    assert result.ids() == ["tea"]
    asked = {request.step: request.prompt for request in model.requests}
    assert sorted(asked) == ["critique", "decompose", "expand"]
    assert "Green tea steeps" in asked["critique"]
    assert result.spent.llm_calls == len(model.requests)


async def test_a_scripted_failure_is_a_failure_of_the_model() -> None:
    gone = ModelError("gone")
    model = ScriptedModel([gone] * 3)
    async with temporary_recall([TEA], llm=model) as recall:
        result = await recall.arecall(QUESTION)
    assert result.ids() == ["tea"]
    assert len(result.degraded) == 3


async def test_a_script_that_ends_is_an_error_and_no_weaker_recall() -> None:
    async with temporary_recall([TEA], llm=ScriptedModel(PLANNED)) as recall:
        with pytest.raises(ScriptEndedError, match="no reply left for 'critique'"):
            await recall.arecall(QUESTION)


async def test_a_temporary_store_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with temporary_recall():
        assert os.listdir(tmp_path)
    assert not os.listdir(tmp_path)
