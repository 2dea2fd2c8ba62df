"""Topics: questions in a file, one a line, as TSV or JSONL.

TSV: `id<TAB>question`, and if you like `<TAB>asked_at`. JSONL: `{"id", "question"}`, and if you
like `asked_at`; `_id`, `query` and `text` are understood, too.
"""

from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, ConfigDict, Field

from secondhop.errors import UsageError
from secondhop.evals.scenario import Line, Moment, Text, check_ids, parse_line
from secondhop.evals.trec_files import text_of

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
        for number, line in enumerate(text_of(path).split("\n"), start=1)
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
