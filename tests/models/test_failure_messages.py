from functools import partial

from secondhop.models.failure_messages import excerpt, without_key

KEY = "sk-12345678"


def test_a_key_that_the_cut_goes_through_is_not_shown() -> None:
    for padding in range(150, 210):
        assert "sk-1" not in excerpt("x" * padding + KEY, partial(without_key, key=KEY))
