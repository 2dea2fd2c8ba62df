"""Turns text of any script into terms for lexical search; identifiers count whole and in parts.

Documents and queries pass through the same steps, so that a term of a query equals the term of a
document. The terms are plain strings of letters, digits and combining marks.
"""

import re
import sys
import threading
import unicodedata
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import chain
from typing import Any, NamedTuple

import snowballstemmer

_LONGEST_TERM = 64
_CONNECTORS = r"\-=./:@'’"
# scripts written without spaces between words: they are indexed as pairs of characters
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"([{_UNSPACED}]+)")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_ASCII_CHAIN = re.compile(rf"\w+(?:[{_CONNECTORS}]\w+)*")
_SEPARATORS = re.compile(rf"['’]s$|[_{_CONNECTORS}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# accents and vowel points that people may leave out; the vowel signs of Indic scripts stay
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_UNACCENTED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ـ": ""}
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")

_ENGLISH_STOP_WORDS = """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could d did do does doing don down during each few for from further had
    has have having he her here hers him his how i if in into is it its just ll m me more most my no
    nor not now of off on once only or other our ours out over own re s same she should so some such
    t than that the their theirs them then there these they this those through to too under until
    up ve very was we were what when where which while who whom why will with would you your yours
"""
STOP_WORDS = frozenset(_ENGLISH_STOP_WORDS.split())
"""English words that say nothing about a topic; left out of queries, kept in documents."""


class QueryTerms(NamedTuple):
    """The terms of a query, each once."""

    words: tuple[str, ...]
    """All of these count: a document that lacks one is a worse match."""
    joined: tuple[str, ...]
    """Identifiers in one piece ("sslmodeverifyfull"); counted only if the store knows them."""


class _Piece(NamedTuple):
    word: str
    """Folded, not stemmed."""
    term: str
    joined: bool


RULES = 2
"""The version of these rules. Add 1 when they yield other terms for some text: stores then analyse
their texts again. `tests/stores/test_analysis.py` checks this."""


@cache
def analyzer_id() -> str:
    """Identifies these rules and the stemmer's release; it changes if terms may change."""
    return f"{RULES}+snowball-{version('snowballstemmer')}"


def document_terms(text: str) -> list[str]:
    """The terms of a document, repeated as often as they occur.

    Besides the pairs, every Han character is a term, because a query may be a single character.
    """
    terms = list(chain.from_iterable(map(_terms, _chains(text))))
    if text.isascii():
        return terms
    characters = _HAN.findall(unicodedata.normalize("NFKC", text))
    return [term for term in terms if not _HAN.fullmatch(term)] + characters


def query_terms(text: str) -> QueryTerms:
    """The distinct terms of a query, without stop words unless it contains nothing else."""
    pieces = [piece for linked in _chains(text) for piece in _pieces(linked)]
    telling = [piece for piece in pieces if piece.word not in STOP_WORDS] or pieces
    words = dict.fromkeys(piece.term for piece in telling if not piece.joined)
    joined = dict.fromkeys(piece.term for piece in telling if piece.joined)
    return QueryTerms(tuple(words), tuple(term for term in joined if term not in words))


def _chains(text: str) -> list[str]:
    """The words of a text; words that connectors link stay in one piece."""
    if text.isascii():
        return _ASCII_CHAIN.findall(text)
    return _chain_pattern().findall(_INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))


@cache
def _chain_pattern() -> re.Pattern[str]:
    # Python's \w leaves out combining marks, so Hindi or Tamil words would break at every vowel.
    # Marks beyond U+FFFF get a class of their own: `re` searches such a class one by one.
    codes = range(0x300, sys.maxunicode + 1)
    marks = [chr(code) for code in codes if unicodedata.category(chr(code))[0] == "M"]
    near = "".join(mark for mark in marks if mark <= "\uffff")
    far = "".join(mark for mark in marks if mark > "\uffff")
    word = rf"(?:\w+[{near}]*|[{near}]+|(?=[\U00010000-\U0010ffff])[{far}]+)+"
    return re.compile(rf"{word}(?:[{_CONNECTORS}]{word})*")


def _terms(linked: str) -> tuple[str, ...]:
    return _cached_terms(linked) if len(linked) <= _LONGEST_TERM else _uncached_terms(linked)


def _uncached_terms(linked: str) -> tuple[str, ...]:
    return tuple(piece.term for piece in _pieces(linked))


_cached_terms = lru_cache(maxsize=65_536)(_uncached_terms)


def _pieces(linked: str) -> tuple[_Piece, ...]:
    """The joined identifier, if there are parts to join, and then the parts."""
    if linked.isascii() and linked.isalnum() and not _CAMEL.search(linked):
        word = linked.lower()
        return (_Piece(word, _stem(word), False),)
    parts: list[_Piece] = []
    joinable: list[str] = []
    for rough in _SEPARATORS.split(linked):
        for index, run in enumerate(_UNSPACED_RUN.split(rough)):
            if index % 2:
                parts += [_Piece(pair, pair, False) for pair in _pairs(run)]
                continue
            words = [fold(word) for word in _CAMEL.split(run)]
            joinable += words
            parts += [_Piece(word, _stem(word), False) for word in words if word]
    joinable = [word for word in joinable if word]
    whole = "".join(joinable)
    if len(joinable) > 1 and len(whole) <= _LONGEST_TERM:
        parts.insert(0, _Piece(whole, _stem(whole), True))
    return tuple(parts)


def _pairs(run: str) -> list[str]:
    folded = fold(run)
    if len(folded) == 1:
        return [folded]
    return [folded[start : start + 2] for start in range(len(folded) - 1)]


def fold(word: str) -> str:
    """The word without case, accents and vowel points, so that its spellings become equal."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFD", word.casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed)).translate(_UNACCENTED)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if len(word) > _LONGEST_TERM:
        return word[:_LONGEST_TERM]
    return _english.stem(word) if word.isascii() and word.isalpha() else word


class _English(threading.local):
    """One stemmer per thread, because a stemmer keeps the word that it works on in itself."""

    def __init__(self) -> None:
        self._stemmer: Any = snowballstemmer.EnglishStemmer()

    def stem(self, word: str) -> str:
        return str(self._stemmer.stemWord(word))


_english = _English()
