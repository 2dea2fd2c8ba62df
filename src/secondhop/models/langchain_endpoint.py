"""The old place of `LangchainLLMConfig`, kept for one release: import it from `langchain_llm`."""

from secondhop.models.langchain_llm import LangchainLLMConfig

__all__ = ["LangchainLLMConfig"]
