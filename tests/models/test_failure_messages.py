from functools import partial

from secondhop.models.failure_messages import EXCERPT_CHARS, excerpt, without_key

KEY = "sk-12345678"


def test_only_the_beginning_of_a_huge_message_is_looked_through() -> None:
    seen: list[str] = []

    def clean(text: str) -> str:
        seen.append(text)
        return without_key(text, key=KEY)

    shown = excerpt(f"{KEY} " * 1_000_000, clean)

    assert len(shown) == EXCERPT_CHARS
    assert KEY not in shown
    assert len(seen[0]) < 10_000  # 11 MB of it would hold up the event loop


def test_a_key_that_the_cut_goes_through_is_not_shown() -> None:
    for padding in range(150, 210):
        assert "sk-1" not in excerpt("x" * padding + KEY, partial(without_key, key=KEY))
