"""What a newer memory replaces, when it says so; and what is no sign of it."""

import numpy as np
import pytest

from secondhop.ranking.change_words import Change, change_told, told_words
from secondhop.ranking.supersession import Told, supersessions

FILLER = ("The garden wants water", "Bread rises overnight", "Tyres are in the cellar")


def told(text: str, day: float, title: str = "") -> Told:
    return Told(title=title or f"note {day}", text=text, day=day)


def found(*memories: Told, near: float = 0.9) -> dict[int, int]:
    """Pairs among these and some others, of which only these are near one another."""
    everything = [*memories, *(told(text, 50.0 + n) for n, text in enumerate(FILLER))]
    matrix = np.full((len(everything), len(everything)), 0.3)
    matrix[: len(memories), : len(memories)] = near
    np.fill_diagonal(matrix, -1.0)
    pairs = supersessions(everything, matrix, threshold=0.76)
    return {old: pair.newer for old, pair in pairs.items()}


@pytest.mark.parametrize(
    "newer",
    [
        "OpenVPN is gone. We use WireGuard.",
        "We switched from OpenVPN to something else.",
        "WireGuard replaces OpenVPN everywhere.",
        "There is no OpenVPN any more, ask for WireGuard.",
        "WireGuard instead of OpenVPN, please.",
        "The old OpenVPN profiles do nothing now.",
    ],
)
def test_a_newer_memory_that_says_so_replaces_the_older(newer: str) -> None:
    older = told("Connect with OpenVPN and a one-time code", 1)
    assert found(older, told(newer, 90)) == {0: 1}


@pytest.mark.parametrize(
    "newer",
    [
        "Connecting took a while, OpenVPN asked for a code twice.",
        "The bicycle is gone. Connecting was quick and nobody complained about it.",
        "My cousin moved to Lyon, where connecting trains leave at seven.",
    ],
)
def test_one_that_only_speaks_of_the_same_does_not(newer: str) -> None:
    older = told("Connect with OpenVPN and a one-time code", 1)
    assert found(older, told(newer, 90)) == {}


def test_neither_does_one_that_is_older_or_of_the_same_day_or_far_away() -> None:
    older = told("Connect with OpenVPN and a one-time code", 10)
    gone = "OpenVPN is gone. We use WireGuard."
    assert found(older, told(gone, 5)) == {}
    assert found(older, told(gone, 10.5)) == {}
    assert found(older, told(gone, 90), near=0.5) == {}


def test_a_note_of_the_same_name_is_a_new_version_of_it() -> None:
    first, second = told("Twelve hours", 1, "auth.md"), told("A day and a half", 40, "auth.md")
    third = told("Who knows", 41, "auth.md")
    assert found(first, second) == {0: 1}
    assert 0 not in found(first, second, third)


def test_a_word_that_many_memories_hold_is_no_sign() -> None:
    many = [told(f"The project number {n} is about water", float(n)) for n in range(30)]
    older = told("The project likes tea", 40)
    newer = told("The project moved away", 90)
    matrix = np.full((32, 32), 0.3)
    matrix[30, 31] = matrix[31, 30] = 0.9
    assert supersessions([*many, older, newer], matrix, threshold=0.76) == {}


def test_the_words_of_change_are_named() -> None:
    text = "Nothing new here.\nSince May the address is different: 10.0.0.7 was wiped."
    assert change_told(text, is_about={"10.0.0.7"}.__contains__) == Change("was wiped", "10.0.0.7")
    assert change_told(text, is_about={"nothing"}.__contains__) is None


def test_numbers_and_identifiers_stay_whole() -> None:
    assert {"10.0.0.7", "kestrel-1", "ssl_mode"} <= told_words("kestrel-1 (10.0.0.7), SSL_MODE=on")


def test_a_heading_that_tells_of_a_change_needs_no_rare_word() -> None:
    many = [told(f"The heron number {n} is about water", float(n)) for n in range(30)]
    older = told("The heron likes tea", 40)
    newer = told("It likes milk. " * 9, 90, "heron has moved.md")
    matrix = np.full((32, 32), 0.3)
    matrix[30, 31] = matrix[31, 30] = 0.9

    pairs = supersessions([*many, older, newer], matrix, threshold=0.76)

    assert {old: pair.because for old, pair in pairs.items()} == {30: "“has moved” beside “heron”"}


@pytest.mark.parametrize(
    ("near", "newer", "replaced"),
    [
        (0.72, "My preference: first back, then find out", True),
        (0.60, "My preference: first back, then find out", False),
        (0.72, "We went back first, then found out", False),
    ],
)
def test_a_newer_wish_replaces_its_nearest_older_one(
    near: float, newer: str, replaced: bool
) -> None:
    older = told("I'd rather fix forward than go back, as my default", 1)

    assert found(older, told(newer, 90), near=near) == ({0: 1} if replaced else {})


@pytest.mark.parametrize(
    ("newer", "replaced"),
    [
        ("9f3b was revoked at noon", True),
        ("The job (was export.sh) writes to a bucket", True),
        ("9f3b still works, and so does export.sh", False),
    ],
)
def test_the_change_of_an_identifier_needs_no_nearness(newer: str, replaced: bool) -> None:
    older = told("The key 9f3b is read by /opt/bin/export.sh every night", 1)

    assert found(older, told(newer, 90), near=0.2) == ({0: 1} if replaced else {})
    assert found(older, told(newer, 1.5), near=0.2) == {}, "within a day"


def test_an_identifier_that_a_third_memory_holds_is_no_sign() -> None:
    older, third = told("The key is 9f3b", 1), told("Who has 9f3b?", 30)

    assert found(older, third, told("9f3b was revoked", 90), near=0.2) == {}
