"""Reads `SECONDHOP_*` for the commands; the library does not read them."""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from secondhop.errors import UsageError
from secondhop.stores.store_address import named_store

PREFIX = "SECONDHOP_"


class Settings(BaseModel):
    """Defaults for command-line options; an option on the command line overrides its variable."""

    model_config = ConfigDict(frozen=True)

    store: Annotated[str | Path, BeforeValidator(named_store)] = Path(".secondhop")
    """Folder of the embedded store, or the address of a PostgreSQL database."""
    chroma: str | None = None
    """URL of a Chroma server; None keeps the vectors in the store."""
    entity: str = Field(default="default", min_length=1)
    """Whose memory it is."""
    llm: str | None = None
    """"offline" or "openai:MODEL"; None: OPENAI_MODEL, if there is a key for it."""
    prompts: Path | None = None
    """A folder whose files replace the prompts that ship."""
    embedder: str = Field(default="default", min_length=1)
    """The embedding model that a store is built and searched with."""
    offline: bool = False
    """True: never download a model; say what is missing instead."""
    model_dir: Path | None = None
    """The folder of models; None is the user's cache folder."""
    deadline: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Seconds that a recall may take; None: 30. A slow model needs more."""
    prices: Path | None = None
    """YAML file of model prices; they override those that ship with secondhop."""
    scale: Path | None = None
    """A file that `secondhop eval calibrate` wrote: the scale of the embedding model's cosines."""
    settings: Path | None = None
    """YAML or JSON file of settings; they override the defaults of `Config`."""
    sessions: str | None = None
    """Where open sessions are kept: "sqlite", or the address of a Redis server; None is "sqlite".
    """


def load_settings() -> Settings:
    """The settings from this process's environment. Raises UsageError if a `SECONDHOP_*` variable
    is unknown, or has an invalid value."""
    refuse_unknown(os.environ)
    given = {
        name.upper().removeprefix(PREFIX).lower(): value
        for name, value in os.environ.items()
        if value and name.upper().startswith(PREFIX)  # an empty variable counts as not set
    }
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        problem = error.errors()[0]
        name = f"{PREFIX}{problem['loc'][0]}".upper()
        raise UsageError(f"{name} cannot be {problem['input']!r}: {problem['msg']}") from error


def variable_names() -> list[str]:
    """Every known `SECONDHOP_*` variable, sorted."""
    return sorted(f"{PREFIX}{field}".upper() for field in Settings.model_fields)


def refuse_unknown(names: Iterable[str]) -> None:
    """Raises UsageError for an unknown `SECONDHOP_*` variable, and suggests a known one."""
    known = [name.removeprefix(PREFIX) for name in variable_names()]
    for name in sorted(names):
        ending = name.upper().removeprefix(PREFIX)
        if name.upper().startswith(PREFIX) and ending not in known:
            near = get_close_matches(ending, known, n=1)
            names = ", ".join(variable_names())
            hint = f"did you mean {PREFIX}{near[0]}?" if near else f"known: {names}"
            raise UsageError(f"unknown environment variable {name}; {hint}")
