"""A question finds what was written in another spelling, and nothing it should not."""

from pathlib import Path

import pytest
from tests.fakes import note
from tests.small_world import Answer, ask, recall_settings, small_world

from secondhop.nodes.planning.abbreviations import GROUPS, VARIANTS, definitions, spellings

MEMORIES = (
    note("visit", "The occupational therapist (OT) came on Monday and measured the bath"),
    note("rail", "OT: grab rail beside the tub, 70 cm high"),
    note("server", "Database runs on the small server in the cellar", title="Cellar"),
    note("garden", "Tomatoes need water twice a week"),
)


def spelt(on: bool) -> dict[str, object]:
    return {"settings": recall_settings(ranking={"abbreviations": on})}


def worded(answer: Answer) -> dict[str, float]:
    """The lexical scores of the question itself, by memory id."""
    (own,) = (query for query in answer.trace.queries if query.origin == "question")
    return {hit.memory_id: hit.score for hit in own.lexical}


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which rail did the occupational therapist recommend?", "rail"),
        ("Where is the DB?", "server"),
    ],
)
async def test_the_words_of_a_question_find_their_other_spelling(
    tmp_path: Path, question: str, wanted: str
) -> None:
    world = await small_world(tmp_path, MEMORIES)

    plain = await ask(world.services(**spelt(False)), question)
    found = await ask(world.services(**spelt(True)), question)

    before, after = worded(plain).get(wanted, 0.0), worded(found)[wanted]
    assert after > before
    await world.store.aclose()


async def test_a_question_without_abbreviations_is_searched_as_it_is(tmp_path: Path) -> None:
    world = await small_world(tmp_path, MEMORIES)

    answers = [await ask(world.services(**spelt(on)), "Which tomatoes?") for on in (True, False)]

    scores = [[(c.memory_id, c.score) for c in one.trace.candidates] for one in answers]
    assert scores[0] == scores[1]
    await world.store.aclose()


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("the occupational therapist (OT) said", [("OT", "occupational therapist")]),
        ("reads PostgreSQL (PG) and hard disk drive (HDD)", [("HDD", "hard disk drive")]),
        ("we met Anna (OT) there", []),
        ("see the notes (NB: old)", []),
        ("a very long way round to say it (XQ)", []),
        ("(OT)", []),
    ],
)
def test_only_a_long_form_before_its_letters_is_a_definition(
    text: str, pairs: list[tuple[str, str]]
) -> None:
    assert definitions(text) == pairs


def test_only_whole_words_are_spelt_otherwise() -> None:
    assert spellings("my dbase and the envelope and labour", GROUPS) == []
    assert spellings("which configs?", GROUPS) == ["which configuration?"]
    assert spellings("db or database", GROUPS) == []


def test_spellings_are_few() -> None:
    assert len(spellings("mum, dad, bike, tv, db, repo, lab, uni", GROUPS)) == VARIANTS


def test_no_spelling_stands_in_two_groups() -> None:
    flat = [spelling for group in GROUPS for spelling in group]
    assert len(flat) == len(set(flat))
