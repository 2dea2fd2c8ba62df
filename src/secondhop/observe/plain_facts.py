"""Plain forms in which people state facts about themselves and theirs. English.

Every form matches a whole clause, so that what it does not understand makes it silent.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from secondhop.observe.plain_values import (
    ADVERB,
    AM,
    CHANGED,
    HAVE,
    KIN,
    ME,
    NO_VALUE,
    OPINION,
    PLACE,
    STRONG,
    WHAT,
    WHEN_TAIL,
    WHO,
    Form,
    Stated,
    cased,
    fact,
    form,
    note,
    of_whom,
    value_of,
    without_article,
)
from secondhop.observe.plain_words import (
    BURDENS,
    CONDITIONS,
    DIETS,
    EVENTS,
    INSTITUTION,
    JOB,
    NO_ATTRIBUTE,
    NUMBERED,
    ONE_VALUE,
    PERSONS,
    THINGS,
    TOOLS,
    attribute_named,
    attribute_words,
)

_REST: Final = r"(?:\b.*)?"
_HOUSING: Final = (
    r"(?:flat|house|apartment|village|town|city|room|studio|suburb|farm|cottage|place|district)"
)
_WORKS_AS: Final = form(
    rf"(?:I|(?P<kin>{KIN})) {ADVERB}works? {ADVERB}as (?P<job>an?\s+.+|[\w\s-]+)"
)


def place(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "we moved to Trier", "my sister lives in Oslo"."""
    where = WHEN_TAIL.sub("", value_of(found["where"]))
    if not TOOLS.search(where) and not re.search(r"['’]s?$", where):
        yield from fact(of_whom(found), "home", where)


