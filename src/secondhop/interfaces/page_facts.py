"""What a report page says about itself: who was measured, with what, and how."""

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from secondhop.interfaces.opening import OFFLINE, choose_llm
from secondhop.interfaces.options import Common
from secondhop.settings import load_settings

if TYPE_CHECKING:
    from secondhop.interfaces.eval_bench import EvalPlan


def facts_of(plan: "EvalPlan", common: Common) -> Mapping[str, str]:
    """{name: value}, in the order of the page."""
    environment = load_settings()
    facts = {
        "Measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, secondhop {version('secondhop')}",
        "Embedding model": common.embedder or environment.embedder,
        "Language model": choose_llm(common.llm or environment.llm) or f"none ({OFFLINE})",
        "Settings": ", ".join(plan.changes) or "as shipped",
        "Times": times_of(plan),
    }
    if plan.against is not None:
        facts["Compared with"] = plan.against.name
    return facts


def times_of(plan: "EvalPlan") -> str:
    """What the milliseconds include."""
    embedding = "embedding included" if plan.fresh else "embeddings kept from earlier runs"
    at_once = plan.asking.at_once
    return f"{embedding}, {at_once} questions at once" if at_once > 1 else embedding
