"""What is stored of the cues that a model wrote for the parts of a memory."""

from datetime import UTC, datetime
from functools import cache

from secondhop.annotate.annotator import PartCues
from secondhop.annotate.finish import (
    Finished,
    Signature,
    WrittenMemory,
    finished,
)
from secondhop.annotate.generic import GenericCues
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.planning.playbooks import Playbooks
from secondhop.prompts.library import shipped_intents
from secondhop.testing import note

SIGNED = Signature(
    origin="model",
    model="m",
    prompt="annotate.v1@0",
    written_at=datetime(2026, 1, 1, tzinfo=UTC),
)
MEMORY = note("m", "We plan our summer.")


@cache
def everyday() -> Playbooks:
    """The playbooks that ship, embedded by hashing."""
    return Playbooks(shipped_intents(), embedder=HashingEmbedder())


async def finish(*parts: PartCues) -> Finished:
    embedder = HashingEmbedder()
    memory = WrittenMemory(memory=MEMORY, parts=parts)
    return await finished(
        [memory],
        embedder=embedder,
        generic=GenericCues(everyday(), embedder),
        signature=SIGNED,
    )


async def test_of_a_long_memory_every_part_may_bring_cues_and_the_same_one_counts_once() -> None:
    parts = [
        PartCues(specific=[f"write letter {n}", f"repair thing {n}"], broad=["plan our summer"])
        for n in range(5)
    ]

    (annotation,) = (await finish(*parts)).annotations

    specific = [cue.text for cue in annotation.cues if cue.breadth == "specific"]
    assert len(specific) == 6
    assert len({text[-1] for text in specific}) >= 3
    assert [cue.text for cue in annotation.cues if cue.breadth == "broad"] == ["plan our summer"]
