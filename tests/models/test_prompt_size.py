"""How many tokens a prompt has, before the model tells."""

import pytest

from secondhop.errors import ModelUnavailableError
from secondhop.models import prompt_size
from secondhop.models.prompt_size import PromptMeter, PromptSize, counted_tokens
from secondhop.models.tokens import count_tokens

PROSE = "The boiler was repaired last winter, and the invoice is in the blue folder. " * 40
TEXTS = {
    "prose": PROSE,
    "hex": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" * 30,
    "chinese": "我们昨天在东京开会，讨论了新的预算和明年的计划。" * 40,
    "json": '{"id":"k1","vote":"hot","facets":["f0"]},' * 60,
    "signs": "!?#§$%&/()=" * 100,
    "surrogate": "half \ud83d" * 50,
}


@pytest.mark.model
@pytest.mark.parametrize("name", TEXTS)
def test_no_text_counts_more_than_was_estimated(name: str) -> None:
    size, counted = PromptSize([TEXTS[name]]), count_tokens(TEXTS[name])
    assert counted <= size.tokens <= size.at_most
    assert size.tokens <= counted + 20  # the frame of one message


def test_a_reply_without_end_is_not_counted_word_by_word() -> None:
    assert counted_tokens("word " * 100_000) == 500_000


def test_without_the_ranks_a_token_is_a_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*, offline: bool) -> None:
        assert offline  # nothing is fetched in the middle of a recall
        raise ModelUnavailableError("no ranks")

    monkeypatch.setattr(prompt_size, "prepare_tokens", missing)
    assert counted_tokens("東京") == 6
    assert PromptSize(["abc"]).tokens == PromptSize(["abc"]).at_most


@pytest.mark.model
def test_a_model_that_makes_more_tokens_of_a_text_is_believed_from_its_first_long_prompt() -> None:
    meter = PromptMeter()
    long = meter.size([PROSE])
    meter.learn(long, told=int(1.3 * long.counted))
    assert meter.size([PROSE]).tokens >= int(1.3 * long.counted)
    assert meter.size([PROSE]).tokens <= meter.size([PROSE]).at_most


@pytest.mark.model
@pytest.mark.parametrize("told", [10, 100_000])
def test_what_a_server_says_of_a_short_prompt_or_absurdly_teaches_little(told: int) -> None:
    meter = PromptMeter()
    size = meter.size([PROSE])
    meter.learn(size, told=told)
    assert meter.size([PROSE]).tokens <= 2 * size.tokens


@pytest.mark.model
def test_a_prompt_is_counted_to_learn_only_when_it_is_larger_than_those_before() -> None:
    meter = PromptMeter()
    meter.learn(meter.size([PROSE]), told=2_000)
    again = meter.size([PROSE])
    meter.learn(again, told=9_000)
    assert "counted" not in vars(again)
