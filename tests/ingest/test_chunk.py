"""Which text ends up in the same passage."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secondhop.ingest.chunk import chunk_memory
from secondhop.stores.records import Memory, Message, Passage


def count_words(text: str) -> int:
    """A token counter: one for each word, and one more for every eight characters of it."""
    return sum(1 + len(word) // 8 for word in text.split())


def count_bytes(text: str) -> int:
    """A token counter that is not additive: its rounding depends on where a text is cut."""
    return len(text.encode()) // 4 + 1


LIMIT = 40
small_passages = partial(chunk_memory, max_tokens=LIMIT, overlap_tokens=10)


def memory_of(*messages: Message, source: str = "conversation") -> Memory:
    return Memory(
        memory_id="m",
        title="t",
        source=source,
        created_at=datetime(2024, 5, 1, tzinfo=UTC),
        messages=messages,
    )


def chunk(*messages: Message) -> Sequence[Passage]:
    return small_passages(memory_of(*messages), count_tokens=count_words)


def note(text: str) -> Sequence[Passage]:
    memory = memory_of(Message("user", text), source="note")
    return small_passages(memory, count_tokens=count_words)


def texts(passages: Sequence[Passage]) -> list[str]:
    return [passage.text for passage in passages]


def words(stem: str, n: int) -> str:
    return " ".join(f"{stem}{number}" for number in range(n))


def test_a_question_stays_with_its_answer() -> None:
    first, second = chunk(
        Message("user", words("q", 10)),
        Message("assistant", words("a", 12)),
        Message("user", words("r", 10)),
        Message("assistant", words("b", 12)),
    )
    assert first.text.startswith("User: q0")
    assert first.text.endswith("a11")
    assert second.text == f"User: {words('r', 10)}\n\nAssistant: {words('b', 12)}"


def test_a_turn_that_fits_is_not_split_and_one_that_does_not_starts_with_its_question() -> None:
    passages = texts(chunk(Message("user", words("q", 5)), Message("assistant", words("a", 90))))
    assert passages[0].startswith("User: q0 q1 q2 q3 q4\n\nAssistant: a0 a1")
    assert all(text.startswith("Assistant: a") for text in passages[1:])


def test_the_next_passage_repeats_the_end_of_a_text_that_had_to_be_split() -> None:
    sentences = " ".join(f"{words(chr(97 + n), 4)}." for n in range(20))
    first, second, *_ = texts(note(sentences))
    assert first.endswith("g0 g1 g2 g3. h0 h1 h2 h3.")
    assert second.startswith("g0 g1 g2 g3. h0 h1 h2 h3. i0")


def test_headings_stay_with_their_text_and_give_the_path() -> None:
    body = f"# Owl\n\n{words('o', 30)}\n\n## Backups\n\n### Nightly\n\n{words('b', 30)}\n"
    first, second = note(body)
    assert (first.heading, second.heading) == ("Owl", "Owl > Backups")
    assert second.text.startswith("## Backups\n\n### Nightly\n\nb0")
    owl, backups, _ = note(f"# Owl\n\no\n\n## Backups\n\n{words('b', 36)}\n\n{words('c', 30)}")
    assert (owl.text, backups.text[:14]) == ("# Owl\n\no", "## Backups\n\nb0")


def test_a_fence_that_fits_stays_whole() -> None:
    code = "```python\n" + "\n".join(f"x{n} = {n}" for n in range(8)) + "\n```"
    passages = texts(note(f"{words('a', 30)}\n\n{code}\n\n{words('b', 30)}"))
    assert any(code in text for text in passages)


def test_a_fence_too_large_is_split_on_lines_and_fenced_again() -> None:
    lines = [f"    value_{n} = {n}" for n in range(40)]
    passages = texts(note("```python\n" + "\n".join(lines) + "\n```"))
    assert len(passages) > 2
    assert all(t.startswith("```python\n    value_") and t.endswith("\n```") for t in passages)


def test_a_table_too_large_repeats_its_header() -> None:
    rows = "\n".join(f"| r{n} | {n} |" for n in range(30))
    passages = texts(note(f"| name | n |\n|---|---|\n{rows}"))
    assert len(passages) > 2
    assert all(text.startswith("| name | n |\n|---|---|\n| r") for text in passages)


def test_chinese_is_split_at_its_full_stops() -> None:
    def each_character(text: str) -> int:
        return len(text)

    memory = memory_of(Message("user", "今天天气很好。我们去公园散步吧。" * 10), source="note")
    passages = small_passages(memory, count_tokens=each_character)
    assert all(passage.text.endswith("。") for passage in passages)


_LINES = st.one_of(
    st.sampled_from(
        ["", "# One", "## Two", "```py", "```", "~~~", "| a | b |", "|---|---|", "---"]
    ),
    st.text(alphabet="ab .!?\n#`|-\t。é😀", max_size=120),
    st.integers(1, 400).map(lambda n: "x" * n),
    st.integers(1, 80).map(lambda n: words("w", n)),
)
_TURNS = st.lists(
    st.builds(
        Message,
        st.sampled_from(["user", "assistant", "Anna", "a name so long that it is no label " * 9]),
        st.lists(_LINES, max_size=12).map("\n".join),
    ),
    min_size=1,
    max_size=5,
)


def holds_in_order(passages: Sequence[Passage], text: str) -> bool:
    shown = iter("".join(passage.text for passage in passages))
    return all(char in shown for char in text if not char.isspace())


@settings(max_examples=40, deadline=None, derandomize=True)
@given(turns=_TURNS, source=st.sampled_from(["note", "conversation"]))
def test_every_character_is_shown_in_order_within_the_limit(
    turns: list[Message], source: str
) -> None:
    memory = memory_of(*turns, source=source)
    for counter in (count_words, count_bytes):
        passages = small_passages(memory, count_tokens=counter)
        assert holds_in_order(passages, "".join(message.content for message in turns))
        assert all(0 < counter(p.text) <= LIMIT for p in passages)
        assert [p.tokens for p in passages] == [counter(p.text) for p in passages]
        assert passages == small_passages(memory, count_tokens=counter)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=30))
def test_every_passage_brings_something_new(paragraphs: list[int]) -> None:
    blocks = [" ".join(f"p{i}w{n}" for n in range(size)) for i, size in enumerate(paragraphs)]
    seen: set[str] = set()
    for passage in note("\n\n".join(blocks)):
        fresh = set(passage.text.split()) - seen
        assert fresh
        seen |= fresh
    assert seen == set(" ".join(blocks).split())


@pytest.mark.parametrize(
    ("text", "times"),
    [("[", 1_000_000), ("A sentence. ", 83_000)],
    ids=["one run", "sentences"],
)
def test_time_grows_with_the_length_of_a_megabyte(text: str, times: int) -> None:
    longest = 0

    def counter(piece: str) -> int:
        nonlocal longest
        longest = max(longest, len(piece))
        return len(piece) // 4 + 1

    def work_on(times: int) -> tuple[int, float]:
        began = time.process_time()
        memory = memory_of(Message("user", text * times), source="note")
        passages = chunk_memory(memory, count_tokens=counter)
        return len(passages), time.process_time() - began

    _, for_a_tenth = work_on(times // 10)
    passages, for_all = work_on(times)
    assert for_all < 30 * for_a_tenth  # linear: 10; quadratic: 100
    assert longest <= 4_100
    assert passages > 230
