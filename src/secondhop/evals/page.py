"""An evaluation as one HTML page. It fetches nothing and runs nothing, whatever a memory says.

Jinja fills the template `page.html`; it comes with the extra `secondhop[eval]`.
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files

from secondhop.evals.comparison import Comparison
from secondhop.evals.measures import MEASURES, Measures, mean_of
from secondhop.evals.report import OURS, ScenarioReport, by_system, mean_of_scenarios


def report_page(
    reports: Sequence[ScenarioReport],
    comparison: Comparison | None,
    *,
    facts: Mapping[str, str],
) -> str:
    """The page: means, the comparison, then every question with what came back and what did not.

    Args:
        facts: what was measured with what, for the head of the page.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["figure"] = figure
    template = (files("secondhop.evals") / "page.html").read_text(encoding="utf-8")
    return environment.from_string(template).render(
        reports=reports,
        comparison=comparison,
        facts=facts,
        means=mean_of_scenarios(reports) if len(reports) > 1 else {},
        library=library_means(reports),
        names=MEASURES,
        ours=OURS,
    )


def library_means(reports: Sequence[ScenarioReport]) -> dict[str, Measures]:
    """{system: mean of the scenarios' means} of ir-measures; {} where it is not installed."""
    means = {
        name: mean_of(run.library_mean() for run in runs)
        for name, runs in by_system(reports).items()
    }
    return means if means.get(OURS) else {}


def figure(value: float) -> str:
    """Three digits."""
    return f"{value:.3f}"
