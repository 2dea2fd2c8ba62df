"""The prompts for language models: files with front matter, rendered strictly.

A prompt file has YAML front matter (name, version, schema, variables), the system message, a line
`--- user ---`, and the user message; `$name` stands for a variable, `$$` for a dollar. What ships
lies beside this file; a directory may hold files of the same names that take their place.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Final

import yaml

from secondhop.errors import SecondhopError

PROMPT_NAMES: Final = ("decompose", "expand", "critique")
"""Every prompt that a recall uses."""

_FILE: Final = re.compile(r"---\n(?P<front>.*?)\n---\n(?P<body>.*)", re.S)
_USER: Final = re.compile(r"^--- user ---\n", re.M)
_FIELDS: Final = frozenset({"name", "version", "schema", "variables"})


class PromptError(SecondhopError):
    """A prompt file, or what it is rendered with, is not as it must be."""


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The two messages of a call."""

    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt file."""

    name: str
    version: int
    schema: str
    """Class name of the answer."""
    variables: frozenset[str]
    system: str
    user: str
    sha256: str
    """Of the file's text, line ends as \\n: another hash is another prompt."""
    path: str
    """Where it was read; "shipped" for what comes with secondhop."""

    @property
    def label(self) -> str:
        """Name and the beginning of the hash, for traces and cache keys: "expand@1f00ab34cd56"."""
        return f"{self.name}@{self.sha256[:12]}"

    def render(self, values: Mapping[str, str]) -> RenderedPrompt:
        """Both messages with every variable filled in; values are put in as they are.

        Raises:
            PromptError: a value is missing, or the prompt has no such variable.
        """
        faults = differences(given=values.keys(), wanted=self.variables)
        if faults:
            raise PromptError(f"prompt {self.name} ({self.path}) cannot be rendered: {faults}")
        return RenderedPrompt(
            Template(self.system).substitute(values), Template(self.user).substitute(values)
        )


def load_prompts(directory: Path | None = None) -> Mapping[str, Prompt]:
    """Every prompt by name: the file in `directory` where there is one, else what ships.

    Raises:
        PromptError: a file is faulty, is none of PROMPT_NAMES, or asks for other variables or
            another schema than the shipped prompt of its name.
    """
    prompts = {name: shipped_prompt(name) for name in PROMPT_NAMES}
    if directory is None:
        return prompts
    if not directory.is_dir():
        raise PromptError(f"{directory} is no folder; name one that holds prompt files")
    for path in sorted(directory.glob("*.md")):
        if path.stem not in prompts:
            raise PromptError(
                f"{path}: no prompt has that name; there are {', '.join(PROMPT_NAMES)}"
            )
        prompts[path.stem] = in_place_of(prompts[path.stem], read_prompt(path))
    return prompts


def shipped_prompt(name: str) -> Prompt:
    """The prompt that comes with secondhop."""
    text = (files("secondhop.prompts") / f"{name}.md").read_text(encoding="utf-8")
    return parse_prompt(text, name=name, path="shipped")


def read_prompt(path: Path) -> Prompt:
    """The prompt of a file.

    Raises:
        PromptError: it cannot be read, or is faulty.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path} cannot be read as a prompt: {error}") from error
    return parse_prompt(text, name=path.stem, path=str(path))


def parse_prompt(text: str, *, name: str, path: str) -> Prompt:
    """A prompt from a file's text.

    Raises:
        PromptError: no front matter, an unknown or missing field, a name that is not the file's,
            no user message, a `$` that names nothing, or variables that the body does not use.
    """
    text = text.replace("\r\n", "\n")
    found = _FILE.fullmatch(text)
    if found is None:
        raise PromptError(f"{path}: a prompt begins with front matter between two lines of ---")
    front = front_matter(found["front"], path=path)
    parts = _USER.split(found["body"])
    if len(parts) != 2:
        raise PromptError(f"{path}: one line `--- user ---` must part system and user message")
    variables = frozenset(map(str, front["variables"]))
    checked_variables(parts, variables, path=path)
    if front["name"] != name:
        raise PromptError(f"{path}: its front matter says name: {front['name']}, not {name}")
    return Prompt(
        name=name,
        version=front["version"],
        schema=str(front["schema"]),
        variables=variables,
        system=parts[0].strip(),
        user=parts[1].strip(),
        sha256=sha256(text.encode("utf-8")).hexdigest(),
        path=path,
    )


def front_matter(text: str, *, path: str) -> dict[str, Any]:
    """The four fields, checked."""
    try:
        front = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise PromptError(f"{path}: the front matter is not YAML: {error}") from error
    if not isinstance(front, dict):
        raise PromptError(f"{path}: the front matter must hold {', '.join(sorted(_FIELDS))}")
    fields: dict[str, Any] = {str(key): value for key, value in front.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - YAML
    faults = differences(given=fields.keys(), wanted=_FIELDS)
    if faults:
        raise PromptError(f"{path}: front matter: {faults}")
    if not isinstance(fields["version"], int) or not isinstance(fields["variables"], list):
        raise PromptError(f"{path}: version must be a whole number, variables a list")
    return fields


def checked_variables(parts: list[str], variables: frozenset[str], *, path: str) -> None:
    """Raises PromptError unless the body uses exactly the declared variables."""
    templates = [Template(part) for part in parts]
    if not all(template.is_valid() for template in templates):
        raise PromptError(f"{path}: a `$` names no variable; write $$ for a dollar")
    used = {name for template in templates for name in template.get_identifiers()}
    faults = differences(given=used, wanted=variables)
    if faults:
        raise PromptError(f"{path}: variables of the body against the front matter: {faults}")


def in_place_of(shipped: Prompt, other: Prompt) -> Prompt:
    """`other`, when the code that fills `shipped` can fill it too."""
    faults = differences(given=other.variables, wanted=shipped.variables)
    if other.schema != shipped.schema:
        faults = f"{faults} schema {other.schema}, must be {shipped.schema}".strip()
    if faults:
        raise PromptError(f"{other.path} cannot replace the prompt {shipped.name}: {faults}")
    return other


def differences(*, given: Any, wanted: frozenset[str]) -> str:
    """ "missing a, b; unknown c", or "" when the names are the same."""
    missing, unknown = sorted(wanted - set(given)), sorted(set(given) - wanted)
    faults = [f"missing {', '.join(missing)}"] if missing else []
    faults += [f"unknown {', '.join(unknown)}"] if unknown else []
    return "; ".join(faults)
