"""The reader without a model: explicit statements about oneself in plain English.

A form must match a whole clause; any other clause is left alone. Precision matters more than
recall, because a language model is the tool for reading conversations.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from secondhop.observe.attributes import ME, attribute_named, topic_of
from secondhop.observe.port import SPEAKER, Reading, Readings, Span, Turn, in_order
from secondhop.observe.sentences import Clause, parts_of, stated, uncommented
from secondhop.stores.keeping import ALWAYS, Kind

PLAIN: Final = "plain"
"""The name of this reader."""
LONGEST: Final = 20_000
"""How many characters of a message are read; a longer text was probably pasted."""
OTHER_LANGUAGE: Final = (
    "observe: the messages do not look like English; without a language model, only plain English "
    "forms are read"
)

Stated: TypeAlias = dict[str, str]
"""Fields of one `Reading`, by name."""

_NAME: Final = r"[A-ZÀ-Þ][\w'’.-]+(?: [A-ZÀ-Þ][\w'’.-]+){0,2}"
_PLACE: Final = r"(?:the )?[A-ZÀ-Þ][\w'’-]+(?:[ -](?:(?:am|der|de|la|of|upon) )?[A-ZÀ-Þ][\w'’-]+)*"
_KIN: Final = (
    r"(?P<kin>(?:[Mm]y|[Oo]ur) (?:mother|father|mum|mom|dad|sister|brother|son|daughter|wife"
    r"|husband|partner|girlfriend|boyfriend|aunt|uncle|cousin|flatmate|dog|cat))"
)
_REST: Final = r"(?:[ ,](?!.*\b(?:moved|relocated|returned|went|back|left)\b).*)?"
"""What may follow a place; words of another move may say that one lives elsewhere."""
_WHO: Final = rf"(?:I|[Ww]e|{_KIN})"
_AM: Final = r"(?:I['’]m|I am)(?: now)?"
_TAIL: Final = re.compile(
    r"(?:,\s*(?:not|his|her|its|their|but|and|who|which|where|so|near|with)\b"
    r"|\s+not \d"
    r"|,?\s+(?:(?:and|but)\s+)?(?:he|she|it|they)\b"
    r"|,?\s+(?:because|since|which|who|where|but|please|now|today|these days|last \w+|this \w+"
    r"|in \d{4}|too|again|so much|for \w+ years)\b|\s+[–—-]\s).*$",
    re.I,
)
"""What may follow a value without being part of it."""
_PEOPLE: Final = r"landlord|landlady|doctor|gp|dentist|vet|therapist|lawyer|boss|manager|teacher"
_NUMBERS: Final = (
    r"birthday|age|budget|rent|salary|height|weight|deadline|flight|train|appointment|exam"
    r"|interview|phone number|(?:post(?:al)?|zip|area|country) ?code"
)
_OWNED: Final = (
    rf"{_PEOPLE}|{_NUMBERS}|nickname|employer|company|job|e-?mail|address|number"
    r"|(?:\w+ )?size|diet|mother tongue|currency|time ?zone|blood type|university|bank|car|bike"
    r"|(?:favou?rite) \w+"
)
_NO_VALUE: Final = re.compile(
    r"(?:a bit|all|not|no|never|so|too|very|quite|really|always|just|still|about|it|here|gone|over"
    r"|ready|like|more|less|good|bad|great|fine|that|to|if|how|why|what|who|when|where|\w+ing"
    r"|\w+ed)\b"
)
_STATE: Final = re.compile(
    r"(?:in|on|at|under|with) [^A-Z\d]+"
    r"|(?:wrong|(?:in)?correct|right|true|broken|down|obvious|clear|secret|private|different|unknown|important|easy|hard|boring|useless|stressful|late|early|awful|terrible|nice"
    r"|ok|okay|dirty|dead|slow|old|new|filthy|muddy|dusty|rusty|wet|cold|empty|flat|faulty|weak"
    r"|loud|noisy|ugly|cheap|expensive|safe|silly|busy|sick|ill|asleep|away|back|outside|inside"
    r"|stuck|stolen|sold(?: out)?|torn|shut|broke|bankrupt)"
    r"(?: (?:in|on|at|for|to|with|because|since|again|today)\b.*)?"
    r"|full(?: of .+)?|low(?: on .+)?"
)
"""What tells how something is, and not which one it is: "my address is wrong in your list"."""
_SECRET: Final = re.compile(r"\b(?:pin|cvv|cvc|card|account|security|access|key|token)\b")
"""Words of numbers that open something or pay for it. Who wants to have them stored says so."""
_NOT_A_NAME: Final = re.compile(
    r".*(?:ish|ese|ian|ean|man|can|ch|li|ni)|.*(?:Lead|Owner|Manager|Engineer|Developer|Head)"
    r"|Swiss|Thai|Greek|Jewish|Muslim|Catholic|Hindu|Sorry|\w+day|[A-Z]+"
)
"""Nationalities, roles and days; "I'm German" does not give a name."""
_SERVICES: Final = (
    r"(?:answer|reply|respond|use|write|give|call me|speak|keep|send|include|avoid|make|show"
    r"|explain|format|start|end|add|mention|suggest|recommend|ask|cite|convert|summari[sz]e)\b"
)
"""Verbs of wishes about answers."""
_HABITS: Final = r"(?:answer|reply|respond|use|call me|speak|keep|avoid|format|cite)\b"
"""Those of `_SERVICES` that, before "from now on", ask for a habit; "show me the trains from now
on" asks for one answer."""
_OF_ANSWERS: Final = (
    r"emojis?|bullet points?|lists|tables|headings|markdown|links|answers|replies|sentences|units"
)
"""What answers are made of; "from now on, no excuses" is no wish about them."""
_VAGUE: Final = re.compile(
    r"(?:it|this|that|these|those|to|when|how|if|not|you|my|your|him|her|them|the|being|much|enough"
    r"|something|anything|any|and|here|there|lunch|breakfast|dinner|before|after|at|with|\w+ing)\b",
    re.I,
)
"""Beginnings that name nothing, or only something at hand, so no lasting preference."""


