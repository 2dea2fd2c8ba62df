"""A play in two acts: two users talk at the same time, the process is killed, and another starts.
The answers are scripted; the memory behind them is real."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

from chat.answering import ScriptedAnswerer, Sheet
from chat.people import PEOPLE, past_of
from chat.screen import Screen, earlier
from chat.users import Chats

TODAY = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)
FATAL = "Running or swimming: what can I afford with my knee?"
FATAL_WORDS = 9
"""The process dies after this many words of the answer to FATAL."""


class Mortal(ScriptedAnswerer):
    """Kills the whole process in the middle of one answer, as `kill -9` does."""

    async def write(self, sheet: Sheet) -> AsyncGenerator[str, None]:
        """Writes the answer, and kills the process while it answers FATAL."""
        words = 0
        async for word in super().write(sheet):
            yield word
            words += 1
            if sheet.question == FATAL and words == FATAL_WORDS:
                await asyncio.sleep(0.3)  # until the words are on the screen
                os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def play(program: str) -> None:
    """Play both acts, each in a process of its own, over one folder.

    Args:
        program: the script that plays one act with `--act NAME --store DIR`.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, program, "--store", folder, "--act"]
        gone = subprocess.run([*command, "before"], check=False).returncode
        if gone in {0, 1}:
            sys.exit("the first process was to be killed, and was not")
        say(f"\n  *** the process is gone (exit status {gone}) ***")
        subprocess.run([*command, "after"], check=True)


async def before(folder: str) -> None:
    """First act: two users talk at the same time; then the process is killed."""
    chats = Chats(folder, answerer=Mortal(), now=lambda: TODAY)
    for person in PEOPLE:
        await (await chats.of(person)).recall.aadd(past_of(person))
    say("--- ana and ben ask the same at the same moment; the answers are scripted ---")
    both = [one_turn(chats, person, "Make me a training plan") for person in PEOPLE]
    for told in await asyncio.gather(*both):
        say(told)
    for line in (
        "Yes, [2].",
        "Please always suggest swimming, never running.",
        "My budget is now 90 a month.",
    ):
        say(await one_turn(chats, "ana", line))
    say("--- the process is killed in the middle of an answer ---")
    say(f"ana> {FATAL}")
    await at_once().show((await chats.of("ana")).reply(FATAL))


async def after(folder: str) -> None:
    """Second act: another process over the same folder; at its end, three days later."""
    chats = Chats(folder, now=lambda: TODAY)
    ana = await chats.of("ana")
    say("--- another process: what ana said is there, and her question is answered ---")
    say(earlier(ana.log))
    await at_once().show(ana.again())
    await at_once().show(ana.end())
    await chats.aclose()
    chats = Chats(folder, now=lambda: TODAY + timedelta(days=3))
    say("--- three days later: a new talk begins with a briefing ---")
    for line in ("My budget is now 120 a month.", "What is my budget?"):
        say(await one_turn(chats, "ana", line))
    say("--- ben asks the same, of his own memory ---")
    say(await one_turn(chats, "ben", "What is my budget?"))
    await chats.aclose()


ACTS = {"before": before, "after": after}


async def one_turn(chats: Chats, user: str, said: str) -> str:
    """Run a turn; returns the text on the user's screen."""
    written = [f"{user}> {said}\n"]
    await Screen(written.append).show((await chats.of(user)).reply(said))
    return "".join(written).rstrip("\n")


def at_once() -> Screen:
    """A screen that prints words as they arrive."""
    return Screen(lambda text: print(text, end="", flush=True))


def say(text: str) -> None:
    """Print and flush, because the process may be killed soon."""
    print(text, flush=True)
