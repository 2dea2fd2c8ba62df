"""Simulated sessions under the audited formula and ours."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from secondhop.cli.app import app
from secondhop.evals.briefing_loop import (
    A_DAY,
    NEEDED,
    Audited,
    LoopReport,
    life_of,
    lived,
    simulated,
)
from secondhop.evals.briefing_plot import loop_plot

DRAWN = Path(__file__).parents[2] / "docs" / "briefing-loop.svg"


def test_a_life_depends_on_its_seed_alone() -> None:
    one, again, other = life_of(30, seed=1), life_of(30, seed=1), life_of(30, seed=2)

    assert one.needed == again.needed != other.needed
    for day, needed in enumerate(one.needed):
        assert len(needed) == NEEDED
        assert all(0 <= number < (day + 1) * A_DAY for number in needed)


async def test_under_the_audited_formula_what_is_shown_keeps_being_shown() -> None:
    life = life_of(120, seed=0)
    report = await lived("audited", life, Audited(life).choose)

    assert report.incumbents[:30] == [0.0] * 30
    assert report.means()["incumbents"] > 0.4


async def test_the_briefing_is_asked_every_day_and_shows_what_exists() -> None:
    reports = await simulated(12, seed=0)

    assert [report.name for report in reports][:2] == ["audited formula", "briefing"]
    for report in reports:
        assert len(report.found) == 12
        assert all(age <= day for day, age in enumerate(report.age_days))


def test_the_plot_has_a_line_a_way_in_each_panel_and_escapes_names() -> None:
    reports = [
        LoopReport(name="a < b", incumbents=[0.0, 1.0], found=[0.5, 0.5], age_days=[0.0, 1.0]),
        LoopReport(name="ours", incumbents=[0.0, 0.0], found=[1.0, 1.0], age_days=[0.0, 0.0]),
    ]
    drawn = loop_plot(reports)

    assert drawn.count("<polyline") == 2 * len(reports) + len(reports)
    assert "a &lt; b" in drawn
    assert drawn.endswith("</svg>\n")


def test_the_command_prints_every_session_and_draws(tmp_path: Path) -> None:
    line = ["eval", "briefing", "--sessions", "20", "--json", "--svg", str(tmp_path / "loop.svg")]
    done = CliRunner().invoke(app, line)

    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert len(told["briefing"]["incumbents"]) == 20
    assert told["briefing"]["mean_of_second_half"]["found"] > 0
    assert (tmp_path / "loop.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.slow
async def test_two_hundred_sessions_show_no_loop_and_the_plot_in_the_docs_is_theirs() -> None:
    reports = await simulated(200, seed=0)
    means = {report.name: report.means() for report in reports}

    assert means["audited formula"]["incumbents"] > 0.5
    assert means["briefing"]["incumbents"] < 0.02
    assert means["30 days"]["incumbents"] < 0.5 * means["audited formula"]["incumbents"]
    assert means["briefing"]["found"] > 2 * means["audited formula"]["found"]
    drawn, kept = (numbers(text) for text in (loop_plot(reports), DRAWN.read_text("utf-8")))
    assert drawn == pytest.approx(kept, abs=8)  # another machine may round a need otherwise


def numbers(svg: str) -> list[float]:
    """Of every line that is drawn."""
    return [float(one) for one in re.findall(r"\d+\.\d", svg)]
