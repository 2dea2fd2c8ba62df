"""A message cut into clauses that its author states, in English.

Left out are code, quoted speech, questions, suppositions, what others say, and text that is handed
over to be worked on.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

LONGEST_SENTENCE: Final = 400
"""Characters. A longer sentence states no plain fact."""

_BLANK: Final = "\x00"
_LEFT_OUT: Final = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>.*$|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]", re.S | re.M
)
_STOP: Final = re.compile(r"(?<!\b[A-Z])(?<!\b(?:[DM]r|Ms|St))(?<!\bMrs)[.!?…]+(?=\s|$)|\n+|;")
_CUT: Final = re.compile(
    r",?\s(?:and|but|so|because)\s(?=(?:I|I['’]m|we|my|our|please|call)\b)"
    r"|,\s(?=(?:I|I['’]m|we|my|our)\b(?!\s(?:think|guess|believe|suppose)))|\s[-–—]\s",
)
_LEAD: Final = re.compile(
    r"^(?:(?:by the way|btw|just so you know|fyi|actually|sorry|oh|hi|hello|hey|well|ok|okay|also"
    r"|and|but|so|then|no|yes|anyway|in fact|correction|i meant?|oops|thanks|thank you|update"
    r"|i (?:think|guess|believe|suppose)|probably|apparently)\b(?: there)?\s*[,:!.–-]*\s*)+",
    re.I,
)
_NOT_STATED: Final = re.compile(
    r"""\?\W*$
    |^\W*(?:if|unless|suppose|supposing|imagine|pretend|assume|assuming|what\sif|let['’]?s|maybe
        |perhaps|in\scase|as\s(?:if|though))\b
    |\b(?:would|could|might|should)\b(?!\s(?:rather|prefer))
    |\b(?:if|wish|dreamt|dreamed|thinking|almost|nearly|used\sto|supposed\sto|going\sto|planning
        |hoping|want\sto|no\slonger|any\s?more|never\s(?:said|told|had|was|lived|worked))\b
    |^\W*(?:oh,?\s(?:sure|great|yeah|yes|right)|yeah,?\sright|sure,|of\scourse,)
    |\b(?:kidding|joking|joke|lol|haha|sarcasm)\b|(?:^|\s)/s\b
    |\b(?:he|she|they|someone|everyone|people|(?:my|our|the|a)\s[\w-]+(?:\s[\w-]+)?)\s
        (?:says?|said|tells?|told|thinks?|thought|claims?|believes?|asks?|asked|wants?|wrote)\b
    |\baccording\sto\b|\bin\sthe\s(?:novel|book|film|movie|song|story|play|game|article)\b""",
    re.I | re.X,
)
_CASE: Final = re.compile(r"\W*(?:when|whenever|if)\s+(?:I\s+ask|you\s+\w+)\b[^,]*,", re.I)
_TASK: Final = re.compile(
    r"^\W*(?:(?:can|could|would)\s+you\s+|please\s+|now\s+)*(?:translate|proofread|rewrite|rephrase"
    r"|paraphrase|summari[sz]e|correct|edit|improve|write|draft|compose|generate|invent|act\s+as"
    r"|analy[sz]e|explain|repeat)\b(?!\s+(?:all|your|every|code|replies|answers)\b)",
    re.I,
)


class Clause(NamedTuple):
    """A piece of a message that its author states."""

    text: str
    start: int
    """Of its first character in the message."""
    sentence: str
    """The sentence it stands in."""


def stated(content: str) -> Iterator[Clause]:
    """The clauses of a message that state something, in its order."""
    body = _LEFT_OUT.sub(lambda found: re.sub(r"[^\n]", _BLANK, found[0]), content)
    start = 0
    for stop in [*_STOP.finditer(body), None]:
        end = stop.end() if stop else len(body)
        sentence, begun = body[start:end], start
        start = end
        if _TASK.match(sentence):
            if ":" in sentence:
                return  # what follows is handed over to be worked on
        elif is_stated(sentence):
            yield from clauses(sentence, begun)


def is_stated(sentence: str) -> bool:
    """Whether the author says this of themselves, and means it."""
    if len(sentence.strip()) > LONGEST_SENTENCE or _BLANK in sentence:
        return False
    if for_a_case(sentence):
        return not sentence.rstrip().endswith("?")
    return not _NOT_STATED.search(sentence)


def for_a_case(sentence: str) -> bool:
    """Whether it is a wish for a case: "when I ask about recipes, use grams"."""
    return bool(_CASE.match(sentence))


def clauses(sentence: str, start: int) -> Iterator[Clause]:
    """What "and I …", "but my …" or a dash parts; without greetings in front."""
    cuts = [] if for_a_case(sentence) else list(_CUT.finditer(sentence))
    begins = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(sentence)]
    for begin, end in zip(begins, ends, strict=True):
        piece = sentence[begin:end]
        lead = len(piece) - len(piece.lstrip(" \t\n,.;:!-–—*•"))
        lead += len(piece[lead:]) - len(_LEAD.sub("", piece[lead:]))
        text = piece[lead:].strip(" \t\n,.;:!…-–—*•")
        if text:
            yield Clause(text, start + begin + lead, sentence)
