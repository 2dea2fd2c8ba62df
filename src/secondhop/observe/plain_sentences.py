"""A message cut into clauses that its author states: what is quoted, asked, imagined or mocked is
left out. English."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from secondhop.observe.plain_words import words_of

BLANK: Final = "\x00"
"""Stands for every character of a quote."""

_GAP: Final = re.compile(r"\s{100}")
"""In no sentence; forms that look for any space would take seconds for thousands of them."""

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.S | re.M)
_QUOTE: Final = re.compile(r'"[^"\n]*"|“[^”\n]*”|‘[^’\n]*’(?!\w)|«[^»\n]*»|„[^“”\n]*[“”]')
_NAMED: Final = re.compile(r"(?:\bis|\bare|\bcalled|\bnow|\bto|=)[ ]?$", re.I)
"""Before a quote that is itself the value: 'the password is "larch"'."""

_ABBREVIATED: Final = words_of(
    "dr mr mrs ms st prof no vs etc e.g i.e jr sr approx ca mt fr rev ave inc ltd co"
)
_STOP: Final = re.compile(r"[.!?…]+(?=[\s\"”')\]]|$)|\n+|;")
_WORD: Final = re.compile(r"\S")
_CUT: Final = re.compile(
    r",?\s+(?:and|but|so|because|since|though|although)\s+(?=(?:I|I'm|I’m|we|my|our|please|call)\b)"
    r"|,\s+(?=(?:I|I'm|I’m|we|my|our)\b(?!\s+(?:think|guess|believe|suppose|hope)))"
    r"|\s+[-–—]\s+|:\s+(?=(?:I|I'm|I’m|my|our|we|please|call)\b)",
)

_NOT_STATED: Final = re.compile(
    r"""\?["”')\]]*\s*$
    |^\W*(?:if|unless|suppose|supposing|imagine|pretend|assume|assuming|what\s+if|let'?s|let’s
        |say\s+I|maybe|perhaps|in\s+case|as\s+if|as\s+though|had\s+I|were\s+I)\b
    |\b(?:would|could|might|may\s+(?!call)|should)\s+(?!rather|prefer|like\s+you)
    |\b(?:as\s+if|as\s+though|what\s+if|even\s+if|only\s+if|if\s+(?:I|we|my))\b
    |\b(?:wish|dreamt|dreamed|dreaming|thinking\s+(?:of|about)|almost|nearly|used\s+to
        |supposed\s+to|going\s+to|planning|hoping|tempted|want\s+to|considering)\b
    |\b(?:no\s+longer|any\s?more|any\s+longer|never\s+(?:said|told|had|was|lived|worked))\b
    |^\W*(?:oh,?\s+(?:sure|great|yeah|yes|right|brilliant|wonderful|perfect|fantastic|lovely)
        |yeah,?\s+right|sure,|of\s+course,|as\s+if\b|how\s+lovely|just\s+what\s+I|because\s+of\s+course)
    |(?:^|\s)/s\b|\b(?:not!|just\s+kidding|kidding|joking|joke|lol|haha|irony|sarcasm)\b
    |🙄""",
    re.I | re.X,
)
_TOLD: Final = re.compile(
    r"""\b(?:he|she|they|who|someone|somebody|everyone|everybody|people|hero|narrator|character
        |(?:my|our|his|her|their|the|a)\s+[\w-]+(?:\s+[\w-]+)?)\s+
        (?:just\s+|always\s+|often\s+|once\s+|then\s+|also\s+|even\s+)?
        (?:says?|said|tells?|told|thinks?|thought|claims?|claimed|believes?|believed|asks?|asked
        |insists?|insisted|writes?|wrote|reads?|shouts?|shouted|suggests?|suggested|pretends?
        |joked?|jokes|dreamt|reckons?|reckoned|mentions?|mentioned|wants?|wanted|calls?)\b
    |\b(?:according\s+to|in\s+the\s+(?:novel|book|film|movie|song|story|play|poem|game|article))\b
    |\b(?:is|was)\s+what\s+(?:he|she|they)\b""",
    re.I | re.X,
)
_TASK: Final = re.compile(
    r"""^\W*(?:(?:can|could|would)\s+you\s+|please\s+|now\s+)*
    (?:translate|proofread|rewrite|rephrase|paraphrase|summari[sz]e|correct|edit|improve|complete
    |write|draft|compose|generate|invent|make\s+up|role-?play|act\s+as|continue|analy[sz]e|explain
    |read|repeat|spell)\b(?!\s+(?:all|your|every|everything|code|replies|answers)\b)""",
    re.I | re.X,
)
_CASE: Final = re.compile(
    r"\W*(?:when|whenever|if)(?:ever)?\s+(?:I\s+ask|you\s+(?:write|give|answer|reply|respond|suggest"
    r"|recommend|send|make|explain|draft|create|use|quote|show|list|mention|translate))\b.*,",
    re.I,
)
_ASKS: Final = re.compile(
    r",\s*(?:and\s+|so\s+|but\s+)?(?:can|could|would|will|do|does|did|how|what|which|where|when|who"
    r"|why|should|shall|is|are|any|may|might|have|has)\s[^,]*(?:,[^?]*)?\?[\"”’)\s]*$"
    r"|,?\s+(?:and|so|but)\s+(?:I['’]m|I\s+am|I\s+was)\s+wondering\b.*$"
    r"|,?\s+(?:and|so|but)\s+I(?:['’]d|\s+would|\s+want|\s+need|\s+wonder)\b.*$",
    re.I,
)
"""A question at the end of a sentence that states something before it."""

_HANDS_OVER: Final = re.compile(r":\s*$")


class Clause(NamedTuple):
    """A piece of a message that its author states."""

    text: str
    start: int
    """Of its first character in the message."""
    sentence: str
    """The sentence it stands in, quotes blanked out."""


def stated(content: str) -> Iterator[Clause]:
    """The clauses of a message that state something, in its order."""
    body = without_quotes(content)
    for start, end in sentences(body):
        sentence = body[start:end]
        if _GAP.search(sentence):
            continue
        if _TASK.search(sentence):
            if _HANDS_OVER.search(sentence) or ":" in sentence:
                return  # what follows is handed over to be worked on
            continue
        if not contextual(sentence):
            sentence = _ASKS.sub("", sentence)
        if is_stated(sentence):
            for at, piece in clauses(sentence):
                yield Clause(piece, start + at, sentence)


def is_stated(sentence: str) -> bool:
    """Whether somebody says this of themselves, and means it."""
    if contextual(sentence):
        return not sentence.rstrip().endswith("?")
    return not (_NOT_STATED.search(sentence) or _TOLD.search(sentence) or foreign(sentence))


def contextual(sentence: str) -> bool:
    """Whether it is an order for a case: "when I ask about recipes, use grams"."""
    return bool(_CASE.match(sentence))


def foreign(sentence: str) -> bool:
    """Whether it opens with somebody's quoted words."""
    return sentence.lstrip().startswith(BLANK)


def without_quotes(content: str) -> str:
    """The message with code, quoted lines and quoted speech blanked out, as long as before.

    Short quotes that are themselves a value stay. Quoted speech becomes BLANKs, not spaces, so that
    a sentence shows that it holds some.
    """

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    def unless_named(found: re.Match[str]) -> str:
        words = found[0][1:-1].split()
        if len(words) <= 3 and _NAMED.search(bare[max(0, found.start() - 12) : found.start()]):
            return found[0]
        return BLANK * len(found[0])

    bare = _FENCE.sub(blank, content)
    return _QUOTE.sub(unless_named, bare)


def sentences(body: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each sentence; full stops of abbreviations and initials end none."""
    start = past_space(body, 0)
    for stop in _STOP.finditer(body):
        word = body[start : stop.start()].rpartition(" ")[2].casefold().lstrip("(\"'")
        if stop[0] == "." and (word in _ABBREVIATED or (len(word) == 1 and word.isalpha())):
            continue
        if body[start : stop.end()].strip():
            yield start, stop.end()
        start = past_space(body, stop.end())
    if end := len(body[start:].rstrip()):
        yield start, start + end


def past_space(body: str, start: int) -> int:
    """Where the next word begins, or the end."""
    found = _WORD.search(body, start)
    return len(body) if found is None else found.start()


def clauses(sentence: str) -> Iterator[tuple[int, str]]:
    """(offset, clause): what "and I …", "but my …" or a dash parts."""
    if contextual(sentence):
        yield trimmed(0, sentence)
        return
    start = 0
    for cut in _CUT.finditer(sentence):
        yield trimmed(start, sentence[start : cut.start()])
        start = cut.end()
    yield trimmed(start, sentence[start:])


def trimmed(offset: int, text: str) -> tuple[int, str]:
    """Without space and stops at both ends, and where it then begins."""
    left = len(text) - len(text.lstrip(" \t\n,.;:!-–—*•"))
    return offset + left, text.strip(" \t\n,.;:!…-–—*•")
