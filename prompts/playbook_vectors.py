"""The playbooks' vectors for the default embedding model. They ship, so no user waits for them.

`tools/embed_playbooks.py` writes them anew after a playbook has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.prompts.library import Intent

VECTORS_FILE: Final = "vectors.npz"

Rows: TypeAlias = npt.NDArray[np.int8]
"""int8 [n, dim]: rows that point where the vectors do; their lengths mean nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaybookVectors:
    """Directions of the playbooks' texts, in the order of the intents."""

    asks: Rows
    """The example questions."""
    names: Rows
    """The names of the intents."""
    facets: Rows
    """The means of each facet's queries."""


def shipped_vectors(intents: Sequence[Intent], *, model_id: str) -> PlaybookVectors | None:
    """The vectors that ship; None if they are of another model or other texts."""
    file: Traversable = files("secondhop.prompts") / "playbooks" / VECTORS_FILE
    with file.open("rb") as opened, np.load(opened) as kept:
        if str(kept["made_of"]) != fingerprint(intents, model_id=model_id):
            return None
        return PlaybookVectors(asks=kept["asks"], names=kept["names"], facets=kept["facets"])


def fingerprint(intents: Sequence[Intent], *, model_id: str) -> str:
    """A digest of the model and of every text that is embedded, in order."""
    texts = [model_id]
    for intent in intents:
        texts += [intent.name, *intent.asks]
        texts += ["\n".join(facet.queries) for facet in intent.facets]
    return sha256("\0".join(texts).encode()).hexdigest()
