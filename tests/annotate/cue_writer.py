"""A scripted annotator: it reads the ids on the sheet and writes a row for each memory."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from secondhop.testing import ModelRequest

Row = Mapping[str, Any]

BLOCK = re.compile(r"<memory (\w+)>\n([^\n]*)\n(.*?)\n</memory \1>", re.S)


def sheet_of(request: ModelRequest) -> tuple[dict[str, str], dict[str, str]]:
    """({id: text} of the memories to annotate, {id: text} of the older ones)."""
    return sheet_in(request.messages[1]["content"])


def sheet_in(user: str) -> tuple[dict[str, str], dict[str, str]]:
    """The same from the text of the user message."""
    older, _, own = user.partition("in order of date:")
    return blocks(own), blocks(older)


def blocks(text: str) -> dict[str, str]:
    """{id of the call: head and text of the memory}."""
    return {name: f"{head}\n{body}" for name, head, body in BLOCK.findall(text)}


def row(call_id: str, text: str) -> Row:
    """A row with two cues about the first word of a memory's text."""
    word = text.partition("\n")[2].split()[0].strip(",.").lower()
    return {
        "id": call_id,
        "role": "own note",
        "broad": [f"take care of the {word}"],
        "specific": [f"what is there to do about the {word} on Friday?"],
        "replaces": [],
    }


def writing(make: Callable[[str, str], Row | None] = row) -> Callable[[ModelRequest], object]:
    """A reply to every request: a row for each memory for which `make` does not return None."""

    def answer(request: ModelRequest) -> object:
        return rows_for(request.messages[1]["content"], make)

    return answer


def rows_for(user: str, make: Callable[[str, str], Row | None] = row) -> object:
    """The reply to a user message."""
    own, _ = sheet_in(user)
    rows = [make(call_id, text) for call_id, text in own.items()]
    return {"memories": [one for one in rows if one is not None]}
