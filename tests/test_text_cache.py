"""What is computed of a text is remembered, and the text is not."""

from secondhop.text_cache import TextCache


def test_the_latest_results_are_remembered_without_the_texts() -> None:
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    cached = TextCache(length, size=2)

    assert [cached(text) for text in ("zanzibarquux", "b", "zanzibarquux", "c", "b")] == [
        12, 1, 12, 1, 1,
    ]  # fmt: skip
    assert asked == ["zanzibarquux", "b", "c", "b"]  # "b" was used longest ago when "c" came
    assert "zanzibarquux" not in repr(vars(cached))
    assert cached("half of a pair: \ud800") == 17
