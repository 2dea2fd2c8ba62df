"""The vectors that ship are those of the playbooks that ship."""

from collections.abc import Sequence

import numpy as np
import pytest

from secondhop.models.bge_onnx import BgeOnnxEmbedder
from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.planning.playbooks import Playbooks, facet_vectors
from secondhop.prompts.library import shipped_intents
from secondhop.prompts.playbook_vectors import shipped_vectors
from secondhop.ranking.arrays import unit_rows

INTENTS = shipped_intents()


def test_they_are_of_the_texts_as_they_are_now() -> None:
    found = shipped_vectors(INTENTS, model_id=BgeOnnxEmbedder().model_id)

    assert found is not None, "python tools/embed_playbooks.py embeds the changed playbooks"
    assert len(found.asks) == sum(len(one.asks) for one in INTENTS)
    assert len(found.names) == len(INTENTS)
    assert len(found.facets) == sum(len(one.facets) for one in INTENTS)


async def test_nothing_but_the_model_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = BgeOnnxEmbedder()
    read: list[str] = []

    async def embedded(texts: Sequence[str]) -> Vectors:
        read.extend(texts)
        return np.zeros((len(texts), embedder.dimension), np.float32)

    monkeypatch.setattr(embedder, "embed_passages", embedded)
    playbooks = Playbooks(INTENTS, embedder=embedder)
    await playbooks.warm()
    await playbooks.facets_for(unit_rows(np.ones((1, embedder.dimension))))

    assert len(read) == 1


async def test_they_are_those_that_the_model_computes() -> None:
    embedder, last = BgeOnnxEmbedder(), INTENTS[-1]
    playbooks = Playbooks(INTENTS, embedder=embedder)
    await playbooks.warm()
    assert playbooks.questions is not None

    asks = await embedder.embed_passages(last.asks)
    weighed = await playbooks.facets_for(asks[:1])

    # another processor rounds the int8 model another way
    assert np.vecdot(asks, playbooks.questions[-len(asks) :]).min() > 0.98
    assert weighed is not None
    assert weighed.facets[0] == last.facets[0]
    facets = await facet_vectors(last.facets, embedder=embedder)
    assert np.vecdot(facets, weighed.vectors[: len(facets)]).min() > 0.98


def test_other_models_and_other_texts_have_none() -> None:
    model_id = BgeOnnxEmbedder().model_id

    assert shipped_vectors(INTENTS, model_id=HashingEmbedder().model_id) is None
    assert shipped_vectors(INTENTS[1:], model_id=model_id) is None