_AT_HAND: Final = re.compile(
    rf"(?:(?:always|never|do not|don['’]t|from now on),? )*(?!keep|make){_SERVICES} "
    r"(?:(?:it|them)\b|(?:this|these|those)"
    r"(?= (?:again|as|at|for|from|if|in|on|to|unless|when|with)\b|$))",
    re.I,
)
"""An order about something that another sentence names: "never use it for food"."""


_NEGATED: Final = re.compile(
    r"(?P<who>I|[Ww]e|I['’]m|I am|[Mm]y [\w ]+? is) (?:(?:no longer|used to) (?P<what>.+?)"
    r"|(?:not|do not|don['’]t) (?P<other>.+?) any ?(?:more|longer))"
    r"(?:,? (?:(?:and|but|so) )?(?:I|we|my|now|since)\b.*|,? but (?:in|at|for) .*|, because .*)?"
)
"""A negated statement and what may follow it; without a comma, "because" may be what is negated."""


def plain_readings(turns: Sequence[Turn]) -> Readings:
    """What the user's messages state in plain forms; everything else is ignored."""
    found = [
        reading
        for place, turn in enumerate(turns)
        if turn.role == SPEAKER
        for reading in readings_of(place, turn)
    ]
    return Readings(found=in_order([*found, *endings_in(turns)]))


def endings_in(turns: Sequence[Turn]) -> list[Reading]:
    """What the user's messages say no longer holds; a model is not asked for it."""
    return [
        reading
        for place, turn in enumerate(turns)
        if turn.role == SPEAKER
        for reading in endings_of(place, turn)
    ]


