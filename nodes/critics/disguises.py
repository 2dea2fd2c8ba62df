"""The ways in which a text may be read: what a model sees through, a filter must see through.

A reading is plain lower-case text without accents. None is ever shown: readings are looked at for
orders alone (`order_signs.py`). Whole texts in another code are `ciphers.py`'s.
"""

import html
import re
import unicodedata
from codecs import encode
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import unquote

Way: TypeAlias = Callable[[str, str], str]
"""(a text, the same folded and in Latin letters) → what it may be read as."""

HIDDEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Signs that nobody sees, for a character class."""

_HIDDEN_SIGN: Final = re.compile(f"[{HIDDEN}]")

_LOOKALIKES: Final = str.maketrans(
    "авекмнорстухѕіјһԁԛԝօոսαβεηικμνορτυχωγϲϳɑɡᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢı",
    "abekmhopctyxsijhdqwonuabenikuvoptuxwycjagabcdefghijklmnoprstuvwyzi",
)
"""Letters that look like Latin ones. Source: Unicode Technical Standard 39, confusables."""

_TURNED: Final = str.maketrans("ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ", "acefghijkmrtvwy")
"""Letters that look like Latin ones upside down; such a text runs backwards, too."""

_UPSIDE_DOWN: Final = str.maketrans("bdpqnu", "qpdbun")


class _Unmarked(dict[int, int | str | None]):
    """For `str.translate`: variants as plain letters, marks as nothing; filled as signs come."""

    def __missing__(self, code: int) -> int | None:
        mark = unicodedata.category(chr(code)) in {"Mn", "Me", "Cf"}
        self[code] = None if mark else code
        return None if mark else code


_VARIANTS: Final = str.maketrans(
    {"đ": "d", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "ħ": "h", "ة": "ه", "ى": "ي"}
    | {0x1F150 + n: chr(ord("a") + n) for n in range(26)}
    | {0x1F170 + n: chr(ord("a") + n) for n in range(26)}
    | {0x1F1E6 + n: chr(ord("a") + n) for n in range(26)}
)
"""What NFKC leaves apart: barred letters, endings of Arabic words, letters in boxes."""

_UNMARKED: Final = _Unmarked(_VARIANTS)

_LEET: Final = str.maketrans("013457$@!|8", "oieastsaiib")
_IN_WORD_SIGNS: Final = re.compile(r"(?<=\w)[*_~`|]{1,8}(?=\w)")
_MARKS: Final = re.compile(r"[*_~`|]{1,8}")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONG_WORD: Final = re.compile(r"[^\W_]{12,400}")
_KNOWN: Final = re.compile(
    r"(?:whoever|you|who|rank|rate|judge|vote|these|this|memor(?:y|ies)|note|entry|must|put|hot|first"
    r"|place|most|relevant|ignore|others?)"
)
_DIGIT_WORD: Final = re.compile(r"[a-z][013457$@!|8][a-z013457$@!|8]|\b[0134578][a-z]{2}")
_ESCAPES: Final = re.compile(r"&#?\w{2,8};|%[0-9A-Fa-f]{2}|\\[ux]\{?[0-9A-Fa-f]{2}")
_UNICODE_ESCAPE: Final = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{2,5})\})"
)
_PIG_WORD: Final = re.compile(r"\b[a-z]{2,20}ay\b")
_WORD: Final = re.compile(r"[a-z]{3,20}")
_NO_LETTERS: Final = {code: " " for code in range(128) if not chr(code).isalpha()}
_TURNED_SIGN: Final = re.compile("[ǝɟɥɯɹʇʌʍʎ]")

_TELLING: Final = (
    "you who rank rate judge these this memory memories must vote first place note notes"
    " always others most model whoever important choose select everything"
)
"""Words of which one is in most English orders, and which mean nothing backwards or in rot13."""

_SEEN_THROUGH: Final = (
    f"{_TELLING} hot put judges entry ignore other relevant assistant reads before above text"
    " record document question answer score highest"
)

_BACKWARDS: Final = frozenset(word[::-1] for word in _TELLING.split())
_ROT13: Final = frozenset(encode(word, "rot13") for word in _TELLING.split())
_MIRROR: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")
_ATBASH: Final = frozenset(word.translate(_MIRROR) for word in _TELLING.split())
_ROT47: Final = str.maketrans({33 + n: 33 + (n + 47) % 94 for n in range(94)})
_ROT47_SIGNS: Final = re.compile(r"[?@:<>=F]{1,3}[A-Z0-9?@:<>=]{1,8} [A-Z0-9?@:<>=F]{2}")

_MISSPELT: Final = {word[0] + "".join(sorted(word[1:])): word for word in _SEEN_THROUGH.split()}
"""Words of orders by their first letter and the rest in order: letters may change places inside."""


def fold(text: str) -> str:
    """Lower case, compatible forms as plain letters, no accents, vowel points or unseen signs.

    >>> fold("Ｖote THÍS n\\u200bote")
    'vote this note'
    """
    if text.isascii():
        return text.lower()
    seen = _HIDDEN_SIGN.sub("", text)
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", seen).casefold())
    return unicodedata.normalize("NFC", apart.translate(_UNMARKED))


def readings(text: str, ways: Sequence[Way] | None = None) -> Iterator[str]:
    """A text folded, then everything else that it may be read as; disguises may be combined.

    Args:
        ways: as `ways_to_read` found them for a longer text; default: for this one.

    >>> list(readings("r4nk 7h15 f1r57"))[-1], list(readings("gur abgr"))[-1]
    ('rank this first', 'the note')
    """
    folded = fold(text)
    yield folded
    ways = ways_to_read(text) if ways is None else ways
    if not ways:
        return
    latin = folded if folded.isascii() else folded.translate(_LOOKALIKES)
    told = {folded, ""}
    for way in ways:
        reading = way(text, latin)
        if reading not in told:
            told.add(reading)
            yield reading


def ways_to_read(text: str) -> tuple[Way, ...]:
    """The ways to read a text that its words and signs give reason to."""
    latin = fold(text)
    latin = latin if latin.isascii() else latin.translate(_LOOKALIKES)
    seen = set(latin.translate(_NO_LETTERS).split())
    marked = any(sign in latin for sign in "*_~`|")
    pig = sum(word.endswith("ay") for word in seen) * 3 > len(seen)
    ways: tuple[tuple[object, Way], ...] = (
        (not text.isascii(), _look_alike),
        (_ESCAPES.search(text), _unescaped),
        (marked and _IN_WORD_SIGNS.search(latin), _without_signs),
        (any(map(_runs_on, _LONG_WORD.findall(latin))), _words_apart),
        (_DIGIT_WORD.search(latin), _from_leet),
        (_BACKWARDS & seen, _backwards),
        (_ROT13 & seen, _from_rot13),
        (_ATBASH & seen, _from_atbash),
        (_ROT47_SIGNS.search(text), _from_rot47),
        (_TURNED_SIGN.search(text), _from_upside_down),
        (pig, _from_pig_latin),
        (any(_mended_word(word) != word for word in seen), _mended),
    )
    return tuple(way for reason, way in ways if reason)


def _runs_on(word: str) -> bool:
    """Whether a long word is a sentence without spaces."""
    return len(_KNOWN.findall(word.translate(_LEET))) >= 3


def _look_alike(_text: str, latin: str) -> str:
    return latin


def _unescaped(text: str, _latin: str) -> str:
    """HTML entities, percent signs and escapes of programs as the letters that they stand for."""
    plain = unquote(html.unescape(text))
    return fold(
        _UNICODE_ESCAPE.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), plain)
    )


def _without_signs(_text: str, latin: str) -> str:
    return _MARKS.sub("", latin)


def _words_apart(text: str, latin: str) -> str:
    """Words that were run together: at capital letters, else at words of orders."""
    if _CAMEL.search(text):
        return fold(_CAMEL.sub(" ", text))
    return " ".join(_KNOWN.sub(r" \g<0> ", latin.translate(_LEET)).split())


def _from_leet(_text: str, latin: str) -> str:
    return latin.translate(_LEET)


def _backwards(_text: str, latin: str) -> str:
    return latin[::-1]


def _from_rot13(_text: str, latin: str) -> str:
    return encode(latin, "rot13")


def _from_atbash(_text: str, latin: str) -> str:
    return latin.translate(_MIRROR)


def _from_rot47(text: str, _latin: str) -> str:
    return fold(text.translate(_ROT47))


def _from_upside_down(text: str, _latin: str) -> str:
    return fold(text).translate(_UPSIDE_DOWN).translate(_TURNED).translate(_LOOKALIKES)[::-1]


def _from_pig_latin(_text: str, latin: str) -> str:
    return _PIG_WORD.sub(lambda found: found[0][-3] + found[0][:-3], latin)


def _mended(_text: str, latin: str) -> str:
    return _WORD.sub(lambda found: _mended_word(found[0]), latin)


@lru_cache(maxsize=20_000)
def _mended_word(word: str) -> str:
    return _MISSPELT.get(word[0] + "".join(sorted(word[1:])), word) if len(word) > 2 else word
