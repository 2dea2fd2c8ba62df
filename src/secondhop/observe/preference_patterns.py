"""Plain forms in which people say how to serve them, and what to remember. English.

Every form matches a whole clause, so that what it does not understand makes it silent.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from secondhop.observe.plain_values import (
    NAME,
    Form,
    Stated,
    cased,
    form,
    note,
    preference,
    value_of,
    without_article,
)
from secondhop.observe.plain_words import ABOUT_ANSWERS, TOOLS, topic_of
from secondhop.stores.keeping import ALWAYS

_SAYS: Final = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|will|won['’]t|can|can['’]t|cannot|do|does|don['’]t"
    r"|doesn['’]t|must|need|go|prefer|like|hate|eat|live|work|\w+s)\b|\w['’](?:s|m|re|ve|ll|d)\b"
    r"|\w+ed\b",
    re.I,
)
_OF_MINE: Final = re.compile(r"\d|\b(?i:I|my|we|our|me|us)\b|\b[A-ZÀ-Þ]")
"""A word of something particular: a number, a name, or the person's own."""


def remembered(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "remember that the bins go out on Tuesday"."""
    what = found["what"]
    if re.match(r"(?:this|that|it|these|those|I\s+love\s+you)\b", what, re.I):
        return
    light = re.match(r"(?:please\s+)?note\b", clause, re.I)
    own = _OF_MINE.search(what) or (not light and re.search(r"\bthe\b", what))
    if _SAYS.search(what) and own:
        yield from note(what)


_AT_HAND: Final = re.compile(
    r"\b(?:something|anything|nothing|someone|somewhere|option|one|ones|version|draft|variant"
    r"|choice|latter|former|first|second|third|last)\b|^(?:not|that|it|this|these|those|them|him"
    r"|her|if)\b|^to\s+(?:be|die)\b|^to(?:\s+\S+){6,}",
    re.I,
)
"""What is chosen among things at hand, and is nobody's taste."""

_IN_GENERAL: Final = re.compile(r"general|fact|short|particular|my opinion|th(?:is|at) case", re.I)

SERVICES: Final = (
    r"answer|reply|respond|use|write|give(?!\s+up)|call\s+me|speak|talk|keep|send|include|avoid|make"
    r"|show|explain|format|start|end|begin|provide|add|mention|suggest|recommend|propose|ask|check"
    r"|confirm|cite|quote|translate|convert|round|list|summari[sz]e|highlight|report|specify|maintain"
    r"|combine|tailor|prioriti[sz]e|offer|remind|tell|assume|apologi[sz]e|refer|put|present|structure"
    r"|mark|describe|spell|address|return|output|generate|draft|create|compare|justify|name|label"
    r"|respect|skip|leave\s+out|stick\s+to|limit|be(?!\s+(?:yourself|there))"
)
"""What one asks of somebody who answers questions."""

SERVICE: Final = re.compile(
    rf"(?:(?:always|never|only|ever|please|also)\s+)*(?:{SERVICES}|us(?:e|ing)|calling\s+me|sending"
    r"|suggesting|mentioning|including|adding|answering|replying|apologi[sz]ing|recommending|your"
    r"|the\s+(?:answers?|tone|language)|it\s+short|things\s+short)\b(?!\s+\w+\s+coming$)",
    re.I,
)
"""What "always", "never" or "please" begins when it is an order."""


def prefers(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "for emails I prefer a formal tone", "I prefer coffee over tea"."""
    what, other, case = liked(found)
    if _AT_HAND.search(what):
        return
    scope, topic = plain_case(case), ""
    if not scope and not (ABOUT_ANSWERS.search(f"{what} {other}") or topic_of(what)):
        scope, topic = by_object(what, other)
    yield from preference(clause, scope=scope, topic=topic)


def liked(found: re.Match[str]) -> tuple[str, str, str]:
    """(what is preferred, to what, in which case); "" for what is not said."""
    what = re.sub(r"^(?:it\s+(?:when|if)|if|that|it)?\s*you\s+(?:to\s+)?", "", found["what"])
    what, other, case = what.strip(" ,"), (found["other"] or "").strip(" ,"), found["case"] or ""
    before = found["before"] or ""
    if _IN_GENERAL.fullmatch(before):
        before = ""
    if what == "it" and case:  # "I prefer it when you answer briefly"
        return case, other, before
    if not (case := case or before):
        what, case = case_of(what)
    if other and not case:
        other, case = case_of(other)
    return what, other, case


def case_of(words: str) -> tuple[str, str]:
    """(what is liked, in which case): "aisle seats on long flights"."""
    found = re.match(
        r"(?P<what>.+?)\s+(?:for|on|when|whenever|while|during)\s+(?P<case>.+)", words, re.I
    )
    return (found["what"], found["case"]) if found else (words, "")


def by_object(what: str, other: str) -> tuple[str, str]:
    """(scope, topic) of a liking: the kind of thing, or the two that were compared."""
    kind = without_article(re.sub(r"^to\s+", "", what)).casefold().split()
    if what.startswith("to ") and not other:
        return " ".join(kind), ""
    if other:
        both = " or ".join(sorted([" ".join(kind), without_article(other).casefold()]))
        return both, both
    if len(kind) > 3:
        return " ".join(kind[:8]), ""
    return (kind[-1], kind[-1]) if len(kind) > 1 else (kind[0], "")


def likes_so(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "I like my steak rare"."""
    thing = found["thing"].casefold()
    yield from preference(clause, scope=thing, topic=thing)


def ordered(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "please always answer in German"."""
    if not SERVICE.match(found["what"]):
        return
    order = without_please(clause)
    case = re.search(r"\s+(?:when|whenever)\s+(?P<case>(?:I|you)\s.+)$", order, re.I)
    yield from preference(order, scope=plain_case(case["case"]) if case else ALWAYS)


def ordered_when(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "when you write code for me, use type hints"."""
    if re.match(r"(?:I|you|we|it|he|she|they|do|is|are|what|why|how)\b", found["what"], re.I):
        return
    general = re.match(r"you\s+(?:answer|reply|respond|write\s+back)$", found["case"], re.I)
    scope = ALWAYS if general else plain_case(found["case"])
    yield from preference(clause, scope=scope)


def called(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "call me Bea"."""
    name = value_of(found["name"])
    if NAME.fullmatch(name) and not TOOLS.search(name):
        yield from preference(f"Call me {name}", topic="form of address")


def plain_case(words: str) -> str:
    """What a question must be about: "I ask about recipes" → "recipes"."""
    bare = re.sub(
        r"^(?:I\s+ask\s+(?:you\s+)?(?:about|for)|I['’]m\s+(?:on|at|in)|I\s+am\s+(?:on|at|in)"
        r"|you\s+(?:write|give|send|suggest|recommend|explain|answer|make|draft)(?:\s+me)?"
        r"|I\s+(?:write|ask))\s+",
        "",
        value_of(words),
        flags=re.I,
    )
    bare = re.sub(r"^(?:my|the|a|an|any)\s+|\s+(?:for|to)\s+me$", "", bare, flags=re.I)
    return " ".join(re.split(r",\s", bare)[0].split()[:8])


def without_please(clause: str) -> str:
    """The order itself."""
    bare = re.sub(r"^\W*please,?\s+|,?\s+please\W*$", "", clause, flags=re.I)
    return bare[:1].upper() + bare[1:]


WISHES: Final[Sequence[Form]] = (
    (
        form(
            r"(?:(?:for|in|on) (?P<before>[^,]{2,50}?),? )?(?:please note (?:that )?)?"
            r"I(?:['’]d| would)?"
            r"(?: (?:much|generally|usually|always|really|strongly|rather|do|still|now|tend to))*"
            r" (?:prefer|rather have|rather get|rather you (?:used?|gave|wrote|kept))"
            r"(?: to have| having| getting)? (?P<what>.+?)"
            r"(?:,? (?:over|to(?= \S+(?: \S+){0,2}$)|rather than|instead of|than) (?P<other>.+?))?"
            r"(?:,? (?:for|when|whenever|while|during) (?P<case>.+))?"
        ),
        prefers,
    ),
    (
        form(
            r"I (?:like|take|want|love) my (?P<thing>\w+(?: \w+)?) "
            r"(?:rare|medium|well done|black|sweet|strong|weak|hot|cold|spicy|mild|plain|crispy"
            r"|soft|(?:with|without|on|in) .+|\w+ed|\w+y)"
        ),
        likes_so,
    ),
    (
        form(
            rf"(?:when|whenever|if)(?:ever)? (?P<case>(?:I ask|you (?:{SERVICES}))\b[^,]+),"
            r"(?: then)? (?P<what>.+)"
        ),
        ordered_when,
    ),
    (
        form(
            r"(?:please,? |I(?:['’]d| would)? (?:want|like) you to )?(?:always|never) (?P<what>"
            r"\w+ .+)"
        ),
        ordered,
    ),
    (
        form(
            r"(?:from now on|in (?:the )?future|going forward|from here on|for all future \w+),? "
            r"(?:please )?(?:always |never |only )?"
            r"(?P<what>\w+ .+)"
        ),
        ordered,
    ),
    (
        form(r"(?:please )?(?P<what>\w+ .+?),? (?:from now on|going forward|from here on)"),
        ordered,
    ),
    (
        form(r"(?:please )?(?:don['’]?t|do not) (?:you )?(?P<what>ever (?!think|worry|say)\w+ .+)"),
        ordered,
    ),
    (
        form(
            r"please (?:don['’]?t|do not|stop|avoid|only|keep"
            r"|make sure (?:to|you) (?:always|never))"
            r" (?P<what>(?:us(?:e|ing)|call(?:ing)? me|send(?:ing)?|suggest(?:ing)?|mention(?:ing)?"
            r"|includ(?:e|ing)|add(?:ing)?|answer(?:ing)?|reply(?:ing)?|apologi[sz](?:e|ing)"
            r"|recommend(?:ing)?|your|it short|things) ?.*)"
        ),
        ordered,
    ),
    (
        form(
            r"(?:please )?keep (?:all )?(?:of )?(?P<what>(?:your|the) (?:answers?|repl(?:y|ies)"
            r"|responses?|explanations?|messages?|tone|language) .+)"
        ),
        ordered,
    ),
    (
        cased(
            r"(?:[Pp]lease,? )?(?:[Yy]ou (?:can|may|should) )?(?:[Jj]ust )?[Cc]all me "
            r"(?:by my (?:nick|first |middle |last )?name,? )?(?P<name>.+)"
        ),
        called,
    ),
    # what somebody wants to be kept in so many words
    (
        form(
            r"(?:please,? )?(?:(?:do )?remember|(?:please )?don['’]?t forget|do not forget"
            r"|keep in mind|bear in mind|note|make a note|take note|for the record)"
            r"(?: please)?(?: that|:) ?(?P<what>.+)"
        ),
        remembered,
    ),
)
"""Preferences and notes; the first that says something wins."""
