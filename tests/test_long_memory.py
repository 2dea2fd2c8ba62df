"""A long memory on a subject leaves room for others on it."""

from tests.fakes import note

from secondhop import Memory
from secondhop.testing import temporary_recall

TARGET = "The doctor wants the blood pressure below 130 over 80."
CUFF = "The blood pressure cuff reads six too high on the right arm."


def diary(days: int) -> Memory:
    lines = (
        f"Day {day}. Blood pressure in the morning 131 over 84, blood pressure in the evening "
        f"{day} over 80. " + "Measured sitting, on the left arm, after some rest. " * 20
        for day in range(days)
    )
    return note("diary", "\n\n".join(lines), title="Blood pressure")


async def test_a_long_memory_leaves_room_for_others_on_its_subject() -> None:
    async with temporary_recall() as recall:
        ledger = await recall.aadd([diary(600), note("target", TARGET), note("cuff", CUFF)])
        assert ledger.passages > 300

        result = await recall.arecall("What was my blood pressure in the morning?", k=3)

        assert sorted(result.ids()) == ["cuff", "diary", "target"]
