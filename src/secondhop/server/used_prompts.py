"""The prompts that a kept recall was planned and judged with."""

import re

from secondhop.graph.trace import RecallTrace
from secondhop.prompts.templates import PROMPT_NAMES, shipped_prompt
from secondhop.server.recall_bodies import PromptWords

_LABEL = re.compile(r"(?P<name>[a-z]+)\.v(?P<version>\d+)@(?P<hash>[0-9a-f]{12})")
"""A label as `Prompt.label` writes it."""


def used_prompts(trace: RecallTrace) -> list[PromptWords]:
    """The prompts whose labels the trace holds. It has the text of your own, else only the hash."""
    found = _LABEL.finditer(f"{trace.planner}+{trace.critic}")
    return [used_prompt(one, trace) for one in found]


def used_prompt(label: re.Match[str], trace: RecallTrace) -> PromptWords:
    """The prompt with this label; its text is "" if it is not known."""
    name = label["name"]
    shipped = shipped_prompt(name) if name in PROMPT_NAMES else None
    text, own = "", trace.prompts.get(label.group(), "")
    if shipped and shipped.label == label.group():
        text = shipped.text
    return PromptWords(
        name=name,
        version=int(label["version"]),
        hash=label["hash"],
        origin="built in" if text else "yours" if own else "unknown",
        text=text or own,
    )
