"""The labelled sentences, and how readings are compared with their labels."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from secondhop.observe.port import Reading

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Labelled:
    """A message and what it states."""

    role: str
    text: str
    states: Sequence[tuple[str, ...]]


def labelled(name: str) -> list[Labelled]:
    """The labelled sentences of a file."""
    rows: list[Labelled] = []
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        text, _, label = line.partition(" =>")
        role = "assistant" if text.startswith("assistant: ") else "user"
        states = [
            tuple(part.strip() for part in one.split("|"))
            for one in label.split(";;")
            if one.strip()
        ]
        rows.append(Labelled(role, text.removeprefix("assistant: "), states))
    return rows


def fits(reading: Reading, label: Sequence[str]) -> bool:
    """Whether a reading says what a label says, by kind, names and value."""
    match label:
        case ("fact", subject, attribute, value):
            return (
                reading.kind == "factual"
                and folded(reading.subject) == folded(subject)
                and folded(reading.attribute) == folded(attribute)
                and same_value(reading.value, value)
            )
        case ("pref", scope, text):
            wide = folded(reading.scope) == "always"
            return (
                reading.kind == "preferential"
                and wide == (scope == "always")
                and (wide or folded(scope) in folded(reading.scope))
                and folded(text) in folded(reading.text)
            )
        case ("note", text):
            return reading.kind == "continuity" and folded(text) in folded(reading.text)
        case _:
            raise ValueError(label)


def same_value(said: str, wanted: str) -> bool:
    """Whether two values are the same except for a preposition or article in front."""
    bare = [re.sub(r"^(?:on|at|the|a|an) ", "", folded(one)) for one in (said, wanted)]
    return bare[0] == bare[1]


def folded(text: str) -> str:
    """A text without case, extra spaces, and full stops at the ends."""
    return " ".join(text.casefold().split()).strip(" .")


@dataclass
class Score:
    """How many readings were right, and the messages of the wrong and the missed ones."""

    right: int = 0
    wrong: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + len(self.missed))
