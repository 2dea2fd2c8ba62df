"""The tables of a report page."""

from collections.abc import Iterable, Mapping, Sequence

from secondhop.evals.comparison import COSTS, Comparison, Difference, p_shown
from secondhop.evals.markup import Child, Markup, element
from secondhop.evals.measure_names import name_of
from secondhop.evals.measures import Measures
from secondhop.evals.side_figures import SideFigures

SURE = 0.05


def table(
    caption: Child, headings: Sequence[Child], rows: Iterable[Sequence[Child]], *, numbers: bool
) -> Markup:
    """A table whose first column names the rows.

    Args:
        numbers: every other column holds numbers.
    """
    body = [
        element(
            "tr",
            element("th", cells[0], scope="row"),
            *(element("td", cell) for cell in cells[1:]),
        )
        for cells in rows
    ]
    head = element("tr", *(element("th", heading, scope="col") for heading in headings))
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", head),
            element("tbody", *body),
            class_="numbers" if numbers else "words",
        ),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=caption if caption and not isinstance(caption, Markup) else None,
    )


def measures_table(caption: str, rows: Mapping[str, Measures], names: Sequence[str]) -> Markup:
    """One row a system or question."""
    return table(
        caption,
        ["", *(heading(name) for name in names)],
        ([label, *(figure(row.get(name)) for name in names)] for label, row in rows.items()),
        numbers=True,
    )


def heading(measure: str) -> Markup:
    """A measure's name with its meaning behind it, and which way it is better."""
    named = name_of(measure)
    label = element("abbr", named.label, title=f"{named.meaning}; {named.way}")
    return element("span", label, element("span", f" {named.arrow}", aria_hidden="true"))


def figure(value: float | None) -> str:
    """Three digits; a dash for what nobody knows."""
    return "–" if value is None else f"{value:.3f}"


def side_table(caption: str, rows: Mapping[str, SideFigures]) -> Markup:
    """How different results are, and how far they reach."""
    return table(
        caption,
        ["", *(heading(name) for name in ("overlap", "jaccard", "distance", "second_hop"))],
        (
            [
                system,
                figure(side.overlap),
                figure(side.jaccard),
                figure(side.distance),
                f"{side.second_hop.memories_found} of {side.second_hop.memories} memories, "
                f"{side.second_hop.facets_found} of {side.second_hop.facets} facets",
            ]
            for system, side in rows.items()
        ),
        numbers=True,
    )


def comparison_table(comparison: Comparison) -> Markup:
    """Differences with interval and p."""
    rows = ((heading(one.measure), one) for one in comparison.differences)
    return differences_table(f"secondhop less {comparison.against}", comparison.against, rows)


def differences_table(
    caption: str, against: str, rows: Iterable[tuple[Child, Difference]]
) -> Markup:
    """One row a label; differences with interval and p."""
    return table(
        caption,
        ["", "secondhop", against, "difference", "95 % interval", "p", "won", "lost"],
        (difference_row(label, one) for label, one in rows),
        numbers=True,
    )


def difference_row(label: Child, one: Difference) -> list[Child]:
    """One measure of some questions."""
    digits = 1 if one.measure in COSTS else 3
    span = one.interval
    p = p_shown(one.p)
    return [
        label,
        f"{one.ours:.{digits}f}",
        f"{one.theirs:.{digits}f}",
        f"{span.difference:+.{digits}f}",
        f"{span.low:+.{digits}f} to {span.high:+.{digits}f}",
        element("strong", p) if one.p < SURE else p,
        str(one.wins),
        str(one.losses),
    ]
