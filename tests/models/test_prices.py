from pathlib import Path

import pytest

from secondhop import Recall
from secondhop.errors import UsageError
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice, load_prices, price_of

SHIPPED = load_prices()


def written(folder: Path, text: str) -> Path:
    path = folder / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("model_id", "name"),
    [
        ("openai:gpt-4.1-mini", "openai:gpt-4.1-mini"),
        ("openai:gpt-4.1-mini-2025-04-14", "openai:gpt-4.1-mini"),
        ("openai:gpt-4.1-mini@api.openai.com/v1", "openai:gpt-4.1-mini"),
        ("openai:gpt-4o-2024-08-06", "openai:gpt-4o"),
        ("openai:gpt-4o-2024-05-13", "openai:gpt-4o-2024-05-13"),
    ],
)
def test_a_model_has_its_price_under_its_own_name(model_id: str, name: str) -> None:
    assert price_of(model_id, SHIPPED) is SHIPPED[name]


@pytest.mark.parametrize(
    "model_id",
    [
        "openai:nobody",
        "openai:gpt-4.1-mini@localhost:8000/v1",  # a local server may have any price
        "openai:gpt-4.1-mini@eu.api.openai.com/v1",
        "openai:gpt-5-pro",  # its name begins like that of a cheaper one
        "openai:gpt-5.1",
        "openai:gpt-4o-audio-preview",
        "openai:gpt-4o-audio-preview-2024-12-17",
        "langchain:ChatOpenAI:gpt-4.1-mini",
        "",
    ],
)
def test_what_no_name_fits_has_no_price(model_id: str) -> None:
    assert price_of(model_id, SHIPPED) is None


def test_the_user_s_prices_go_over_the_shipped_ones(tmp_path: Path) -> None:
    own = written(
        tmp_path,
        """
        prices:
          "openai:gpt-4.1-mini": {input: 9, output: 99}
          "openai:*@localhost:8000/v1": {input: 0, output: 0}
          "openai:big*": {input: 1, output: 1}
          "openai:bigger*": {input: 2, output: 2}
        """,
    )
    table = load_prices(own)

    assert price_of("openai:gpt-4.1-mini", table) == TokenPrice(input=9, output=99)
    assert price_of("openai:gpt-4.1", table) == SHIPPED["openai:gpt-4.1"]
    assert price_of("openai:qwen3@localhost:8000/v1", table) == TokenPrice(input=0, output=0)
    assert price_of("openai:biggest", table) == TokenPrice(input=1, output=1)
    assert price_of("openai:bigger-yet", table) == TokenPrice(input=2, output=2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("prices: {m: {input: cheap, output: 1}}", "prices.m.input"),
        ("prices: {m: {input: 1}}", "prices.m.output"),
        ("prices: {m: {input: 1, output: -1}}", "prices.m.output"),
        ("prices: {m: {input: .nan, output: 1}}", "prices.m.input"),
        ("prices: {m: {input: 1, output: 1, cached: 1}}", "prices.m.cached"),
        ("m: {input: 1, output: 1}", "Field required"),
        ("", "valid dictionary"),
        ("- 1", "valid dictionary"),
        ("prices: [", "flow node"),
    ],
)
async def test_a_broken_file_is_refused_by_name_before_anything_is_opened(
    tmp_path: Path, text: str, told: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError, match=told) as failure:
        await Recall.aopen(tmp_path / "store", embedder="hashing", prices=path)
    assert str(path) in str(failure.value)
    assert not (tmp_path / "store").exists()


def test_cached_tokens_cost_what_is_said_or_what_others_cost() -> None:
    usage = Usage(prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=500_000)
    assert TokenPrice(input=2, cached_input=1, output=8).cost_usd(usage) == 1.2 + 0.4 + 4.0
    assert TokenPrice(input=2, output=8).cost_usd(usage) == 6.0
