"""The prompts for language models: files with front matter, rendered strictly.

A prompt file has YAML front matter (name, version, schema, variables), the system message, a line
`--- user ---`, and the user message; `$name` stands for a variable, `$$` for a dollar. The shipped
prompts are beside this file. A directory may hold files of the same names that replace them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from secondhop.errors import UsageError

RECALL_PROMPTS: Final = ("decompose", "expand", "critique")
"""The prompts that a recall uses."""

PROMPT_NAMES: Final = (*RECALL_PROMPTS, "observe", "annotate")
"""Every prompt. `observe` reads conversations, and `annotate` reads stored memories."""

TRIED_PROMPTS: Final = (*RECALL_PROMPTS, "annotate")
"""Prompts whose quality shows in recalls, so that `eval scenarios` can compare them."""

OPTIONAL: Final[Mapping[str, frozenset[str]]] = {"expand": frozenset({"kept"})}
"""{prompt: variables that its replacement may omit}. A replacement that was written before such a
variable existed still works, without what the variable adds."""

SHIPPED: Final = "shipped"
"""The `path` of a prompt that comes with secondhop."""

_FIELDS: Final = frozenset({"name", "version", "schema", "variables"})
"""The fields of the front matter: all are needed, and no others are allowed."""
_FILE: Final = re.compile(
    r"---\n(?P<front>.*?)\n---\n(?P<system>.*?)^--- user ---\n(?P<user>.*)", re.S | re.M
)


class PromptError(UsageError):
    """A prompt file is faulty, or it is rendered with the wrong variables."""

    def __init__(self, fault: str, *, path: str = "") -> None:
        super().__init__(f"{path}: {fault}" if path else fault)
        self.fault, self.path = fault, path


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
    """Class name of the model that describes the answer."""
    variables: frozenset[str]
    system: str
    user: str
    text: str = field(repr=False)
    """The whole file, line ends as \\n."""
    sha256: str
    """Hash of `text`; it identifies the prompt."""
    path: str
    """The file it was read from; "shipped" for a prompt that comes with secondhop."""

    @property
    def label(self) -> str:
        """Name, version and the beginning of the hash: "expand.v1@1f00ab34cd56".

        Traces and cache keys contain it.
        """
        return f"{self.name}.v{self.version}@{self.sha256[:12]}"

    @property
    def is_shipped(self) -> bool:
        """Whether its text is that of the prompt that comes with secondhop."""
        return self.sha256 == shipped_prompt(self.name).sha256

    @property
    def lacks(self) -> list[str]:
        """Optional variables that it does not have, sorted."""
        return sorted(OPTIONAL.get(self.name, frozenset()) - self.variables)

    def render(self, values: Mapping[str, str]) -> RenderedPrompt:
        """Both messages with every variable filled in; values are inserted as they are. Raises
        PromptError if a value is missing, or the prompt has no such variable."""
        faults = _differences(given=values, wanted=self.variables)
        if faults:
            raise PromptError(f"prompt {self.name} ({self.path}) cannot be rendered: {faults}")
        return RenderedPrompt(
            Template(self.system).substitute(values), Template(self.user).substitute(values)
        )


@runtime_checkable
class Prompted(Protocol):
    """An object that asks a model with prompts."""

    @property
    def prompts(self) -> Sequence[Prompt]:
        """The prompts that it uses."""
        ...


PromptSource: TypeAlias = Path | Mapping[str, Prompt]
"""A directory whose files replace shipped prompts, or every prompt by name."""


def load_prompts(source: PromptSource | None = None) -> Mapping[str, Prompt]:
    """Every prompt by name: the file in the directory if there is one, else the shipped prompt.
    Prompts that are loaded already are returned as they are.

    Raises PromptError if there is no such folder, or no prompt file in it; if a file is faulty, its
    name is not in PROMPT_NAMES, or it has other variables or another schema than the shipped
    prompt.
    """
    if isinstance(source, Mapping):
        return source
    prompts = {name: shipped_prompt(name) for name in PROMPT_NAMES}
    if source is None:
        return prompts
    directory = Path(source)
    if not directory.is_dir():
        raise PromptError(f"{directory} is not a folder; name one that holds prompt files")
    files = sorted(directory.glob("*.md"))
    if not files:
        raise PromptError(
            f"holds no prompt file; put one there ({', '.join(f'{n}.md' for n in PROMPT_NAMES)}), "
            f"or name another folder",
            path=str(directory),
        )
    for path in files:
        prompts[path.stem] = replacement(path, name=path.stem)
    return prompts


@cache
def shipped_prompt(name: str) -> Prompt:
    """The prompt that comes with secondhop."""
    text = (files("secondhop.prompts") / f"{name}.md").read_text(encoding="utf-8")
    return parse_prompt(text, name=name, path=SHIPPED)


def replacement(path: Path, *, name: str | None = None) -> Prompt:
    """Read a prompt file that can replace the shipped prompt of its name. `name`: the one that
    it must have; None: the front matter says which, whatever the file is called. Raises
    PromptError if it cannot be read, is faulty, or does not fit."""
    known = ", ".join(PROMPT_NAMES)
    if name is not None and name not in PROMPT_NAMES:
        raise PromptError(f"no prompt has that name; there are {known}", path=str(path))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"cannot be read as a prompt: {error}", path=str(path)) from error
    prompt = parse_prompt(text, name=name, path=str(path))
    if prompt.name not in PROMPT_NAMES:
        raise PromptError(f"no prompt is named {prompt.name!r}; there are {known}", path=str(path))
    return in_place_of(shipped_prompt(prompt.name), prompt)


def tried_prompt(path: Path) -> Prompt:
    """As `replacement`, for one of TRIED_PROMPTS. Raises PromptError if it cannot be read, is
    faulty, does not fit, or no recall uses it."""
    prompt = replacement(path)
    if prompt.name not in TRIED_PROMPTS:
        told = f"no recall uses the prompt {prompt.name}; try one of {', '.join(TRIED_PROMPTS)}"
        raise PromptError(told, path=str(path))
    return prompt


def parse_prompt(text: str, *, name: str | None = None, path: str) -> Prompt:
    """A prompt from a file's text; `name` is what the front matter must give, None: any name.

    Raises PromptError if there is no front matter, an unknown or missing field, no user message, a
    `$` that names nothing, variables that the body does not use, or another name.
    """
    text = text.replace("\r\n", "\n")
    found = _FILE.fullmatch(text)
    if found is None or "\n--- user ---\n" in "\n" + found["user"]:
        told = (
            "a prompt begins with front matter between two lines of ---, and one line "
            "`--- user ---` must part system and user message"
        )
        raise PromptError(told, path=path)
    front = _front_matter(found["front"], path=path)
    own, variables = str(front["name"]), frozenset(map(str, front["variables"]))
    if name is not None and own != name:
        raise PromptError(f"its front matter says name: {own}, not {name}", path=path)
    _check_variables(found["system"] + found["user"], variables, path=path)
    return Prompt(
        name=own,
        version=front["version"],
        schema=str(front["schema"]),
        variables=variables,
        system=found["system"].strip(),
        user=found["user"].strip(),
        text=text,
        sha256=sha256(text.encode("utf-8")).hexdigest(),
        path=path,
    )


def in_place_of(shipped: Prompt, other: Prompt) -> Prompt:
    """`other`, if it can replace `shipped` in the code that fills it and reads the answer. Raises
    PromptError if it has other variables, or another schema."""
    if other.schema != shipped.schema:
        told = f"schema {other.schema} must be {shipped.schema}, as in the shipped {shipped.name}"
        raise PromptError(told, path=other.path)
    wanted = shipped.variables - frozenset(other.lacks)
    if faults := _differences(given=other.variables, wanted=wanted):
        told = f"cannot replace the shipped {shipped.name}, whose variables differ: {faults}"
        raise PromptError(told, path=other.path)
    return other


def _front_matter(text: str, *, path: str) -> dict[str, Any]:
    """The four fields, checked."""
    import yaml

    try:
        front = yaml.safe_load(text)
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise PromptError(f"the front matter is not YAML: {problem}", path=path) from error
    if not isinstance(front, dict):
        raise PromptError(f"the front matter must hold {', '.join(sorted(_FIELDS))}", path=path)
    fields: dict[str, Any] = {str(key): value for key, value in front.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - YAML
    if faults := _differences(given=fields, wanted=_FIELDS):
        raise PromptError(f"front matter: {faults}", path=path)
    for name, kind, told in (("version", int, "a whole number"), ("variables", list, "a list")):
        if not isinstance(fields[name], kind) or isinstance(fields[name], bool):
            raise PromptError(f"{name} must be {told}", path=path)
    return fields


def _check_variables(body: str, declared: frozenset[str], *, path: str) -> None:
    """Raises PromptError unless the body uses exactly the declared variables."""
    used: set[str] = set()
    for found in Template.pattern.finditer(body):
        if found["invalid"] is not None:
            raise PromptError("a `$` names no variable; write $$ for a dollar", path=path)
        used |= {found["named"] or found["braced"]} - {None}
    if faults := _differences(given=used, wanted=declared):
        raise PromptError(f"variables of the body against the front matter: {faults}", path=path)


def _differences(*, given: Iterable[str], wanted: frozenset[str]) -> str:
    """ "missing a, b; unknown c", or "" when the names are the same."""
    names = set(given)
    missing, unknown = sorted(wanted - names), sorted(names - wanted)
    faults = [f"missing {', '.join(missing)}"] if missing else []
    faults += [f"unknown {', '.join(unknown)}"] if unknown else []
    return "; ".join(faults)
