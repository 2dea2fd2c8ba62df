"""Settings changed by name; unknown or wrong ones are refused."""

import pytest

from secondhop.errors import UsageError
from secondhop.evals.setting_files import changed_settings
from secondhop.nodes.config import PlanningSettings


def test_a_change_has_the_type_of_its_setting() -> None:
    changes = ["limits.k=3", "ranking.min_score = 0.5", "ranking.hide_later=true"]
    changes += ["planning.facets=2"]

    changed = changed_settings(["limits.k=9", *changes])

    assert (changed.limits.k, changed.ranking.min_score) == (3, 0.5)
    assert changed.ranking.hide_later is True
    assert changed.planning == PlanningSettings(facets=2)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("limits.kk=3", "did you mean limits.k"),
        ("xyzzy=3", "there are limits.k, "),
        ("limits.k", "write NAME=VALUE"),
        ("limits.k=", "write NAME=VALUE"),
        ("limits.k=many", "k cannot be 'many'"),
        ("limits.k=0", "limits.k cannot be '0': .* greater than or equal to 1"),
        ("ranking.min_score=2", "min_score cannot be '2': .* less than or equal to 1"),
        ("limits.deadline_s=nan", "should be a finite number"),
        ("limits.llm_calls=-3", "greater than or equal to 0"),
        ("planning.facets=1.5", "facets cannot be '1.5'"),
        ("planning.facet_queries=0", "greater than or equal to 1"),
        ("ranking.diversity=random", "diversity cannot be 'random'"),
    ],
)
def test_what_cannot_be_is_named(change: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        changed_settings([change])
