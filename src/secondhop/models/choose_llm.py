"""Chooses a language model from a name in a setting, or from an object that the caller gives."""

from typing import TYPE_CHECKING

from secondhop.errors import UsageError
from secondhop.models.llm import StructuredLLM

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

USUAL_TIMEOUT_S = 30.0
"""For one request."""

OFFLINE = "offline"
"""Means no language model. `Recall.open` takes this word; `make_llm` does not."""

LLM_SPECS = (OFFLINE, "openai:MODEL")


def llm_spec(said: str | None, *, openai_model: str | None, openai_key: bool) -> str | None:
    """The spec of the language model to use, for `make_llm`; None: no model. Raises UsageError if
    `said` is "openai" alone, and `openai_model` is not given.

    Args:
        said: the option or variable. If it is empty, OpenAI is used if there is a key and
            `openai_model` is given.
        openai_model: the model that "openai" alone means.

    >>> llm_spec(None, openai_model="gpt-4.1-mini", openai_key=True)
    'openai:gpt-4.1-mini'
    >>> llm_spec("openai:gpt-4.1", openai_model="gpt-4.1-mini", openai_key=True)
    'openai:gpt-4.1'
    """
    if not said and not (openai_model and openai_key):
        return None
    if said and said.removesuffix(":") != "openai":
        return said
    if not openai_model:
        raise UsageError(
            f"{said!r} does not say which model; write openai:MODEL, for example "
            f"openai:gpt-4.1-mini, or set OPENAI_MODEL"
        )
    return f"openai:{openai_model}"


def make_llm(spec: str, *, timeout_s: float = USUAL_TIMEOUT_S) -> StructuredLLM:
    """The language model that `spec` names: "openai:MODEL", at OpenAI or on the server that
    OPENAI_BASE_URL names. Nothing is sent before its first answer. `timeout_s` is for one
    request. Raises UsageError if there is no such model."""
    kind, _, name = spec.partition(":")
    if kind == "openai" and name:
        from secondhop.models.openai_client import OpenAIConnection
        from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig

        connection = OpenAIConnection(timeout_s=timeout_s)
        return OpenAILLM(OpenAILLMConfig(model=name, connection=connection))
    raise UsageError(f"unknown language model {spec!r}; choose one of: {', '.join(LLM_SPECS)}")


def chosen_llm(
    llm: "str | StructuredLLM | BaseChatModel | None", *, deadline_s: float = USUAL_TIMEOUT_S
) -> StructuredLLM | None:
    """The named or given language model; None for None and "offline".

    One request may take as long as the deadline of a recall, but at least USUAL_TIMEOUT_S. A given
    `StructuredLLM` keeps its own timeouts. Raises UsageError if no model has that name, or a
    LangChain model does not say which model it is.
    """
    if llm is None or llm == OFFLINE:
        return None
    if isinstance(llm, str):
        return make_llm(llm, timeout_s=max(USUAL_TIMEOUT_S, deadline_s))
    from langchain_core.language_models import BaseChatModel

    if isinstance(llm, BaseChatModel):
        from secondhop.models.langchain_llm import LangchainLLM, LangchainLLMConfig

        config = LangchainLLMConfig(timeout_s=max(USUAL_TIMEOUT_S, deadline_s))
        return LangchainLLM(llm, config=config)
    return llm
