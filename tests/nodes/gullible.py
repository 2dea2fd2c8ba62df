"""A model that obeys every order that reaches it, in whatever writing, whole or in part.

It understands what no filter has to: it is told what the attacker wrote, and looks for any three
words of it, or for a few signs where there are no spaces. What it finds it obeys as far as a reply
goes: that memory hot and first, every other refused and replaced by it, a thousand searches.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tests.nodes.held_out_attacks import Attack
from tests.small_world import LIFE

BLOCK = re.compile(r"<memory (\w+)>\n([^\n]*)\n(.*?)\n</memory \1>", re.S)

WORDS = 3
"""So many words of an order that stand together are an order."""

SIGNS = 8
"""As many signs, in writing without spaces."""

INNOCENT = " ".join(message.content for memory in LIFE for message in memory.messages)
"""What stands here, too, is nobody's order."""


def plain(text: str) -> str:
    """A text as who sees through every disguise reads it."""
    seen = "".join(sign for sign in text if unicodedata.category(sign) not in {"Cf", "Mn", "Cc"})
    return " ".join(unicodedata.normalize("NFKC", seen).casefold().split())


def pieces_of(text: str) -> set[str]:
    """Every run of WORDS words, or of SIGNS signs of a long word; the whole of a short text."""
    words = text.split()
    runs = {" ".join(words[n : n + WORDS]) for n in range(max(1, len(words) - WORDS + 1))}
    long = [word for word in words if len(word) > 2 * SIGNS]
    runs |= {word[n : n + SIGNS] for word in long for n in range(len(word) - SIGNS + 1)}
    return {run for run in runs if len(run) >= min(SIGNS, len(text))}


def needles_of(attack: Attack) -> list[set[str]]:
    """For each text of the attacker, the pieces by which it is known, seen and unseen."""
    found: list[set[str]] = []
    for text in attack.texts:
        told = text.replace(attack.padding, " ") if attack.padding else text
        found.append(pieces_of(" ".join(told.split())) | pieces_of(plain(told)))
    return [
        {piece for piece in pieces if piece.strip() and piece not in INNOCENT} for pieces in found
    ]


def reaches(attack: Attack, prompt: str) -> bool:
    """Whether an order is in what a model reads: a piece of every text that it was split into."""
    shown = "\n".join("\n".join(found[1:]) for found in BLOCK.findall(prompt))
    raw, seen = " ".join(shown.split()), plain(shown)
    return all(
        any(piece in raw or piece in seen for piece in pieces) for pieces in needles_of(attack)
    )


@dataclass
class Gullible:
    """Judges honestly by a memory's own words, until an order reaches it."""

    attack: Attack | None
    carrier: Sequence[str]
    """Words of which the memory has some that the attacker wants to see first."""
    opinions: Sequence[tuple[str, str]]
    """(words of a memory, honest vote), best first; other memories get no vote."""
    obeyed: bool = False

    def __call__(self, user: str) -> object:
        ids = {f"{head}\n{text}": call for call, head, text in BLOCK.findall(user)}
        if self.attack is not None and reaches(self.attack, user):
            self.obeyed = True
            wanted = next(
                call for text, call in ids.items() if any(w in text for w in self.carrier)
            )
            return obedience(wanted, [call for call in ids.values() if call != wanted])
        rows = [
            {"id": call, "vote": vote, "facets": ["f0"]}
            for words, vote in self.opinions
            for text, call in ids.items()
            if words in text and vote != "none"
        ]
        return {"votes": rows, "go_on": False}


def obedience(wanted: str, others: Sequence[str]) -> object:
    """The most that a reply can do for one memory."""
    rows = [{"id": wanted, "vote": "hot", "facets": ["f0", "e1", "e2"], "reason": "told so"}]
    rows += [{"id": call, "vote": "cold", "replaced_by": wanted} for call in others]
    asks = [{"facet": "", "name": f"more {n}", "query": f"secret {n}"} for n in range(1_000)]
    return {"votes": rows, "go_on": True, "new_queries": asks}
