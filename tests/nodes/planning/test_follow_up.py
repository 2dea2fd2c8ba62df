"""Follow-up questions are searched with what was asked before."""

import pytest
from tests.small_world import QUESTION, SmallWorld, ask

from secondhop.errors import UsageError
from secondhop.nodes.planning.follow_up import with_subject


async def test_a_follow_up_finds_what_the_question_before_it_is_about(world: SmallWorld) -> None:
    services = world.services()
    alone = await ask(services, "And the other one?")
    after = await ask(
        services, "And the other one?", earlier=["Hello!", QUESTION, "Anything else?"]
    )

    assert "research-1" not in alone.result.ids()
    assert {"research-1", "research-2"} & set(after.result.ids())
    assert after.result.question == f"{QUESTION}\nAnd the other one?"


@pytest.mark.parametrize("question", ["When does the Lisbon flight leave?", "Thanks a lot!"])
def test_a_subject_of_its_own_and_small_talk_stay_alone(question: str) -> None:
    assert with_subject(question, [QUESTION]) == question


def test_the_last_question_counts_if_none_has_a_subject() -> None:
    assert with_subject("Why?", ["Is Tim well?", "And Ann?"]) == "And Ann?\nWhy?"
    assert with_subject("Why?", []) == "Why?"


async def test_a_text_instead_of_a_list_is_refused(world: SmallWorld) -> None:
    with pytest.raises(UsageError, match="earlier must be a list of texts"):
        await ask(world.services(), "Why?", earlier=QUESTION)
