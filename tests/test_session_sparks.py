"""Sparks beyond the branches that a session may have: they leave, and it is said why."""

from tests.session_world import session_services, sessions_over, started
from tests.small_world import SmallWorld

from secondhop.nodes.reconsider import BRANCHES

UNFOLLOWED = "It opened no branch"


async def test_of_more_sparks_than_branches_the_others_are_told_to_lead_nowhere(
    world: SmallWorld,
) -> None:
    sessions = sessions_over(session_services(world, session={"k": 5}))
    answer = await started(sessions)
    voted = answer.ids()
    assert len(voted) > BRANCHES

    after = await sessions.avote(answer.session_id, dict.fromkeys(voted, "spark"))

    followed = [branch.sparked_by for branch in after.branches]
    left = {one.memory_id: one for one in after.changes if one.change == "left"}
    assert followed == voted[:BRANCHES]
    assert set(left) == set(voted)
    assert {one for one in left if UNFOLLOWED in left[one].why} == set(voted[BRANCHES:])
    assert left[voted[-1]].why == (
        f"Voted spark by the person. {UNFOLLOWED}: the session has as many as it may "
        f"have ({BRANCHES})."
    )
    assert [vote.memory_id for vote in left[voted[-1]].because] == [voted[-1]]
