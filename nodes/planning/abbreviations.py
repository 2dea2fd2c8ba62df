"""Other spellings of a question's words: general abbreviations, and those a memory defines itself.

For the lexical leg of the question alone; the dense leg knows most of them by meaning. Identifiers
need nothing here: "SSL_MODE", "sslMode" and "ssl-mode" have the same terms
(`stores/catalog/analysis.py`).
"""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from secondhop.nodes.selection.visibility import Hidden, visible
from secondhop.nodes.services import Services
from secondhop.stores.records import PassageHit

GROUPS: Final[tuple[tuple[str, ...], ...]] = (
    ("config", "configuration"),
    ("db", "database"),
    ("repo", "repository"),
    ("env", "environment"),
    ("k8s", "kubernetes"),
    ("postgres", "postgresql"),
    ("js", "javascript"),
    ("impl", "implementation"),
    ("param", "parameter"),
    ("spec", "specification"),
    ("admin", "administrator"),
    ("pwd", "password"),
    ("msg", "message"),
    ("acct", "account"),
    ("dept", "department"),
    ("mgmt", "management"),
    ("mtg", "meeting"),
    ("govt", "government"),
    ("info", "information"),
    ("appt", "appointment"),
    ("rx", "prescription"),
    ("meds", "medication"),
    ("bp", "blood pressure"),
    ("gp", "general practitioner"),
    ("physio", "physiotherapy"),
    ("lab", "laboratory"),
    ("uni", "university"),
    ("math", "maths", "mathematics"),
    ("cv", "resume", "curriculum vitae"),
    ("bday", "birthday"),
    ("xmas", "christmas"),
    ("mum", "mom", "mother"),
    ("dad", "father"),
    ("fridge", "refrigerator"),
    ("bike", "bicycle"),
    ("tv", "television"),
    ("photo", "photograph"),
)
"""Spellings of one thing. Few, and none that often means something else ("app", "doc", "temp")."""

VARIANTS = 3
"""Other wordings of a question that are searched for."""

READ = 24
"""Passages that are read for definitions, a search."""

_SHORT = re.compile(r"[A-Z][A-Za-z0-9&]*[A-Z0-9]s?")
_DEFINED = re.compile(r"\(([A-Z][A-Za-z0-9&]{1,9})\)")
_WORD = re.compile(r"[^\W_]+")


async def spelt_leg(
    text: str, *, services: Services, depth: int, hidden: Hidden
) -> tuple[list[PassageHit], dict[str, str]]:
    """The passages that hold the question's words in one of their spellings, and what is hidden.

    Every spelling is a search of its own, and a passage has the best of its scores: a spelling that
    the memory does not know takes nothing from the others.
    """
    worded = partial(words_found, services=services, depth=depth, hidden=hidden)
    hits, unseen = await worded(text)
    pairs = await defined_here(text, hits, services=services, hidden=hidden)
    best = {hit.passage_id: hit for hit in hits}
    for variant in spellings(text, [*pairs, *GROUPS]):
        more, unheard = await worded(variant)
        unseen |= unheard
        for hit in more:
            known = best.get(hit.passage_id)
            if known is None or hit.score > known.score:
                best[hit.passage_id] = hit
    ordered = sorted(best.values(), key=lambda hit: (-hit.score, hit.passage_id))
    return ordered[:depth], unseen


async def words_found(
    words: str, *, services: Services, depth: int, hidden: Hidden
) -> tuple[list[PassageHit], dict[str, str]]:
    """The passages that hold these words, and what is hidden."""

    async def search(k: int) -> list[PassageHit]:
        return await services.search.lexical(words, k=k)

    return await visible(search, k=depth, hidden=hidden)


async def defined_here(
    text: str, hits: Sequence[PassageHit], *, services: Services, hidden: Hidden
) -> list[tuple[str, str]]:
    """(short, long) of the definitions in what the question's words and its abbreviations find."""
    wanted = [hit.passage_id for hit in hits[:READ]]
    for short in dict.fromkeys(_SHORT.findall(text)):
        found, _ = await words_found(short, services=services, depth=READ, hidden=hidden)
        wanted += [hit.passage_id for hit in found]
    passages = await services.reader.passages(list(dict.fromkeys(wanted)))
    found_in = (definitions(passages[one].text) for one in wanted if one in passages)
    return list(dict.fromkeys(pair for pairs in found_in for pair in pairs))


def spellings(text: str, groups: Iterable[Sequence[str]]) -> list[str]:
    """The text with one word or phrase spelt otherwise, at most VARIANTS times; whole words only.

    >>> spellings("Where is the DB config?", [("db", "database")])
    ['Where is the database config?']
    """
    found: dict[str, None] = {}
    for group in groups:
        for spelling in group:
            pattern = re.compile(rf"(?<![\w-]){re.escape(spelling)}s?(?![\w-])", re.I)
            if not pattern.search(text):
                continue
            for other in group:
                if other != spelling and not re.search(rf"\b{re.escape(other)}", text, re.I):
                    found[other.join(pattern.split(text))] = None
    return list(found)[:VARIANTS]


def definitions(text: str) -> list[tuple[str, str]]:
    """(short, long) wherever a text says "occupational therapist (OT)".

    >>> definitions("Saw the occupational therapist (OT) on Monday")
    [('OT', 'occupational therapist')]

    Source: Schwartz & Hearst, PSB 2003, pp. 451-462.
    """
    pairs: list[tuple[str, str]] = []
    for match in _DEFINED.finditer(text):
        short = match[1]
        before = re.split(r"[.;:!?\n(]", text[: match.start()])[-1].rstrip()
        long = longest_form(short, before)
        if long is not None:
            pairs.append((short, long))
    return pairs


def longest_form(short: str, before: str) -> str | None:
    """The last words of `before` that `short` abbreviates, or None.

    Every letter of the short form stands in the long one, in order, and the first one begins a
    word; the long form has at most min(letters + 5, 2 * letters) words.
    """
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    folded, at = before.casefold(), len(before)
    for number, letter in reversed(list(enumerate(letters))):
        at = folded.rfind(letter, 0, at)
        while number == 0 and at > 0 and folded[at - 1].isalnum():
            at = folded.rfind(letter, 0, at)
        if at < 0:
            return None
    long = before[at:].strip()
    words = len(_WORD.findall(long))
    fits = words <= min(len(letters) + 5, 2 * len(letters)) and len(long) > len(short)
    return long if fits and words > 1 else None
