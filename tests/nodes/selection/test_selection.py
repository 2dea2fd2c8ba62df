"""Each way to share the slots leads to different picks, worked out by hand on one pool."""

from tests.fakes import WrittenPlanner, facet
from tests.small_world import QUESTION, SmallWorld, ask, interview_plan, recall_settings


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
    assert found["none"] == {"plan", "coaching", "résumé"}  # two are from the wide facet
