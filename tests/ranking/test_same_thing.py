"""Which texts say the same, judged by their words."""

import pytest

from secondhop.ranking.same_thing import SameThing


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("We met Jo at the lake", "We met Jo at the lake again", True),
        ("The boiler key lies on the hook", "The boiler key is on the hook now", True),
        ("Paid invoice 4711", "Paid invoice 4712", False),
        ("Call the bank", "The garden needs water twice a week", False),
        ("我们昨天去了湖边散步", "我们昨天又去了湖边散步", True),
        ("", "", False),
    ],
)
def test_the_same_words_are_the_same_thing(first: str, second: str, same: bool) -> None:
    seen = SameThing()
    assert seen.repeats("first", first) == ""
    assert seen.repeats("second", second) == ("first" if same else "")


def test_what_an_older_text_holds_is_a_repetition_and_what_says_more_is_not() -> None:
    long = "On Monday we drove to the lake, met Jo and her dog, and had soup in the old mill"
    short = "we drove to the lake"

    seen = SameThing()
    assert seen.repeats("long", long) == ""
    assert seen.repeats("short", short) == "long"
    other = SameThing()
    assert other.repeats("short", short) == ""
    assert other.repeats("long", long) == ""
