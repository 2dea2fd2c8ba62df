"""Reads `SECONDHOP_*` and OpenAI's variables for the commands; the library reads none."""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from secondhop.errors import UsageError
from secondhop.stores.store_address import named_store

PREFIX = "SECONDHOP_"


class Settings(BaseModel):
    """Defaults of the command line's options; an option given by hand wins over its variable."""

    model_config = ConfigDict(frozen=True)

    store: Annotated[str | Path, BeforeValidator(named_store)] = Path(".secondhop")
    """Folder of the embedded store, or the address of a PostgreSQL database."""
    chroma: str | None = None
    """URL of a Chroma server; None keeps the vectors in the store."""
    entity: str = Field(default="default", min_length=1)
    """Whose memory it is."""
    llm: str | None = None
    """"offline" or "openai:MODEL"; None: see `OpenAISettings`."""
    prompts: Path | None = None
    """A folder whose files take the place of the prompts that ship."""
    embedder: str = Field(default="default", min_length=1)
    """Which embedding model a store is built and searched with."""
    offline: bool = False
    """True: never fetch a model; say what is missing instead."""
    model_dir: Path | None = None
    """Where models are kept; None is the user's cache folder."""
    deadline: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Seconds that a recall may take; None: 30. A slow model wants more."""
    prices: Path | None = None
    """YAML file of model prices, over those that ship with secondhop."""
    scale: Path | None = None
    """A file that `secondhop eval calibrate` wrote: what the embedding model's cosines mean."""
    settings: Path | None = None
    """YAML or JSON file of recall's settings, over those that ship."""
    sessions: str | None = None
    """Where open sessions are kept: sqlite, or the address of a Redis server; None is sqlite."""


class OpenAISettings(BaseModel):
    """OpenAI's own variables, as far as they choose a model.

    A key and a model together are a wish to use it; OPENAI_BASE_URL is the client's to read.
    """

    model_config = ConfigDict(frozen=True)

    api_key: SecretStr | None = None
    model: str | None = None
    """What "openai" means without a name."""


def load_settings() -> Settings:
    """The settings that this process's environment describes.

    Raises:
        UsageError: a `SECONDHOP_*` variable that does not exist, or a value that cannot be.
    """
    refuse_unknown(os.environ)
    try:
        return Settings.model_validate(set_variables(PREFIX))
    except ValidationError as error:
        problem = error.errors()[0]
        name = f"{PREFIX}{problem['loc'][0]}".upper()
        raise UsageError(f"{name} cannot be {problem['input']!r}: {problem['msg']}") from error


def openai_settings() -> OpenAISettings:
    """What OpenAI's variables of this process's environment say."""
    return OpenAISettings.model_validate(set_variables("OPENAI_"))


def set_variables(prefix: str) -> dict[str, str]:
    """{field: value} of the variables that begin so; an empty one counts as not set."""
    return {
        name.upper().removeprefix(prefix).lower(): value
        for name, value in os.environ.items()
        if value and name.upper().startswith(prefix)
    }


def variable_names() -> list[str]:
    """Every variable that is read, sorted."""
    return sorted(f"{PREFIX}{field}".upper() for field in Settings.model_fields)


def refuse_unknown(names: Iterable[str]) -> None:
    """A misspelt variable is an error with its nearest valid name, never a silent default."""
    known = [name.removeprefix(PREFIX) for name in variable_names()]
    for name in sorted(names):
        ending = name.upper().removeprefix(PREFIX)
        if name.upper().startswith(PREFIX) and ending not in known:
            near = get_close_matches(ending, known, n=1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else f"known: {variable_list()}"
            raise UsageError(f"unknown environment variable {name}; {hint}")


def variable_list() -> str:
    """Every variable that is read, in one line."""
    return ", ".join(variable_names())
