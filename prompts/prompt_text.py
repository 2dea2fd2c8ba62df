"""The text of a prompt file: front matter and two messages, checked; a fault names its line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from string import Template
from typing import Any, Final, NoReturn

import yaml

from secondhop.errors import UsageError

FIELDS: Final = frozenset({"name", "version", "schema", "variables"})
"""Of the front matter: all of them, and no other."""

_FILE: Final = re.compile(r"---\n(?P<front>.*?)\n---\n(?P<body>.*)", re.S)
_USER: Final = re.compile(r"^--- user ---\n", re.M)


class PromptError(UsageError):
    """A prompt file, or what it is rendered with, is not as it must be."""

    def __init__(self, fault: str, *, path: str = "", line: int | None = None) -> None:
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {fault}" if place else fault)
        self.fault, self.path, self.line = fault, path, line


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText:
    """A prompt file, taken apart."""

    path: str
    text: str
    """Line ends as \\n."""
    front: dict[str, Any]
    """The four fields."""
    system: str
    user: str

    @property
    def variables(self) -> frozenset[str]:
        """What the front matter declares, and the body uses."""
        return frozenset(map(str, self.front["variables"]))

    def refuse(self, fault: str, *, field: str = "") -> NoReturn:
        """Raises PromptError at the line of a front matter field, or at the first line."""
        raise PromptError(fault, path=self.path, line=field_line(self.text, field))


def read_text(text: str, *, path: str) -> PromptText:
    """A file's text taken apart.

    Raises:
        PromptError: no front matter, an unknown or missing field, no user message, a `$` that
            names nothing, or variables that the body does not use.
    """
    text = text.replace("\r\n", "\n")
    found = _FILE.fullmatch(text)
    if found is None:
        raise PromptError(
            "a prompt begins with front matter between two lines of ---", path=path, line=1
        )
    front = front_matter(found["front"], path=path)
    marks = list(_USER.finditer(found["body"]))
    body = found.start("body")
    if len(marks) != 1:
        at = body + marks[1].start() if marks else len(text.rstrip("\n"))
        told = "one line `--- user ---` must part system and user message"
        raise PromptError(told, path=path, line=line_at(text, at))
    read = PromptText(
        path=path,
        text=text,
        front=front,
        system=found["body"][: marks[0].start()].strip(),
        user=found["body"][marks[0].end() :].strip(),
    )
    check_variables(read, body=body)
    return read


def front_matter(text: str, *, path: str) -> dict[str, Any]:
    """The four fields, checked."""
    try:
        front = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else 1
        problem = getattr(error, "problem", None) or str(error)
        raise PromptError(
            f"the front matter is not YAML: {problem}", path=path, line=line
        ) from error
    if not isinstance(front, dict):
        told = f"the front matter must hold {', '.join(sorted(FIELDS))}"
        raise PromptError(told, path=path, line=2)
    fields: dict[str, Any] = {str(key): value for key, value in front.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - YAML
    whole = f"---\n{text}"
    if faults := differences(given=fields, wanted=FIELDS):
        unknown = next(iter(sorted(set(fields) - FIELDS)), "")
        raise PromptError(f"front matter: {faults}", path=path, line=field_line(whole, unknown))
    for field, kind, told in (("version", int, "a whole number"), ("variables", list, "a list")):
        if not isinstance(fields[field], kind) or isinstance(fields[field], bool):
            line = field_line(whole, field)
            raise PromptError(f"{field} must be {told}", path=path, line=line)
    return fields


def check_variables(read: PromptText, *, body: int) -> None:
    """Raises PromptError unless the body, from that offset, uses exactly the declared variables."""
    first_use: dict[str, int] = {}
    for found in Template.pattern.finditer(read.text, body):
        line = line_at(read.text, found.start())
        if found["invalid"] is not None:
            told = "a `$` names no variable; write $$ for a dollar"
            raise PromptError(told, path=read.path, line=line)
        if name := found["named"] or found["braced"]:
            first_use.setdefault(name, line)
    if faults := differences(given=first_use, wanted=read.variables):
        told = f"variables of the body against the front matter: {faults}"
        unknown = [line for name, line in first_use.items() if name not in read.variables]
        line = min(unknown, default=field_line(read.text, "variables"))
        raise PromptError(told, path=read.path, line=line)


def differences(*, given: Iterable[str], wanted: frozenset[str]) -> str:
    """ "missing a, b; unknown c", or "" when the names are the same."""
    names = set(given)
    missing, unknown = sorted(wanted - names), sorted(names - wanted)
    faults = [f"missing {', '.join(missing)}"] if missing else []
    faults += [f"unknown {', '.join(unknown)}"] if unknown else []
    return "; ".join(faults)


def field_line(text: str, field: str) -> int:
    """The line, from 1, on which a field of the front matter stands; 1 when it does not."""
    found = re.search(rf"^{re.escape(field)}\s*:", text, re.M) if field else None
    return line_at(text, found.start()) if found else 1


def line_at(text: str, offset: int) -> int:
    """The line, from 1, that holds this character."""
    return text.count("\n", 0, offset) + 1
