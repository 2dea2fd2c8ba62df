"""Embedding the playbooks beforehand."""

from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.planning.playbooks import Playbooks
from secondhop.prompts.library import Intent, PlaybookFacet


def intent(name: str) -> Intent:
    wanted = PlaybookFacet(name=f"{name} notes", why="w", hop=2, weight=1.0, queries=("q",))
    return Intent(name=name, domain="tests", asks=(f"ask {name}",), facets=(wanted,))


async def test_warming_tells_how_far_it_is_and_embeds_once() -> None:
    heard: list[tuple[int, int]] = []
    playbooks = Playbooks([intent("a"), intent("b")], embedder=HashingEmbedder())

    await playbooks.warm(lambda done, total: heard.append((done, total)))
    await playbooks.warm(lambda done, total: heard.append((done, total)))

    assert heard == [(2, 2)]
    assert playbooks.questions is not None
    assert len(playbooks.questions) == 2
