"""The score of a memory, added up by hand from what each retriever says."""

from math import exp

import pytest

from secondhop.nodes.selection.blend import (
    PLAYBOOKS_WEIGHT,
    TEXT_LOGISTIC,
    TEXT_WEIGHTS,
    Blended,
    CueCounts,
    FacetRanking,
    blended,
)
from secondhop.nodes.state import CueHits, FacetScore, Suggested


def own(dense: float, fused: float) -> FacetScore:
    return FacetScore(
        rank=1,
        fused=fused,
        relevance=dense,
        dense=dense,
        lexical=0.0,
        passage_ids=("found",),
        query_ids=("q0",),
        passage_scores=(dense,),
    )


def ranking(**found: FacetScore) -> FacetRanking:
    """What the searches of one facet found."""
    return FacetRanking(
        fused={one: score["fused"] for one, score in found.items()},
        dense={one: score["dense"] for one, score in found.items()},
        lexical={one: score["lexical"] for one, score in found.items()},
        score=found.__getitem__,
    )


def suggested(**scores: float) -> Suggested:
    """Memories suggested for facet b1, with a cosine of 0 to the question."""
    return Suggested(
        memory_ids=list(scores),
        scores=list(scores.values()),
        facet_ids=["b1"] * len(scores),
        passage_ids=[f"{one}:0" for one in scores],
        cosines=[0.0] * len(scores),
        confidence=1.0,
    )


def test_parts_are_z_scores_by_their_weights_and_their_sum_gives_the_score() -> None:
    blends = blended(ranking(a=own(0.8, 0.02), b=own(0.2, 0.01)), suggested=suggested(a=0.0, b=4.0))

    # with two memories, one has a z-score of 1 and the other of -1
    assert blends["a"].parts == {
        **TEXT_WEIGHTS,
        "playbooks": -PLAYBOOKS_WEIGHT,
    }
    total = sum(blends["a"].parts.values())
    slope, middle = TEXT_LOGISTIC
    assert blends["a"].score == pytest.approx(1 / (1 + exp(slope * (middle - total))), abs=1e-4)
    assert list(blends) == ["a", "b"]


def test_playbooks_that_know_no_intent_leave_the_order_to_search() -> None:
    found = ranking(a=own(0.8, 0.02), b=own(0.2, 0.01))
    unsure: Suggested = {**suggested(a=0.0, b=9.0), "confidence": 0.0}

    assert list(blended(found, suggested=unsure)) == ["a", "b"]
    assert blended(found, suggested=unsure)["b"].parts["playbooks"] == 0.0


SOME = CueCounts(2, 1)


def cued(**specific: float) -> CueHits:
    """Hits for memories with these similarities of specific cues; their broad cues are equal."""
    return CueHits(
        memory_ids=list(specific),
        specific=list(specific.values()),
        broad=[0.1] * len(specific),
        nearest=max(specific.values()),
        cues=[f"{one}:cue" for one in specific],
    )


def kept_for(**broad: float) -> CueHits:
    """Hits for memories with these similarities of broad cues; their specific cues are equal."""
    return CueHits(
        memory_ids=list(broad),
        specific=[0.3] * len(broad),
        broad=list(broad.values()),
        nearest=0.3,
        cues=["help me move house"] * len(broad),
    )


def test_the_memory_that_names_what_the_question_names_tells_the_undertaking() -> None:
    memories = ("lumera", "party", "stories", "cake", "walk")
    scores = {one: own(0.3, 0.01) for one in memories}
    kinds = {"lumera": ["interview"], "stories": ["interview"], "party": ["cook"], "cake": ["cook"]}

    def linked() -> dict[str, Blended]:
        return blended(
            ranking(**scores),
            cued=kept_for(party=0.32, lumera=0.31, stories=0.3, cake=0.3, walk=0.3),
            cue_counts=dict.fromkeys(memories, SOME),
            undertakings=kinds,
        )

    before = linked()
    assert before["cake"].score > before["stories"].score
    scores["lumera"]["lexical"] = 0.5  # "Lumera is on the 21st": no other memory has the name
    after = linked()
    assert after["stories"].score > after["cake"].score


