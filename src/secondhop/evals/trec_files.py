"""TREC's files: qrels with subtopics, and runs. Plain text or gzip.

Qrels: `question subtopic memory grade` a line. Run: `question Q0 memory rank score tag` a line.
Ids with white space are written percent-encoded, in both alike.
"""

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, unquote

from secondhop.errors import UsageError, said_by_system
from secondhop.evals.judgements import Judgement, Rankings

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrecRun:
    """What a system returned."""

    tag: str
    """The name that the file gives it."""
    rankings: Rankings


@dataclass(frozen=True, slots=True)
class RunLine:
    """One line of a run; the rank is not read: scores order a run."""

    question_id: str
    memory_id: str
    score: float
    tag: str


def read_qrels(path: Path) -> list[Judgement]:
    """The judgements of a file, at least one.

    Raises:
        UsageError: it cannot be read or is no qrels file; names the file and the line.
    """
    seen: set[tuple[str, str, str]] = set()
    found: list[Judgement] = []
    for where, judgement in lines_of(path, judgement_in):
        if judgement[:3] in seen:
            raise UsageError(
                f"{where}: memory {judgement.memory_id!r} is judged twice for subtopic "
                f"{judgement.subtopic} of question {judgement.question_id!r}"
            )
        seen.add(judgement[:3])
        found.append(judgement)
    return found


def read_run(path: Path) -> TrecRun:
    """A run; best score first, equal scores by larger id first, as trec_eval has them.

    Raises:
        UsageError: it cannot be read or is no run; names the file and the line.
    """
    by_question: dict[str, dict[str, float]] = {}
    tags: set[str] = set()
    for where, line in lines_of(path, run_line_in):
        scores = by_question.setdefault(line.question_id, {})
        if line.memory_id in scores:
            raise UsageError(
                f"{where}: memory {line.memory_id!r} stands twice in the ranking of question "
                f"{line.question_id!r}"
            )
        scores[line.memory_id] = line.score
        tags.add(line.tag)
    return TrecRun(
        tag=tags.pop() if len(tags) == 1 else path.name,
        rankings={
            question: sorted(scores, key=lambda one: (scores[one], one), reverse=True)
            for question, scores in by_question.items()
        },
    )


def judgement_in(parts: Sequence[str]) -> Judgement:
    """Of one line's words. Raises ValueError when they are others."""
    if len(parts) != 4:
        raise ValueError("a line of qrels has four words: question, subtopic, memory, grade")
    question_id, subtopic, memory_id, grade = parts
    try:
        return Judgement(read_word(question_id), subtopic, read_word(memory_id), int(grade))
    except ValueError as error:
        raise ValueError(f"the grade {grade!r} is no whole number") from error


def run_line_in(parts: Sequence[str]) -> RunLine:
    """Of one line's words. Raises ValueError when they are others."""
    if len(parts) != 6:
        raise ValueError("a line of a run has six words: question, Q0, memory, rank, score, tag")
    question_id, _, memory_id, _, score, tag = parts
    try:
        value = float(score)
    except ValueError as error:
        raise ValueError(f"the score {score!r} is no number") from error
    if isnan(value):
        raise ValueError(f"the score {score!r} is no number")
    return RunLine(read_word(question_id), read_word(memory_id), value, read_word(tag))


def lines_of(path: Path, parse: Callable[[Sequence[str]], T]) -> Iterator[tuple[str, T]]:
    """("FILE:LINE", what it says) of every line that is not blank; at least one."""
    empty = True
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        empty, where = False, f"{path}:{number}"
        try:
            yield where, parse(line.split())
        except ValueError as error:
            raise UsageError(f"{where}: {error}") from error
    if empty:
        raise UsageError(f"{path} is empty")


def text_of(path: Path) -> str:
    """What the file holds, unpacked when its name ends in .gz."""
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        return content.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {said_by_system(error)}") from error


def write_qrels(path: Path, judgements: Iterable[Judgement]) -> None:
    """Raises UsageError when the file cannot be written."""
    lines = (
        f"{word(one.question_id)} {word(one.subtopic)} {word(one.memory_id)} {one.grade}\n"
        for one in judgements
    )
    write_text(path, "".join(lines))


def write_run(path: Path, rankings: Rankings, *, tag: str) -> None:
    """Scores count down to 1: a run's order is all that measures read.

    Raises:
        UsageError: the file cannot be written.
    """
    lines = (
        f"{word(question_id)} Q0 {word(memory_id)} {rank} {len(ranking) + 1 - rank} {word(tag)}\n"
        for question_id, ranking in rankings.items()
        for rank, memory_id in enumerate(ranking, start=1)
    )
    write_text(path, "".join(lines))


def write_text(path: Path, text: str) -> None:
    """Raises UsageError when the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def word(text: str) -> str:
    """An id as one word: white space and "%" percent-encoded.

    >>> word("summer notes.md"), word("naïve")
    ('summer%20notes.md', 'naïve')
    """
    return "".join(quote(char) if char.isspace() or char == "%" else char for char in text)


def read_word(written: str) -> str:
    """The id that `word` wrote; what it would not have written is left as it is.

    >>> read_word("summer%20notes.md"), read_word("a%41")
    ('summer notes.md', 'a%41')
    """
    read = unquote(written)
    return read if word(read) == written else written
