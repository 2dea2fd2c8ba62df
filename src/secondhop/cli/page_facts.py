"""What a report page says about itself: who was measured, with what, and how."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from secondhop.cli.opening import OFFLINE, choose_llm
from secondhop.cli.options import Common
from secondhop.settings import load_settings

if TYPE_CHECKING:
    from secondhop.cli.eval_bench import EvalPlan
    from secondhop.cli.evidence_bench import EvidencePlan
    from secondhop.evals.opponents import Opponent


def facts_of(plan: "EvalPlan", common: Common) -> Mapping[str, str]:
    """{name: value}, in the order of the page."""
    times = times_of(fresh=plan.fresh, at_once=plan.asking.at_once)
    return facts_about(common, plan.changes, plan.against, times=times)


def evidence_facts(plan: "EvidencePlan", common: Common) -> Mapping[str, str]:
    """As `facts_of`, of evidence sets."""
    facts = facts_about(
        common, plan.changes, plan.against, times=times_of(fresh=False, at_once=plan.at_once)
    )
    asked = f"{plan.limit} questions a set" if plan.limit else "all questions"
    return {**facts, "Asked": asked, "Plans": plan.plans or "the recall's own"}


def facts_about(
    common: Common, changes: Sequence[str], against: "Opponent | None", *, times: str
) -> dict[str, str]:
    """What every page says."""
    environment = load_settings()
    facts = {
        "Measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, secondhop {version('secondhop')}",
        "Embedding model": common.embedder or environment.embedder,
        "Language model": choose_llm(common.llm or environment.llm) or f"none ({OFFLINE})",
        "Settings": ", ".join(changes) or "as shipped",
        "Times": times,
    }
    if against is not None:
        facts["Compared with"] = against.name
    return facts


def times_of(*, fresh: bool, at_once: int) -> str:
    """What the milliseconds include."""
    embedding = "embedding included" if fresh else "embeddings kept from earlier runs"
    return f"{embedding}, {at_once} questions at once" if at_once > 1 else embedding
