"""The prompts for language models: files with front matter, rendered strictly.

A prompt file has YAML front matter (name, version, schema, variables), the system message, a line
`--- user ---`, and the user message; `$name` stands for a variable, `$$` for a dollar. What ships
lies beside this file; a directory may hold files of the same names that take their place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final, TypeAlias

from secondhop.prompts.prompt_text import PromptError, differences, read_text

RECALL_PROMPTS: Final = ("decompose", "expand", "critique")
"""What a recall uses."""

PROMPT_NAMES: Final = (*RECALL_PROMPTS, "observe", "annotate")
"""Every prompt; the last two read conversations, and what is stored."""

TRIED_PROMPTS: Final = (*RECALL_PROMPTS, "annotate")
"""Those that `prompts eval` compares: what they bring shows in recalls."""

OPTIONAL: Final[Mapping[str, frozenset[str]]] = {"expand": frozenset({"kept"})}
"""{prompt: variables that a file in its place may do without}: a prompt that was written before
there was one goes on working, without what it adds."""

SHIPPED: Final = "shipped"
"""Where a prompt was read that comes with secondhop."""


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
    text: str = field(repr=False)
    """The whole file, line ends as \\n."""
    sha256: str
    """Of that text: another hash is another prompt."""
    path: str
    """Where it was read; "shipped" for what comes with secondhop."""

    @property
    def label(self) -> str:
        """Name, version and the beginning of the hash: "expand.v1@1f00ab34cd56".

        Traces and cache keys hold it.
        """
        return f"{self.name}.v{self.version}@{self.sha256[:12]}"

    @property
    def lacks(self) -> list[str]:
        """Optional variables that it does without."""
        return sorted(OPTIONAL.get(self.name, frozenset()) - self.variables)

    def render(self, values: Mapping[str, str]) -> RenderedPrompt:
        """Both messages with every variable filled in; values are put in as they are.

        Raises:
            PromptError: a value is missing, or the prompt has no such variable.
        """
        faults = differences(given=values, wanted=self.variables)
        if faults:
            raise PromptError(f"prompt {self.name} ({self.path}) cannot be rendered: {faults}")
        return RenderedPrompt(
            Template(self.system).substitute(values), Template(self.user).substitute(values)
        )


PromptSource: TypeAlias = Path | Mapping[str, Prompt]
"""A directory whose files take the place of shipped prompts, or every prompt by name."""


def load_prompts(directory: Path | None = None) -> Mapping[str, Prompt]:
    """Every prompt by name: the file in `directory` where there is one, else what ships.

    Raises:
        PromptError: there is no such folder, or no prompt file in it; a file is faulty, is none of
            PROMPT_NAMES, or asks for other variables or another schema than the shipped prompt of
            its name.
    """
    prompts = {name: shipped_prompt(name) for name in PROMPT_NAMES}
    if directory is None:
        return prompts
    files = prompt_files(directory)
    if not files:
        raise PromptError(
            f"holds no prompt file; put one there ({', '.join(f'{n}.md' for n in PROMPT_NAMES)}), "
            f"or name another folder",
            path=str(directory),
        )
    for path in files:
        prompts[path.stem] = replacement(path, name=path.stem)
    return prompts


def prompt_files(directory: Path) -> list[Path]:
    """The prompt files of a directory, by name.

    Raises:
        PromptError: there is no such directory.
    """
    if not directory.is_dir():
        raise PromptError(f"{directory} is no folder; name one that holds prompt files")
    return sorted(directory.glob("*.md"))


def shipped_prompt(name: str) -> Prompt:
    """The prompt that comes with secondhop."""
    text = (files("secondhop.prompts") / f"{name}.md").read_text(encoding="utf-8")
    return parse_prompt(text, name=name, path=SHIPPED)


def replacement(path: Path, *, name: str | None = None) -> Prompt:
    """The prompt of a file, fit to take the place of the shipped one of its name.

    Args:
        name: what it must be called; None: the front matter says which prompt it replaces,
            whatever the file is called.

    Raises:
        PromptError: it cannot be read, is faulty, or does not fit.
    """
    known = ", ".join(PROMPT_NAMES)
    if name is not None and name not in PROMPT_NAMES:
        raise PromptError(f"no prompt has that name; there are {known}", path=str(path))
    text = read_file(path)
    prompt = parse_prompt(text, name=name, path=str(path))
    if prompt.name not in PROMPT_NAMES:
        told = f"no prompt is named {prompt.name!r}; there are {known}"
        read_text(text, path=str(path)).refuse(told, field="name")
    return in_place_of(shipped_prompt(prompt.name), prompt)


def recall_replacement(path: Path, *, among: Sequence[str] = RECALL_PROMPTS) -> Prompt:
    """As `replacement`, of a prompt that a recall uses, or of `among`.

    Raises:
        PromptError: it cannot be read, is faulty, does not fit, or no recall uses it.
    """
    prompt = replacement(path)
    if prompt.name not in among:
        told = f"no recall uses the prompt {prompt.name}; try one of {', '.join(among)}"
        raise PromptError(told, path=str(path))
    return prompt


def read_file(path: Path) -> str:
    """The text of a prompt file.

    Raises:
        PromptError: it cannot be read, or is no UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        told = f"cannot be read as a prompt: {error.strerror}"
        raise PromptError(told, path=str(path)) from error
    except UnicodeDecodeError as error:
        raise PromptError(f"cannot be read as a prompt: {error}", path=str(path)) from error


def parse_prompt(text: str, *, name: str | None = None, path: str) -> Prompt:
    """A prompt from a file's text.

    Args:
        name: what the front matter must call it; None: any name.

    Raises:
        PromptError: the file is faulty, or has another name.
    """
    read = read_text(text, path=path)
    own = str(read.front["name"])
    if name is not None and own != name:
        read.refuse(f"its front matter says name: {own}, not {name}", field="name")
    return Prompt(
        name=own,
        version=read.front["version"],
        schema=str(read.front["schema"]),
        variables=read.variables,
        system=read.system,
        user=read.user,
        text=read.text,
        sha256=sha256(read.text.encode("utf-8")).hexdigest(),
        path=path,
    )


def in_place_of(shipped: Prompt, other: Prompt) -> Prompt:
    """`other`, when the code that fills and reads `shipped` can do so with it too.

    Raises:
        PromptError: other variables, or another schema.
    """
    read = read_text(other.text, path=other.path)
    if other.schema != shipped.schema:
        told = f"schema {other.schema} must be {shipped.schema}, as in the shipped {shipped.name}"
        read.refuse(told, field="schema")
    wanted = shipped.variables - frozenset(other.lacks)
    if faults := differences(given=other.variables, wanted=wanted):
        told = f"cannot replace the shipped {shipped.name}, whose variables differ: {faults}"
        read.refuse(told, field="variables")
    return other
