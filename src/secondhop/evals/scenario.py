"""Scenarios: one person's memories, and labelled questions whose answers need several facets.

The format is described in `examples/scenarios/FORMAT.md`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from secondhop.errors import UsageError, said_by_system
from secondhop.memories.doctor import circles_in
from secondhop.moments import with_zone
from secondhop.nodes.config import COUNT_LIMIT
from secondhop.nodes.recall_input import checked_question
from secondhop.stores.records import Memory, Message
from secondhop.wording import command

MEMORIES_FILE = "conversations.jsonl"
QUESTIONS_FILE = "queries.jsonl"
CUES_FILE = "cues.jsonl"
NO_ANSWER_FILE = "no_answer.jsonl"


Moment: TypeAlias = Annotated[datetime, AfterValidator(with_zone)]
Text: TypeAlias = Annotated[str, Field(min_length=1)]


class Line(BaseModel):
    """One line of a scenario file; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class MessageLine(Line):
    """One turn."""

    role: Text
    """ "user", "assistant", or the name of a speaker."""
    content: str


class MemoryLine(Line):
    """One memory."""

    id: Text
    title: str
    source: Literal["conversation", "note", "episode"]
    created_at: Moment
    messages: Annotated[list[MessageLine], Field(min_length=1)]

    def memory(self, origin: str) -> Memory:
        """The memory to store."""
        return Memory(
            memory_id=self.id,
            title=self.title,
            source=self.source,
            created_at=self.created_at,
            messages=tuple(Message(turn.role, turn.content) for turn in self.messages),
            origin=origin,
        )


class CueLine(Line):
    """The cues of one memory."""

    id: Text
    cues: list[Text] = []
    broad: list[Text] = []
    role: str = ""
    replaces: list[Text] = []

    def given_to(self, memory: Memory) -> Memory:
        """The memory with these cues."""
        return replace(
            memory,
            cues=tuple(self.cues),
            broad_cues=tuple(self.broad),
            role=self.role,
            replaces=tuple(self.replaces),
        )


class LabelledFacet(Line):
    """One thing that a good answer needs, and the memories that serve it."""

    name: Text
    why: str
    hop: Literal[1, 2]
    relevant: Annotated[dict[str, Literal[1, 2, 3]], Field(min_length=1)]
    """{memory id: grade}; 3 essential, 2 useful, 1 marginal."""

    def served_by(self, memory_id: str) -> bool:
        """Whether this memory serves the facet: grade 2 or 3."""
        return self.relevant.get(memory_id, 0) >= 2


class Asked(Line):
    """A question."""

    id: Text
    query: Text
    earlier: list[Text] = []
    """What was asked before it in the same conversation, oldest first."""
    asked_at: Moment


class Question(Asked):
    """A labelled question."""

    k: Annotated[int, Field(ge=1, le=COUNT_LIMIT)]
    facets: Annotated[list[LabelledFacet], Field(min_length=1)]
    redundant: list[list[str]]
    """Groups of ids of memories that say the same thing."""
    stale: dict[str, str]
    """{id of an outdated memory: id of the one that replaced it}."""

    def labelled_ids(self) -> Iterator[str]:
        """Every memory id in the labels, with repeats."""
        for facet in self.facets:
            yield from facet.relevant
        for group in self.redundant:
            yield from group
        for old, new in self.stale.items():
            yield from (old, new)


class UnansweredQuestion(Asked):
    """A question that no memory answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One folder: memories, and the questions asked about them."""

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]
    no_answer: tuple[UnansweredQuestion, ...]


