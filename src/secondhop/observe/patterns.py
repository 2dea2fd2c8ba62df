"""One table of plain English forms: what people say of themselves in so many words.

A form matches a whole clause, so what it does not understand is left alone. Precision comes first:
reading conversations is what a language model is for.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from secondhop.observe.attributes import ME, attribute_named, topic_of
from secondhop.stores.keeping import ALWAYS, Kind


class Stated(NamedTuple):
    """What a clause states: a fact (subject, attribute, value), or words to keep."""

    kind: Kind
    text: str
    subject: str = ""
    attribute: str = ""
    scope: str = ALWAYS
    topic: str = ""


Builder: TypeAlias = Callable[[re.Match[str]], Iterator[Stated]]

_NAME: Final = r"[A-ZÀ-Þ][\w'’.-]+(?: [A-ZÀ-Þ][\w'’.-]+){0,2}"
_PLACE: Final = (
    r"(?:the )?[A-ZÀ-Þ][\w'’-]+(?:[ -](?:(?:am|an|der|de|la|of|upon) )*[A-ZÀ-Þ][\w'’-]+){0,3}"
)
_KIN: Final = (
    r"(?:[Mm]y|[Oo]ur) (?:mother|father|mum|mom|dad|sister|brother|son|daughter|wife|husband"
    r"|partner|girlfriend|boyfriend|aunt|uncle|cousin|grandmother|grandfather|flatmate|dog|cat)"
)
_WHO: Final = rf"(?:I|[Ww]e|(?P<kin>{_KIN}))"
_AM: Final = r"(?:I['’]m|I am)(?: now)?"
_TAIL: Final = re.compile(
    r"(?:,\s*(?:not|his|her|its|their|but|and|who|which|where|so|near|with)\b"
    r"|,?\s+(?:(?:and|but)\s+)?(?:he|she|it|they)\b"
    r"|,?\s+(?:because|since|which|who|where|but|please|now|today|these days|at the moment"
    r"|last \w+|this \w+|in \d{4}|in (?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December)|too|again|so much|a lot"
    r"|for \w+ years)\b|\s+[–—-]\s).*$",
    re.I,
)
"""What may follow a value and is no part of it."""

_HEADS: Final = (
    r"(?:name|nickname|surname|birthday|birthplace|age|employer|company|job|e-?mail|address|phone"
    r"|number|code|password|pin|size|height|weight|budget|rent|salary|deadline|diet|language"
    r"|mother tongue|currency|time ?zone|blood type|goal|school|university|bank|insurance|provider"
    r"|landlord|landlady|doctor|gp|dentist|vet|therapist|physio|lawyer|accountant|boss|manager"
    r"|teacher|tutor|coach|car|bike|flight|train|appointment|exam|interview|(?:favou?rite) \w+)"
)
_PEOPLE: Final = re.compile(
    r"\b(?:landlord|landlady|doctor|gp|dentist|vet|therapist|physio|lawyer|accountant|boss|manager"
    r"|teacher|tutor|coach|name|nickname|surname)$"
)
_NUMBERS: Final = re.compile(
    r"^(?:age|birthday|budget|rent|salary|height|weight|deadline|flight|train|appointment|exam"
    r"|interview|phone number|code|pin)\b"
)
_NO_VALUE: Final = re.compile(
    r"(?:a bit|all|not|no|never|so|too|very|quite|really|always|also|just|still|about|getting|being"
    r"|it|there|here|gone|done|over|ready|like|than|more|less|better|worse|good|bad|great|fine|slow"
    r"|that|to|if|how|why|what|who|when|where|whether|high|low|nice|on (?:fire|hold)|\w+ing"
    r"|\w+ed)\b"
)
_NOT_A_NAME: Final = re.compile(
    r"(?:.*(?:ish|ese|ian|ean|man|can|ch|ek|li|ni)|.*(?:Lead|Owner|Manager|Engineer|Developer|Director|Head|Officer)|Swiss|Thai|Jewish|Muslim|Catholic|Hindu|Sorry"
    r"|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|[A-Z]+)$"
)
"""Nationalities, roles and days: "I'm German" is no name. Names with such endings are missed."""

_SERVICES: Final = (
    r"(?:answer|reply|respond|use|using|write|give|call(?:ing)? me|speak|keep|send(?:ing)?|include"
    r"|includ(?:e|ing)|avoid|make|show|explain|format|start|end|provide|add(?:ing)?|mention(?:ing)?"
    r"|suggest(?:ing)?|recommend(?:ing)?|ask|check|cite|quote|convert|round|list|summari[sz]e"
    r"|apologi[sz](?:e|ing)|address|draft|skip|limit|stick to|be)\b"
)
"""What one asks of somebody who answers questions."""

_ANSWERS: Final = (
    r"(?:(?:your|the|all) )?(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|summaries"
    r"|tone|language|it short|things short)\b"
)
_HERE: Final = r"(?!.*\b(?:this|here|that)\b)"
"""No wish for the task at hand."""

_AT_HAND: Final = re.compile(
    r"\b(?:something|anything|option|one|version|draft|latter|former|first|second|third|last)\b"
    r"|^(?:not|that|it|this|these|those|them|him|her|if)\b",
    re.I,
)
"""A choice among things at hand, which is no lasting preference."""

_NOTHING_NAMED: Final = re.compile(
    r"(?:it|this|that|these|those|to|when|how|you|my|your|him|her|them|the|being|having|much|enough"
    r"|here|there|any\w*|lunch|breakfast|dinner|before|after|at|with|well|out|\w+ing)\b",
    re.I,
)


def value_of(text: str) -> str:
    """A value without what follows it in the clause."""
    return _TAIL.sub("", text.strip()).strip(" ,.;:!")


def of_whom(found: re.Match[str]) -> str:
    """The subject: "me", or "my sister"."""
    kin = found.groupdict().get("kin") or ""
    return re.sub(r"^our\b", "my", kin.casefold()) or ME


def fact(attribute: str) -> Builder:
    """A fact on the user, or on the relative that the form names."""

    def build(found: re.Match[str]) -> Iterator[Stated]:
        if value := value_of(found["value"]):
            yield Stated("factual", value, subject=of_whom(found), attribute=attribute)

    return build


def both(first: str, second: str) -> Builder:
    """Two facts of one clause: "I work at Siemens as a project lead"."""

    def build(found: re.Match[str]) -> Iterator[Stated]:
        yield from fact(first)(found)
        if found["more"]:
            yield Stated("factual", found["more"], subject=of_whom(found), attribute=second)

    return build


def introduced(found: re.Match[str]) -> Iterator[Stated]:
    """ "I'm Nadia"."""
    if _NOT_A_NAME.fullmatch(found["value"]):
        return
    yield Stated("factual", found["value"], subject=ME, attribute="name")


def owned(found: re.Match[str]) -> Iterator[Stated]:
    """ "my … is (now) …", "my … has changed to …"."""
    value = re.sub(r"^(?:on|at|now) ", "", value_of(found["value"]))
    attribute = attribute_named(found["what"])
    named = bool(re.match(_NAME, re.sub(r"^(?:an?|the) ", "", value)))
    if len(value.split()) > 8 or (_NO_VALUE.match(value) and not named):
        return
    if _PEOPLE.search(attribute) and not named:
        return
    if _NUMBERS.match(attribute) and not re.search(r"\d", value):
        return
    yield Stated("factual", value, subject=of_whom(found), attribute=attribute)


def note(found: re.Match[str]) -> Iterator[Stated]:
    """ "remember that the bins go out on Tuesday"."""
    what = found["what"].strip(" ,.:")
    vague = re.match(r"(?:this|that|it|these|those)\b", what, re.I) is not None
    if re.match(r"(?:please,? )?note\b", found[0], re.I):  # a remark on the task at hand, mostly
        vague = vague or not re.search(r"\b(?:I|my|we|our|[A-Z]\w+)\b", what)
    if not vague and len(what.split()) >= 3:
        yield Stated("continuity", what)


def wish(found: re.Match[str]) -> Iterator[Stated]:
    """ "please always answer in German"."""
    bare = re.sub(r"^please,? |,? please$", "", found[0], flags=re.I)
    order = bare[:1].upper() + bare[1:]
    case = re.search(r"\s(?:when|whenever) (?P<case>(?:I|you)\s.+)$", order, re.I)
    scope = plain_case(case["case"]) if case else ALWAYS
    yield Stated("preferential", order, scope=scope, topic=topic_of(order))


def wish_for_a_case(found: re.Match[str]) -> Iterator[Stated]:
    """ "when you write code for me, use type hints"."""
    yield Stated(
        "preferential", found[0], scope=plain_case(found["case"]), topic=topic_of(found[0])
    )


def preferred(found: re.Match[str]) -> Iterator[Stated]:
    """ "for emails I prefer a formal tone", "I prefer coffee over tea"."""
    what, other, case = (found[name] or "" for name in ("what", "other", "case"))
    if _AT_HAND.search(what):
        return
    scope, topic = plain_case(case or found["before"] or ""), topic_of(found[0])
    if not scope and not topic and not re.search(_ANSWERS, what):
        both = sorted(re.sub(r"^(?:an?|the) ", "", one.casefold()) for one in (what, other) if one)
        scope = topic = " or ".join(both) if other else both[0].split()[-1]
    yield Stated("preferential", found[0], scope=scope or ALWAYS, topic=topic)


def taste(scope: str = "") -> Builder:
    """ "I don't eat gluten", "I hate mushrooms"; `scope`: default the thing itself."""

    def build(found: re.Match[str]) -> Iterator[Stated]:
        what = value_of(found["what"]).casefold()
        if not what or _NOTHING_NAMED.match(what):
            return
        yield Stated("preferential", value_of(found[0]), scope=scope or what, topic=what)

    return build


def form_of_address(found: re.Match[str]) -> Iterator[Stated]:
    """ "call me Bea"."""
    yield Stated("preferential", f"Call me {found['value']}", topic="form of address")


def plain_case(words: str) -> str:
    """What a question must be about: "I ask about recipes" → "recipes"."""
    bare = re.sub(
        r"^(?:I ask (?:you )?(?:about|for)|you \w+(?: me)?|I ask)\s+", "", words, flags=re.I
    )
    bare = re.sub(r"^(?:my|the|an?|any)\s+|\s+(?:for|to) me$", "", bare, flags=re.I)
    return " ".join(bare.split()[:8])


_TABLE: Final[Sequence[tuple[str, Builder]]] = (
    # facts; a capital letter marks a name
    (rf"(?:[Mm]y name is|{_AM} called) (?P<value>{_NAME})", fact("name")),
    (rf"(?P<kin>{_KIN})(?:['’]s name is| is called| is named) (?P<value>{_NAME})", fact("name")),
    (r"(?:I['’]m|I am) (?P<value>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?)", introduced),
    (
        rf"{_WHO}(?:['’]ve| have)? ?(?:now |just )?(?:moved|relocated)(?: from {_PLACE})? to "
        rf"(?P<value>{_PLACE})(?: .*|,.*)?",
        fact("home"),
    ),
    (rf"{_WHO} (?:now |still )?lives? in (?P<value>{_PLACE})(?: .*|,.*)?", fact("home")),
    (rf"{_AM} based in (?P<value>{_PLACE})", fact("home")),
    (
        rf"{_WHO} (?:now )?works? (?:at|for) (?P<value>{_NAME})(?: as an? (?P<more>[\w -]+))?",
        both("employer", "job"),
    ),
    (rf"{_WHO} (?:now )?works? as an? (?P<value>[\w -]+?)(?: (?:at|for|in) .*)?", fact("job")),
    (
        rf"(?:{_AM}|I turned|I['’]ve turned) (?P<value>\d{{1,2}})(?: years old| .*ago| last \w+)?",
        fact("age"),
    ),
    (rf"(?:{_AM}|(?P<kin>{_KIN}) is) (?P<value>\d{{1,2}})(?: years old)?", fact("age")),
    (rf"I was born on (?P<value>[\w .,]*?\d[\w .,]*?)(?: in {_PLACE})?", fact("birthday")),
    (rf"I was born in (?P<value>{_PLACE})", fact("birthplace")),
    (
        rf"(?:{_AM}|(?P<kin>{_KIN}) is) (?:an? )?(?P<value>(?i:vegan|vegetarian|pescatarian"
        r"|gluten-free|lactose[- ]intolerant|co?eliac|diabetic))",
        fact("diet"),
    ),
    (
        rf"(?:(?P<kin>{_KIN})['’]s|[Mm]y|[Oo]ur) "
        rf"(?P<what>(?i:(?:[\w-]+ ){{0,2}}?{_HEADS}(?: for [\w ]+?)?))"
        r"(?:['’]s| is| are|:| (?:has |have )?(?:changed|moved|gone up|gone down|went up"
        r"|went down|dropped|risen) to) (?:now )?(?P<value>.+)",
        owned,
    ),
    # notes
    (rf"(?P<what>(?:{_AM}|{_KIN} is) (?:severely |badly )?allergic to [\w ,]+)", note),
    (
        r"(?i:(?:please,? )?(?:remember|don['’]?t forget|do not forget|keep in mind|bear in mind"
        r"|note|make a note)(?: that|:) ?(?P<what>.+))",
        note,
    ),
    # preferences
    (
        r"(?:(?i:for|in|on) (?P<before>[^,]{2,40}?),? )?I(?:['’]d| would)?"
        r"(?: really| usually| generally| always| still| much)? prefer(?: to have| having| to get)?"
        r" (?P<what>.+?)(?:,? (?:over|to(?= \S+(?: \S+)?$)|rather than|instead of) (?P<other>.+?))?"
        r"(?: (?:for|on|when|during) (?P<case>.+))?",
        preferred,
    ),
    (
        r"(?:I|[Ww]e) (?:do not|don['’]t|cannot|can['’]t|never) (?:eat|drink) (?P<what>[\w -]+)",
        taste("food and drink"),
    ),
    (
        r"I (?:really |absolutely )?(?:hate|dislike|detest|can['’]t stand|cannot stand)"
        r" (?P<what>[\w-]+(?: [\w-]+){0,2})",
        taste(),
    ),
    (
        r"(?:[Pp]lease,? )?(?:[Yy]ou (?:can|may) )?(?:[Jj]ust )?[Cc]all me "
        rf"(?P<value>{_NAME})(?:,? please)?",
        form_of_address,
    ),
    (rf"(?i:(?:please,? )?(?:always|never) {_SERVICES}.*)", wish),
    (
        r"(?i:(?:from now on|in future|going forward),? (?:please )?(?:always |never |only )?"
        rf"{_SERVICES}.+)",
        wish,
    ),
    (rf"(?i:(?:please )?{_SERVICES}.+? (?:from now on|going forward))", wish),
    (rf"(?i:(?:please )?(?:don['’]?t|do not) (?:ever )?{_SERVICES}{_HERE}.+)", wish),
    (rf"(?i:please (?:stop|avoid) {_SERVICES}{_HERE}.+)", wish),
    (rf"(?i:(?:please )?keep (?:all )?(?:of )?{_ANSWERS}.*)", wish),
    (
        rf"(?i:(?:when|whenever|if) (?P<case>(?:I ask|you {_SERVICES})[^,]+),(?: then)?"
        r" (?P<what>.+))",
        wish_for_a_case,
    ),
)

FORMS: Final = tuple((re.compile(pattern), build) for pattern, build in _TABLE)
"""(form, what it states); the first that says something wins."""


def what_is_stated(clause: str) -> list[Stated]:
    """Everything that one clause states; [] for a clause of no form."""
    words = " ".join(clause.split())
    for pattern, build in FORMS:
        found = pattern.fullmatch(words)
        if found is not None and (stated := list(build(found))):
            return stated
    return []