def readings_of(place: int, turn: Turn) -> Iterator[Reading]:
    """What one message states, in order."""
    for clause, found in _statements(turn.content[:LONGEST]):
        for fields in found:
            span = Span(place, clause.start, clause.start + len(clause.text))
            kind = _kind_of(fields)
            how = {"change": clause.change, **fields}
            yield Reading(kind=kind, span=span, sure=clause.sure, ended=False, **how)


def _statements(content: str) -> Iterator[tuple[Clause, list[Stated]]]:
    """The clauses of a message, and what they state; one that is made of statements with commas
    between them is cut there."""
    for clause in stated(content):
        parts = [(part, _stated_in(part)) for part in parts_of(clause)]
        is_one = len(parts) > 1 and not all(fields for _, fields in parts)
        yield from [(clause, _stated_in(clause))] if is_one else parts


def endings_of(place: int, turn: Turn) -> Iterator[Reading]:
    """The facts that one message says no longer hold: those that a clause would state without its
    negation.

    A clause counts only if it ends with the value; who no longer lives in Bonn alone may be there.
    """
    for clause in stated(turn.content[:LONGEST], ended=True):
        found = _NEGATED.fullmatch(" ".join(clause.text.split()))
        if found is None or not clause.sure:
            continue
        positive = f"{found['who']} {found['what'] or found['other']}"
        match _stated_in(clause._replace(text=positive)):
            case [{"value": value} as fields] if positive.endswith(value):
                span = Span(place, clause.start, clause.start + len(clause.text))
                yield Reading(kind="factual", span=span, sure=True, ended=True, **fields)
            case _:
                pass


def _kind_of(fields: Stated) -> Kind:
    if "value" in fields:
        return "factual"
    return "preferential" if "topic" in fields else "continuity"


def _stated_in(clause: Clause) -> list[Stated]:
    """Everything that one clause states; [] if it matches no form."""
    words = " ".join(clause.text.split())
    for pattern, build in FORMS:
        found = pattern.fullmatch(words)
        if found is not None and (read := list(build(found))):
            return read
    return []


def _value(text: str) -> str:
    return uncommented(_TAIL.sub("", text.strip())).strip(" ,.;:!")


def _fact(found: re.Match[str], attribute: str, value: str) -> Stated:
    kin = re.sub(r"^our\b", "my", (found.groupdict().get("kin") or "").casefold())
    return {"subject": kin or ME, "attribute": attribute, "value": value}


def _facts(*attributes: str) -> "Builder":
    """A builder of one fact per attribute; attribute number n has its value in group "v<n>"."""

    def build(found: re.Match[str]) -> Iterator[Stated]:
        for number, attribute in enumerate(attributes):
            if value := _value(found.groupdict()[f"v{number}"] or ""):
                yield _fact(found, attribute, value)

    return build


def _introduced(found: re.Match[str]) -> Iterator[Stated]:
    """ "I'm Nadia"."""
    if not _NOT_A_NAME.fullmatch(found["value"]):
        yield _fact(found, "name", found["value"])


def _owned(found: re.Match[str]) -> Iterator[Stated]:
    """ "my … is (now) …", "my … has changed to …"."""
    said = _value(found["value"])
    value = re.sub(r"^(?:on|at|now) ", "", said)
    attribute = attribute_named(found["what"])
    if _SECRET.search(attribute):
        return
    named = bool(re.match(_NAME, re.sub(r"^(?:an?|the) ", "", value)))
    a_person = re.search(rf"\b(?:{_PEOPLE})$", attribute)
    if a_person:
        value = value.partition(",")[0]
    a_number = re.match(rf"(?:{_NUMBERS})\b", attribute)
    if len(value.split()) > 8 or (_NO_VALUE.match(value) and not named) or (a_person and not named):
        return
    if not a_number and not named and _STATE.fullmatch(said.partition(",")[0]):
        return
    if not a_number or re.search(r"\d", value):
        yield _fact(found, attribute, value)


