"""Keys as they are typed: one by one in a terminal, line by line from a pipe or a file."""

import asyncio
import codecs
import os
import re
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager

CURSOR_KEY = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")
"""What arrows and function keys send (ECMA-48); none of them means anything here."""

END_OF_INPUT = "\x04"
"""Ctrl-D, in a terminal that hands on every key."""


@asynccontextmanager
async def keys() -> AsyncGenerator[AsyncIterator[str], None]:
    """Standard input, a character at a time, until its end; then the terminal is as before."""
    descriptor = sys.stdin.fileno()
    with every_key(descriptor):
        yield characters(descriptor)


async def characters(descriptor: int) -> AsyncIterator[str]:
    """What is read there; no other work waits for it."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    while True:
        await readable(descriptor)
        data = os.read(descriptor, 1024)
        if not data:
            return
        for char in CURSOR_KEY.sub("", decoder.decode(data)):
            if char == END_OF_INPUT:
                return
            yield char


async def readable(descriptor: int) -> None:
    """Wait until there is something to read; a file has always something, or its end."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except PermissionError:  # a regular file
        return
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)


@contextmanager
def every_key(descriptor: int) -> Generator[None, None, None]:
    """A terminal hands on each key at once, unseen; Ctrl-C interrupts as ever."""
    if not os.isatty(descriptor):
        yield
        return
    try:
        import termios
        import tty
    except ImportError:  # no such terminal on this system: keys come line by line
        yield
        return
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
