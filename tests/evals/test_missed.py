"""Which memories were missed, and what kept them out."""

from pathlib import Path

from tests.evals.labelled import ASKED_AT
from tests.small_world import LIFE, QUESTION

from secondhop.evals.missed import missed_facets
from secondhop.evals.scenario import LabelledFacet, Question
from secondhop.recall import Recall


async def test_a_missed_facet_says_what_became_of_each_of_its_memories(tmp_path: Path) -> None:
    question = Question(
        id="q",
        query=QUESTION,
        asked_at=ASKED_AT.replace(month=3),
        k=1,
        facets=[
            LabelledFacet(name="employer", why="w", hop=1, relevant={"research-1": 3}),
            LabelledFacet(
                name="far", why="w", hop=2, relevant={"bread": 2, "car": 3, "dentist": 1}
            ),
        ],
        redundant=[["research-1", "research-2"]],
        stale={},
    )
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        await recall.aadd(LIFE)
        result = await recall.arecall(question.query, k=1, at=question.asked_at)
        trace = recall.trace(result.trace_id)
        found = await missed_facets(question, result, trace, recall)

    missed = {facet.name: facet for facet in found}
    assert [one.memory_id for one in missed["far"].memories] == ["car", "bread"]
    assert all(one.cut_by and one.reason and one.nearest_change for one in missed["far"].memories)
