"""Any langchain-core chat model as a structured language model."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel

from secondhop.errors import ModelError
from secondhop.models.account import Account
from secondhop.models.asking import Asking, Written, completed, read_or_repaired
from secondhop.models.failed_try import TryTimedOutError, failed_try, why_unanswered
from secondhop.models.failure_words import told
from secondhop.models.json_replies import schema_request, with_request
from secondhop.models.langchain_endpoint import LangchainLLMConfig, endpoint_of
from secondhop.models.langchain_model import (
    bounded,
    derived_id,
    text_of,
    told_usage,
    without_own_retries,
    without_secrets,
)
from secondhop.models.llm import ChatMessage, Completion, Usage, sendable
from secondhop.models.prompt_size import counted_tokens, ready_to_count
from secondhop.models.request_gate import Settle
from secondhop.models.retries import Patience, retried

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

T = TypeVar("T", bound=BaseModel)

_log = logging.getLogger(__name__)

_SURE = 3
"""Refusals of structured output after which it is not asked for any more."""
_REFUSES_STRUCTURE = frozenset({400, 415, 422, 500, 501})
_LATE = "no answer in time"


class _StructureRefusedError(ModelError):
    """The model cannot give structured output."""


class LangchainLLM:
    """Adapts a `BaseChatModel`: its structured output where it has one, else text and one repair.

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
        written = await self._structured(asking)
        if written is None:
            request = schema_request(asking.schema)
            written = await self._asked(with_request(asking.messages, request), asking)
            self._endpoint.refusals += 1
        return await read_or_repaired(written, asking, lambda turns: self._asked(turns, asking))

    async def _structured(self, asking: Asking[T]) -> Written | None:
        """What the model writes under its own structured output; None: ask it for text.

        It is read by our rules, not the adapter's: the same answer must count with every model.
        """
        endpoint = self._endpoint
        if not endpoint.proven and not self._may_structure(asking.schema):
            return None
        try:
            written = await self._asked(asking.messages, asking, structured=True)
        except _StructureRefusedError:
            endpoint.doubted = not asking.account.requests_left
            if endpoint.doubted:
                raise
            return None
        endpoint.proven = True
        return written

    def _may_structure(self, schema: type[BaseModel]) -> bool:
        """Whether its own structured output is worth a request, before it has given any."""
        endpoint = self._endpoint
        if endpoint.refusals >= _SURE or endpoint.doubted:
            endpoint.doubted = False
            return False
        try:
            self._model.with_structured_output(schema, include_raw=True)
        except Exception:  # a foreign class refuses as it likes; asking for text always remains
            _log.debug("%s has no structured output", self._model_id, exc_info=True)
            endpoint.refusals = _SURE
            return False
        return True

    async def _asked(
        self, messages: Sequence[ChatMessage], asking: Asking[T], *, structured: bool = False
    ) -> Written:
        """What the model wrote, after failures that pass."""
        account, config = asking.account, self._config
        schema = asking.schema if structured else None
        return await retried(
            lambda: self._try(messages, asking, schema=schema),
            patience=Patience(
                attempts=max(1, min(config.attempts, account.requests_left)),
                longest_wait_s=lambda: max(0.0, min(config.max_wait_s, account.left_s())),
            ),
            what=f"asking {self._model_id}",
            explain=self._explained,
        )

    async def _try(
        self, messages: Sequence[ChatMessage], asking: Asking[T], *, schema: type[T] | None
    ) -> Written:
        """One request, with `schema` under structured output."""
        account, meter = asking.account, self._endpoint.meter
        shape = [schema_request(schema)] if schema else []
        size = meter.size([*(message["content"] for message in messages), *shape])
        async with self._endpoint.gate.entered(account) as settle:
            reply_tokens = account.open_request(prompt=size, wanted=asking.max_tokens)
            model = bounded(self._model, reply_tokens)
            try:
                raw = await self._settled(_sent(model, messages, schema), account, settle)
            except Exception as error:
                if schema is not None and self._refuses_structure(error):
                    raise _StructureRefusedError(
                        f"{self._model_id} cannot give structured output: {self._explained(error)}"
                    ) from error
                raise
        text, used = text_of(raw), told_usage(raw)
        if used is None:
            used = Usage(prompt_tokens=size.tokens, completion_tokens=counted_tokens(text))
        else:
            meter.learn(size, told=used.prompt_tokens)
        account.charge(used)
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

    def _refuses_structure(self, error: Exception) -> bool:
        """Whether structured output is what the model cannot do, and text might still be had."""
        failed = failed_try(error)
        if self._endpoint.proven or failed.lost or failed.stale:
            return False
        return failed.status is None or failed.status in _REFUSES_STRUCTURE

    def _explained(self, error: Exception) -> str:
        """What happened, in words without the model's keys."""
        failed = failed_try(error)
        if failed.lost:
            return f"no answer ({why_unanswered(error)}); check the server, or raise timeout_s"
        said = told(str(error), lambda text: without_secrets(text, self._model))
        return f"{type(error).__name__}: {said}"


async def _sent(
    model: "BaseChatModel", messages: Sequence[ChatMessage], schema: type[BaseModel] | None
) -> "AIMessage":
    """The model's reply, by its structured output where a schema is given."""
    pairs = [(message["role"], message["content"]) for message in messages]
    if schema is None:
        return await model.ainvoke(pairs)
    answer = await model.with_structured_output(schema, include_raw=True).ainvoke(pairs)
    return cast("AIMessage", cast("dict[str, object]", answer)["raw"])
