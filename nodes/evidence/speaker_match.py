"""Compares who speaks in a passage with whose words the question asks for.

In a talk between two friends, a question about one of them is answered by what that one said. In a
talk with an assistant, the facts about the person are in the person's own turns; the assistant's
long replies only repeat them. That does not hold if the question is about the replies.
"""

import re
from collections import Counter
from collections.abc import Sequence

from secondhop.stores.records import Passage

OWN_TURNS = 0.5
"""Gain of a passage with only the person's own turns, in a talk with an assistant."""

NAMED_SPEAKER = 0.4
"""Gain of a passage with only the turns of the speaker whom the question names."""

TELLING_PASSAGES = 5
"""A label in fewer passages than this may be a heading, so it does not count as a speaker."""

PERSON = "User"
"""The label of the person's turns (`secondhop.ingest.chunk`)."""

SPEAKER = r"[^\s:#>|`*-][^:\n]{0,39}"
"""Regular expression of the label before the colon of a turn."""

_LABEL = re.compile(rf"(?:\A|\n\n)({SPEAKER}):(?=\s)")

_ABOUT_REPLIES = re.compile(
    r"\b(did|have|had|were) you\b|\bassistant\b"
    r"|\byou(['’]ve| have)? (said|told|suggested|recommended|advised|gave|given|explained|"
    r"mentioned|wrote|showed|listed|proposed|provided)\b"
    r"|\byour (answer|advice|suggestions?|recommendations?|reply|explanation)\b",
    re.I,
)


def voice_factors(passages: Sequence[Passage], question: str) -> dict[str, float]:
    """{passage id: factor on its score}; 1.0 if none of its speakers gains. A passage without
    speakers is in the person's own words."""
    shares = {passage.passage_id: speaker_shares(passage.text) for passage in passages}
    spoken = Counter(label for own in shares.values() for label in own)
    gains = {} if _ABOUT_REPLIES.search(question) else {PERSON: OWN_TURNS}
    named = [one for one in spoken if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", question)]
    if len(named) == 1 and spoken[named[0]] >= TELLING_PASSAGES:
        gains[named[0]] = NAMED_SPEAKER
    return {
        passage_id: 1.0 + sum(gains.get(label, 0.0) * share for label, share in heard.items())
        for passage_id, own in shares.items()
        for heard in [own or {PERSON: 1.0}]
    }


def speaker_shares(text: str) -> dict[str, float]:
    """{speaker: share of the characters}; {} if no paragraph begins with a label.

    >>> speaker_shares("Ann: Tea?")
    {'Ann': 1.0}
    """
    found = list(_LABEL.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    shares: dict[str, float] = {}
    for match, end in zip(found, ends, strict=False):  # without labels, `ends` still has one item
        shares[match[1]] = shares.get(match[1], 0.0) + (end - match.start()) / len(text)
    return shares
