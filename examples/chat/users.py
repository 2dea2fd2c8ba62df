"""The chats of one process: one memory and one log per user, and one model for all."""

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
    # however slow the model is, after ten seconds the best answer so far is used
    limits=RecallLimits(deadline_s=10.0),
    # a person may say only days later which memory helped
    session=SessionSettings(k=4, ttl_s=7 * 86_400),
)


class Chats:
    """Opens a chat at a user's first message, and keeps it. With many users, close the idle ones.

    Each user is an entity, so no chat sees the memories of another user.
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
        """`llm`: "openai:MODEL", which plans, votes, answers and observes; None: no model, with
        scripted answers.

        Raises:
            UsageError: `llm` has another form, or there is no key for the model.
        """
        self._folder, self._embedder, self._llm, self._now = Path(folder), embedder, llm, now
        self.answerer = answerer or answerer_of(llm)
        self._chats: dict[str, Chat] = {}
        self._opening = asyncio.Lock()

    async def of(self, user: str) -> Chat:
        """The user's chat, opened if need be."""
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
        """Close everything. Talks stay open, and continue when their chat is opened again."""
        for chat in self._chats.values():
            chat.log.close()
            await chat.recall.aclose()
        await self.answerer.aclose()


def answerer_of(llm: str | None) -> Answerer:
    """A streaming model, or the script for None."""
    if llm is None:
        return ScriptedAnswerer()
    kind, _, model = llm.partition(":")
    if kind != "openai" or not model:
        raise UsageError(f"no language model {llm!r}; write openai:MODEL")
    return ModelAnswerer(model)


def model_of(said: str | None) -> str | None:
    """The model that the option names, or else OPENAI_MODEL if there is a key; None: no model."""
    if said is None and os.environ.get("OPENAI_API_KEY") and os.environ.get("OPENAI_MODEL"):
        return f"openai:{os.environ['OPENAI_MODEL']}"
    return None if said == "offline" else said
