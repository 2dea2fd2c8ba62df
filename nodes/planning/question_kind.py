"""Classifies a question by its words, and splits a message into its questions."""

import re
from calendar import day_name, month_name
from typing import Final

from secondhop.nodes.state import QuestionKind

LOOKUPS: Final[frozenset[QuestionKind]] = frozenset({"factual", "temporal"})
"""Kinds of question that ask for one fact, not for everything that helps."""

SHARES: Final = (0.7, 0.3)
"""Weights of dense and lexical search in a calibrated score and in fusion."""

LOOKUP_SHARES: Final = (0.6, 0.4)
"""The same for look-ups, where names and identifiers matter more."""

_TEMPORAL: Final = re.compile(
    r"^\W*(when|since when|how long|how often|what time|what date|what day|until when)\b", re.I
)
_FACTUAL: Final = re.compile(
    r"^\W*((what|which|who|whose|where)('s|\b)|how (many|much|big|old|far|large|high|tall)\b"
    r"|(is|are|was|were|do|does|did|has|have|had)\b)",
    re.I,
)
_ADVICE: Final = re.compile(
    r"\b(should|could|can|would|need to|ought|might|shall|must (i|we)|to do|look out|be like|"
    r"recommend|suggest|advice|advise|idea|ideas|best way|worth|have to|has to|"
    r"is it (\w+ ){1,2}(to|if (i|we)) (?!(the|my|our|a|an)\b)|"
    r"do (i|we) (tell|say|bring|wear|write|answer|reply|ask|do|give|plant|buy|choose|pick|start|"
    r"send|order|accept|make|cook|pack|sell|sign|offer|invite|need))\b"
    r"|\b(was|wie|wo|womit|wohin|worauf)\b[^.?!]{0,200}\b(soll(te)?n?|muss|müssen|kann|können|darf|dürfen)\b"
    r"|^\W*(soll(te)?n?|muss|müssen|kann|können|darf|dürfen) (ich|wir)\b"
    r"|\b(qué|que|cosa|che|come|como|comment|o que)\b[^.?!]{0,200}"
    r"\b(debo|debería|puedo|dois|devrais|puis|devo|dovrei|posso)\b"
    r"|\b(wat|hoe)\b[^.?!]{0,200}\b(moet|kan) (ik|we)\b"
    r"|^\W*do (i|we) (?!(have|owe|own|know|still|already|ever|usually|often|always)\b)",
    re.I,
)
_PROCEDURAL: Final = re.compile(
    r"\bhow (do|did|does|can|should|would|to|shall|could)\b|\bsteps?\b|\bremind me how\b", re.I
)


_TASK: Final = re.compile(
    r"\b(help|write|draft|plan|prepare|make|give|tell|show|find|suggest|fix|add|create|explain|"
    r"summari[sz]e|compare|check|review|remind|organi[sz]e|choose|pick|talk|let's|i|i'm|we|we're|"
    r"my|our|is|are|was|again|ideas?|me|please|get|answer|reply|send|yes|"
    r"for|with|before|(some|any)(thing|one|body|where))\b|[.!]\s*$",
    re.I,
)
_NOW: Final = re.compile(
    r"\b(right now|as of now|current(ly)?|at present|presently|latest|newest|these days|nowadays|"
    r"up[ -]to[ -]date|most recent(ly)?)\b",
    re.I,
)
_PAST: Final = re.compile(r"\b(did|was|were|had|ago|used to|back then)\b", re.I)
_STANDING: Final = re.compile(
    r"\b(is|are|am|does|do|will|can|must|has|have|next|due|upcoming|until|still|yet)\b|\w'(s|re|ll)\b",
    re.I,
)
_LATEST: Final = re.compile(
    r"\blast (?!(until|till|for|all|so|that|longer|night|week|weekend|month|year|spring|summer"
    r"|autumn|fall|winter|[a-z]+day|january|february|march|april|may|june|july|august|september|october|november|december))\b"
    r"|\bmost recent(ly)?\b",
    re.I,
)
_SMALL_TALK: Final = re.compile(
    r"\A\W*(?:\b(?:hello|hi|hey|hiya|greetings|thanks|thank you|thx|cheers|bye|goodbye|see you|"
    r"good (?:morning|afternoon|evening|night|day)|how are (?:you|things)|nice to meet you|"
    r"ok|okay|no|great|perfect|cool|nice|lol|got it|never ?mind)\b"
    r"(?:,? (?:there|again|all|everyone|so much|very much|a lot|later|soon|tomorrow|today|doing))*"
    r"\W*)+",
    re.I,
)
_OPENING: Final = re.compile(
    r"^\W*(?:in|on|at|during|after|before|by|around|over|throughout|since)\b[^.?!]{0,300}?,\s+"
    r"(?:(?:at|in|on|from|to|for|by|with|near)\s+)?"
    r"(?=(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"[^.?!]{0,300}\b(?:did|was|were|had)\b[^.!]{0,300}\?)",
    re.I,
)
_INSIDE: Final = re.compile(r"(?<=[\w,;:)][ ])[^\W\d_][^\W_]+")
"""A word of two letters or more, after another word."""
_CALENDAR: Final = frozenset((*day_name, *month_name))
KEYWORDS: Final = 6
"""A message of at most this many words is a look-up by keywords, unless it is a task or sentence.
"""


