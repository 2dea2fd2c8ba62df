"""Each way to share the slots, and each measure of repetition, leads to picks of its own.

By hand, on pools that are made so that every two settings must differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pytest
from tests.fakes import WrittenPlanner, facet
from tests.small_world import QUESTION, SmallWorld, ask, interview_plan, recall_settings

from secondhop.nodes.config import REDUNDANCY_NAMES, Diversity, RankingSettings
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.scale import ModelScale
from secondhop.nodes.selection.select import Selection, select
from secondhop.nodes.state import Candidate, Facet
from secondhop.ranking.arrays import Floats
from secondhop.ranking.calibration import LogisticCalibration
from secondhop.ranking.evidence import Evidence

SCALE = ModelScale(calibration=LogisticCalibration(slope=12.0, intercept=-4.2))

SERVES: Mapping[str, Sequence[float]] = {
    "m0": (0.4, 0.8, 0.4),
    "m1": (0.8, 0.8, 0.0),
    "m2": (0.6, 0.0, 0.2),
    "m3": (0.8, 0.2, 0.0),
    "m4": (0.0, 0.8, 0.0),
    "m5": (0.0, 0.0, 0.6),
}
"""Relevance to three facets that weigh 3, 2 and 1; m0 and m1 say the same (they have one title)."""

PICKED: Mapping[Diversity, Sequence[str]] = {
    # the best of any facet, ties by place: repetition is free
    "none": ["m0", "m1", "m3"],
    # the same without m1, which says what m0 says
    "mmr": ["m0", "m3", "m4"],
    # facet 0 takes m1 (it serves more than m3), facet 1 m4 for m0 repeats m1, facet 2 m5
    "in_turn": ["m1", "m4", "m5"],
    # m1 and m3 hold 1.3, 0.7 and 0 seats: quotients 5/36, 5/36, 1/6; m2 0.117, m4 0.111, m5 0.1
    "pm2": ["m1", "m3", "m2"],
    # m1 and m3 leave 0.04, 0.16 and 1 of the facets: m2 0.074, m4 0.065, m5 0.1
    "xquad": ["m1", "m3", "m5"],
    # served by 0.8, a facet stays open by 1 - 0.8 cubed: 0.238, 0.484, 1: m2 0.128, m4 0.143
    "facets": ["m1", "m3", "m4"],
}

REPEATS_AT = 0.72
REPEATING: Mapping[str, set[str]] = {
    "none": set(),
    "title_jaccard": {"same title"},
    "same_parent": {"trips/same folder"},
    "shingle_overlap": {"same words"},
    # a passage about b is said by first's passage about b; 0.9 of it is (0.9 - 0.8) / 0.15 said
    "evidence": {"same words", "about b"},
    # the same with (0.9 - 0.75) / 0.2
    "evidence_coverage": {"same words", "about b", "nearly b"},
    # the nearest of first's centroids, a and b, counts: 1, 0.9, and 0.71 for what mixes them; the
    # often told has (2 a + d) / √5 for three passages, b for two, c for one: 0.78 by passages
    "kmeans_centroids": {"about b", "nearly b", "often a and b"},
    # first's mean is (a + b) / √2: b lies 0.71 from it, the often told 4 / √20
    "mean": {"a and b", "often a and b"},
    # by length first is (a + 9 b) / √82: b lies 0.99 from it, nearly b 0.89, a and b 0.78
    "length_weighted_mean": {"about b", "nearly b", "a and b"},
    # as the mean, but four things each told at least once have one weight: 0.71
    "max_pool": {"a and b"},
    # two clusters: who speaks of a and b, and who speaks of z
    "topic_cluster": {"about b", "nearly b", "a and b", "often a and b"},
}
"""Who repeats `first`, by each measure, from `REPEATS_AT` on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A candidate: each passage as (direction, tokens, words)."""

    passages: Sequence[tuple[Mapping[str, float], int, str]]
    title: str = ""


def once(words: str, **direction: float) -> Sequence[tuple[Mapping[str, float], int, str]]:
    return [(direction, 50, words)]


COPIED = "The ferry to Naxos leaves at seven"
TOLD: Mapping[str, Told] = {
    "trips/first": Told(
        passages=[({"a": 1}, 10, "Nine goats came aboard"), ({"b": 1}, 90, COPIED)],
        title="Ferry notes",
    ),
    "about b": Told(passages=once("We sail early for the island", b=1)),
    "nearly b": Told(passages=once("An early boat was full", b=0.9, n=0.19**0.5)),
    "a and b": Told(passages=once("Animals like boats, too", a=1, b=1)),
    "often a and b": Told(
        passages=[
            ({"a": 1}, 10, "A goat stood there"),
            ({"a": 1}, 10, "The goat lay down"),
            ({"b": 1}, 10, "Ships pass by here"),
            ({"b": 1}, 10, "Boats come and go"),
            ({"c": 1}, 500, "Cheese was sold nearby"),
            ({"d": 1}, 500, "Dust lay on everything"),
        ]
    ),
    "same words": Told(passages=once(COPIED, z=1, o1=1)),
    "same title": Told(passages=once("Rain fell on the port", z=1, o2=1), title="Ferry notes"),
    "trips/same folder": Told(passages=once("Two olives were left", z=1, o3=1)),
    "taxes": Told(passages=once("My tax form is late", z=1, o4=1)),
    "teeth": Told(passages=once("See the dentist in March", z=1, o5=1)),
    "bread": Told(passages=once("Feed the sourdough every evening", z=1, o6=1)),
    "car": Told(passages=once("Winter tyres are down below", z=1, o7=1)),
}
"""In the order of their relevance; the last four repeat nothing, and are hardly relevant."""


def candidate(memory_id: str, title: str) -> Candidate:
    return Candidate(
        memory_id=memory_id,
        title=title or f"About {memory_id}",
        source="note",
        created_at="2026-01-01T00:00:00+00:00",
        first_round=1,
        score=0.5,
        scores={},
    )


def pool_of(told: Mapping[str, Told], relevance: Floats) -> Pool:
    """Candidates in their order; passages as they are told."""
    passages = [passage for one in told.values() for passage in one.passages]
    axes = sorted({axis for direction, _, _ in passages for axis in direction})
    rows = np.array([[direction.get(axis, 0.0) for axis in axes] for direction, _, _ in passages])
    ends = np.cumsum([len(one.passages) for one in told.values()]).tolist()
    texts = [words for _, _, words in passages]
    owned = [
        list(range(end - len(one.passages), end))
        for end, one in zip(ends, told.values(), strict=True)
    ]
    return Pool(
        ids=list(told),
        candidates={name: candidate(name, one.title) for name, one in told.items()},
        facet_ids=[f"f{column}" for column in range(relevance.shape[1])],
        relevance=relevance,
        evidence=Evidence(
            vectors=(rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32),
            passages=owned,
            texts=texts,
            lengths=[tokens for _, tokens, _ in passages],
        ),
        texts={name: [texts[row] for row in own] for name, own in zip(told, owned, strict=True)},
        replaced_by={},
        scale=SCALE,
    )


def selected(pool: Pool, *weights: float, k: int, settings: RankingSettings) -> Selection:
    facets = {
        facet_id: Facet(facet_id=facet_id, name=facet_id, why="", hop=1, weight=weight)
        for facet_id, weight in zip(pool.facet_ids, weights, strict=True)
    }
    return select(pool, pool.relevance, facets, k=k, settings=settings)


def ids(selection: Selection) -> list[str]:
    return [pick["memory_id"] for pick in selection.picks]


def picked_by(diversity: Diversity) -> list[str]:
    """The picks of the six that serve three facets."""
    told = {
        name: Told(
            passages=once(f"Only {name} tells this", **{name: 1.0}),
            title="Twins" if name in {"m0", "m1"} else "",
        )
        for name in SERVES
    }
    pool = pool_of(told, np.array(list(SERVES.values())))
    settings = RankingSettings(diversity=diversity, redundancy="title_jaccard")
    return ids(selected(pool, 3, 2, 1, k=3, settings=settings))


def chosen_by(redundancy: str, *, k: int) -> Selection:
    """The selection among those that say more or less what `first` says."""
    relevance = np.r_[np.linspace(0.9, 0.7, len(TOLD) - 4), [0.05] * 4][:, np.newaxis]
    settings = RankingSettings(redundancy=redundancy, redundancy_limit=REPEATS_AT)
    return selected(pool_of(TOLD, relevance), 1, k=k, settings=settings)


@pytest.mark.parametrize("diversity", PICKED)
def test_the_slots_are_shared_as_the_setting_says(diversity: Diversity) -> None:
    assert picked_by(diversity) == PICKED[diversity]


def test_every_diversity_there_is_picks_other_memories() -> None:
    assert set(get_args(Diversity)) == set(PICKED)
    assert len({frozenset(picked_by(diversity)) for diversity in PICKED}) == len(PICKED)


@pytest.mark.parametrize("redundancy", REPEATING)
def test_what_repeats_is_what_the_measure_says(redundancy: str) -> None:
    selection = chosen_by(redundancy, k=1)

    repeating = {one.memory_id for one in selection.losers if one.repeats == "trips/first"}
    assert ids(selection) == ["trips/first"]
    assert repeating == REPEATING[redundancy]


def test_every_measure_there_is_picks_other_memories() -> None:
    assert set(REDUNDANCY_NAMES) == set(REPEATING)
    picks = {name: tuple(ids(chosen_by(name, k=8))) for name in REPEATING}
    assert len(set(picks.values())) == len(picks)


async def test_a_recall_shares_slots_as_its_settings_say(world: SmallWorld) -> None:
    wide = facet(
        "interviews", "coaching notes after the last mock interview", "led teams of twelve"
    )
    own, wins, _ = interview_plan().facets
    planner = WrittenPlanner({QUESTION: (own, wins, wide)}, planner_id="written")
    found: dict[str, set[str]] = {}
    for diversity in ("facets", "in_turn", "none"):
        settings = recall_settings(ranking={"diversity": diversity})
        answer = await ask(world.services(settings=settings, planner=planner), k=3)
        found[diversity] = set(answer.result.ids())

    assert found["facets"] == {"plan", "wins", "coaching"}  # each of the plan's facets
    assert found["in_turn"] == {"plan", "wins", "research-1"}  # the question itself has a turn
    assert found["none"] == {"plan", "coaching", "résumé"}  # of a facet that the plan overdid


async def test_a_recall_counts_repetition_as_its_settings_say(world: SmallWorld) -> None:
    twins = {"research-1", "research-2"}
    for redundancy, both in (("none", True), ("evidence", False), ("title_jaccard", True)):
        settings = recall_settings(ranking={"redundancy": redundancy})
        answer = await ask(world.services(settings=settings), k=5)
        assert (twins <= set(answer.result.ids())) is both