def _note(found: re.Match[str]) -> Iterator[Stated]:
    """ "remember that the bins go out on Tuesday"."""
    what = found["what"].strip(" ,.:")
    if len(what.split()) >= 3 and not _VAGUE.match(re.sub(r"^(?:the|my) ", "", what)):
        yield {"text": what}


def _wish(found: re.Match[str]) -> Iterator[Stated]:
    """ "please always answer in German"."""
    order = re.sub(r"^please,? |,? please$", "", found[0], flags=re.I)
    if not _AT_HAND.match(order):
        yield {"text": order[:1].upper() + order[1:], "topic": topic_of(order)}


def _preferred(found: re.Match[str]) -> Iterator[Stated]:
    """ "for emails I prefer a formal tone", "I prefer coffee over tea"."""
    what, other, case = (found[name] or "" for name in ("what", "other", "case"))
    if _VAGUE.match(what):
        return
    scope, topic = (case or found["before"] or "").casefold(), topic_of(found[0])
    if not scope and not topic:
        scope = topic = (
            " or ".join(sorted((what, other))) if other else what.split()[-1]
        ).casefold()
    yield {"text": found[0], "scope": scope or ALWAYS, "topic": topic}


def _taste(scope: str) -> "Builder":
    """ "I don't eat gluten", "I hate mushrooms"; with `scope` "", the thing is the scope."""

    def build(found: re.Match[str]) -> Iterator[Stated]:
        what = _value(found["what"]).casefold()
        if what and not _VAGUE.match(what):
            yield {"text": _value(found[0]), "scope": scope or what, "topic": what}

    return build


def _address(found: re.Match[str]) -> Iterator[Stated]:
    """ "call me Bea"."""
    yield {"text": f"Call me {found['value']}", "topic": "form of address"}


