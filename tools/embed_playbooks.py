"""Embeds the playbooks with the default model, into the file that ships.

    python tools/embed_playbooks.py     # after a change of prompts/playbooks/*.yaml, some 2 minutes

The rows are stored as int8, which moves a vector by a cosine of less than 0.0002.
"""

import asyncio
from pathlib import Path

import numpy as np

from secondhop.models.bge_onnx import BgeOnnxEmbedder
from secondhop.models.embedder import Vectors
from secondhop.nodes.planning.playbooks import facet_vectors, names_of
from secondhop.prompts.library import shipped_intents
from secondhop.prompts.playbook_vectors import VECTORS_FILE, Rows, fingerprint

FILE = Path(__file__).parents[1] / "prompts" / "playbooks" / VECTORS_FILE


async def main() -> None:
    """Embed all texts, and write the file."""
    intents, embedder = shipped_intents(), BgeOnnxEmbedder()
    asks = await embedder.embed_passages([ask for intent in intents for ask in intent.asks])
    names = await embedder.embed_passages(names_of(intents))
    facets = await facet_vectors([f for i in intents for f in i.facets], embedder=embedder)
    np.savez(
        FILE,
        made_of=np.array(fingerprint(intents, model_id=embedder.model_id)),
        asks=quantised(asks),
        names=quantised(names),
        facets=quantised(facets),
    )


def quantised(rows: Vectors) -> Rows:
    """int8 rows in the direction of these: the largest number of each becomes 127."""
    return np.round(rows * (127 / np.abs(rows).max(axis=1, keepdims=True))).astype(np.int8)


if __name__ == "__main__":
    asyncio.run(main())
