"""Makes a labelled scenario from a store: proposes questions, shows candidates, writes the folder.

Candidates are pooled from several searches, so that the labels do not favour one of them.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, zip_longest
from pathlib import Path
from typing import Literal, TypeVar

from secondhop.errors import UsageError, said_by_system
from secondhop.evals.baselines import plain_rankings
from secondhop.evals.scenario import (
    CUES_FILE,
    MEMORIES_FILE,
    NO_ANSWER_FILE,
    QUESTIONS_FILE,
    CueLine,
    LabelledFacet,
    Line,
    MemoryLine,
    Question,
    UnansweredQuestion,
    label_fault,
    read_lines,
)
from secondhop.recall import Recall
from secondhop.stores.records import Memory

LineT = TypeVar("LineT", bound=Line)

PAGE = 500
GRADES: dict[str, Literal[1, 2, 3]] = {"": 3, "u": 2, "m": 1}
"""{suffix of a number: grade}; essential, useful, marginal."""

FACET = re.compile(r"([^:]+):((?:\s*\d+[um]?)+)\s*")
SAME = re.compile(r"\d+(=\d+)+")
OUTDATED = re.compile(r"(\d+)>(\d+)")


async def proposed_questions(recall: Recall) -> list[str]:
    """The questions of the last 100 traces, newest first, then broad cues, the most frequent first.
    Each text appears once."""
    asked = [trace.question for trace in recall.admin.last_traces(limit=100)]
    broad: Counter[str] = Counter()
    after = ""
    while page := await recall.admin.store.cues.all(after, limit=PAGE):
        broad.update(cue.text for cue in page if cue.breadth == "broad")
        after = page[-1].cue_id
    return list(dict.fromkeys([*asked, *(text for text, _ in broad.most_common())]))


async def candidates(recall: Recall, question: str, *, at: datetime, limit: int) -> list[Memory]:
    """At most `limit` memories to label: the results of recall, dense search and BM25 in turn."""
    found = await recall.arecall(question, k=limit, at=at, effort="none")
    plain = await plain_rankings(
        question, k=limit, search=recall.admin.store, embedder=recall.admin.services.embedder
    )
    rankings = [found.ids(), plain["dense"], plain["bm25"]]
    in_turn = chain.from_iterable(zip_longest(*rankings))
    ids = list(dict.fromkeys(one for one in in_turn if one is not None))[:limit]
    ended = await ended_in(recall)
    memories = [await recall.admin.store.memory(one) for one in ids if one not in ended]
    return [one for one in memories if one is not None]


async def ended_in(recall: Recall) -> set[str]:
    """Ids of the memories that no longer hold; a scenario leaves them out."""
    now, keepings = recall.admin.services.clock(), await recall.admin.store.keepings()
    return {memory_id for memory_id, kept in keepings.items() if kept.end(now=now)}


@dataclass(slots=True, kw_only=True)
class Labels:
    """The labels of one question; lines refer to the candidates by number, from 1."""

    question: str
    shown: list[Memory]
    facets: list[LabelledFacet] = field(default_factory=list[LabelledFacet])
    redundant: list[list[str]] = field(default_factory=list[list[str]])
    stale: dict[str, str] = field(default_factory=dict[str, str])

    def take(self, line: str) -> None:
        """Add one label. "name: 1 3u 5m" is a facet; "2=4": both say the same; "4>1": 1 outdates 4.

        A facet replaces the one with the same name.

        Raises:
            UsageError: the line is none of these, has an unknown number, or contradicts others.
        """
        if facet := FACET.fullmatch(line):
            self._take_facet(self._facet(facet[1].strip(), facet[2].split()))
        elif SAME.fullmatch(line):
            self._take_pairs(redundant=[*self.redundant, list(map(self._id, line.split("=")))])
        elif outdated := OUTDATED.fullmatch(line):
            self._take_pairs(stale={**self.stale, self._id(outdated[1]): self._id(outdated[2])})
        else:
            hint = "say for example: allergies: 1 3u 5m"
            if "+" in line:
                hint = "+ WORDS needs a line of its own; label what it shows on the next"
            raise UsageError(f"{line!r} is not a label; {hint}")

    def labelled(self, *, question_id: str, at: datetime, k: int) -> Question:
        """The question with its labels."""
        return Question(
            id=question_id,
            query=self.question,
            asked_at=at,
            k=k,
            facets=self.facets,
            redundant=self.redundant,
            stale=self.stale,
        )

    def _take_facet(self, facet: LabelledFacet) -> None:
        names = [one.name for one in self.facets]
        place = names.index(facet.name) if facet.name in names else len(names)
        self.facets[place : place + 1] = [facet]

    def _take_pairs(
        self,
        *,
        redundant: list[list[str]] | None = None,
        stale: dict[str, str] | None = None,
    ) -> None:
        redundant, stale = redundant or self.redundant, stale or self.stale
        if fault := label_fault(redundant=redundant, stale=stale):
            raise UsageError(f"not saved: {fault}")
        self.redundant, self.stale = redundant, stale

    def _facet(self, name: str, said: Sequence[str]) -> LabelledFacet:
        relevant: dict[str, Literal[1, 2, 3]]
        relevant = {self._id(one.rstrip("um")): GRADES[one.lstrip("0123456789")] for one in said}
        if max(relevant.values()) < 2:
            raise UsageError(f"{name!r} needs a memory that is essential or useful (3, or 3u)")
        named = bool(set(words_of(name)) & set(words_of(self.question)))
        return LabelledFacet(name=name, why="labelled", hop=1 if named else 2, relevant=relevant)

    def _id(self, number: str) -> str:
        if not 1 <= int(number) <= len(self.shown):
            raise UsageError(
                f"there is no number {number}; the numbers go from 1 to {len(self.shown)}"
            )
        return self.shown[int(number) - 1].memory_id


def words_of(text: str) -> list[str]:
    """Its lower-case words of four letters or more, by which a facet is matched to the question."""
    return re.findall(r"\w{4,}", text.lower())


class ScenarioFolder:
    """The files of a scenario that grows question by question."""

    def __init__(self, path: Path) -> None:
        """Questions that are in the folder already are kept.

        Raises:
            UsageError: its files are not those of a scenario, or it cannot be written.
        """
        self.path = path
        above = next(one for one in (path.absolute(), *path.absolute().parents) if one.exists())
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise UsageError(f"cannot write {path}: {above} is not a folder that you may write to")
        self._questions = self._read(QUESTIONS_FILE, Question)
        self._no_answer = self._read(NO_ANSWER_FILE, UnansweredQuestion)

    def __len__(self) -> int:
        return len(self._questions) + len(self._no_answer)

    def asked(self) -> set[str]:
        """The texts of its questions."""
        return {one.query for one in self._lines()}

    def add(self, labels: Labels, *, at: datetime, k: int) -> None:
        """Write a question; without facets, as one that no memory answers.

        It takes the place of a question in the same words.
        """
        asked = labels.question
        before = [one.id for one in self._lines() if one.query == asked]
        name = before[0] if before else f"q-{len(self) + 1}"
        self._questions = [one for one in self._questions if one.query != asked]
        self._no_answer = [one for one in self._no_answer if one.query != asked]
        if labels.facets:
            self._questions.append(labels.labelled(question_id=name, at=at, k=k))
        else:
            self._no_answer.append(UnansweredQuestion(id=name, query=asked, asked_at=at))
        if labels.facets:  # the file that gains the question comes first: a kill loses no labels
            self._write(QUESTIONS_FILE, self._questions)
            self._write(NO_ANSWER_FILE, self._no_answer)
        else:
            self._write(NO_ANSWER_FILE, self._no_answer)
            self._write(QUESTIONS_FILE, self._questions)

    async def add_memories(self, recall: Recall) -> None:
        """Write the memories that hold now, and their cues."""
        memories, cues = list[Line](), list[Line]()
        ended = await ended_in(recall)
        async for page in recall.admin.store.pages():
            kept = [memory for memory, _ in page if memory.memory_id not in ended]
            memories += map(memory_line, kept)
            cues += await cue_lines(recall, [memory.memory_id for memory in kept])
        self._write(MEMORIES_FILE, memories)
        if cues:
            self._write(CUES_FILE, cues)

    def _lines(self) -> list[Question | UnansweredQuestion]:
        return [*self._questions, *self._no_answer]

    def _read(self, name: str, kind: type[LineT]) -> list[LineT]:
        path = self.path / name
        return [line for _, line in read_lines(path, kind)] if path.exists() else []

    def _write(self, name: str, lines: Iterable[Line]) -> None:
        """Write a file; without lines there is none, because an empty one is an error."""
        text = "".join(f"{line.model_dump_json()}\n" for line in lines)
        try:
            if not text:
                (self.path / name).unlink(missing_ok=True)
                return
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {self.path}: {said_by_system(error)}") from error


def memory_line(memory: Memory) -> MemoryLine:
    """A stored memory as a line of a scenario; other sources than conversation and episode become
    "note"."""
    source = memory.source if memory.source in ("conversation", "episode") else "note"
    turns = [{"role": turn.role, "content": turn.content} for turn in memory.messages]
    known = {"id": memory.memory_id, "title": memory.title, "created_at": memory.created_at}
    return MemoryLine.model_validate(known | {"source": source, "messages": turns})


async def cue_lines(recall: Recall, memory_ids: Sequence[str]) -> list[CueLine]:
    """The cues of these memories; memories without cues are left out."""
    annotations = await recall.admin.store.cues.annotations(memory_ids)
    return [
        CueLine(
            id=name,
            cues=[cue.text for cue in cues if cue.breadth == "specific"],
            broad=[cue.text for cue in cues if cue.breadth == "broad"],
            role=next((one.role for one in annotations.get(name, ()) if one.role), ""),
        )
        for name, cues in (await recall.admin.store.cues.of_memories(memory_ids)).items()
    ]
