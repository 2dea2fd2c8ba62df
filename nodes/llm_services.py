"""Planner and critic that share one language model."""

from collections.abc import Mapping

from secondhop.models.llm import KeepsAnswers, StructuredLLM
from secondhop.nodes.config import PlanningSettings
from secondhop.nodes.critics.llm import LLMCritic
from secondhop.nodes.planning.llm import LLMPlanner
from secondhop.prompts.templates import PromptSource, load_prompts


def llm_services(
    llm: StructuredLLM,
    *,
    prompts: PromptSource | None = None,
    planning: PlanningSettings | None = None,
    secret: bytes | None = None,
) -> tuple[LLMPlanner, LLMCritic]:
    """The planner and the critic that `Services` needs.

    Args:
        llm: any adapter of the port.
        prompts: a directory whose files replace shipped prompts, or all prompts by name.
        planning: how much a plan may hold.
        secret: for the tags around stored text. Default: that of the model if it caches answers by
            prompt (the prompt must stay the same), else a random one.

    Raises:
        PromptError: a prompt file is faulty.
    """
    if secret is None and isinstance(llm, KeepsAnswers):
        secret = llm.tag_secret
    loaded = prompts if isinstance(prompts, Mapping) else load_prompts(prompts)
    planner = LLMPlanner(llm, loaded, planning=planning, secret=secret)
    return planner, LLMCritic(llm, loaded, secret=secret)
