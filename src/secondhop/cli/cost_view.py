"""The cost and time of a recall in words."""

from secondhop.graph.result import Spent
from secondhop.wording import counted


def cost_text(spent: Spent) -> str:
    """ "3 model calls, 6,120 tokens, about $0.004", or "no model call"."""
    if not spent.llm_calls:
        return "no model call"
    calls = counted(spent.llm_calls, "model call")
    tokens = counted(spent.prompt_tokens + spent.completion_tokens, "token")
    cached = f" ({spent.cached_tokens:,} cached)" if spent.cached_tokens else ""
    return f"{calls}, {tokens}{cached}, {money(spent.cost_usd)}"


def duration(ms: float) -> str:
    """Milliseconds, or seconds from one second on.

    >>> duration(23.4), duration(2130)
    ('23 ms', '2.1 s')
    """
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def money(dollars: float | None) -> str:
    """Two significant digits, or cents from 10 cents on; it is only an estimate.

    >>> money(0.0041), money(0.01239), money(1.5), money(0.0), money(None)
    ('about $0.0041', 'about $0.012', 'about $1.50', '$0', 'price unknown')
    """
    if dollars is None:
        return "price unknown"
    if dollars == 0:
        return "$0"
    if dollars < 0.0001:
        return "under $0.0001"
    return f"about ${dollars:,.2f}" if dollars >= 0.1 else f"about ${dollars:.2g}"
