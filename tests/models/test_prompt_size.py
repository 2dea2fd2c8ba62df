"""How many tokens a prompt has, counted before the model says."""

import pytest

from secondhop.errors import ModelUnavailableError
from secondhop.models import prompt_size
from secondhop.models.prompt_size import PromptSize, counted_tokens
from secondhop.models.tokens import count_tokens

TEXTS = {
    "prose": "The boiler was repaired last winter, and the invoice is in the blue folder. " * 40,
    "hex": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" * 30,
    "chinese": "我们昨天在东京开会，讨论了新的预算和明年的计划。" * 40,
    "json": '{"id":"k1","vote":"hot","facets":["f0"]},' * 60,
    "surrogate": "half \ud83d" * 50,
}


@pytest.mark.model
@pytest.mark.parametrize("name", TEXTS)
def test_no_text_counts_more_than_was_estimated(name: str) -> None:
    size, counted = PromptSize([TEXTS[name]]), count_tokens(TEXTS[name])
    assert counted <= size.tokens <= size.at_most
    assert size.tokens <= counted + 20  # the frame of one message


def test_without_the_ranks_a_token_is_a_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*, offline: bool) -> None:
        assert offline  # nothing is fetched in the middle of a recall
        raise ModelUnavailableError("no ranks")

    monkeypatch.setattr(prompt_size, "prepare_tokens", missing)
    assert counted_tokens("東京") == 6
    assert PromptSize(["abc"]).tokens == PromptSize(["abc"]).at_most
