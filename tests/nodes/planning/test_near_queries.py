"""Which queries count as the same."""

import pytest

from secondhop.nodes.planning.near_queries import DistinctQueries


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("flight to Rome in May with Anna", "flight to Rome in May with Ben"),
        (
            "Anna's ideas for the summer party in the garden",
            "ideas for the summer party in the garden",
        ),
        ("the flight to Rome with the dog in may", "the flight to Rome with the dog in june"),
        (
            "invoice 4711 of the roofer for the new barn",
            "invoice 4712 of the roofer for the new barn",
        ),
        ("rent of the flat in the old town in 2023", "rent of the flat in the old town in 2024"),
        ("meeting on 3 May about the school budget", "meeting on 4 May about the school budget"),
        (
            "flight to rome in the spring with anna and the dog",
            "flight to rome in the spring with ben and the dog",
        ),
        ("what the repair of the old boiler cost", "what the repair of the old chimney cost"),
        ("release notes of version v1.5 of the app", "release notes of version v1.6 of the app"),
    ],
)
def test_another_name_number_or_date_makes_another_query(one: str, other: str) -> None:
    assert DistinctQueries([one]).take([other], limit=3) == (other,)
    assert DistinctQueries([other]).take([one], limit=3) == (one,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("my goals for the year", "My goals, for the year!"),
        ("Goals for the year", "My goals for the year"),
        ("trip to rome with anna in may", "Trip to Rome, with Anna, in May"),
        ("What did I plan for Anna's birthday?", "What did we plan for Anna's birthday"),
        ("FLIGHT TO ROME IN MAY", "flight to Rome in May"),
        ("carefeed interview preparation", "Carefeed interview preparation"),
        ("my goal for the first year", "my goals for the first year"),
        ("the rent of may 2024 for the flat", "The rent of May 2024 for the flat"),
        ("May I park in the yard?", "may I park in the yard"),
    ],
)
def test_capitals_marks_and_a_small_word_do_not(one: str, other: str) -> None:
    assert DistinctQueries([one]).take([other], limit=3) == ()
    assert DistinctQueries([other]).take([one], limit=3) == ()


def test_at_most_so_many_are_taken_and_none_without_words() -> None:
    assert DistinctQueries().take(["?!", "tea", "Tea", "coffee", "milk"], limit=2) == (
        "tea",
        "coffee",
    )