def employer(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "I work for Siemens as a project lead"."""
    where, _, job = found["where"].partition(" as ")
    where = WHEN_TAIL.sub("", value_of(where))
    if is_employer(where):
        yield from fact(of_whom(found), "employer", where)
    if job and (re.match(r"an?\s", job) or JOB.fullmatch(job)):
        yield from fact(of_whom(found), "job", without_article(job))


def job(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "I'm a carpenter", "I work as a nurse at St. Mary's"."""
    told = value_of(found["job"])
    bare = re.match(r"(?P<what>.+?)(?:\s+(?P<at>at|for|in|with|and)\s+(?P<where>.+))?$", told)
    what = bare["what"] if bare else told
    if not (JOB.fullmatch(what) or (found.re is _WORKS_AS and re.match(r"an?\s", what))):
        return
    yield from fact(of_whom(found), "job", without_article(what))
    learns = re.search(r"\b(?:student|pupil)$", what)
    if bare and bare["at"] in ("at", "for") and not learns and is_employer(bare["where"]):
        yield from fact(of_whom(found), "employer", bare["where"])


def is_employer(where: str) -> bool:
    """A name, or "the city council"."""
    return bool(re.match(r"[A-ZÀ-Þ]", where) or (where[:4] == "the " and INSTITUTION.search(where)))


def age(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "I turned 52"."""
    if 0 < int(found["age"]) < 120:
        yield from fact(of_whom(found), "age", found["age"])


def diet(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "I'm a vegetarian"."""
    if found["diet"].casefold() in DIETS:
        yield from fact(of_whom(found), "diet", found["diet"])


def condition(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "I'm allergic to peanuts": there may be several, so that none replaces another."""
    if CONDITIONS.fullmatch(value_of(found["what"])):
        yield from note(clause)


def born(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "I was born on 2 March 1979 in Split"."""
    if found["day"]:
        yield from fact(of_whom(found), "birthday", found["day"])
    if found["place"]:
        yield from fact(of_whom(found), "birthplace", found["place"])


def named(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "my son is called Theo"."""
    if found["name"][:1].isupper():
        yield from fact(of_whom(found), "name", found["name"])


def owned(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "my … is (now) …", "my … has changed to …"."""
    what, value = found["what"], found["value"]
    subject, attribute = ME, attribute_named(what)
    if whose := re.fullmatch(r"(?P<who>.+?)['’]s\s+(?P<what>.+)", what):
        subject, attribute = f"my {whose['who']}", attribute_named(whose["what"])
    if attribute == "phone number" and not re.search(r"\d\D?\d\D?\d", value):
        attribute = attribute_words(what)
    changed = (found.groupdict().get("changed") or "").casefold()
    if changed in ("called", "named") and subject == ME and attribute != "employer":
        subject, attribute = f"my {attribute}", "name"
    if head_of(attribute) in PERSONS and subject == ME:
        yield from of_person(attribute, value)
    elif may_have(attribute, value, changed=bool(changed)):
        value = re.sub(r"^(?:on|at)\s+(?=.*\d)", "", value)
        if head_of(attribute) in NUMBERED:
            value = re.split(r",\s", value)[0]
        yield from fact(subject, attribute, without_article(value) if attribute == "job" else value)


def head_of(attribute: str) -> str:
    """ "deadline" of "deadline for the grant"."""
    return re.split(r"\s+(?:for|of|at|in|on|to|with)\s+", attribute)[0].split()[-1]


def of_person(who: str, value: str) -> Iterator[Stated]:
    """ "my daughter is 7"."""
    if years := re.fullmatch(r"(\d{1,3})(?:\s+years?(?:\s+old)?)?", value_of(value)):
        yield from fact(f"my {who}", "age", years[1])


def may_have(attribute: str, value: str, *, changed: bool) -> bool:
    """Whether an attribute may have this value, and be worth keeping."""
    head, told = head_of(attribute), value_of(value)
    others = set(attribute.split()) - {head}
    if head in NO_ATTRIBUTE or others & (PERSONS | BURDENS) or len(attribute.split()) > 6:
        return False
    bound = re.match(r"(?:in|at|on|from|by|with|for|under|near|behind)\s", value)
    if NO_VALUE.match(value) or (bound and not (head in EVENTS and re.search(r"\d", value))):
        return False
    if (told[:1].islower() and OPINION.match(told)) or (
        head in NUMBERED and not re.search(r"\d", told)
    ):
        return False
    if attribute == "job":
        return bool(JOB.fullmatch(without_article(told)))
    if attribute == "email" and "@" not in told:
        return False
    weak = not STRONG.search(told)
    too_long = len(told.split()) > (4 if attribute == "name" else 3)
    if re.match(r"[a-z]\w*ed\b", told) or (too_long and (weak or attribute == "name")):
        return False
    one = ONE_VALUE.search(attribute) or attribute.startswith("favourite ")
    return bool(one) or not weak or changed


def of_thing(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """ "the deadline for the grant has moved to 4 May"."""
    what, value, about = attribute_named(found["what"]), found["value"], found["about"]
    head = what.split()[-1]
    if head not in THINGS | EVENTS or NO_VALUE.match(value):
        return
    if not (re.search(r"\d|[\"“]", value) or head in THINGS):
        return
    value = re.sub(r"^(?:on|at)\s+(?=.*\d)", "", value)
    if about:
        yield from fact(about, what, value)
    elif found["changed"] or found["now"]:
        yield from fact(what, "date" if head in EVENTS else "value", value)


def whole(found: re.Match[str], clause: str) -> Iterator[Stated]:
    """The clause itself."""
    yield from note(clause)


FACTS: Final[Sequence[Form]] = (
    (
        cased(
            rf"{WHO}{HAVE}\s*{ADVERB}(?:moved|relocated)"
            rf"(?: house)?(?: back)?(?: with \w+)?(?: from {PLACE})? to"
            rf" (?P<where>{PLACE}){_REST}"
        ),
        place,
    ),
    (
        cased(
            rf"{WHO}{HAVE}\s*{ADVERB}(?:lives?|resides?|been living) {ADVERB}in "
            rf"(?:an? (?:\w+ ){{0,3}}{_HOUSING}"
            rf" (?:in|near|of|called) )?"
            rf"(?:central |downtown |north |south |east |west |the city of )?"
            rf"(?P<where>{PLACE}){_REST}"
        ),
        place,
    ),
    (
        cased(rf"(?:I['’]m|I am|[Ww]e['’]re|[Ww]e are) {ADVERB}based in (?P<where>{PLACE}){_REST}"),
        place,
    ),
    (_WORKS_AS, job),
    (
        form(
            rf"(?:I|(?P<kin>{KIN}))(?:['’]m| am| is)?{HAVE}\s*{ADVERB}"
            r"(?:works?|working|started working|started a (?:new )?job|started"
            r"|got a (?:new )?job|accepted (?:a job|an offer)|joined) "
            r"(?:at|for|from)? ?(?P<where>(?!with\b|me\b|my).+)"
        ),
        employer,
    ),
    (form(rf"{AM}(?P<job>an? .+)"), job),
    (
        form(
            rf"(?:(?:I|(?P<kin>{KIN}))(?:['’]ve| have)? ?(?:just )?turned) (?P<age>\d{{1,3}})"
            r"(?: (?:today|yesterday|years|last|this|in|on)\b.*)?"
        ),
        age,
    ),
    (form(rf"{AM}(?P<age>\d{{1,3}})(?: years? old)?"), age),
    (form(rf"{AM}(?:an? )?(?P<diet>[\w-]+)"), diet),
    (form(rf"{AM}(?P<what>.+)"), condition),
    (
        cased(
            rf"(?:I|(?P<kin>[Mm]y \w+)) was born"
            rf"(?: on (?P<day>(?:the )?[\w.]+(?: of)? [\w.]+,?(?: \d{{4}})?))?"
            rf"(?: in (?P<place>(?!\d){PLACE}))?"
        ),
        born,
    ),
    (
        form(
            r"I(?:['’]ve(?: got)?| have(?: got)?) (?:an?|one|two|three|four|five|six|\d|some|no) "
            r"(?:\w+ )?(?:sons?|daughters?|child(?:ren)?|kids?|dogs?|cats?|brothers?|sisters?"
            r"|siblings|twins|grandchild(?:ren)?|horses?|rabbits?|step\w+)\b.*"
        ),
        whole,
    ),
    (
        form(rf"(?P<kin>{KIN})(?: is|['’]s) (?:now )?(?:called|named) (?P<name>.+)"),
        named,
    ),
    (
        form(
            r"(?:we|I)(?:['’]ve| have)? ?(?:just |now |finally |recently )*"
            r"(?:switched|migrated|moved|changed) from \w.* to \w.*"
        ),
        whole,
    ),
    (
        form(
            rf"(?:my|our) (?P<what>{WHAT})(?:['’]s| is| are|:) "
            r"(?:(?P<changed>now|called|named)\s+)?(?P<value>.+)"
        ),
        owned,
    ),
    (form(rf"(?:my|our) (?P<what>{WHAT}) (?P<changed>{CHANGED}) (?P<value>.+)"), owned),
    (
        form(
            r"the (?P<what>[\w'’-]+(?: [\w'’-]+){0,2}?)"
            r"(?: (?:for|of|at|in|on) (?P<about>(?:the|our|my) [\w'’ -]+?))? "
            rf"(?:(?P<changed>{CHANGED})|is|are) (?:(?P<now>now) )?(?P<value>.+)"
        ),
        of_thing,
    ),
)
"""The first that says something wins."""
