"""The small life as a scenario: two labelled questions over the ten memories."""

from tests.fakes import NOW
from tests.small_world import LIFE, QUESTION

from secondhop.evals.scenario import Question, Scenario


def small_scenario(name: str = "small") -> Scenario:
    """An interview that needs four kinds of memories, and a question that one note answers."""
    interview = Question.model_validate(
        {
            "id": "interview",
            "query": QUESTION,
            "asked_at": NOW,
            "k": 4,
            "facets": [
                {"name": "research", "why": "", "hop": 1, "relevant": {"research-2": 2}},
                {"name": "plan", "why": "", "hop": 2, "relevant": {"plan": 3}},
                {"name": "numbers", "why": "", "hop": 2, "relevant": {"wins": 3, "résumé": 1}},
                {"name": "practice", "why": "", "hop": 2, "relevant": {"coaching": 3}},
            ],
            "redundant": [["research-1", "research-2"]],
            "stale": {},
        }
    )
    garden = Question.model_validate(
        {
            "id": "garden",
            "query": "How often do the tomatoes need water?",
            "asked_at": NOW,
            "k": 3,
            "facets": [{"name": "water", "why": "", "hop": 1, "relevant": {"garden": 3}}],
            "redundant": [],
            "stale": {},
        }
    )
    return Scenario(name=name, memories=LIFE, questions=(interview, garden), no_answer=())