def test_what_the_rest_share_says_little_if_the_best_has_no_undertaking() -> None:
    rest = ("cake", "oven", "walk", "bike", "key", "boiler")
    found = ranking(headache=own(0.95, 0.03), **{one: own(0.3, 0.01) for one in rest})

    blends = blended(
        found,
        cued=kept_for(headache=0.9, **dict.fromkeys(rest, 0.3)),
        cue_counts=dict.fromkeys(found.fused, SOME),
        undertakings={"cake": ["cook"], "oven": ["cook"]},
    )

    assert blends["cake"].parts["shared undertaking"] < 0.3, "1.3 if any share counted in full"


def test_a_look_up_has_no_undertaking() -> None:
    found = ranking(a=own(0.3, 0.01), b=own(0.3, 0.01))
    undertakings = {"a": ["interview"], "b": ["interview"]}

    blends = blended(
        found,
        cued=kept_for(a=0.6, b=0.3),
        cue_counts=dict.fromkeys(found.fused, SOME),
        undertakings=undertakings,
        look_up=True,
    )

    assert all(one.undertaking == "" for one in blends.values())


def test_of_two_memories_as_near_the_one_with_more_cues_comes_first() -> None:
    found = ranking(a=own(0.3, 0.01), b=own(0.3, 0.01))

    blends = blended(
        found, cued=kept_for(a=0.3, b=0.3), cue_counts={"a": CueCounts(1, 1), "b": CueCounts(5, 2)}
    )

    assert list(blends) == ["b", "a"]
    assert blends["b"].parts["number of cues"] > 0


def test_what_others_are_stored_for_lowers_no_memory_with_one_kind_of_cue() -> None:
    texts = {f"m{number}": own(0.3, 0.01) for number in range(20)}
    found = ranking(asked=own(0.3, 0.01), other=own(0.3, 0.01), **texts)
    specific = {"asked": CueCounts(1, 0)}

    alone = blended(found, cued=cued(asked=0.7), cue_counts=specific)
    beside = blended(
        found,
        cued=cued(asked=0.7, other=0.1),
        cue_counts={**specific, "other": CueCounts(0, 2)},
    )

    assert next(iter(alone)) == next(iter(beside)) == "asked"
    assert beside["asked"].score == alone["asked"].score
    parts = alone["asked"].parts
    assert parts["broad cues"] == pytest.approx(parts["cues"] / 2, abs=0.001)


def test_a_cue_in_the_questions_own_words_does_not_make_a_fitting_one_look_far() -> None:
    texts = {f"m{number}": own(0.3, 0.01) for number in range(20)}
    found = ranking(fits=own(0.2, 0.01), repeats=own(0.2, 0.01), **texts)

    blends = blended(
        found,
        cued=cued(fits=0.5, repeats=1.0),
        cue_counts={"fits": CueCounts(1, 0), "repeats": CueCounts(1, 0)},
    )

    assert list(blends)[:2] == ["repeats", "fits"]
    assert blends["fits"].parts["cues"] > 1.0


def test_a_cue_of_one_memory_lowers_no_score_where_few_have_cues() -> None:
    texts = {f"m{n}": own(0.1 * n, 0.002 * n) for n in range(1, 8)}
    plain = blended(ranking(**texts), suggested=suggested(**dict.fromkeys(texts, 0.0) | {"m6": 4}))

    cued_too = blended(
        ranking(**texts),
        suggested=suggested(**dict.fromkeys(texts, 0.0) | {"m6": 4}),
        cued=cued(m6=0.31, m2=0.9),
        cue_counts={"m6": SOME, "m2": SOME},
    )

    scores = {one: blend.score for one, blend in plain.items()}
    assert {one: cued_too[one].score for one in scores if one != "m2"} == {
        one: score for one, score in scores.items() if one != "m2"
    }
    assert cued_too["m2"].score > scores["m2"]
    assert cued_too["m6"].parts["playbooks"] == plain["m6"].parts["playbooks"]