def question_kind(question: str) -> QuestionKind:
    """factual or temporal for a look-up, procedural for a how-to, conceptual for everything else.

    A question for advice is never a look-up, whatever word it begins with. A few bare keywords are
    a look-up.

    >>> question_kind("Who repaired the boiler last winter?")
    'factual'
    >>> question_kind("What should I bring to the first lesson?")
    'conceptual'
    >>> question_kind("What must we sort out before the trip?"), question_kind("Who must sign it?")
    ('conceptual', 'factual')
    >>> question_kind("Do I take the flat?"), question_kind("Do I have a spare key?")
    ('conceptual', 'factual')
    >>> question_kind("The doctor is on her way. What do I tell her?")
    'conceptual'
    >>> question_kind("Was sollten wir noch üben?"), question_kind("Qué debo llevar?")
    ('conceptual', 'conceptual')
    >>> question_kind("What did Kan say?"), question_kind("¿Cuánto debo a Luis?")
    ('factual', 'factual')
    >>> question_kind("When does my passport run out?")
    'temporal'
    >>> question_kind("How do I descale the coffee machine?")
    'procedural'
    >>> question_kind("In July, at which hotel did we stay?")
    'factual'
    >>> question_kind("printer driver version"), question_kind("Bake something for Jonas")
    ('factual', 'conceptual')
    """
    last = _OPENING.sub("", last_sentence(question), count=1)
    if _PROCEDURAL.search(last):
        return "procedural"
    if _ADVICE.search(last):
        return "conceptual"
    if _TEMPORAL.search(last):
        return "temporal"
    keywords = len(question.split()) <= KEYWORDS and not _TASK.search(question)
    return "factual" if keywords or _FACTUAL.search(last) else "conceptual"


def is_small_talk(message: str) -> bool:
    """Whether a message only greets, thanks or says goodbye.

    >>> is_small_talk("Good morning! How are you today?"), is_small_talk("thanks, and the key?")
    (True, False)
    """
    return _SMALL_TALK.fullmatch(message) is not None


def asks_how_it_stands(question: str) -> bool:
    """Whether a question for a time asks for one that is valid now, still to come, or the latest.

    >>> asks_how_it_stands("When does my passport run out?")
    True
    >>> asks_how_it_stands("When did we last change the filters?")
    True
    >>> asks_how_it_stands("How long was the flight last summer?")
    False
    """
    last = last_sentence(question)
    if _PAST.search(last):
        return bool(_LATEST.search(last))
    return bool(_STANDING.search(last))


def asks_about_today(kind: QuestionKind, question: str) -> bool:
    """Whether the question is a look-up of something that holds today, not of the past.

    >>> asks_about_today("factual", "How many sources are in my library?")
    True
    >>> asks_about_today("factual", "What did we eat in Rome?")
    False
    """
    return kind in LOOKUPS and not _PAST.search(last_sentence(question))


def names_in(question: str) -> list[str]:
    """Capitalised words inside a sentence, without a final 's. Most of them are names.

    Days and months do not count, because any memory may contain one.

    >>> names_in("Does Frau Keller mind? And what cake for Ana's party on Friday?")
    ['Frau', 'Keller', 'Ana']
    """
    inside = dict.fromkeys(_INSIDE.findall(question))
    return [one for one in inside if one[0].isupper() and one not in _CALENDAR]


def last_sentence(question: str) -> str:
    """The last sentence of the message."""
    return question.strip().rsplit(". ", 1)[-1]


def age_counts(kind: QuestionKind, question: str) -> bool:
    """Whether the age of a memory counts: of two that fit, the newer is likelier to be right.

    >>> age_counts("temporal", "When is the next inspection?")
    True
    >>> age_counts("temporal", "When did we go to Rome?")
    False
    >>> age_counts("factual", "What is my current rate?")
    True
    """
    about_now = bool(_NOW.search(question))
    return about_now or (kind == "temporal" and asks_how_it_stands(question))


MOST_QUESTIONS = 4
"""Most questions of a message that are asked one by one. The query of the whole message has to
find the rest."""

_QUESTION_MARKS: Final = ("?", "？", "؟")
_UP_TO_MARKS: Final = re.compile(r"[^?？؟]+(?:[?？؟]+|\Z)")  # it matches wherever it begins: linear
_SENTENCE_END: Final = re.compile(r"(?<=[.!;。])\s+|\n+")
_POINTS_BACK: Final = re.compile(r"\b(it|its|he|him|she|they|them|those|these)\b", re.I)
_SAYS_ENOUGH = 3
"""Least number of words of a question that is asked by itself; "really?" is not."""


def several_questions(message: str) -> list[str]:
    """The questions of a message that asks several; [] for one question, however long.

    Questions that are too short, or that refer back to an earlier one, are left out; the query of
    the whole message covers them.

    >>> several_questions("Who do I work for? where is the key?")
    ['Who do I work for?', 'where is the key?']
    >>> several_questions("Where is the key? Have you seen it?")
    []
    """
    parts = [one for one in _UP_TO_MARKS.findall(message) if one.endswith(_QUESTION_MARKS)]
    asked = [_SENTENCE_END.split(part.strip())[-1] for part in parts]
    whole = [one for one in asked if len(one.split()) >= _SAYS_ENOUGH]
    alone = whole[:1] + [one for one in whole[1:] if not _POINTS_BACK.search(one)]
    different = list(dict.fromkeys(alone))
    return different[:MOST_QUESTIONS] if len(different) > 1 else []
