"""The folder of traces: a trace comes back as it went, and the oldest go."""

import os
from pathlib import Path

import pytest
from tests.small_world import QUESTION, SmallWorld, ask

from secondhop.errors import UsageError
from secondhop.graph.builder import build_recall_graph
from secondhop.graph.trace import RecallTrace, load_trace
from secondhop.nodes.state import RecallInput
from secondhop.running import run_recall
from secondhop.traces import TraceFolder, traces_of


@pytest.fixture
async def trace(world: SmallWorld) -> RecallTrace:
    return (await ask(world.services()))[1]


def test_a_trace_comes_back_as_it_went(trace: RecallTrace, tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path / "traces")

    path = folder.save(trace)

    assert folder.load(trace.trace_id) == trace
    assert load_trace(path) == trace


async def test_a_draft_is_written_as_its_trace(world: SmallWorld, tmp_path: Path) -> None:
    services, folder = world.services(), TraceFolder(tmp_path / "traces")
    asked: RecallInput = {"question": QUESTION}
    async for event in run_recall(build_recall_graph(services), asked, services=services):
        if event.draft is not None:
            path = folder.save(event.draft)
            assert (path.stem, load_trace(path)) == (event.draft.trace_id, event.trace)
            return
    raise AssertionError("the recall ended without a trace")


def test_only_the_newest_are_kept(trace: RecallTrace, tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path, kept=3)
    for number in range(5):
        path = folder.save(trace.model_copy(update={"trace_id": f"t{number}"}))
        os.utime(path, ns=(number, number))

    folder.save(trace.model_copy(update={"trace_id": "t5"}))

    assert sorted(path.stem for path in tmp_path.glob("*.json")) == ["t3", "t4", "t5"]


def test_an_unknown_id_names_the_newest_ones(trace: RecallTrace, tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path)
    folder.save(trace)

    with pytest.raises(UsageError, match=rf"last recalls: {trace.trace_id}\)"):
        folder.load("unknown")
    with pytest.raises(UsageError, match=r"\(none is\)"):
        TraceFolder(tmp_path / "another").load("unknown")
    with pytest.raises(UsageError, match="kept for entity 'nadia'"):
        traces_of("nadia", store=tmp_path).load("unknown")


@pytest.mark.parametrize("trace_id", ["../secret", "a/b", "", "a.b", "x" * 65, "ä"])
def test_an_id_cannot_leave_the_folder(trace_id: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a trace id"):
        TraceFolder(tmp_path).load(trace_id)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"schema_version": 99}', "\udcff"])
def test_a_file_that_is_no_trace_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))

    with pytest.raises(UsageError, match="not a secondhop trace"):
        load_trace(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        load_trace(tmp_path / "gone.json")
