import json
import time
from contextlib import suppress
from datetime import date
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from secondhop.models.json_replies import (
    UnreadableReplyError,
    read_reply,
)
from secondhop.nodes.critics.vote_schema import CritiqueReply


class Ballot(BaseModel):
    vote: Literal["hot", "cold"]
    day: date | None = None


class Relaxed(BaseModel):
    votes: list[Ballot] = []
    why: str = ""


HOT = Ballot(vote="hot")


@pytest.mark.parametrize(
    "reply",
    [
        '{"vote": "hot"}',
        'Sure! Here it is:\n```json\n{"vote": "hot"}\n```\nAnything else? {"vote": "cold"}',
        '{"vote": "hot"} {"vote": "cold"}',
        'use {this} form: {"vote": "hot"}',
        '<think>maybe {"vote": "cold"}?</think>{"vote": "hot"}',
        'maybe {"vote": "cold"}?\n</think>\n{"vote": "hot"}',  # the prompt held the opening tag
        '{"$defs": {}, "properties": {"vote": {}}} {"vote": "hot"}',
        '[{"vote": "hot"}]',
        '{"vote": "hot", "note": "a } and a \\" and\na raw line break"}',
    ],
)
def test_the_first_object_that_fits_is_the_answer(reply: str) -> None:
    assert read_reply(reply, Ballot) == HOT


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("", "no complete JSON object"),
        ("I cannot do that.", "no complete JSON object"),
        ('{"votes": [{"vote": "hot"}, {"vo', "no complete JSON object"),
        ("{'vote': 'hot'}", "no complete JSON object"),
        ('{"vote": NaN}', "no complete JSON object"),
        ('{"vote": "lukewarm"}', "vote: Input should be 'hot' or 'cold'"),
        ('{"vote": "hot", "day": "tomorrow"}', "day: "),
        ("[" * 100_000, "no complete JSON object"),
        ('{"a":' * 100_000, "no complete JSON object"),
        ('{"vote": ' + "9" * 10_000 + "}", "no complete JSON object"),
    ],
)
def test_what_cannot_be_used_says_why(reply: str, told: str) -> None:
    with pytest.raises(UnreadableReplyError, match=told):
        read_reply(reply, Ballot)


@pytest.mark.parametrize(
    "torn",
    [
        '{"votes": [{"vote": "hot"}, {"vote"',
        '{"votes": [{"vote": "hot"}, {"vote": "co',
        '{"votes": [{"vote": "hot"},',
        'Sure [1]:\n```json\n{"votes": [{"vote": "hot"}, {"vote": "cold", "day": "2026-0',
    ],
)
def test_of_a_reply_that_was_cut_off_the_whole_rows_count_and_no_torn_one(torn: str) -> None:
    assert read_reply(torn, Relaxed) == Relaxed(votes=[HOT])


@pytest.mark.parametrize(
    "reply",
    [
        '<think>[x] {y}</think>\n{"votes": {"ab1": "hot", "ab2": "cold"}}',
        '[{"id": "ab1", "vote": "hot"}, {"id": "ab2", "vote": "cold"}]',
        '```json\n[{"id": "ab1", "vote": "hot"}, {"id": "ab2", "vote": "cold"}]\n```',
        '[{"id": "ab1", "vote": "hot"}, {"id": "ab2", "vote": "cold"}, {"id": "ab3", "vo',
        '{"votes": [{"id": "ab1", "vote": "hot"}, {"id": "ab2", "vote": "cold"}, {"id": "a',
    ],
)
def test_a_verdict_may_come_as_a_list_or_cut_off(reply: str) -> None:
    votes = read_reply(reply, CritiqueReply).votes
    assert [(vote.id, vote.vote) for vote in votes] == [("ab1", "hot"), ("ab2", "cold")]


def test_a_reply_of_nothing_but_signs_costs_no_time() -> None:
    started = time.process_time()
    for reply in (
        "_" * 100_000,
        "a" + "_" * 100_000,
        "_-" * 50_000,
        "[" * 1_000_000,
        "[{}" * 9_000,
    ):
        with pytest.raises(UnreadableReplyError):
            read_reply(reply, CritiqueReply)
    assert time.process_time() - started < 2.0


def test_an_echoed_schema_is_no_answer_even_when_every_field_has_a_default() -> None:
    echo = json.dumps({"type": "object", "properties": {"votes": {}}})
    with pytest.raises(UnreadableReplyError):
        read_reply(echo, Relaxed)
    assert read_reply(echo + '{"why": "x"}', Relaxed).why == "x"
    assert read_reply("{}", Relaxed) == Relaxed()


@given(st.text(alphabet='{}[]"\\:,a1 \n'))
def test_any_text_is_read_or_refused(reply: str) -> None:
    with suppress(UnreadableReplyError):
        assert isinstance(read_reply(reply, Relaxed), Relaxed)
