"""Random messages in random order are written once, and a dry run tells the truth."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.observe.records import Observed, Said
from secondhop.recall import Recall

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests")]

SENTENCES = (
    "I live in Bonn.",
    "We moved to Trier.",
    "I no longer live in Bonn.",
    "I don't live in Trier any more.",
    "I think I live in Ulm.",
    "My birthday is 3 May.",
    "My birthday is 4 May.",
    "Sorry, my birthday is 5 May.",
    "Please always answer in German.",
    "From now on, answer in French.",
    "Remember that the bins go out on Tuesday.",
    "What a day!",
)


NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def said(texts: list[str], hour: int | None) -> Said:
    at = None if hour is None else NEW_YEAR + timedelta(hours=hour)
    return Said(role="user", content=" ".join(texts), at=at)


talks = st.lists(
    st.builds(
        said,
        st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3),
        st.sampled_from((None, None, 0, 0, 24, 48, 700)),
    ),
    max_size=5,
)


def told(one: Observed) -> object:
    return one.model_dump(exclude={"spent", "dry_run"})


@given(first=talks, second=talks)
async def test_read_twice_is_written_once_and_a_dry_run_tells_the_truth(
    first: list[Said], second: list[Said]
) -> None:
    with TemporaryDirectory() as folder:
        async with await Recall.aopen(Path(folder), embedder="hashing") as recall:
            for talk, at in ((first, NEW_YEAR), (second, NEW_YEAR + timedelta(days=9))):
                dry = await recall.memories.aobserve(talk, at=at, dry_run=True)
                wet = await recall.memories.aobserve(talk, at=at)
                assert told(dry) == told(wet)
                stored = (await recall.memories.acounts()).memories
                later = at + timedelta(days=1)
                again = await recall.memories.aobserve(talk, at=later)
                assert (again.written, again.ended) == ([], [])
                assert (await recall.memories.acounts()).memories == stored
            assert (await recall.memories.aobserve([*first, *second])).written == []
            facts = await recall.memories.afacts()
            assert len({(f.attribute, f.value) for f in facts}) == len(facts)
