"""A chatbot with memory: briefing, recall, an answer that cites, observation, votes.

    python examples/chatbot.py                                  # a play of two users and a crash
    python examples/chatbot.py --user mara                      # talk; the answers are scripted
    python examples/chatbot.py --user mara --llm openai:gpt-4.1-mini     # a model answers
    python examples/chatbot.py --user mara --embedder default   # with the real embedding model

Everything is kept in the folder `--store` (default ./.chatbot), so a talk continues where it
stopped, even after a crash. Each user has a memory of their own. The model is configured as for
OpenAI's own client: OPENAI_API_KEY, and OPENAI_BASE_URL for another server.
"""

import argparse
import asyncio
import re
import sys

from chat.play import ACTS, at_once, play
from chat.screen import Screen, earlier
from chat.talk import Chat, Events
from chat.users import Chats, model_of
from secondhop import SecondhopError

HELP = """\
/good 1 3   these memories helped        /again     answer again: after votes, or a failure
/bad 2      this one was not meant       /resolve   done with this question
/end        the talk is over             Ctrl-C     leave, and go on another day"""


def events_of(chat: Chat, line: str) -> Events:
    """The turn that a typed line asks for.

    Raises:
        ValueError: an unknown command, or one without its numbers.
    """
    command, _, rest = line.partition(" ")
    match command:
        case "/good" | "/bad":
            numbers = re.findall(r"\d+", rest)
            if not numbers:
                raise ValueError(f"name memories by their numbers: {command} 1")
            return chat.vote([int(one) for one in numbers], "hot" if command == "/good" else "cold")
        case "/again":
            return chat.again()
        case "/resolve":
            return chat.resolve()
        case "/end":
            return chat.end()
        case _ if line.startswith("/"):
            raise ValueError(f"there is no command {command}\n{HELP}")
        case _:
            return chat.reply(line)


async def typed(chat: Chat, line: str, screen: Screen) -> None:
    """Do what a line says; print an error for a wrong one."""
    if not line:
        return
    try:
        await screen.show(events_of(chat, line))
    except ValueError as error:
        screen.line(f"! {error}")


def talk(chats: Chats, user: str) -> None:
    """Talk with one user at a terminal. No loop runs while a line is typed, so Ctrl-C exits at
    once."""
    screen = at_once()
    with asyncio.Runner() as runner:
        chat = runner.run(chats.of(user))
        try:
            screen.line(f"answers: {chats.answerer.name}\n{HELP}\n{earlier(chat.log)}")
            if chat.unanswered():
                screen.line("  (that was not answered yet)")
                runner.run(screen.show(chat.again()))
            while True:
                runner.run(typed(chat, input("\n> ").strip(), screen))
        except EOFError:
            runner.run(screen.show(chat.end()))
        except KeyboardInterrupt:
            screen.line("\n  (the talk stays open)")
        finally:
            runner.run(chats.aclose())


def main() -> None:
    """Talk with a user, or show the play."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--user", help="whose chat it is")
    parser.add_argument("--store", default=".chatbot", metavar="DIR")
    parser.add_argument("--llm", metavar="openai:MODEL")
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--script", action="store_true", help="the play, whatever model is named")
    parser.add_argument("--act", choices=ACTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.act:
        asyncio.run(ACTS[given.act](given.store))
    elif given.script or not given.user:
        play(__file__)
    else:
        try:
            chats = Chats(given.store, embedder=given.embedder, llm=model_of(given.llm))
            talk(chats, given.user)
        except SecondhopError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
