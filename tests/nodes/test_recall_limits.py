"""Numbers that no recall can have are refused by name."""

from math import inf, nan

import pytest

from secondhop.nodes.config import PlanningSettings, RankingSettings, RecallLimits


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"deadline_s": nan}, "deadline_s must be a finite number, not nan"),
        ({"deadline_s": inf}, "deadline_s must be a finite number, not inf"),
        ({"deadline_s": 0}, "deadline_s must be above 0"),
        ({"llm_calls": -3}, "llm_calls must be at least 0"),
        ({"llm_tokens": -1}, "llm_tokens must be at least 0"),
        ({"maybe": -1}, "maybe must be at least 0"),
        ({"k": nan}, "k must be a finite number"),
        ({"shortlist": 100_000}, "shortlist must be at most 200"),
    ],
)
def test_limits_are_finite_and_not_negative(limits: dict[str, int], told: str) -> None:
    with pytest.raises(ValueError, match=rf"RecallLimits\.{told}"):
        RecallLimits(**limits)


def test_nothing_may_be_spent_and_the_longest_shortlist_is_read() -> None:
    spare = RecallLimits(llm_calls=0, llm_tokens=0, maybe=0, shortlist=200)

    assert spare.llm_calls == 0


@pytest.mark.parametrize("name", ["min_score", "recency_days"])
@pytest.mark.parametrize("value", [nan, inf])
def test_so_are_the_numbers_of_the_ranking(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"RankingSettings.{name}"):
        RankingSettings(**{name: value})  # type: ignore[arg-type]  # any of the numbers


def test_and_those_of_planning() -> None:
    with pytest.raises(ValueError, match="rewordings must be a finite number"):
        PlanningSettings(rewordings=nan)  # type: ignore[arg-type]  # as a caller without types
