"""Questions in other words: wordings that a person wrote, and one made by a rule."""

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
    """Other wordings of one question of the scenario."""

    id: Text
    texts: Annotated[list[Text], Field(min_length=1)]


def load_rewordings(folder: Path, scenario: Scenario) -> dict[str, list[str]]:
    """{question id: other wordings}: those in `rewordings.jsonl`, then its `telling_words`.

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
    """The question as typed into a search box: without stop words.

    If that changes nothing, the words are reversed, so that it is another wording.

    >>> telling_words("Can I afford the bathroom before Easter?")
    'afford bathroom Easter'
    >>> telling_words("bathroom Easter")
    'Easter bathroom'
    """
    said = _WORD.findall(question)
    words = [word for word in said if word.lower() not in STOP_WORDS]
    return " ".join(words if words and words != said else reversed(said))
