"""A scale without labels: an unknown model's cosines laid over those of the default model.

The playbooks hold questions, and queries phrased like the memories that help. How near the nearest
of these queries is to a question, and how near the 24th, are two points of a model's scale: the top
and the bottom of what a search brings. The straight line that takes them to the two points of the
default model, whose calibration labels stand behind, makes that calibration fit the other model.

There are no labels in it, so there are no held-out figures; what it was worth where there were
labels, docs/tuning.md tells.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from secondhop.errors import ModelError
from secondhop.models.embedder import Embedder
from secondhop.nodes.selection.scale_file import scale_document
from secondhop.prompts.library import SLOT, Intent
from secondhop.ranking.calibration import LogisticCalibration

INTENTS = 120
"""Playbooks that are asked, spread evenly over the library."""

ASKS = 2
"""Questions of each."""

DEPTH = 24
"""How deep a recall of six memories looks."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """Two points of a model's scale: mean cosines of questions and what they find."""

    nearest: float
    deepest: float
    """Of the `DEPTH`th."""


DEFAULT_ANCHORS = Anchors(nearest=0.653, deepest=0.550)
"""Of bge-small-en-v1.5 (int8), measured with the playbooks that ship."""


async def playbook_anchors(intents: Sequence[Intent], embedder: Embedder) -> Anchors:
    """The anchors of a model; embeds some 800 short texts.

    Raises:
        ModelError: to the model everything is equally near.
    """
    chosen = intents[:: max(1, len(intents) // INTENTS)][:INTENTS]
    asks = [ask for intent in chosen for ask in intent.asks[:ASKS]]
    queries = [
        facet.queries[0].replace(SLOT, intent.name.replace("-", " "))
        for intent in chosen
        for facet in intent.facets
    ]
    asked, held = await embedder.embed_queries(asks), await embedder.embed_passages(queries)
    ranked = -np.sort(-np.asarray(asked @ held.T, dtype=np.float64), axis=1)
    deepest = min(DEPTH, ranked.shape[1]) - 1
    found = Anchors(float(ranked[:, 0].mean()), float(ranked[:, deepest].mean()))
    if found.nearest - found.deepest < 1e-3:
        raise ModelError(
            f"to {embedder.model_id} everything is equally near, so it cannot find memories; "
            f"check the embedding model"
        )
    return found


def transferred(
    calibration: LogisticCalibration, *, known: Anchors, new: Anchors
) -> LogisticCalibration:
    """A calibration of the model with the anchors `known`, for the cosines of the `new` one.

    calibration(known.deepest + stretch · (cosine - new.deepest)), where `stretch` takes the
    distance of the new model's anchors to that of the known one's.
    """
    stretch = (known.nearest - known.deepest) / (new.nearest - new.deepest)
    shift = known.deepest - stretch * new.deepest
    return LogisticCalibration(
        slope=calibration.slope * stretch,
        intercept=calibration.slope * shift + calibration.intercept,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFreeScale:
    """What was made without labels."""

    embedder_id: str
    anchors: Anchors
    calibration: LogisticCalibration
    shipped_nearness: float | None = None
    """What ships for the model, for it takes memories to measure; None: hubs stay uncorrected."""

    def file(self) -> dict[str, Any]:
        """The scale file, with how it came about."""
        return scale_document(
            self.calibration,
            embedder_id=self.embedder_id,
            fitted={"on": "the playbooks, without labels", "anchors": asdict(self.anchors)},
        )

    def document(self) -> dict[str, Any]:
        """For `--json`; there is nothing held out to report."""
        return {**self.file(), "held_out": None, "usual_nearness": self.shipped_nearness}


async def label_free_scale(
    intents: Sequence[Intent], embedder: Embedder, *, default: LogisticCalibration
) -> LabelFreeScale:
    """The default model's calibration, for another model.

    Raises:
        ModelError: to the model everything is equally near.
    """
    anchors = await playbook_anchors(intents, embedder)
    calibration = transferred(default, known=DEFAULT_ANCHORS, new=anchors)
    return LabelFreeScale(embedder_id=embedder.model_id, anchors=anchors, calibration=calibration)
