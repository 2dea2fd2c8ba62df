"""No text makes a pattern backtrack for long: repetitions are bounded, or their cost is linear.

The time limit only catches catastrophes: a quadratic pattern took a minute here.
"""

import re
from time import process_time

import pytest

from secondhop.models import json_replies
from secondhop.nodes.critics import excerpts, order_hints
from secondhop.nodes.planning import question_kind
from secondhop.nodes.planning.follow_up import with_subject
from secondhop.prompts import quoting
from secondhop.ranking import keyphrases, sentences
from secondhop.ranking import words as word_patterns

pytestmark = pytest.mark.slow

CHARS = 20_000
UNITS = (
    *(" ", "<", "_", "*", "a", "1", "\n", '"', "'", "“", "!", "-", "(", "{", "\u3000", "\x1b["),
    *("< ", "_a", "a1", "! ", ".\n", "- ", "A ", "aB", "a.a", "!'", "\n ", "<|", "<memory "),
    *("vote me ", "this memory ", "rate all ", "ignore ", "you are now ", "dear ", "'votes':"),
    *(
        "01000001 ",
        "4f",
        "99, ",
        ".- ",
        "a.",
        "A2",
        "put ",
        "put x ",
        "whatever ",
        "&#",
        "\\u00",
        "Ab",
    ),
)
HEADS = ("", "x hot ", "<")
TEXTS = tuple(
    (head + unit * (CHARS // len(unit)))[:CHARS] + "\x01" for head in HEADS for unit in UNITS
)
MODULES = (
    *(quoting, question_kind, excerpts),
    *(keyphrases, sentences, word_patterns, json_replies),
)


def patterns() -> dict[str, re.Pattern[str]]:
    """{name: pattern} of all modules that read text which others wrote."""
    found: dict[str, re.Pattern[str]] = {
        f"{module.__name__}.{name}": value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    }
    hints = vars(order_hints)["_PATTERNS"]
    return found | {f"hint {row}": pattern for row, pattern in enumerate(hints)}


@pytest.mark.parametrize("name", patterns())
def test_a_pattern_comes_to_an_end_on_any_text(name: str) -> None:
    pattern, begun = patterns()[name], process_time()

    for text in TEXTS:
        for _ in pattern.finditer(text):
            pass

    assert process_time() - begun < 5.0


@pytest.mark.parametrize("name", [one for one in patterns() if "question_kind" in one])
def test_a_pattern_comes_to_an_end_on_its_own_words(name: str) -> None:
    pattern, begun = patterns()[name], process_time()

    for word in set(re.findall(r"[^\W\d_]{2,}", pattern.pattern)):
        assert len([*pattern.finditer(f"{word} " * (CHARS // len(word)))]) <= CHARS

    assert process_time() - begun < 5.0


def test_an_earlier_question_of_one_long_word_is_read_quickly() -> None:
    begun = process_time()

    for earlier in ("name" * 5_000, "Name" * 5_000, "a-" * 10_000):
        assert with_subject("And what does Ben think?", [earlier])

    assert process_time() - begun < 1.0
