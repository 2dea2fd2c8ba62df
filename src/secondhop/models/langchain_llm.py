"""Any langchain-core chat model as a structured language model."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel

from secondhop.errors import ModelError
from secondhop.models.account import Account
from secondhop.models.answer_modes import SURE, AnswerMode, mode_request
from secondhop.models.asking import Asking, Written, completed, read_or_repaired
from secondhop.models.failed_try import TryTimedOutError, failed_try, why_unanswered
from secondhop.models.failure_words import told
from secondhop.models.json_replies import schema_request, with_request
from secondhop.models.langchain_endpoint import LangchainLLMConfig, endpoint_of
from secondhop.models.langchain_model import (
    bounded,
    derived_id,
    in_mode,
    knows_methods,
    text_of,
    told_usage,
    without_own_retries,
    without_secrets,
)
from secondhop.models.llm import ChatMessage, Completion, Usage, sendable
from secondhop.models.prompt_size import PromptSize, counted_tokens, ready_to_count
from secondhop.models.request_gate import Settle
from secondhop.models.retries import Patience, retried

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

T = TypeVar("T", bound=BaseModel)

_log = logging.getLogger(__name__)

_REFUSES_STRUCTURE = frozenset({400, 415, 422, 500, 501})
_LATE = "no answer in time"


class _ModeRefusedError(ModelError):
    """The model cannot answer in this mode."""

    def __init__(self, message: str, *, strikes: int) -> None:
        super().__init__(message)
        self.strikes = strikes


class LangchainLLM:
    """Adapts a `BaseChatModel`: its structured output, else its JSON mode, else text; one repair.

    Retries, time limits, the circuit breaker and the cap on concurrency are ours, so that every
    request is counted; the model's own retries are switched off in a copy of it. A model that
    knows no asyncio works in a thread, which a cancelled caller leaves behind.
    """

    def __init__(
        self,
        model: "BaseChatModel",
        *,
        model_id: str | None = None,
        config: LangchainLLMConfig | None = None,
    ) -> None:
        """Without `model_id` it is "langchain:<class>:<model>", from the object's model attribute.

        Raises:
            UsageError: no `model_id`, and the object does not tell its model.
        """
        ready_to_count()
        self._model_id = model_id or derived_id(model)
        self._config = config or LangchainLLMConfig()
        self._given = model  # what is known of it lasts as long as it does
        self._model = without_own_retries(model, name=self._model_id)
        self._endpoint = endpoint_of(model, self._config, name=self._model_id)

    @property
    def model_id(self) -> str:
        """As given, or derived from the class and its model attribute."""
        return self._model_id

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[T],
        max_tokens: int,
        deadline_s: float,
        max_calls: int,
        max_total_tokens: int | None = None,
    ) -> Completion[T]:
        """As the port says.

        `max_tokens` holds where the model has a field for it (max_tokens, num_predict, …).

        Raises:
            LLMError: no valid answer within these bounds; tells what was spent.
        """
        account = Account(
            deadline=asyncio.get_running_loop().time() + deadline_s,
            requests=max_calls,
            tokens=max_total_tokens,
        )
        asking = Asking(
            name=self._model_id,
            messages=[sendable(message) for message in messages],
            schema=schema,
            max_tokens=max_tokens,
            account=account,
        )
        return await completed(asking, lambda: self._answer(asking), deadline_s=deadline_s)

    async def _answer(self, asking: Asking[T]) -> T:
        modes = self._endpoint.modes
        refused = dict(modes.take_doubts())
        for mode in modes.usable(besides=refused):
            if not self._offers(mode, asking.schema):
                refused[mode] = SURE
                continue
            try:
                written = await self._asked(_prompt(mode, asking), asking, mode=mode)
            except _ModeRefusedError as refusal:
                refused[mode] = refusal.strikes
                if not asking.account.requests_left:
                    modes.doubt(refused)
                    raise
                continue
            modes.answered(mode, refused=refused)
            return await self._read(written, asking, mode=mode)
        raise AssertionError('unreachable: "text" is always tried, and never a refused mode')

    async def _read(self, written: Written, asking: Asking[T], *, mode: AnswerMode) -> T:
        """The answer in what the model wrote, or in that to one repair turn.

        It is read by our rules, not the model's: the same answer must count with every model.
        """
        again: AnswerMode = "json_object" if mode == "json_object" else "text"
        return await read_or_repaired(
            written, asking, lambda turns: self._asked(turns, asking, mode=again)
        )

    def _offers(self, mode: AnswerMode, schema: type[BaseModel]) -> bool:
        """Whether a request in this mode can be sent; whether it is answered is for it to show."""
        if mode == "text" or self._endpoint.modes.proven(mode):
            return True
        if mode == "json_object" and not knows_methods(self._model):
            return False
        try:
            in_mode(self._model, mode, schema)
        except Exception:  # a foreign class refuses as it likes; asking for text always remains
            _log.debug("%s cannot answer by %s", self._model_id, mode, exc_info=True)
            return False
        return True

    async def _asked(
        self, messages: Sequence[ChatMessage], asking: Asking[T], *, mode: AnswerMode
    ) -> Written:
        """What the model wrote, after failures that pass."""
        account, config = asking.account, self._config
        return await retried(
            lambda: self._try(messages, asking, mode=mode),
            patience=Patience(
                attempts=max(1, min(config.attempts, account.requests_left)),
                longest_wait_s=lambda: max(0.0, min(config.max_wait_s, account.left_s())),
            ),
            what=f"asking {self._model_id}",
            explain=self._explained,
        )

    async def _try(
        self, messages: Sequence[ChatMessage], asking: Asking[T], *, mode: AnswerMode
    ) -> Written:
        """One request."""
        account, meter = asking.account, self._endpoint.meter
        shape = [schema_request(asking.schema)] if mode == "json_schema" else []
        size = meter.size([*(message["content"] for message in messages), *shape])
        async with self._endpoint.gate.entered(account) as settle:
            reply_tokens = account.open_request(prompt=size, wanted=asking.max_tokens)
            model = bounded(self._model, reply_tokens)
            try:
                sent = _sent(model, messages, mode, asking.schema)
                raw = await self._settled(sent, account, settle)
            except Exception as error:
                if strikes := self._strikes(error, mode=mode):
                    raise _ModeRefusedError(
                        f"{self._model_id} cannot give structured output: {self._explained(error)}",
                        strikes=strikes,
                    ) from error
                raise
        return self._written(raw, size=size, account=account)

    def _written(self, raw: "AIMessage", *, size: PromptSize, account: Account) -> Written:
        """The text of a reply, paid for as the model tells; by length where it does not.

        Raises:
            ModelError: it is too long to be read.
        """
        text, used = text_of(raw), told_usage(raw)
        if used is None:
            used = Usage(prompt_tokens=size.tokens, completion_tokens=counted_tokens(text))
        else:
            self._endpoint.meter.learn(size, told=used.prompt_tokens)
        account.charge(used)
        if len(text.encode("utf-8", "replace")) > self._config.bytes_per_reply:
            bound = f"{self._config.bytes_per_reply:,}"
            raise ModelError(f"{self._model_id} sent a reply of more than {bound} bytes")
        return Written(text=text)

    async def _settled(
        self, sent: "Awaitable[AIMessage]", account: Account, settle: Settle
    ) -> "AIMessage":
        """The reply, in the time that a try has; the circuit breaker hears what came of it."""
        try:
            async with asyncio.timeout(self._config.timeout_s):
                raw = await sent
        except TimeoutError as error:
            settle(False, _LATE)
            raise TryTimedOutError(_LATE) from error
        except asyncio.CancelledError:
            settle(None if account.left_s() > 0 else False, _LATE)
            raise
        except Exception as error:
            failed = failed_try(error)
            settle(failed.answered, why_unanswered(error))
            if failed.was_free:
                account.charge(Usage())
            raise
        settle(True, "")
        return raw

    def _strikes(self, error: Exception, *, mode: AnswerMode) -> int:
        """How surely this means that the model cannot do the mode; 0: it means another.

        Of structured output once is no proof. JSON mode is refused once, but for HTTP 500, on
        which any server stumbles.
        """
        failed = failed_try(error)
        if mode == "text" or self._endpoint.modes.proven(mode) or failed.lost or failed.stale:
            return 0
        if failed.status is not None and failed.status not in _REFUSES_STRUCTURE:
            return 0
        return SURE if mode == "json_object" and failed.status != 500 else 1

    def _explained(self, error: Exception) -> str:
        """What happened, in words without the model's keys."""
        failed = failed_try(error)
        if failed.lost:
            return f"no answer ({why_unanswered(error)}); check the server, or raise timeout_s"
        said = told(str(error), lambda text: without_secrets(text, self._model))
        return f"{type(error).__name__}: {said}"


async def _sent(
    model: "BaseChatModel",
    messages: Sequence[ChatMessage],
    mode: AnswerMode,
    schema: type[BaseModel],
) -> "AIMessage":
    """The model's reply in this mode."""
    pairs = [(message["role"], message["content"]) for message in messages]
    if mode == "text":
        return await model.ainvoke(pairs)
    answer = await in_mode(model, mode, schema).ainvoke(pairs)
    return cast("AIMessage", cast("dict[str, object]", answer)["raw"])


def _prompt(mode: AnswerMode, asking: Asking[T]) -> Sequence[ChatMessage]:
    """The messages, with the shape of the answer where the mode does not tell it."""
    request = mode_request(mode, asking.schema)
    return with_request(asking.messages, request) if request else asking.messages
