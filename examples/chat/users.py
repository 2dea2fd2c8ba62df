"""The chats of one process: a memory and a log a user, and one model that answers them all."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from chat.answering import Answerer, ModelAnswerer, ScriptedAnswerer
from chat.log import ChatLog
from chat.talk import Chat
from secondhop import Config, Recall, RecallLimits, SessionSettings, UsageError

CONFIG = Config(
    # whatever a model does: after ten seconds the best answer so far is used
    limits=RecallLimits(deadline_s=10.0),
    # a person may come back after days, and only then say which memory helped
    session=SessionSettings(k=4, ttl_s=7 * 86_400),
)


class Chats:
    """Opened at a user's first word, and kept: with very many users, close those who are idle.

    Users are entities: no chat sees two of them.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        embedder: str = "hashing",
        llm: str | None = None,
        answerer: Answerer | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`llm`: "openai:MODEL" plans, judges, answers and observes; None: nobody does, and the
        answers are scripted.

        Raises:
            UsageError: no such model, or no key for it.
        """
        self._folder, self._embedder, self._llm, self._now = Path(folder), embedder, llm, now
        self.answerer = answerer or answerer_of(llm)
        self._chats: dict[str, Chat] = {}
        self._opening = asyncio.Lock()

    async def of(self, user: str) -> Chat:
        """The user's chat, as it stood when it was last seen."""
        async with self._opening:
            if user not in self._chats:
                recall = await Recall.aopen(
                    self._folder / "memory",
                    entity=user,
                    embedder=self._embedder,
                    llm=self._llm,
                    config=CONFIG,
                )
                log = ChatLog(self._folder / "chats.db", user=user)
                self._chats[user] = Chat(recall, log, self.answerer, now=self._now)
            return self._chats[user]

    async def aclose(self) -> None:
        """Close everything; talks stay open and go on when they are opened again."""
        for chat in self._chats.values():
            chat.log.close()
            await chat.recall.aclose()
        await self.answerer.aclose()


def answerer_of(llm: str | None) -> Answerer:
    """A model that streams, or the script."""
    if llm is None:
        return ScriptedAnswerer()
    kind, _, model = llm.partition(":")
    if kind != "openai" or not model:
        raise UsageError(f"no language model {llm!r}; write openai:MODEL")
    return ModelAnswerer(model)


def model_of(said: str | None) -> str | None:
    """As the command line has it: the option, else OPENAI_MODEL where there is a key for it."""
    if said is None and os.environ.get("OPENAI_API_KEY") and os.environ.get("OPENAI_MODEL"):
        return f"openai:{os.environ['OPENAI_MODEL']}"
    return None if said == "offline" else said
