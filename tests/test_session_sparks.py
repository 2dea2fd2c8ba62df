"""Sparks beyond the branches that a session may have: they leave, and it is said why."""

import pytest
from tests.session_world import session_services, sessions_over, started
from tests.small_world import SmallWorld

UNFOLLOWED = "It opened no branch"


@pytest.mark.parametrize("limit", [0, 2])
async def test_of_more_sparks_than_branches_the_others_are_told_to_lead_nowhere(
    world: SmallWorld, limit: int
) -> None:
    sessions = sessions_over(session_services(world, session={"branches": limit, "k": 5}))
    answer = await started(sessions)
    voted = answer.ids()
    assert len(voted) > limit

    after = await sessions.avote(answer.session_id, dict.fromkeys(voted, "spark"))

    followed = [branch.sparked_by for branch in after.branches]
    left = {one.memory_id: one for one in after.changes if one.change == "left"}
    assert followed == voted[:limit]
    assert set(left) == set(voted)
    assert {one for one in left if UNFOLLOWED in left[one].why} == set(voted[limit:])
    assert left[voted[-1]].why == (
        f"Voted spark by the person. {UNFOLLOWED}: the session has as many as it may "
        f"(session.branches: {limit})."
    )
    assert [vote.memory_id for vote in left[voted[-1]].because] == [voted[-1]]