def load_scenario(folder: Path, *, cues: bool = True, stored: bool = False) -> Scenario:
    """Read and check one scenario folder.

    Args:
        cues: give the memories the cues in `cues.jsonl`, if there is one.
        stored: the memories are in a store already, so only the questions are read.

    Raises:
        UsageError: it is not a valid scenario; names the file, the line and the fault.
    """
    wanted = (QUESTIONS_FILE,) if stored else (MEMORIES_FILE, QUESTIONS_FILE)
    needed = f"a folder with {' and '.join(wanted)} is needed"
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; {needed}")
    for name in wanted:
        if not (folder / name).exists():
            asks = name == MEMORIES_FILE and (folder / QUESTIONS_FILE).exists()
            told = command("eval", "scenarios", str(folder), "--stored")
            hint = f"; {told} asks its questions about your store" if asks else ""
            raise UsageError(f"{folder} has no {name}; {needed}{hint}")
    memories = [] if stored else read_lines(folder / MEMORIES_FILE, MemoryLine)
    questions = read_lines(folder / QUESTIONS_FILE, Question)
    no_answer_file = folder / NO_ANSWER_FILE
    no_answer = read_lines(no_answer_file, UnansweredQuestion) if no_answer_file.exists() else []
    check_ids(folder / MEMORIES_FILE, [line.id for _, line in memories])
    check_ids(folder / QUESTIONS_FILE, [line.id for _, line in questions])
    known = None if stored else {line.id for _, line in memories}
    check_labels(folder / QUESTIONS_FILE, questions, known=known)
    name = folder.resolve().name
    own = [line.memory(origin=name) for _, line in memories]
    check_asked(folder / QUESTIONS_FILE, questions)
    check_asked(no_answer_file, no_answer)
    if cues and not stored and (folder / CUES_FILE).exists():
        own = with_cues(own, folder / CUES_FILE)
    return Scenario(
        name=name,
        memories=tuple(own),
        questions=tuple(line for _, line in questions),
        no_answer=tuple(line for _, line in no_answer),
    )


def with_cues(memories: Sequence[Memory], path: Path) -> list[Memory]:
    """The memories, with cues for those that the file names."""
    lines = {line.id: line for _, line in read_lines(path, CueLine)}
    unknown = lines.keys() - {memory.memory_id for memory in memories}
    if unknown:
        raise UsageError(f"{path} names an unknown memory {min(unknown)!r}")
    return [
        lines[memory.memory_id].given_to(memory) if memory.memory_id in lines else memory
        for memory in memories
    ]


LineT = TypeVar("LineT", bound=Line)


def read_lines(path: Path, kind: type[LineT]) -> list[tuple[int, LineT]]:
    """(line number from 1, line) for each line that is not blank.

    Raises:
        UsageError: the file cannot be read, is empty, or has an invalid line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {said_by_system(error)}") from error
    lines = [
        (number, parse_line(line, kind, where=f"{path}:{number}"))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    if not lines:
        raise UsageError(f"{path} is empty")
    return lines


def parse_line(line: str, kind: type[LineT], *, where: str) -> LineT:
    """One validated line. Raises UsageError with `where` and the invalid field."""
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise UsageError(f"{where}: {field + ': ' if field else ''}{problem['msg']}") from error


def check_ids(path: Path, ids: list[str]) -> None:
    """Raises UsageError unless the ids of a file are unique."""
    seen: set[str] = set()
    for memory_id in ids:
        if memory_id in seen:
            raise UsageError(f"{path}: the id {memory_id!r} appears twice")
        seen.add(memory_id)


def check_asked(path: Path, asked: Sequence[tuple[int, Asked]]) -> None:
    """Raises UsageError for a question that a recall would refuse."""
    for number, question in asked:
        try:
            checked_question(question.query)
        except UsageError as error:
            raise UsageError(f"{path}:{number}: question {question.id!r}: {error}") from error


def check_labels(
    path: Path, questions: list[tuple[int, Question]], *, known: set[str] | None
) -> None:
    """Raises UsageError for a label of an unknown memory, for a facet without a memory of grade 2
    or 3, and for pairs that contradict each other.

    Args:
        known: ids of the memories; None: do not check ids, because the memories are in a store.
    """
    for number, question in questions:
        where = f"{path}:{number}: question {question.id!r}"
        for memory_id in question.labelled_ids():
            if known is not None and memory_id not in known:
                raise UsageError(f"{where} names an unknown memory {memory_id!r}")
        for facet in question.facets:
            if max(facet.relevant.values()) < 2:
                raise UsageError(f"{where}: facet {facet.name!r} has no memory of grade 2 or 3")
        if fault := label_fault(redundant=question.redundant, stale=question.stale):
            raise UsageError(f"{where}: {fault}")


def label_fault(*, redundant: Sequence[Sequence[str]], stale: Mapping[str, str]) -> str:
    """The first fault in the labels that name pairs of memories; "" if there is none.

    >>> label_fault(redundant=[], stale={"a": "b", "b": "a"})
    "'a', 'b' outdate one another, so none of them is valid"
    """
    for group in redundant:
        if len(set(group)) < len(group):
            return f"a group of memories that say the same lists a memory twice: {', '.join(group)}"
    for circle in circles_in(stale):
        if len(circle) == 1:
            return f"{circle[0]!r} is outdated by itself"
        return f"{', '.join(map(repr, circle))} outdate one another, so none of them is valid"
    return ""
