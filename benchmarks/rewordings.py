"""A question in other words: those that somebody wrote, and those that a rule makes."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from secondhop.errors import UsageError
from secondhop.evals.scenario import Line, Scenario, Text, read_lines
from secondhop.ranking.stop_words import STOP_WORDS

REWORDINGS_FILE = "rewordings.jsonl"

_WORD = re.compile(r"[\w'$%.-]*\w")


class RewordingLine(Line):
    """One question of the scenario, said otherwise."""

    id: Text
    texts: Annotated[list[Text], Field(min_length=1)]


def load_rewordings(folder: Path, scenario: Scenario) -> dict[str, list[str]]:
    """{question id: other wordings}: the folder's own (`rewordings.jsonl`), then its telling words.

    Raises:
        UsageError: the file cannot be read, or names a question that the scenario does not have.
    """
    path = folder / REWORDINGS_FILE
    written: Mapping[str, Sequence[str]] = {}
    if path.exists():
        written = {line.id: line.texts for _, line in read_lines(path, RewordingLine)}
    unknown = sorted(set(written) - {question.id for question in scenario.questions})
    if unknown:
        raise UsageError(f"{path} names the question {unknown[0]!r}, which the scenario lacks")
    return {
        question.id: [*written.get(question.id, ()), telling_words(question.query)]
        for question in scenario.questions
    }


def telling_words(question: str) -> str:
    """The question as one types it into a search box: without the words that carry no topic.

    Who asks like that already, says it backwards: it is to be another wording.

    >>> telling_words("Can I afford the bathroom before Easter?")
    'afford bathroom Easter'
    >>> telling_words("bathroom Easter")
    'Easter bathroom'
    """
    said = _WORD.findall(question)
    words = [word for word in said if word.lower() not in STOP_WORDS]
    return " ".join(words if words and words != said else reversed(said))
