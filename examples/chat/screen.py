"""Events of a turn as lines on a terminal."""

from collections.abc import Callable
from contextlib import aclosing
from textwrap import shorten

from chat.log import ChatLog
from chat.talk import Event, Events
from secondhop import SecondhopError


class Screen:
    """Prints events, and an answer's words as they arrive."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write, self._in_line = write, False

    async def show(self, events: Events) -> None:
        """Print the events of a turn until it is over or fails."""
        try:
            async with aclosing(events) as happening:
                async for event in happening:
                    self.event(event)
        except (SecondhopError, ValueError) as error:
            self.line(f"! {error}")

    def event(self, event: Event) -> None:
        """Print one event."""
        if event.name == "token":
            self._write(event.told["text"])
            self._in_line = True
        elif told := line_of(event):
            self.line(told)

    def line(self, text: str) -> None:
        """Print text on a line of its own."""
        self._write(("\n" if self._in_line else "") + text + "\n")
        self._in_line = False


def line_of(event: Event) -> str:
    """An event as text; "" if it is not shown."""
    told = event.told
    match event.name:
        case "briefing":
            known = [
                f"  [{entry['number']}] {entry['why']}, {entry['date']}: {one_line(entry['text'])}"
                for entry in told["entries"]
            ]
            return "\n".join(["  briefing:", *known]) if known else "  briefing: nothing is known"
        case "progress" if told["step"] == "resumed":
            return f"  ({told['note']})"
        case "memories":
            found = [f"[{memory['number']}] {memory['title']}" for memory in told["memories"]]
            return "  recalled: " + (", ".join(found) or "nothing")
        case "degraded":
            return f"! {told['message']}"
        case "citation":
            return f"  [{told['number']}] {told['title']}, {told['date']}"
        case "invented":
            return f"  [{told['number']}] is no memory: the model made it up"
        case "failed":
            return f"! the answer broke off: {told['message']}. Nothing is lost; /again retries"
        case "observed":
            old = f" (until now: {'; '.join(told['supersedes'])})" if told["supersedes"] else ""
            against = told["conflicts_with"]
            doubt = f" (but also: {'; '.join(against)})" if against else ""
            return f"  noted: {told['text']}{old}{doubt}"
        case "voted":
            return f"  voted {told['vote']}: {', '.join(told['titles'])}"
        case "resolved":
            return "  helped: " + ", ".join(told["accepted"]) if told["accepted"] else ""
        case _:
            return ""


def one_line(text: str) -> str:
    """The beginning of a text, on one line."""
    return shorten(text, 100, placeholder=" …")


def earlier(log: ChatLog) -> str:
    """The talk so far, one line per message."""
    lines: list[str] = []
    for said in log.talk():
        name = "bot" if said.role == "assistant" else log.user
        lines.append(f"{name}: {said.text}" + ("" if said.whole else " … (broke off)"))
    return "\n".join(lines)
