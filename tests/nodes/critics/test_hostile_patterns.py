"""No text makes a pattern backtrack for long: repetitions are bounded, or their cost is linear.

The bound is one on catastrophe: what was quadratic took a minute here.
"""

import re
from time import process_time

import pytest

from secondhop.models import json_replies
from secondhop.nodes.critics import excerpts, order_hints, quoting
from secondhop.nodes.critics.lenient_fields import as_flag, as_lines, as_words
from secondhop.nodes.critics.order_hints import reads_like_order
from secondhop.nodes.critics.quoting import quoted
from secondhop.nodes.planning import question_kind
from secondhop.nodes.planning.schema import as_kind, as_weight
from secondhop.ranking import keyphrases, sentences
from secondhop.ranking import words as word_patterns
from secondhop.ranking.capital_names import capital_names
from secondhop.ranking.keyphrases import key_phrases

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
    """{name: pattern} of every module that reads what others wrote."""
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


def one_reads_like_order(text: str) -> bool:
    return reads_like_order([text])


@pytest.mark.parametrize(
    "reader",
    [
        one_reads_like_order,
        quoted,
        question_kind.question_kind,
        question_kind.about_now,
    ],
)
def test_so_does_what_reads_with_them(reader: object) -> None:
    assert callable(reader)
    begun = process_time()

    for text in TEXTS[: len(UNITS)]:
        reader(text)

    assert process_time() - begun < 5.0


def test_so_do_the_finders_of_phrases_and_the_fields_of_a_reply() -> None:
    begun = process_time()

    for unit in (" ", "!", "a", "A ", '"', "_a", "a1", "!'", "- "):
        text = unit * (CHARS // len(unit))
        list(capital_names(text))
        key_phrases(text, n=8)
        for field in (as_lines, as_words, as_flag, as_kind, as_weight):
            field(text)

    assert process_time() - begun < 5.0


def test_a_sentence_ends_behind_a_run_of_marks() -> None:
    assert sentences.token_lists("No way!!! Yes?! “Ok.” End") == [
        ["No", "way"],
        ["Yes"],
        ["“", "Ok"],
        ["End"],
    ]
