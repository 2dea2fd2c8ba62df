"""Each way to share the slots leads to picks of its own: by hand, on a pool where they differ."""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
import pytest
from tests.fakes import WrittenPlanner, facet
from tests.small_world import QUESTION, SmallWorld, ask, interview_plan, recall_settings

from secondhop.nodes.config import Diversity, RankingSettings
from secondhop.nodes.selection.select import ordered
from secondhop.ranking.coverage import Coverage
from secondhop.ranking.facet_pool import FacetPool

SERVES: Mapping[str, Sequence[float]] = {
    "m0": (0.4, 0.8, 0.4),
    "m1": (0.8, 0.8, 0.0),
    "m2": (0.6, 0.0, 0.2),
    "m3": (0.8, 0.2, 0.0),
    "m4": (0.0, 0.8, 0.0),
    "m5": (0.0, 0.0, 0.6),
}
"""Relevance to three facets that weigh 3, 2 and 1; m0 and m1 say the same."""

PICKED: Mapping[Diversity, Sequence[str]] = {
    # the best of any facet, ties by place: repetition is free
    "none": ["m0", "m1", "m3"],
    # the same without m1, which says what m0 says
    "mmr": ["m0", "m3", "m4"],
    # served by 0.8, a facet stays open by 1 - 0.8 cubed: 0.238, 0.484, 1: m2 0.128, m4 0.143
    "facets": ["m1", "m3", "m4"],
}


def picked_by(diversity: Diversity) -> list[str]:
    """The picks of the six that serve three facets."""
    same = np.eye(len(SERVES))
    same[0, 1] = same[1, 0] = 1.0
    part = FacetPool(facet_relevance=np.array(list(SERVES.values())), weights=np.array([3, 2, 1]))
    settings = RankingSettings(diversity=diversity)
    order = ordered(part, Coverage.from_matrix(same), settings=settings)
    return [list(SERVES)[pick.index] for pick in order[:3]]


@pytest.mark.parametrize("diversity", PICKED)
def test_the_slots_are_shared_as_the_setting_says(diversity: Diversity) -> None:
    assert picked_by(diversity) == PICKED[diversity]


def test_every_diversity_there_is_picks_other_memories() -> None:
    assert set(get_args(Diversity)) == set(PICKED)
    assert len({frozenset(picked_by(diversity)) for diversity in PICKED}) == len(PICKED)


async def test_a_recall_shares_slots_as_its_settings_say(world: SmallWorld) -> None:
    wide = facet(
        "interviews", "coaching notes after the last mock interview", "led teams of twelve"
    )
    own, wins, _ = interview_plan().facets
    planner = WrittenPlanner({QUESTION: (own, wins, wide)}, planner_id="written")
    found: dict[str, set[str]] = {}
    for diversity in ("facets", "none"):
        settings = recall_settings(ranking={"diversity": diversity})
        answer = await ask(world.services(settings=settings, planner=planner), k=3)
        found[diversity] = set(answer.result.ids())

    assert found["facets"] == {"plan", "wins", "coaching"}  # each of the plan's facets
    assert found["none"] == {"plan", "coaching", "résumé"}  # of a facet that the plan overdid
