"""The change that `explain` names is true: applied, it admits the memory. All kinds are tested."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.fakes import ScriptedCritic, votes
from tests.graph.test_explain import all_cut, number_in
from tests.small_world import LIFE, QUESTION, Answer, SmallWorld, ask

from secondhop.graph.explanation import Explanation
from secondhop.nodes.critics.port import Ballot, FollowUp, Verdict
from secondhop.nodes.critics.reading_votes import LEFT_UNNAMED
from secondhop.nodes.services import Services
from secondhop.nodes.state import DIRECT

TEXTS = {memory.memory_id: memory.messages[0].content for memory in LIFE}
DENTIST = "When does the dentist want to see me?"
ODD = "Who repaired the boiler?"
SUPPER = "What should I cook tonight?"
COLD = {"cold": ["plan", "car"], "wrong": ["bread"], "hot": ["coaching"], "warm": ["garden"]}
HOT = {"hot": ["coaching", "wins"]}
REFUSING = {"cold": [*TEXTS][:8]}


def in_order(verdict: Verdict) -> Verdict:
    """The verdict of a critic that also puts the memories it likes in order."""
    liked = [one.memory_id for one in verdict.ballots if one.vote in {"hot", "warm"}]
    ballots = tuple(
        replace(one, place=liked.index(one.memory_id) + 1, facet_ids=(DIRECT,))
        if one.memory_id in liked
        else replace(one, place=0)
        for one in verdict.ballots
    )
    return replace(verdict, ballots=ballots)


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """A recall that can be repeated with something changed."""

    world: SmallWorld
    question: str
    planned: bool = False
    votes: dict[str, Sequence[str]] | None = None
    shortlist: int | None = None
    min_score: float | None = None
    unnamed: bool = False
    """Whether the critic leaves the memories unnamed on which it has no vote here."""
    follow_up: str = ""
    """What the critic asks for with effort low."""
    asked: dict[str, int]
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """Answers by what was changed, since many memories want the same change."""

    async def again(self, question: str = "", **changes: Any) -> Answer:
        """The answer with other votes, another setting or another k."""
        key = repr((question, sorted(changes.items())))
        if key not in self.answers:
            self.answers[key] = await self._asked(question, changes)
        return self.answers[key]

    async def _asked(self, question: str, changes: dict[str, Any]) -> Answer:
        cast: dict[str, Sequence[str]] | None = changes.pop("votes", self.votes)
        ranking: dict[str, Any] = {"min_score": self.min_score} if self.min_score else {}
        ranking |= changes.pop("ranking", {})
        limits = {"shortlist": self.shortlist} if self.shortlist else {}
        limits |= changes.pop("limits", {})
        services = self.services(cast)
        settings = services.settings
        settings = replace(
            settings,
            ranking=replace(settings.ranking, **ranking),
            limits=replace(settings.limits, **limits),
        )
        asked = {**self.asked, **changes}
        if self.follow_up and cast is not None:
            asked["effort"] = "low"
        return await ask(replace(services, settings=settings), question or self.question, **asked)

    def services(self, cast: dict[str, Sequence[str]] | None) -> Services:
        """Services for one recall: a scripted critic plays its votes only once."""
        verdict = in_order(votes(content=True, **cast or {}))
        if self.unnamed:
            named = {one.memory_id for one in verdict.ballots}
            left = (
                Ballot(memory_id=one, vote="cold", reason=LEFT_UNNAMED, place=0, is_named=False)
                for one in TEXTS
                if one not in named
            )
            verdict = replace(verdict, ballots=(*verdict.ballots, *left))
        if self.follow_up:
            wanted = FollowUp(text=self.follow_up, facet_id=None, name="more", why="Asked for.")
            verdict = replace(verdict, content=False, follow_ups=(wanted,))
        parts = {} if cast is None else {"critic": ScriptedCritic(verdict)}
        make = self.world.planned_services if self.planned else self.world.services
        return make(**parts)


async def applied(recalled: Recalled, told: Explanation) -> list[Answer]:
    """The answers with the change applied; several if the change says "or more"."""
    change = told.nearest_change
    for told_as, apply in KINDS.items():
        if re.search(told_as, change):
            return await apply(recalled, told)
    raise AssertionError(f"no such change is known: {change}")


async def with_slots(recalled: Recalled, told: Explanation) -> list[Answer]:
    k = int(number_in(told.nearest_change, "--k"))
    return [await recalled.again(k=k + more) for more in (0, 3)]


async def without_critic(recalled: Recalled, told: Explanation) -> list[Answer]:
    k = int(number_in(told.nearest_change, "--k"))
    unasked, changes = replace(recalled, votes=None), dict[str, Any]()
    if lower := re.search(r"--set ranking\.min_score=([\d.]+)", told.nearest_change):
        changes["ranking"] = {"min_score": float(lower.group(1))}
    return [await unasked.again(k=k + more, **changes) for more in (0, 3)]


async def with_tokens(recalled: Recalled, told: Explanation) -> list[Answer]:
    assert told.nearest_change.endswith(" (fewer may do)")
    return [await recalled.again(tokens=int(number_in(told.nearest_change, "--tokens")))]


async def with_min_score(recalled: Recalled, told: Explanation) -> list[Answer]:
    change = told.nearest_change
    slots = int(number_in(change, "limits.k")) if "limits.k" in change else 0
    asked: dict[str, Any] = {"k": slots} if slots else {}
    lower = number_in(change, "ranking.min_score")
    assert f"--set ranking.min_score={lower:.2f}" in change
    return [await recalled.again(ranking={"min_score": lower}, **asked)]


async def with_vote(recalled: Recalled, told: Explanation) -> list[Answer]:
    return [await recalled.again(votes={"hot": [told.memory_id]})]


async def with_nearer_question(recalled: Recalled, told: Explanation) -> list[Answer]:
    more: dict[str, Any] = {"tokens": 300}
    if "tokens" not in recalled.asked:
        more = {"k": recalled.asked["k"] + 1}  # another memory may say the same
    unread: dict[str, Sequence[str]] | None = (
        None if recalled.votes is None else {}
    )  # the critic will say otherwise of it
    return [await recalled.again(TEXTS[told.memory_id], votes=unread, **more)]


KINDS: dict[str, Callable[[Recalled, Explanation], Awaitable[list[Answer]]]] = {
    r"--effort none": without_critic,
    r"--k \d": with_slots,
    r"--tokens \d": with_tokens,
    r"ranking\.min_score": with_min_score,
    r"the critic votes it hot": with_vote,
    r"a question nearer to it": with_nearer_question,
}

RECALLS: dict[str, dict[str, Any]] = {
    "help": {"question": QUESTION},
    "look-up": {"question": DENTIST},
    "nothing near": {"question": ODD},
    "planned": {"question": QUESTION, "planned": True},
    "planned, nothing near": {"question": ODD, "planned": True},
    "critic": {"question": QUESTION, "planned": True, "votes": COLD},
    "critic of a look-up": {"question": DENTIST, "votes": COLD},
    "critic that chooses where nothing is near": {
        "question": SUPPER,
        "votes": COLD,
        "min_score": 0.95,
    },
    "critic that names few": {"question": QUESTION, "votes": HOT, "unnamed": True},
    "critic that asks for more": {
        "question": QUESTION,
        "votes": HOT,
        "unnamed": True,
        "follow_up": "bread, sourdough and the car",
    },
    "critic that refuses": {"question": QUESTION, "planned": True, "votes": REFUSING},
    "short list": {"question": QUESTION, "planned": True, "votes": HOT, "shortlist": 3},
    "tokens": {"question": QUESTION, "tokens": True},
    "planned tokens": {"question": QUESTION, "planned": True, "tokens": True},
    "tokens of a look-up": {"question": DENTIST, "tokens": True},
}


@pytest.mark.parametrize(
    ("name", "amount"),
    [*((name, 1) for name in RECALLS), *((name, 6) for name in (*RECALLS,)[::3])],
)
async def test_the_change_it_names_admits_the_memory(
    world: SmallWorld, name: str, amount: int
) -> None:
    kind = dict(RECALLS[name])
    asked = {"tokens": 15 * amount} if kind.pop("tokens", False) else {"k": amount}
    recalled = Recalled(world=world, asked=asked, **kind)
    _, trace = await recalled.again()

    cut = await all_cut(world, trace)

    assert cut
    for told in cut:
        answers = await applied(recalled, told)
        assert any(told.memory_id in answer.result.ids() for answer in answers), told


async def test_the_place_without_a_critic_does_not_count_what_the_critic_searched_for(
    world: SmallWorld,
) -> None:
    kind = RECALLS["critic that asks for more"]
    recalled = Recalled(world=world, asked={"k": 1}, **kind)
    _, trace = await recalled.again()
    unread = await replace(recalled, votes=None).again(k=len(TEXTS))
    places = {one: place for place, one in enumerate(unread.result.ids(), start=1)}

    offered = [
        (places[told.memory_id], re.search(r"--effort none --k (\d+)", told.nearest_change))
        for told in await all_cut(world, trace)
        if "--effort none" in told.nearest_change
    ]

    assert len(offered) > 1
    assert all(k and int(k.group(1)) == place for place, k in offered)
