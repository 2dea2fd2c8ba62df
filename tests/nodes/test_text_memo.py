"""What was found out about a text is remembered, and never taken for another text's."""

from collections.abc import Callable

import pytest

from secondhop.nodes.critics.text_memo import TextMemo


def counting(calls: list[tuple[str, ...]]) -> Callable[..., int]:
    """A function of texts that notes its calls."""

    def find(*texts: str) -> int:
        calls.append(texts)
        return len(calls)

    return find


def test_a_text_is_asked_about_once() -> None:
    calls: list[tuple[str, ...]] = []
    memo = TextMemo(counting(calls), limit=3)

    assert [memo("a"), memo("b"), memo("a")] == [1, 2, 1]
    assert calls == [("a",), ("b",)]


def test_the_text_not_asked_for_longest_is_forgotten() -> None:
    calls: list[tuple[str, ...]] = []
    memo = TextMemo(counting(calls), limit=2)

    for text in ("a", "b", "a", "c", "a", "b"):
        memo(text)

    assert calls == [("a",), ("b",), ("c",), ("b",)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("ab", "c"), ("a", "bc")),
        (("a", "b"), ('["a", "b"]',)),
        (("a", ""), ("a",)),
        (("a", "b"), ("b", "a")),
        (("\ud83d", "a"), ("?", "a")),
    ],
)
def test_texts_pass_for_no_other_texts(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    memo = TextMemo(lambda *texts: texts, limit=9)

    assert [memo(*one), memo(*other)] == [one, other]
