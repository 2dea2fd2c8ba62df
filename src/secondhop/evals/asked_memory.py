"""Which memory an evaluation asks, so that answers about it can be kept and given again."""

import json
from hashlib import sha256

from secondhop.evals.scenario import Scenario
from secondhop.models.answer_cache import AskedMemory
from secondhop.stores.cues import fingerprint_given

TAG_SECRET = sha256(b"secondhop evaluates").digest()
"""Of the tags around stored text, in evaluations alone: the prompts of two runs are then the same.

It is no secret, and hides nothing from the author of a scenario; a real recall draws its own.
"""


def asked_memory(scenario: Scenario, *, embedder_id: str) -> AskedMemory:
    """The memory of a scenario, embedded by that model."""
    hashes = sorted(
        (
            memory.memory_id,
            memory.content_hash,
            *([cues] if (cues := fingerprint_given(memory)) else []),
        )
        for memory in scenario.memories
    )
    version = sha256(json.dumps([embedder_id, hashes]).encode("ascii")).hexdigest()
    return AskedMemory(entity=scenario.name, index_version=version)
