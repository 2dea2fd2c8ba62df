"""What the planner without a model makes of its library, by hand."""

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np
import pytest
from tests.fakes import NOW

from secondhop.models.embedder import Vectors
from secondhop.nodes.budget import Remaining
from secondhop.nodes.planning.playbook import (
    LOOKUP_WEIGHT,
    TEMPERATURE,
    PlaybookPlanner,
    questions_in,
)
from secondhop.nodes.planning.port import Plan, PlanRequest
from secondhop.prompts.library import SLOT, Intent, PlaybookFacet, parse_playbook

QUESTION = "Help me prepare for my Carefeed interview"
NEAR = {"first": 0.80, "second": 0.78, "third": 0.75, "fourth": 0.74}
"""Cosine of the question with the asks of four intents."""


class PlacedEmbedder:
    """Texts lie where they are placed; any other has an axis of its own."""

    def __init__(self, placed: Mapping[str, Sequence[float]] | None = None) -> None:
        self._placed = dict(placed or {})
        self._axes: dict[str, int] = {}

    @property
    def model_id(self) -> str:
        return "placed"

    @property
    def dimension(self) -> int:
        return 64

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text in self._placed:
                row[: len(self._placed[text])] = self._placed[text]
            else:  # the first four axes are for what is placed
                row[4 + self._axes.setdefault(text, len(self._axes))] = 1.0
        return rows

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)


def facet(name: str, *queries: str, weight: float = 1.0) -> PlaybookFacet:
    return PlaybookFacet(
        name=name, why="It helps.", hop=2, weight=weight, queries=queries or (f"notes on {name}",)
    )


def intent(name: str, *facets: PlaybookFacet) -> Intent:
    asks = (f"{name}, asked one way", f"{name}, asked another way")
    return Intent(name=name, domain="tests", asks=asks, facets=facets)


def towards(cosine: float) -> Sequence[float]:
    """A place that lies so near to the question, which lies on the first axis."""
    return (cosine, float(np.sqrt(1 - cosine**2)))


def placed(*intents: Intent, **others: Sequence[float]) -> PlacedEmbedder:
    """The question, and the intents' asks as near to it as `NEAR` says."""
    asks = {ask: towards(NEAR[one.name]) for one in intents for ask in one.asks}
    return PlacedEmbedder({QUESTION: (1.0,), **asks, **others})


async def planned(
    *intents: Intent,
    embedder: PlacedEmbedder | None = None,
    question: str = QUESTION,
    facets: int = 10,
) -> Plan:
    planner = PlaybookPlanner(intents, embedder=embedder or placed(*intents), facets=facets)
    remaining = Remaining(seconds=10.0, llm_calls=0, llm_tokens=0, rounds=1)
    return await planner.expand(PlanRequest(question=question, asked_at=NOW, remaining=remaining))


def weights(plan: Plan) -> dict[str, float]:
    return {one.name: one.weight for one in plan.facets}


FOUR = tuple(intent(name, facet(f"what {name} needs")) for name in NEAR)


async def test_the_three_nearest_intents_are_blended_by_how_near_they_are() -> None:
    plan = await planned(*reversed(FOUR))

    # weights e^(difference / 0.05): 1, e^-0.4, e^-1, and the mean of all facets is 1
    raw = [exp((NEAR[name] - NEAR["first"]) / TEMPERATURE) for name in ("first", "second", "third")]
    assert raw == pytest.approx([1.0, 0.6703, 0.3679], abs=1e-4)
    shares = [one * 3 / sum(raw) for one in raw]
    names = ["what first needs", "what second needs", "what third needs"]
    assert list(weights(plan)) == names
    assert list(weights(plan).values()) == pytest.approx(shares, abs=1e-3)


async def test_facets_that_mean_the_same_are_one_and_weigh_together() -> None:
    same, own = facet("berth", "the berth is booked"), facet("engine", "the engine is drained")
    again = facet("mooring", "the mooring is paid")
    places = {"the berth is booked": (0.0, 0.0, 1.0), "the mooring is paid": (0.0, 0.0, 1.0)}
    intents = intent("first", same, own), intent("second", again)

    plan = await planned(*intents, embedder=placed(*intents, **places))

    # berth 1 + e^-0.4, engine 1: of 2.67 in two facets
    assert weights(plan) == {
        "berth": pytest.approx(2 * 1.6703 / 2.6703, abs=1e-3),
        "engine": pytest.approx(2 / 2.6703, abs=1e-3),
    }


async def test_no_more_facets_than_are_wanted_the_heaviest_first() -> None:
    many = intent("first", *(facet(f"f{n}", weight=1 + n / 10) for n in range(5)))

    plan = await planned(many, facets=2)

    assert list(weights(plan)) == ["f4", "f3"]


async def test_facets_of_a_look_up_weigh_less() -> None:
    question = "When is my Carefeed interview?"
    first = intent("first", facet("plan"), facet("wins"))

    plan = await planned(first, question=question, embedder=PlacedEmbedder())

    assert weights(plan) == {"plan": LOOKUP_WEIGHT, "wins": LOOKUP_WEIGHT}


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        (QUESTION, "Carefeed interview"),
        ("Help me get ready for the winter swim", "winter swim"),
        ("What should I do?", "What should I do?"),  # nothing is named: the question itself
    ],
)
async def test_the_slot_holds_what_the_question_names(question: str, topic: str) -> None:
    wanted = facet("research", f"what I found out about {SLOT}", f"{SLOT}: notes", "notes at large")

    plan = await planned(intent("first", wanted), question=question, embedder=PlacedEmbedder())

    assert plan.facets[0].queries == (
        f"what I found out about {topic}",
        f"{topic}: notes",
        "notes at large",
    )


async def test_what_a_playbook_file_leaves_open_is_filled_before_it_is_searched() -> None:
    text = """
domain: tests
intents:
  - name: first
    asks: ["first, asked one way", "first, asked another way"]
    facets:
      - {name: research, why: w, hop: 2, queries: ["my notes on {topic}", "who works at {topic}"]}
"""
    (read,) = parse_playbook(text, name="tests.yaml")

    plan = await planned(read)

    assert plan.facets[0].queries == (
        "my notes on Carefeed interview",
        "who works at Carefeed interview",
    )
    assert not [query for one in plan.facets for query in one.queries if SLOT in query]


async def test_several_questions_are_asked_one_by_one_and_count_as_the_question() -> None:
    message = "Who do I work for? where is the key?"
    planner = PlaybookPlanner((), embedder=PlacedEmbedder())
    remaining = Remaining(seconds=10.0, llm_calls=0, llm_tokens=0, rounds=1)

    plan = await planner.decompose(PlanRequest(question=message, asked_at=NOW, remaining=remaining))

    parts = ("Who do I work for?", "where is the key?")
    assert [(one.name, one.queries) for one in plan.facets] == [
        (parts[0], (parts[0],)),
        (parts[1], (parts[1],)),
        ("", parts),  # without a name: the facet of the question itself
    ]


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("I am packing. Where is the tent? Who has the stove?", 2),
        ("Wo ist der Schlüssel? Für wen arbeite ich?", 2),
        ("Where is the key?", 0),
        ("Where is the key? Have you seen it?", 0),  # points back: the message says what it is
        ("What? Where is the key?", 0),
        ("Where is the key? Where is the key?", 0),
        ("What is 1? What is 2? What is 3? What is 4? What is 5?", 4),
        ("", 0),
    ],
)
def test_questions_are_told_apart(message: str, questions: int) -> None:
    assert len(questions_in(message)) == questions
