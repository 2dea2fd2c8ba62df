"""Splits an English message into the clauses that its author states.

Code, quotations, questions, suppositions, reports of what others say, and texts to be worked on
(translated, corrected, …) are left out.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_LONGEST: Final = 400
"""Characters; a longer sentence does not state a plain fact."""
_BLANK: Final = "\x00"
_LEFT_OUT: Final = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>.*$|\"[^\"\n]*\"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]", re.S | re.M
)
_STOP: Final = re.compile(
    r"(?<![.!?…])(?:[!?…]|\.(?=[.!?…]))[.!?…]*+(?=\s|$)"
    r"|(?<!\b[A-Z])(?<!\b(?:[DM]r|Ms|St))(?<!\bMrs)(?<![.!?…])(?!(?<=str)\.\s\d)\.(?=\s|$)|\n+|;"
)
_CUT: Final = re.compile(r",?\s(?:and|but|so)\s(?=(?:I|I['’]m|we|my|our|please|call)\b)|\s[-–—]\s")
_NEXT: Final = re.compile(rf"{_CUT.pattern}|,\s(?=(?:now\s)?(?:I|I['’]m|we|my|our)\b)")
"""Where a sentence with a negation is cut: what follows may say what holds instead."""
_COMMA: Final = re.compile(r",\s(?=(?:I|I['’]m|we|my|our)\b)")
_LEAD: Final = re.compile(
    r"(?:\W*(?:now|by the way|just so you know|actually|sorry|oh|hi|hello|hey|well|ok|okay|also"
    r"|and|but|so|no|yes|correction|oops|thanks|wrong"
    r"|that(?:['’]?s| is) (?:wrong|incorrect|not (?:right|true))"
    r"|i (?:think|guess|believe)|probably)\b(?: there)?\W*)+",
    re.I,
)
_NOT_STATED: Final = re.compile(
    r"""\?\W*$
    |\b(?:if|unless|suppose|imagine|pretend|assume|assuming|maybe|perhaps|would|could|might|should
        |wish|dreamt|thinking|almost|nearly|supposed|going\sto|planning|hoping|want\sto
        |never\s(?:said|told|had|was|lived|worked)|according|kidding|joking)\b
    |^\W*(?:let['’]?s|oh,?\s(?:sure|great|yeah|right)|yeah|sure|of\scourse)\b
    |\b(?:say|tell|think|claim|believe|ask|want|wrote)(?:s|ed)\b|\b(?:said|told|thought)\b
    |\bin\sthe\s(?:novel|book|film|movie|song|story|play|game|article)\b
    |(?:,|\s[-–—])\s*or\s(?:was|were|did|had|not|rather)\b
    |,\s*(?:sorry|wait|no,|I\smean)\W*(?!I\b)(?-i:[\dA-ZÀ-Þ])""",
    re.I | re.X,
)
_NO_LONGER: Final = re.compile(r"\b(?:no\s+longer|any\s?(?:more|longer)|used\s+to)\b", re.I)
_STILL: Final = re.compile(r"\b(?:still|again|back|except|only|at least|sometimes)\b", re.I)
"""Words that limit a negation, or take it back."""
_COMMENT: Final = re.compile(
    r"(?:,\s*(?:sorry(?: (?:about|for) [\w ]+|, I forgot)?|please|thanks(?: a lot)?|thank you"
    r"|cheers|by the way|btw|though|actually|anyway|of course|to be honest|just so you know"
    r"|sadly|happily|luckily|thankfully|(?:un)?fortunately|obviously|clearly|naturally|honestly"
    r"|frankly|finally|apparently|probably|possibly|hopefully"
    r"|(?:as )?you know|I (?:think|guess|believe|suppose)|I['’]m afraid))+[\s.!]*$"
)
"""Words at the end that only comment on the statement. Small letters, because "Thanks" may be a
title."""
_TO_REMEMBER: Final = re.compile(
    r"\W*(?:please,?\s)?(?:remember|don['’]?t\sforget|keep\sin\smind)(?:\sthat\b|:)(?!.*\?\W*$)",
    re.I | re.S,
)
"""A request to remember; what follows counts as stated even if `_NOT_STATED` matches."""
_TASK: Final = re.compile(
    r"\W*(?:(?:can|could|would)\s+you\s+|please\s+|now\s+)*(?:translate|proofread|rewrite|rephrase"
    r"|summari[sz]e|correct|edit|improve|write|draft|compose|act\s+as|analy[sz]e|explain|repeat)\b",
    re.I,
)
_CHANGE: Final = re.compile(
    r"\b(?:now|moved|relocated|changed|switched|turned|started|new|gone (?:up|down)"
    r"|went (?:up|down)|risen|dropped|instead|from now on)\b",
    re.I,
)
_CORRECTION: Final = re.compile(
    r"\b(?:actually|sorry|correction|I meant?|oops|mistake|typo|wrong|not \d+)\b|(?:,\s*|^)not\b",
    re.I,
)
_UNSURE: Final = re.compile(
    r"\b(?:I (?:think|guess|believe|suppose)|probably|possibly|hopefully|not sure|apparently"
    r"|roughly)\b",
    re.I,
)


class Clause(NamedTuple):
    """A piece of a message that its author states."""

    text: str
    start: int
    """Index of its first character in the message."""
    change: str
    """Words that mark a change or a correction, or ""."""
    sure: bool
    """False if the person is not sure of it."""


def stated(content: str, *, ended: bool = False) -> Iterator[Clause]:
    """The clauses of a message that state something, in order.

    Args:
        ended: the clauses with "no longer", "any more" or "used to", instead of the others.
    """
    body = _LEFT_OUT.sub(lambda found: re.sub(r"[^\n]", _BLANK, found[0]), content)
    start = 0
    for stop in [*_STOP.finditer(body), None]:
        end = stop.end() if stop else len(body)
        sentence, begun = body[start:end], start
        start = end
        if _TASK.match(sentence):
            if ":" in sentence:
                return  # what follows is a text to be worked on
            continue
        if len(sentence) > _LONGEST or _BLANK in sentence:
            continue
        asked = _TO_REMEMBER.match(sentence)
        if _NOT_STATED.search(sentence) and not asked:
            continue
        negated = bool(_NO_LONGER.search(sentence) and not asked)
        if ended and (not negated or _STILL.search(sentence)):
            continue
        for clause in _clauses(sentence, begun, cut=_NEXT if negated else _CUT):
            if bool(negated and _NO_LONGER.search(clause.text)) is ended:
                yield clause


def corrects(words: str) -> bool:
    """Whether the words mark a correction."""
    return bool(_CORRECTION.search(words))


def uncommented(text: str) -> str:
    """The text without comments at its end.

    >>> uncommented("my rent is 900, I think, sorry")
    'my rent is 900'
    """
    return _COMMENT.sub("", text)


def parts_of(clause: Clause) -> list[Clause]:
    """The clause cut at ", I …" and ", my …"; the parts may be statements, or parts of one."""
    cuts = list(_COMMA.finditer(clause.text))
    begins = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(clause.text)]
    before = "" if clause.change in clause.text else clause.change
    corrected = before if corrects(before) else ""
    return [
        clause._replace(
            text=clause.text[begin:end],
            start=clause.start + begin,
            change=corrected or _change_in(clause.text[begin:end]) or before,
        )
        for begin, end in zip(begins, ends, strict=True)
    ]


def _change_in(text: str) -> str:
    """The words of a text that mark a correction, else a change, or ""."""
    found = _CORRECTION.search(text) or _CHANGE.search(text)
    return found[0].strip(" ,") if found else ""


def _clauses(sentence: str, start: int, *, cut: re.Pattern[str]) -> Iterator[Clause]:
    """The sentence split at "and I …", "but my …" and dashes, without leading greetings."""
    cuts = list(cut.finditer(sentence))
    begins = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(sentence)]
    for begin, end in zip(begins, ends, strict=True):
        lead = _LEAD.match(sentence, begin, end)
        piece = sentence[lead.end() if lead else begin : end]
        text = uncommented(piece.strip(" \t\n,.;:!…-–—*•"))
        if text:
            at = start + end - len(piece) + piece.index(text)
            yield Clause(text, at, _change_in(sentence[begin:end]), not _UNSURE.search(sentence))
