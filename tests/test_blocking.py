"""The form of a method for callers without an event loop."""

import asyncio
import inspect

import pytest

from secondhop.blocking import blocking
from secondhop.recall import Recall
from secondhop.sync_door import SyncDoor


class Desk:
    """Has a door."""

    def __init__(self) -> None:
        self._door = SyncDoor()

    async def anote(self, text: str, *, times: int = 1) -> str:
        """Long words."""
        await asyncio.sleep(0)
        if not text:
            raise ValueError("nothing to note")
        return text * times

    note = blocking(anote)

    def close(self) -> None:
        self._door.close()


class LoudDesk(Desk):
    async def anote(self, text: str, *, times: int = 1) -> str:
        return (await super().anote(text, times=times)).upper()


def test_it_waits_for_what_the_method_returns_or_raises() -> None:
    desk = Desk()
    assert desk.note("ab", times=2) == "abab"
    with pytest.raises(ValueError, match="nothing to note"):
        desk.note("")
    desk.close()


def test_a_subclass_that_has_its_own_method_has_its_form_too() -> None:
    desk = LoudDesk()
    assert desk.note("ab") == "AB"
    desk.close()


def test_it_shows_its_own_name_and_the_parameters_of_the_method() -> None:
    assert (Desk.note.__name__, Desk.note.__qualname__) == ("note", "Desk.note")
    assert inspect.signature(Desk.note) == inspect.signature(Desk.anote)
    assert Desk.note.__doc__ == "As `anote`, for callers without an event loop."
    assert not inspect.iscoroutinefunction(Desk.note)


@pytest.mark.parametrize("name", ["recall", "explain", "ingest", "add", "remember", "vote"])
def test_the_methods_of_recall_have_one(name: str) -> None:
    waited, method = getattr(Recall, name), getattr(Recall, f"a{name}")
    assert inspect.signature(waited) == inspect.signature(method)
    assert waited.__name__ == name
