"""The grammar for models that cannot keep to JSON: one line a vote.

    ID VOTE [FACET …] [repeats ID] [replaced_by ID] [- reason]
    empty FACET …
    ask FACET: the words to search for
    go on: yes | no

Whatever is no such line is passed over.
"""

import re
from typing import Final, TypedDict

_VOTE: Final = re.compile(
    r"^[\W_]*+(?P<id>(?=\w{0,39}\d)\w{1,40})[\W_]{1,60}?"
    r"(?P<vote>hot|warm|cold|wrong|spark)\b(?P<rest>.*)$",
    re.I,
)
_REASON: Final = re.compile(r"(?<!\s)\s+[-–—#]{1,8}\s+|\(")
_OTHER: Final = re.compile(r"\b(repeats|replaced[_ ]by)\W+(\w+)", re.I)
_EMPTY: Final = re.compile(r"^\W*empty(?:_facets)?\b\W*(?P<facets>.*)$", re.I)
_ASK: Final = re.compile(r"^\W*ask\s+(?P<facet>[\w.]+)\s*:\s*(?P<query>.+)$", re.I)
_GO_ON: Final = re.compile(r"^\W*go[_ ]on\W+(?P<flag>\w+)", re.I)

LINE_LIMIT = 300
"""Lines that are read."""

LINE_CHARS = 1_000
"""Of a line; the rest is not read."""


class ReadLines(TypedDict):
    """The same keys as the JSON answer."""

    votes: list[dict[str, object]]
    empty_facets: list[str]
    new_queries: list[dict[str, str]]
    go_on: bool | None


def parse_lines(text: str) -> ReadLines:
    """What lines say.

    >>> read = parse_lines("x1 hot e1 e2 - the plan; x2: cold, repeats x1".replace("; ", chr(10)))
    >>> read["votes"][1]["repeats"]
    'x1'
    """
    read = ReadLines(votes=[], empty_facets=[], new_queries=[], go_on=None)
    for whole in text[:100_000].splitlines()[:LINE_LIMIT]:
        line = whole[:LINE_CHARS]
        if found := _ASK.match(line):
            read["new_queries"].append({"facet": found["facet"], "query": found["query"].strip()})
        elif found := _EMPTY.match(line):
            read["empty_facets"] += re.findall(r"[\w.]+", found["facets"])
        elif found := _GO_ON.match(line):
            read["go_on"] = found["flag"].casefold() in {"yes", "true"}
        elif found := _VOTE.match(line):
            read["votes"].append(vote_row(found["id"], found["vote"], found["rest"]))
    return read


def vote_row(call_id: str, vote: str, rest: str) -> dict[str, object]:
    """One vote as the JSON answer would hold it."""
    parts = _REASON.split(rest[:LINE_CHARS], maxsplit=1)
    others = {name.casefold().replace(" ", "_"): other for name, other in _OTHER.findall(parts[0])}
    return {
        "id": call_id,
        "vote": vote,
        "reason": parts[1].rstrip(") ") if len(parts) > 1 else "",
        "facets": re.findall(r"[\w.]+", _OTHER.sub(" ", parts[0])),
        **others,
    }
