"""Shapes of what people state: values, places, names, and the words around them. English."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from secondhop.observe.plain_words import PERSONS, topic_of
from secondhop.stores.keeping import ALWAYS

ME: Final = "me"
"""The subject of what people say of themselves."""


class Stated(NamedTuple):
    """What a clause states: a fact (subject, attribute, value), or words to keep."""

    kind: str
    """ "fact", "pref" or "note"."""
    text: str
    subject: str = ""
    attribute: str = ""
    scope: str = ALWAYS
    topic: str = ""


Builder: TypeAlias = Callable[[re.Match[str], str], Iterator[Stated]]
"""What a form that matched states; it is given the match and the clause."""

Form: TypeAlias = tuple[re.Pattern[str], Builder]

TAIL: Final = re.compile(
    r"""(?:\s*,)?\s+(?:because|since|when|so\s+that|which|who|where|while|although|though|but|please
    |thanks|by\s+the\s+way|btw|these\s+days|at\s+the\s+moment|right\s+now|now|today|yesterday
    |recently|already|last\s+(?:\w+)|this\s+(?:week|month|year|morning|spring|summer|autumn|fall
    |winter)|(?:a|two|three|\d+|some|a\s+few)\s+(?:days?|weeks?|months?|years?)\s+ago
    |for\s+(?:\w+\s+)?(?:years|months|weeks)|as\s+well|too|again|instead)\b.*$|,\s*not\b.*$
    |,\s*(?:near|close|next|right|just|it|he|she|they|and|with|including|plus|\w+ing)\b.*$
    |\s*[—–]\s*.*$|\s-\s.*$""",
    re.I | re.X,
)
WHEN_TAIL: Final = re.compile(
    r"\s+(?:in|on|since|at|around|during)\s+(?:\d{4}|(?:early |mid|late |last |the )?"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter"
    r"|christmas|easter|beginning|end)\b).*$",
    re.I,
)
STRONG: Final = re.compile(r"\d|[\"“«]|(?:^|\s)(?!I\b|I['’])[A-ZÀ-ÖØ-Þ][\w'’-]*|@")
NO_VALUE: Final = re.compile(
    r"^(?:all|a\s+bit|a\s+little|a\s+lot|rather|pretty|extremely|much|mostly|set\s+to|due\s+to"
    r"|able\s+to|likely|expected|physically|mentally|that|to|whether|how|why|what|who|when|where|if|not|never|no|so|too|very|quite|really"
    r"|always|also|only|just|still|about\s+to|getting|being|it|there|here|gone|done|over|ready"
    r"|full|empty|as|like|than|more|less|better|worse)\b|^\w+ing\b",
    re.I,
)
NAME: Final = re.compile(r"[A-ZÀ-Þ][\w'’.-]*(?:\s+[A-ZÀ-Þ][\w'’.-]*){0,2}")
OPINION: Final = re.compile(
    r"(?:great|good|bad|nice|awful|boring|fine|ok|okay|secret|private|high|low|hard|easy|unknown"
    r"|important|wrong|right|amazing|terrible|stressful|fun|tight|small|big|huge|long|short|new|old"
    r"|different|safe|weak|strong|mine|yours|gone|done|due|open|closed|full|empty|none|below|above"
    r"|attached|missing|invalid|correct|broken|lost|stolen|ready|late|early|somewhere|somehow"
    r"|clearer|higher|lower|bigger|smaller|better|worse|older|younger|shorter|longer"
    r"|perfect|lovely|horrible|difficult|complicated|crazy|busy|free|over|on fire|on hold)\b",
    re.I,
)
_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w'’-]*"
_JOINT: Final = r"(?:(?:am|an|der|de|la|le|del|di|upon|on|of|and)\s+)*"
PLACE: Final = (
    rf"(?:the\s+Hague|(?:St\.?\s+)?{_CAPITAL}(?:[\s-]{_JOINT}{_CAPITAL}){{0,4}}"
    rf"(?:,\s*{_CAPITAL}(?:\s{_CAPITAL})?)?)"
)
HAVE: Final = r"(?:(?:['’]ve|\s+have)\s+)?"
ADVERB: Final = r"(?:(?:just|now|recently|finally|actually|currently|still|also|both|all)\s+)*"
KIN: Final = rf"(?:my|our)\s+(?:\w+\s+)?(?:{'|'.join(sorted(PERSONS))})"
WHAT: Final = r"[\w][\w'’/-]*(?:\s+[\w'’/-]+){0,4}?"
CHANGED: Final = (
    r"(?:has|have|had|was|were|is|are|just|been|now|already|got|’s|'s|\s)*"
    r"(?:changed|moved|gone\s+up|gone\s+down|went\s+up|went\s+down|risen|rose|dropped|fell|fallen"
    r"|increased|decreased|raised|cut|reduced|extended|postponed|brought\s+forward|pushed\s+back"
    r"|pushed|rescheduled|shifted|switched|up|down)"
    r"(?:\s+from\s+.+?)?\s+to"
)


def value_of(text: str) -> str:
    """What is left of a value without the tail of its clause, and without quotes around it."""
    if quoted := re.match(r"[\"“‘'«](?P<words>[^\"”»]+?),?[\"”’'»](?=\W|$)", text.strip()):
        return quoted["words"].strip()
    bare = TAIL.sub("", text.strip())
    bare = bare.strip(" ,.;:!")
    if len(bare) > 2 and bare[0] in "\"“‘«'" and bare[-1] in "\"”’»'":
        bare = bare[1:-1]
    return bare.strip(" ,;:!")


def fact(subject: str, attribute: str, value: str) -> Iterator[Stated]:
    """A fact, unless nothing is left of its value."""
    told = value_of(value)
    if told and len(told) <= 120 and len(told.split()) <= 14:
        yield Stated("fact", told, subject=subject, attribute=attribute)


def preference(text: str, *, scope: str = ALWAYS, topic: str = "") -> Iterator[Stated]:
    """A preference in the person's own words."""
    words = " ".join(text.split())
    if words:
        yield Stated("pref", words, scope=scope or ALWAYS, topic=topic or topic_of(words))


def note(text: str) -> Iterator[Stated]:
    """Words to keep as they are."""
    words = " ".join(text.split()).strip(" ,.:")
    if len(words.split()) >= 2:
        yield Stated("note", words)


def of_whom(found: re.Match[str]) -> str:
    """The subject: "me", or "my sister"."""
    kin = found.groupdict().get("kin") or ""
    return re.sub(r"^our\b", "my", " ".join(kin.casefold().split())) or ME


def without_article(words: str) -> str:
    """ "a nurse" → "nurse"."""
    return re.sub(r"^(?:a|an|the)\s+", "", value_of(words), flags=re.I)


def spaced(pattern: str) -> str:
    """With any space for a space, and any or none for one that may be missing."""
    return pattern.replace(" ?", r"\s*").replace(" ", r"\s+")


def form(pattern: str) -> re.Pattern[str]:
    """Spaces stand for any space; a form must match a whole clause."""
    return re.compile(spaced(pattern), re.I)


def cased(pattern: str) -> re.Pattern[str]:
    """As `form`, but a name begins with a capital."""
    return re.compile(spaced(pattern))


WHO: Final = rf"(?:I|[Ww]e|(?P<kin>[Mm]y\s+(?:\w+\s+)?(?:{'|'.join(sorted(PERSONS))})))"
AM: Final = rf"(?:I(?:['’]m|\s+am)|(?P<kin>{KIN})(?:['’]s|\s+is|\s+are)) {ADVERB}"
