"""Finds memories by their cues: requests that they were stored for, compared with the query."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from secondhop.nodes.selection.learned import proved_by
from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.state import CueHits, RecallState
from secondhop.ranking.arrays import z_scores
from secondhop.ranking.cue_affinity import BROAD_WEIGHT, HUB_SHARE, bent_from, cue_affinity
from secondhop.stores.cues import SAYS_SOMETHING, CueHit
from secondhop.stores.protocols import CueSearch
from secondhop.stores.records import Vectors

DEPTH = 256
"""Cues that a query brings; they belong to some forty memories at least."""

DEEPEST = 4 * DEPTH
"""Most cues that a query brings if most of them were written by sessions."""

CUED = 40
"""Memories per query whose passages are compared because their cues are near."""


def uses_sessions(state: RecallState) -> bool:
    """Whether cues of sessions count. They do not in a recall with `as_of`."""
    return state.get("proved", False) and not state.get("as_of")


async def by_cues(
    rows: Vectors, state: RecallState, hidden: Hidden, services: Services
) -> list[CueHits]:
    """For each query, the memories whose cues are near it; [] if the store has no cues. `rows`:
    float32 [n_queries, dim], rows of unit length."""
    if services.cues is None:
        return []
    background = await services.playbooks.background()
    bent, lengths = bent_from(rows, background)
    shown, complete = await nearest_cues(bent, hidden, services.cues)
    found = [
        cue_hits([hit for hit in hits if not hit.proved_at], length, complete=ended)
        for hits, length, ended in zip(shown, lengths.tolist(), complete, strict=True)
    ]
    if uses_sessions(state):
        # add back what was subtracted: similar questions share as much with everyday ones
        usual: list[float] = (HUB_SHARE * rows @ background[0]).tolist()
        for own, hits, length, share in zip(found, shown, lengths.tolist(), usual, strict=True):
            told = [hit for hit in hits if hit.proved_at]
            cosines = np.array([length * hit.score + share for hit in told])
            now = datetime.fromisoformat(state["asked_at"])
            if proved := proved_by(told, cosines, alike=services.scale.same_context, now=now):
                own["proved"] = proved
    return found


async def nearest_cues(
    rows: Vectors, hidden: Hidden, cues: CueSearch
) -> tuple[list[list[CueHit]], list[bool]]:
    """(for each row the nearest cues, for each row whether these are all cues).

    Only memories that may be shown count. At least `DEPTH` cues per row are not from sessions,
    unless there are fewer or `DEEPEST` is reached.
    """
    compared = hidden.compared
    if compared is not None:
        seen = [one for one in compared if not hidden.hides(one)]
        return await cues.compare(rows, seen), [True for _ in rows]
    depth = hidden.depth(DEPTH)
    while True:
        rankings = await cues.search(rows, k=depth)
        shown = [[hit for hit in hits if not hidden.hides(hit.memory_id)] for hits in rankings]
        ended = [len(hits) < depth for hits in rankings]
        stored = [sum(not hit.proved_at for hit in hits) for hits in shown]
        if all(
            end or own >= DEPTH or len(hits) >= DEEPEST
            for end, own, hits in zip(ended, stored, shown, strict=True)
        ):
            return shown, ended
        depth *= 2


def found_by_cues(cued: CueHits) -> list[str]:
    """Ids of the memories whose passages are compared; those proved by sessions come first."""
    return list(dict.fromkeys([*best_proved(cued), *cued["memory_ids"][:CUED]]))


def best_proved(cued: CueHits) -> list[str]:
    """Ids of the memories that helped in sessions about similar questions, most votes first."""
    votes = cued["proved"]["votes"] if "proved" in cued else {}
    proved = [one for one in votes if votes[one] >= SAYS_SOMETHING]
    return sorted(proved, key=lambda one: (-votes[one], one))


def cue_hits(shown: Sequence[CueHit], length: float, *, complete: bool) -> CueHits:
    """The memories of the `DEPTH` nearest cues, best first. `length`: of the search vector
    before it was normalised; `complete`: whether `shown` holds all cues of the store."""
    shown, complete = shown[:DEPTH], complete and len(shown) <= DEPTH
    if not shown:
        return CueHits(memory_ids=[], specific=[], broad=[], nearest=0.0, cues=[])
    memory_ids = list(dict.fromkeys(hit.memory_id for hit in shown))
    places = {memory_id: place for place, memory_id in enumerate(memory_ids)}
    affinity = cue_affinity(
        np.array([places[hit.memory_id] for hit in shown], dtype=np.intp),
        np.array([hit.breadth == "broad" for hit in shown], dtype=np.bool_),
        length * np.array([hit.score for hit in shown], dtype=np.float64),
        count=len(memory_ids),
        complete=complete,
    )
    total = z_scores(affinity.specific) + BROAD_WEIGHT * z_scores(affinity.broad)
    order: list[int] = np.argsort(-total, kind="stable").tolist()
    best: list[int] = affinity.best.tolist()
    broad = [length * hit.score for hit in shown if hit.breadth == "broad"]
    found = CueHits(
        memory_ids=[memory_ids[one] for one in order],
        specific=np.round(affinity.specific[order], 6).tolist(),
        broad=np.round(affinity.broad[order], 6).tolist(),
        nearest=round(float(affinity.nearest.max()), 6),
        cues=[shown[best[one]].text for one in order],
    )
    if broad:
        found["nearest_broad"] = round(max(broad), 6)
    return found
