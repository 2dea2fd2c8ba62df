"""The part of `Recall` that writes memories from a conversation."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from secondhop.given_values import check_moments
from secondhop.models.llm import StructuredLLM
from secondhop.observe.records import Observed, Sayable
from secondhop.observe.service import ConversationReading
from secondhop.sync_door import SyncDoor

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class ObservesMessages:
    """`observe`: a part of `Recall`. docs/observe.md tells the story."""

    _door: SyncDoor
    _reading: ConversationReading

    async def aobserve(
        self,
        messages: Sequence[Sayable],
        *,
        at: datetime | None = None,
        keep_as: str = "",
        title: str = "",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        dry_run: bool = False,
    ) -> Observed:
        """Read facts and preferences out of a conversation, and write what is new.

        Nothing is overwritten: what a newer statement replaces stays, superseded; what cannot be
        decided is kept beside what it contradicts. The same messages again write nothing.

        Args:
            messages: in the order they were said; only what "user" says is about the user.
            at: when messages without a date of their own were said; default now.
            keep_as: keep the conversation itself, too, as a continuity memory of this id; a
                longer one of the same id takes the place of the shorter. "": do not.
            title: of that memory; default the first words.
            llm: reads the messages, instead of the model given to `open`; "offline": none does.
            dry_run: write nothing; tell what would be done.

        Raises:
            UsageError: a message has no role or content, or a date that is none.
        """
        check_moments(at=at)
        return await self._reading.observe(
            messages, at=at, keep_as=keep_as, title=title, llm=llm, dry_run=dry_run
        )

    def observe(
        self,
        messages: Sequence[Sayable],
        *,
        at: datetime | None = None,
        keep_as: str = "",
        title: str = "",
        llm: "str | StructuredLLM | BaseChatModel | None" = None,
        dry_run: bool = False,
    ) -> Observed:
        """As `aobserve`, for callers without an event loop."""
        return self._door.call(
            partial(
                self.aobserve,
                messages,
                at=at,
                keep_as=keep_as,
                title=title,
                llm=llm,
                dry_run=dry_run,
            )
        )
