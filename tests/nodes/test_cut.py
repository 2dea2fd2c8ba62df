"""Candidates that are cut could not have won: without the cuts, the answers are the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from secondhop.evals.scenario import load_scenario
from secondhop.nodes import fuse
from secondhop.recall import Recall

SCENARIOS = Path(__file__).parents[2] / "examples" / "scenarios"
KEPT, NO_CUT = fuse.KEPT, 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("cues", [True, False])
async def test_the_cut_changes_no_answer_in_the_memory_of_four_people(
    cues: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenarios = [load_scenario(folder) for folder in sorted(SCENARIOS.glob("*/"))]
    asked = [question for one in scenarios for question in one.questions[:2]]
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        for one in scenarios:
            await recall.aadd(
                replace(
                    memory,
                    memory_id=f"{one.name} {memory.memory_id}",
                    replaces=(),
                    cues=memory.cues if cues else (),
                    broad_cues=memory.broad_cues if cues else (),
                )
                for memory in one.memories
            )
        cut = [await recall.arecall(q.query, k=q.k, at=q.asked_at) for q in asked]
        monkeypatch.setattr(fuse, "KEPT", NO_CUT)
        whole = [await recall.arecall(q.query, k=q.k, at=q.asked_at) for q in asked]
        traces = [recall.trace(result.trace_id) for result in whole]
    assert [result.ids() for result in cut] == [result.ids() for result in whole]
    assert max(len(one.candidates) + len(one.rest) for one in traces) > KEPT, "nothing to cut"
