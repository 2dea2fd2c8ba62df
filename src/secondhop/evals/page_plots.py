"""The plots of a report, as inline SVG: bars of the systems, dots of the questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from secondhop.evals.markup import Markup, element, joined
from secondhop.evals.measure_names import name_of

BAR_WIDTH, LABEL_WIDTH, ROW_HEIGHT = 150.0, 92.0, 20.0
VALUE_WIDTH = 48.0
DOT_WIDTH, DOT_LABEL_WIDTH, DOT_ROW = 340.0, 150.0, 17.0

SHOWN = 1e-9
"""A smaller difference is none."""


def bars(measure: str, values: Mapping[str, float | None], *, ours: str) -> Markup:
    """One bar a system, as a figure.

    Args:
        values: {system: value}; None: it has none. The axis ends at 1, or at the greatest.
    """
    named = name_of(measure)
    end = max([1.0, *(value for value in values.values() if value is not None)])
    rows = [
        bar(system, value, place=place, end=end, is_ours=system == ours)
        for place, (system, value) in enumerate(values.items())
    ]
    width, height = LABEL_WIDTH + BAR_WIDTH + VALUE_WIDTH, ROW_HEIGHT * len(rows)
    told = ", ".join(f"{system} {shown(value)}" for system, value in values.items())
    return element(
        "figure",
        element("figcaption", element("strong", named.label), f" – {named.way}"),
        element(
            "svg",
            *rows,
            viewBox=f"0 0 {width:.0f} {height:.0f}",
            role="img",
            aria_label=f"{named.label}, {named.way}: {told}",
        ),
        class_="bars",
    )


def bar(system: str, value: float | None, *, place: int, end: float, is_ours: bool) -> Markup:
    """One row of a bar chart."""
    top, length = ROW_HEIGHT * place, BAR_WIDTH * (value or 0.0) / end
    middle = top + ROW_HEIGHT / 2 + 4
    return element(
        "g",
        element("text", system, x=LABEL_WIDTH - 6, y=middle, text_anchor="end"),
        element(
            "rect", x=LABEL_WIDTH, y=top + 3, width=BAR_WIDTH, height=ROW_HEIGHT - 6, class_="rail"
        ),
        element("rect", x=LABEL_WIDTH, y=top + 3, width=length, height=ROW_HEIGHT - 6),
        element("text", shown(value), x=LABEL_WIDTH + BAR_WIDTH + 6, y=middle, class_="value"),
        class_="ours" if is_ours else "other",
    )


def shown(value: float | None) -> str:
    """Three digits, or that there is nothing to show."""
    return "none" if value is None else f"{value:.3f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDot:
    """By how much one question is better."""

    label: str
    anchor: str
    """Id of the element that tells more."""
    question: str
    difference: float


def dots(measure: str, gains: Sequence[QuestionDot], *, against: str) -> Markup:
    """One row a question, the greatest gain first: right of the line is better than `against`."""
    named = name_of(measure)
    sign = -1 if named.better == "lower" else 1
    ordered = sorted(gains, key=lambda one: (-sign * one.difference, one.label))
    reach = max([abs(one.difference) for one in ordered], default=0.0) or 1.0
    height = DOT_ROW * len(ordered) + 24
    middle = DOT_LABEL_WIDTH + DOT_WIDTH / 2
    axis = element(
        "g",
        element("line", x1=middle, x2=middle, y1=0, y2=height - 20, class_="zero"),
        *(
            element(
                "text",
                f"{at * reach:+.2f}" if at else "0",
                x=middle + at * (DOT_WIDTH / 2 - 4),
                y=height - 5,
                text_anchor={-1: "start", 0: "middle", 1: "end"}[at],
                class_="value",
            )
            for at in (-1, 0, 1)
        ),
    )
    rows = [
        dot(one, place=place, reach=reach, middle=middle, better=sign * one.difference)
        for place, one in enumerate(ordered)
    ]
    caption = f"{named.label}: difference from {against}, question by question"
    return element(
        "figure",
        element("figcaption", element("strong", named.label), f" – less {against}; ", tally(gains)),
        element(
            "svg",
            axis,
            *rows,
            viewBox=f"0 0 {DOT_LABEL_WIDTH + DOT_WIDTH:.0f} {height:.0f}",
            role="group",
            aria_label=caption,
        ),
        class_="dots",
    )


def dot(one: QuestionDot, *, place: int, reach: float, middle: float, better: float) -> Markup:
    """One question: a disc for a gain, a square for a loss, a ring for neither."""
    y = DOT_ROW * place + DOT_ROW / 2
    x = middle + one.difference / reach * (DOT_WIDTH / 2 - 14)
    told = f"{one.label}: {one.difference:+.3f}"
    if abs(better) < SHOWN:
        mark = element("circle", cx=x, cy=y, r=3, class_="tie")
    elif better > 0:
        mark = element("circle", cx=x, cy=y, r=5, class_="gain")
    else:
        mark = element("rect", x=x - 4.5, y=y - 4.5, width=9, height=9, class_="loss")
    return element(
        "a",
        element("title", f"{told}. {one.question}"),
        element("rect", x=0, y=y - DOT_ROW / 2, width="100%", height=DOT_ROW, class_="hit"),
        element("text", short(one.label), x=DOT_LABEL_WIDTH - 8, y=y + 4, text_anchor="end"),
        element("line", x1=middle, x2=x, y1=y, y2=y, class_="stem"),
        mark,
        href=f"#{one.anchor}",
        aria_label=told,
    )


def short(label: str) -> str:
    """A label that fits beside the plot.

    >>> short("a-question-with-a-very-long-name")
    'a-question-with-a-ve…'
    """
    return label if len(label) <= 21 else f"{label[:20]}…"


def tally(gains: Sequence[QuestionDot]) -> str:
    """How many questions differ, either way of the line."""
    right = sum(one.difference > SHOWN for one in gains)
    left = sum(one.difference < -SHOWN for one in gains)
    return f"{right} right of the line, {left} left, {len(gains) - right - left} on it"


def legend() -> Markup:
    """What the marks of the dot plot mean."""
    marks = (
        ("gain", element("circle", cx=7, cy=7, r=5, class_="gain")),
        ("loss", element("rect", x=2.5, y=2.5, width=9, height=9, class_="loss")),
        ("neither", element("circle", cx=7, cy=7, r=3, class_="tie")),
    )
    return element(
        "p",
        joined(
            element(
                "span",
                element("svg", mark, viewBox="0 0 14 14", class_="mark", aria_hidden="true"),
                f" {name} ",
            )
            for name, mark in marks
        ),
        class_="legend",
    )
