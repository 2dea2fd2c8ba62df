"""Short turns gain from the turns next to them."""

from secondhop.nodes.evidence.neighbours import with_neighbours
from secondhop.stores.records import Passage


def passage(name: str, *, ordinal: int, tokens: int = 10) -> Passage:
    return Passage(passage_id=name, memory_id=name[0], ordinal=ordinal, text=name, tokens=tokens)


def test_a_short_reply_gains_from_what_it_replies_to_and_a_long_text_does_not() -> None:
    beside = {
        "a1": passage("a1", ordinal=1),
        "a2": passage("a2", ordinal=2),
        "a3": passage("a3", ordinal=3, tokens=200),
        "b2": passage("b2", ordinal=2),
    }
    scores = with_neighbours({"a1": 1.0, "a2": 0.2, "a3": 0.2, "b2": 0.2}, beside)

    assert scores["a2"] > scores["b2"] == scores["a3"] == 0.2
