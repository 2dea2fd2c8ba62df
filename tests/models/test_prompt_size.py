"""How many tokens a prompt has, counted before the model says."""

import pytest

from secondhop.models.llm import Usage
from secondhop.models.prompt_size import prompt_size, usage_of
from secondhop.models.tokens import count_tokens


@pytest.mark.model
@pytest.mark.parametrize("text", ["The boiler was repaired last winter. " * 40, "half \ud83d" * 50])
def test_a_prompt_counts_its_words_and_the_frame_of_its_messages(text: str) -> None:
    assert count_tokens(text) < prompt_size([text]) <= count_tokens(text) + 20


def test_a_cost_that_no_request_can_have_is_not_believed() -> None:
    told = Usage(prompt_tokens=10**400, completion_tokens=10**400, cached_tokens=10**400)
    assert usage_of(told, prompt=5, text="") == Usage(prompt_tokens=5)
