"""Planner and critic that share one language model."""

from secondhop.models.llm import StructuredLLM
from secondhop.nodes.config import PlanningSettings
from secondhop.nodes.critics.llm import LLMCritic
from secondhop.nodes.planning.llm import LLMPlanner
from secondhop.prompts.templates import PromptSource, load_prompts


def llm_services(
    llm: StructuredLLM,
    *,
    prompts: PromptSource | None = None,
    planning: PlanningSettings | None = None,
) -> tuple[LLMPlanner, LLMCritic]:
    """The planner and the critic that `Services` needs.

    Args:
        llm: any adapter of the port.
        prompts: a directory whose files replace shipped prompts, or all prompts by name.
        planning: how much a plan may hold.

    Raises:
        PromptError: a prompt file is faulty.
    """
    loaded = load_prompts(prompts)
    return LLMPlanner(llm, loaded, planning=planning), LLMCritic(llm, loaded)
