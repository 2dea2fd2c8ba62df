"""Evidence sets: items that people said or wrote, and questions with the items that answer them.

A set is a folder with `items.jsonl` and `questions.jsonl`; docs/benchmarks.md describes the fields.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field

from secondhop.errors import UsageError
from secondhop.evals.scenario import Line, Moment, Text, check_ids, read_lines

ITEMS_FILE = "items.jsonl"
QUESTIONS_FILE = "questions.jsonl"

Alternatives = Annotated[list[Text], Field(min_length=1)]


class ItemLine(Line):
    """One thing said or written; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Text
    """Two items may have the same id (phone records do); evidence then refers to the last one."""
    entity: Text
    session: Text
    """Names the conversation or document that it belongs to, which becomes one memory."""
    created_at: Moment | None = None
    speaker: str = ""
    text: str


class QuestionLine(Line):
    """A question, and the items that answer it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Text
    entity: Text
    question: Text
    asked_at: Moment | None = None
    category: Text
    evidence: Annotated[list[Alternatives], Field(min_length=1)]
    """Groups of item ids; any one item of a group is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSet:
    """One folder."""

    name: str
    items: tuple[ItemLine, ...]
    questions: tuple[QuestionLine, ...]

    def items_of(self, entity: str) -> list[ItemLine]:
        """The entity's items, in the order of the file."""
        return [item for item in self.items if item.entity == entity]

    def last_moment(self, entity: str) -> datetime | None:
        """The time of the entity's last item, which is "now" for questions without a time."""
        dated = (item.created_at for item in self.items_of(entity) if item.created_at)
        return max(dated, default=None)

    def by_id(self) -> dict[str, ItemLine]:
        """{id: the last item with it}, as a question's evidence refers to items."""
        return {item.id: item for item in self.items}


def load_evidence_set(folder: Path) -> EvidenceSet:
    """Read and check one folder.

    Raises:
        UsageError: it is not a valid evidence set; names the file, the line and the fault.
    """
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder; an evidence set is a folder "
            f"with {ITEMS_FILE} and {QUESTIONS_FILE}"
        )
    items = [line for _, line in read_lines(folder / ITEMS_FILE, ItemLine)]
    questions = read_lines(folder / QUESTIONS_FILE, QuestionLine)
    check_ids(folder / QUESTIONS_FILE, [question.id for _, question in questions])
    check_evidence(folder / QUESTIONS_FILE, questions, items=items)
    return EvidenceSet(
        name=folder.resolve().name,
        items=tuple(items),
        questions=tuple(question for _, question in questions),
    )


def check_evidence(
    path: Path, questions: Sequence[tuple[int, QuestionLine]], *, items: Sequence[ItemLine]
) -> None:
    """Raises UsageError for evidence with an unknown item, or a question on an entity without
    items."""
    known, entities = {item.id for item in items}, {item.entity for item in items}
    for number, question in questions:
        where = f"{path}:{number}: question {question.id!r}"
        if question.entity not in entities:
            raise UsageError(f"{where}: no item belongs to its entity {question.entity!r}")
        for item_id in (item_id for group in question.evidence for item_id in group):
            if item_id not in known:
                raise UsageError(f"{where} names an unknown item {item_id!r}")


def stratified(questions: Sequence[QuestionLine], *, limit: int | None) -> list[QuestionLine]:
    """At most `limit` questions, in their order, in proportion to the categories; deterministic.

    Each category gets one question before any gets a second. Within a category they are spread
    evenly over the file, so that every entity gets some.
    """
    if limit is None or limit >= len(questions):
        return list(questions)
    places: dict[str, list[int]] = {}
    for place, question in enumerate(questions):
        places.setdefault(question.category, []).append(place)
    turns = sorted(
        (number / len(own), category)
        for category, own in places.items()
        for number in range(len(own))
    )
    shares = Counter(category for _, category in turns[:limit])
    chosen = [
        places[category][(2 * number + 1) * len(places[category]) // (2 * share)]
        for category, share in shares.items()
        for number in range(share)
    ]
    return [questions[place] for place in sorted(chosen)]
