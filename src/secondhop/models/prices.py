"""Prices of language models: the table that ships with secondhop, and the user's own."""

import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from secondhop.errors import UsageError
from secondhop.models.llm import Usage

OPENAI_ITSELF = "@api.openai.com/v1"
"""Ending of a model id if OpenAI's own address was given explicitly."""

_MILLION = 1_000_000
_SNAPSHOT = r"(-\d{4}-\d{2}-\d{2})?"
"""How OpenAI names the dated versions of a model."""


class TokenPrice(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    input: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    """None: no discount."""
    output: float = Field(ge=0)

    def cost_usd(self, usage: Usage) -> float:
        """What a usage costs, in US dollars.

        >>> price = TokenPrice(input=2.0, cached_input=0.5, output=8.0)
        >>> price.cost_usd(Usage(prompt_tokens=1_000, cached_tokens=400, completion_tokens=100))
        0.0022
        """
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        discounted = self.input if self.cached_input is None else self.cached_input
        dollars = (
            (usage.prompt_tokens - cached) * self.input
            + cached * discounted
            + usage.completion_tokens * self.output
        )
        return round(dollars / _MILLION, 9)


def cost_of(usage: Usage, price: TokenPrice | None) -> float | None:
    """What a usage costs, in US dollars: 0 without calls, None (unknown) if there is no price."""
    if not usage.calls:
        return 0.0
    return None if price is None else price.cost_usd(usage)


class _PriceFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: date | None = None
    prices: dict[str, TokenPrice]


PriceTable = Mapping[str, TokenPrice]
"""{model id: price}; "*" in an id matches anything."""


def load_prices(own: str | Path | None = None) -> PriceTable:
    """The shipped prices, overridden by those in the file `own`. Raises UsageError if the file
    cannot be read, or is not a table of prices."""
    shipped = shipped_prices()
    return shipped if own is None else {**shipped, **read_prices(Path(own).expanduser())}


@cache
def shipped_prices() -> PriceTable:
    """The prices that ship with secondhop; read once."""
    return read_prices(files("secondhop.models") / "prices.yaml")


def read_prices(file: Traversable | Path) -> PriceTable:
    """The prices of one file. Raises UsageError if the file cannot be read, or is not a table of
    prices."""
    import yaml

    try:
        found: object = yaml.safe_load(file.read_text(encoding="utf-8"))
        return _PriceFile.model_validate(found).prices
    except (OSError, ValueError, yaml.YAMLError) as error:  # pydantic's errors are ValueErrors
        raise UsageError(f"the prices in {file} cannot be used: {error}") from error


def price_of(model_id: str, prices: PriceTable) -> TokenPrice | None:
    """The price under the longest name that matches the model; None if none matches.

    >>> mini, rest = TokenPrice(input=1, output=2), TokenPrice(input=3, output=4)
    >>> table = {"openai:gpt-4.1-mini": mini, "openai:gpt-4*": rest}
    >>> price_of("openai:gpt-4.1-mini-2025-04-14", table) is mini
    True
    >>> price_of("openai:gpt-4o", table) is rest
    True
    >>> price_of("openai:gpt-4.1-mini@localhost:8000/v1", {"openai:gpt-4.1-mini": mini}) is None
    True
    """
    ids = {model_id, model_id.removesuffix(OPENAI_ITSELF)}
    fitting = [name for name in prices if any(_fits(name, one) for one in ids)]
    return prices[max(fitting, key=len)] if fitting else None


def _fits(name: str, model_id: str) -> bool:
    plain = ".*".join(re.escape(part) for part in name.split("*"))
    return re.fullmatch(plain + _SNAPSHOT, model_id) is not None
