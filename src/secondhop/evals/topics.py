"""Topics: questions in a file, one a line, as TSV or JSONL; and their judgements, TREC's qrels.

TSV: `id<TAB>question`, and if you like `<TAB>asked_at`. JSONL: `{"id", "question"}`, and if you
like `asked_at`; `_id`, `query` and `text` are understood, too.
"""

from collections.abc import Sequence
from io import StringIO
from json import dumps
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

from pydantic import AliasChoices, ConfigDict, Field

from secondhop.errors import UsageError, said_by_system
from secondhop.evals.ir_library import expect_library
from secondhop.evals.judgements import Judgement
from secondhop.evals.scenario import Line, Moment, Text, check_ids, parse_line

FIELDS = ("id", "question", "asked_at")


class Topic(Line):
    """One question; other fields are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[Text, Field(validation_alias=AliasChoices("id", "_id", "qid", "query_id"))]
    question: Annotated[Text, Field(validation_alias=AliasChoices("question", "query", "text"))]
    asked_at: Moment | None = None
    """When; None: now, or what `--at` says."""


def read_topics(path: Path) -> list[Topic]:
    """The questions of a file, at least one.

    Raises:
        UsageError: it cannot be read or is no topics file; names the file and the line.
    """
    topics = [
        topic_in(line.strip("\r"), where=f"{path}:{number}")
        for number, line in enumerate(read_text(path).split("\n"), start=1)
        if line.strip()
    ]
    if not topics:
        raise UsageError(f"{path} is empty")
    check_ids(path, [topic.id for topic in topics])
    return topics


def topic_in(line: str, *, where: str) -> Topic:
    """Of one line, JSON when it begins like it."""
    if line.lstrip().startswith("{"):
        return parse_line(line, Topic, where=where)
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) not in (2, 3) or not all(cells[:2]):
        raise UsageError(
            f"{where}: a topic is an id, a tab and a question, "
            f'or JSON: {{"id": "1", "question": "…"}}'
        )
    return from_cells(cells, where=where)


def from_cells(cells: Sequence[str], *, where: str) -> Topic:
    """Of the cells of a TSV line."""
    fields = {name: cell for name, cell in zip(FIELDS, cells, strict=False) if cell}
    return parse_line(dumps(fields), Topic, where=where)


def read_qrels(path: Path) -> list[Judgement]:
    """The judgements of a qrels file: `question subtopic memory grade` a line.

    White space in an id is written percent-encoded ("summer%20notes.md").

    Raises:
        UsageError: it cannot be read or is no qrels file.
        EvalExtraMissingError: ir-measures is not installed.
    """
    expect_library()
    import ir_measures

    library: Any = ir_measures  # its types are incomplete

    try:
        found = [
            Judgement(unquote(one.query_id), one.iteration, unquote(one.doc_id), one.relevance)
            for one in library.read_trec_qrels(StringIO(read_text(path)))
        ]
    except ValueError as error:
        raise UsageError(
            f"{path}: a line of qrels has four words: question, subtopic, memory, grade"
        ) from error
    if not found:
        raise UsageError(f"{path} is empty")
    return found


def read_text(path: Path) -> str:
    """Raises UsageError when the file cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {said_by_system(error)}") from error
