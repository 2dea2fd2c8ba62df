"""From a word in a setting, or what a caller gives, to a language model."""

from typing import TYPE_CHECKING

from secondhop.errors import UsageError
from secondhop.models.llm import StructuredLLM

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

LLM_SPECS = ("openai:MODEL",)


def make_llm(
    spec: str, *, base_url: str | None = None, api_key: str | None = None
) -> StructuredLLM:
    """The language model that `spec` names; nothing is sent before its first answer.

    Args:
        spec: "openai:MODEL", at OpenAI or at any server that speaks its protocol.
        base_url: that server; None: OpenAI's rule (OPENAI_BASE_URL).
        api_key: key for it; None: OPENAI_API_KEY. A local server takes any word.

    Raises:
        UsageError: no such model.
    """
    kind, _, name = spec.partition(":")
    if kind == "openai" and name:
        from secondhop.models.openai_client import OpenAIConnection
        from secondhop.models.openai_llm import OpenAILLM, OpenAILLMConfig

        connection = OpenAIConnection(base_url=base_url, api_key=api_key)
        return OpenAILLM(OpenAILLMConfig(model=name, connection=connection))
    raise UsageError(f"no language model {spec!r}; choose one of: {', '.join(LLM_SPECS)}")


def chosen_llm(llm: "str | StructuredLLM | BaseChatModel") -> StructuredLLM:
    """The language model that is named or given.

    Raises:
        UsageError: no model has that name, or a langchain model does not tell which it is.
    """
    from langchain_core.language_models import BaseChatModel

    if isinstance(llm, str):
        return make_llm(llm)
    if isinstance(llm, BaseChatModel):
        from secondhop.models.langchain_llm import LangchainLLM

        return LangchainLLM(llm)
    return llm
