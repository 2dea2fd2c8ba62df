"""Planner and critic of one language model."""

from pathlib import Path

from secondhop.models.llm import StructuredLLM
from secondhop.nodes.llm_critic import CriticBounds, LLMCritic
from secondhop.nodes.llm_planner import LLMPlanner
from secondhop.prompts.templates import load_prompts

SPARE_PICKS = 3
"""Hot and warm votes beyond k: selection and later rounds want something to choose from."""


def llm_services(
    llm: StructuredLLM, *, k: int = 6, prompts: Path | None = None, secret: bytes | None = None
) -> tuple[LLMPlanner, LLMCritic]:
    """What `Services` needs to plan and judge with a model; the offline twins stay beside them.

    Args:
        llm: any adapter of the port.
        k: memories that a recall returns.
        prompts: a directory whose files take the place of shipped prompts.
        secret: of the tags around stored text; give a fixed one where answers are cached by the
            content of their prompt, and keep it to yourself.

    Raises:
        PromptError: a prompt file is faulty.
    """
    loaded = load_prompts(prompts)
    bounds = CriticBounds(picks=k + SPARE_PICKS)
    planner = LLMPlanner(llm, loaded, secret=secret)
    return planner, LLMCritic(llm, loaded, bounds=bounds, secret=secret)