Builder: TypeAlias = Callable[[re.Match[str]], Iterator[Stated]]
_DIETS: Final = r"(?i:vegan|vegetarian|gluten-free|lactose[- ]intolerant|co?eliac|diabetic)"
_ROLE: Final = r"(?: as an? (?P<v1>[\w -]+))?"
_CHANGED: Final = r"(?:has |have )?(?:changed|moved|gone (?:up|down)|went (?:up|down)|risen) to"
_TABLE: Final[Sequence[tuple[str, Builder]]] = (
    (rf"(?:[Mm]y name(?: is|['’]s)|{_AM} called) (?P<v0>{_NAME})", _facts("name")),
    (rf"{_KIN}(?:['’]s name is| is called) (?P<v0>{_NAME})", _facts("name")),
    (r"(?:I['’]m|I am) (?P<value>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?)", _introduced),
    (
        rf"{_WHO}(?:['’]ve| have)? ?(?:now |just )?(?:moved|relocated)(?: back)?"
        rf"(?: from {_PLACE})? to (?P<v0>{_PLACE}){_REST}",
        _facts("home"),
    ),
    (rf"{_WHO} (?:now |still )?lives? in (?P<v0>{_PLACE}){_REST}", _facts("home")),
    (
        rf"{_WHO} (?:now )?works? (?:at|for) (?P<v0>{_NAME}){_ROLE}(?: again| now)?"
        rf"(?:,? not (?:at |for )?{_NAME})?",
        _facts("employer", "job"),
    ),
    (rf"{_WHO} (?:now )?works? as an? (?P<v0>[\w -]+?)(?: (?:at|for|in) .*)?", _facts("job")),
    (
        rf"(?:{_AM}|{_KIN} is|I turned) (?P<v0>\d{{1,2}})(?: years old)?(?: last \w+| now)?",
        _facts("age"),
    ),
    (
        rf"I was born on (?P<v0>[\w .,]*?\d[\w .,]*?)(?: in (?P<v1>{_PLACE}))?",
        _facts("birthday", "birthplace"),
    ),
    (rf"I was born in (?P<v0>{_PLACE})", _facts("birthplace")),
    (rf"(?:{_AM}|{_KIN} is) (?:an? )?(?P<v0>{_DIETS})", _facts("diet")),
    (
        rf"(?:[Mm]y|[Oo]ur) (?P<what>(?i:(?:\w+ )?(?:{_OWNED})(?: for [\w ]+?)?))"
        rf"(?:['’]s| is| are|:| {_CHANGED}) (?:now )?(?P<value>.+)",
        _owned,
    ),
    (
        rf"(?:[Mm]y|[Oo]ur) (?P<what>(?i:(?:\w+ )?(?:{_PEOPLE})))"
        rf"(?:['’]s name is| is called) (?P<value>{_NAME})",
        _owned,
    ),
    (rf"(?P<what>(?:{_AM}|{_KIN} is) (?:\w+ly )?allergic to [\w ,]+)", _note),
    (
        r"(?i:(?:please,? )?(?:remember|don['’]?t forget|keep in mind)(?: that|:) ?"
        r"(?P<what>.+))",
        _note,
    ),
    (r"(?i:(?:please,? )?note that (?P<what>.*\b(?:I|my|we|our)\b.+))", _note),
    (
        r"(?:(?i:for|in|on) (?P<before>[\w ]+?),? )?I(?:['’]d)?(?: really| usually| generally)?"
        r" prefer (?P<what>[\w -]+?)(?: (?:over|to|rather than|instead of) (?P<other>[\w -]+?))?"
        r"(?: (?:for|on|when|during) (?P<case>[\w -]+))?",
        _preferred,
    ),
    (
        r"(?:I|[Ww]e) (?:do not|don['’]t|cannot|can['’]t|never) (?:eat|drink) (?P<what>[\w -]+)",
        _taste("food and drink"),
    ),
    (
        r"I (?:really |absolutely )?(?:hate|dislike|detest|can['’]t stand)"
        r" (?P<what>[\w-]+(?: [\w-]+){0,2})",
        _taste(""),
    ),
    (
        rf"(?i:please,? )?(?:[Yy]ou (?:can|may) )?[Cc]all me (?P<value>{_NAME})(?:, please)?",
        _address,
    ),
    (rf"(?i:(?:please,? )?(?:always|never) {_SERVICES}.+)", _wish),
    (
        rf"(?i:(?:from now on|in future),? (?:please )?(?:always |never )?{_SERVICES}.+)",
        _wish,
    ),
    (
        r"(?i:(?:from now on|in future),? (?:please )?(?:no(?: more)?|only|fewer) (?:[\w-]+ )?"
        rf"(?:{_OF_ANSWERS})(?:,? please)?)",
        _wish,
    ),
    (rf"(?i:(?:please,? )?{_HABITS}.+ from now on(?:,? please)?)", _wish),
    (rf"(?i:(?:please )?(?:don['’]?t|do not) ever {_SERVICES}.+)", _wish),
    (r"(?i:(?:please )?keep (?:your |the |all )?(?:answers|replies|responses)\b.+)", _wish),
)
FORMS: Final = tuple((re.compile(pattern), build) for pattern, build in _TABLE)
"""(form, builder); the first matching form that states something counts."""

_COMMON: Final = re.compile(
    r"the|a|an|and|or|but|of|to|in|on|at|for|with|from|is|are|was|i|i'm|my|we|you|it|this|that|not"
    r"|don't|do|have|has|be|please|me|our|your|what|how|when|as"
)


def in_another_language(turns: Sequence[Turn]) -> bool:
    """Whether the user's words do not look English: under 12 % are common English words."""
    said = " ".join(turn.content[:LONGEST] for turn in turns if turn.role == SPEAKER)
    words = [
        word.casefold().replace("’", "'") for word in re.findall(r"[^\W\d_]+(?:['’]\w+)?", said)
    ]
    unspaced = re.search("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]", said) is not None
    if len(words) < 8 and not unspaced:
        return False  # too few words to show their language
    return sum(_COMMON.fullmatch(word) is not None for word in words) < 0.12 * len(words)
