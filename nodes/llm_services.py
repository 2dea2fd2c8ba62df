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
    """The planner and the critic that `Services` needs. Raises PromptError if a prompt file is
    faulty."""
    loaded = load_prompts(prompts)
    return LLMPlanner(llm, loaded, planning=planning), LLMCritic(llm, loaded)
