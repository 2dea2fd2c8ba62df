"""Simulated sessions as one SVG file: who holds the slots, and how much of what was needed."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from secondhop.evals.briefing_loop import OFTEN, LoopReport
from secondhop.evals.markup import Markup, element

WIDTH, HEIGHT, LEFT, GAP = 720.0, 190.0, 46.0, 46.0
TOP, KEY = 34.0, 24.0
SMOOTHED: Final = 15
"""Sessions, that one included, whose mean a point of a line is."""

STYLE: Final = """
svg { font: 12px system-ui, sans-serif; background: #ffffff }
text { fill: #1b1f24 } .quiet { fill: #545b64 } .grid { stroke: #c9ced6; stroke-width: .5 }
polyline { fill: none; stroke-width: 1.5 } .l0 { stroke: #a63c06; stroke-width: 2.5 }
.l1 { stroke: #0a6b62; stroke-width: 2.5 } .l2 { stroke: #1559b0 }
.l3 { stroke: #0a6b62; stroke-dasharray: 5 3 } .l4 { stroke: #1559b0; stroke-dasharray: 5 3 }
"""


def loop_plot(reports: Sequence[LoopReport]) -> str:
    """The file: two panels with one line a way of choosing."""
    panels = (
        (
            f"share of slots held by memories that were shown {OFTEN} times before",
            [report.incumbents for report in reports],
        ),
        ("share of what a session needed that was shown", [report.found for report in reports]),
    )
    drawn = [
        panel(title, lines, top=TOP + KEY + place * (HEIGHT + GAP))
        for place, (title, lines) in enumerate(panels)
    ]
    height = TOP + KEY + len(panels) * (HEIGHT + GAP)
    sessions = len(reports[0].found)
    told = f"{sessions} simulated sessions, one a day; mean of {SMOOTHED} sessions"
    svg = element(
        "svg",
        element("title", told),
        element("style", Markup(STYLE)),
        element("text", told, x=LEFT, y=18, font_weight="bold"),
        *(key(report.name, place) for place, report in enumerate(reports)),
        *drawn,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {LEFT + WIDTH + 20:.0f} {height:.0f}",
        role="img",
    )
    return f"{svg}\n"


def key(name: str, place: int) -> Markup:
    """What a line is."""
    x = LEFT + place * 145
    return element(
        "g",
        element("polyline", points=f"{x:.0f},36 {x + 24:.0f},36", class_=f"l{place}"),
        element("text", name, x=x + 30, y=40),
    )


def panel(title: str, lines: Sequence[Sequence[float]], *, top: float) -> Markup:
    """Lines of values 0..1 over the sessions."""
    bottom = top + HEIGHT
    grid = [
        element(
            "g",
            element(
                "line",
                x1=LEFT,
                x2=LEFT + WIDTH,
                y1=bottom - at * (HEIGHT - 24),
                y2=bottom - at * (HEIGHT - 24),
                class_="grid",
            ),
            element(
                "text",
                f"{at:.1f}",
                x=LEFT - 6,
                y=bottom - at * (HEIGHT - 24) + 4,
                text_anchor="end",
                class_="quiet",
            ),
        )
        for at in (0.0, 0.5, 1.0)
    ]
    last = len(lines[0]) - 1
    return element(
        "g",
        element("text", title, x=LEFT, y=top + 8),
        *grid,
        element("text", "session 1", x=LEFT, y=bottom + 16, class_="quiet"),
        element(
            "text",
            str(last + 1),
            x=LEFT + WIDTH,
            y=bottom + 16,
            text_anchor="end",
            class_="quiet",
        ),
        *(
            element("polyline", points=points(values, bottom=bottom), class_=f"l{place}")
            for place, values in enumerate(lines)
        ),
    )


def points(values: Sequence[float], *, bottom: float) -> str:
    """Of one line, smoothed."""
    smooth = [
        float(np.mean(values[max(0, place + 1 - SMOOTHED) : place + 1]))
        for place in range(len(values))
    ]
    step = WIDTH / max(1, len(values) - 1)
    return " ".join(
        f"{LEFT + place * step:.1f},{bottom - value * (HEIGHT - 24):.1f}"
        for place, value in enumerate(smooth)
    )
