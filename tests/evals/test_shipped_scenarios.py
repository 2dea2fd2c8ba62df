"""How well recall does on the shipped scenarios, so that a change that makes it worse is noticed.

The floors are a little below what was measured when they were set, on processors with and without
AVX-512 VNNI, for which the int8 model gives slightly different vectors. They are not goals.
"""

from pathlib import Path

import pytest
from tests.evals.as_shipped import AS_SHIPPED

from secondhop.cli.eval_bench import EvalPlan, measured
from secondhop.evals.report import ScenarioReport, mean_of_scenarios
from secondhop.evals.scenario import load_scenario
from secondhop.evals.shipped import shipped_scenarios

AT_LEAST = {"facet_recall": 0.50, "alpha_ndcg": 0.55}
AT_MOST = {"redundancy": 0.035, "stale_rate": 0.04}
UNSEEN = Path(__file__).parents[2] / "examples" / "scenarios-unseen"
UNSEEN_AT_LEAST = {"facet_recall": 0.50, "alpha_ndcg": 0.50}
WITH_CUES_AT_LEAST = {"facet_recall": 0.74, "alpha_ndcg": 0.75}
WITH_CUES_AT_MOST = {"redundancy": 0.045, "stale_rate": 0.03}
UNSEEN_WITH_CUES_AT_LEAST = {"facet_recall": 0.69, "alpha_ndcg": 0.71}


async def reports_of(folders: list[Path], *, cues: bool) -> list[ScenarioReport]:
    """What `secondhop eval scenarios` measures; embeddings are cached in the same place."""
    found = [load_scenario(folder, cues=cues) for folder in folders]
    return (await measured(EvalPlan(scenarios=found), AS_SHIPPED)).reports


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_recall_on_the_shipped_scenarios_is_as_good_as_it_was() -> None:
    reports = await reports_of(shipped_scenarios(), cues=False)

    assert [report.name for report in reports] == ["carefeed", "episodes", "house", "ops-notes"]
    means = {name: dict(mean) for name, mean in mean_of_scenarios(reports).items()}
    mean = means["secondhop"]
    assert all(mean[name] >= floor for name, floor in AT_LEAST.items()), means
    assert all(mean[name] <= ceiling for name, ceiling in AT_MOST.items()), means
    # the project's own example: plain search serves two of its six facets, our recall serves
    # five, or four on processors that round the int8 model's sums differently
    assert reports[0].ours.questions["carefeed-1"]["facet_recall"] >= 4 / 6
    answered = {name: ids for report in reports for name, ids in report.no_answer.items() if ids}
    assert sum(len(report.no_answer) for report in reports) > 0
    assert not answered


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_recall_on_memories_it_was_not_tuned_on_stays_ahead_of_plain_search() -> None:
    reports = await reports_of(folders_in(UNSEEN), cues=False)

    assert len(reports) == 4
    means = {name: dict(mean) for name, mean in mean_of_scenarios(reports).items()}
    ours, plain = means["secondhop"], means["dense"]
    for name, floor in UNSEEN_AT_LEAST.items():
        assert ours[name] >= floor, means
        assert ours[name] > plain[name], means


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    ("folder", "floors"),
    [(UNSEEN.with_name("scenarios"), WITH_CUES_AT_LEAST), (UNSEEN, UNSEEN_WITH_CUES_AT_LEAST)],
)
async def test_cues_recall_what_no_search_finds(folder: Path, floors: dict[str, float]) -> None:
    reports = await reports_of(folders_in(folder), cues=True)

    mean = dict(mean_of_scenarios(reports)["secondhop"])
    assert all(mean[name] >= floor for name, floor in floors.items()), mean
    assert all(mean[name] <= ceiling for name, ceiling in WITH_CUES_AT_MOST.items()), mean
    assert not [ids for report in reports for ids in report.no_answer.values() if ids]


def folders_in(folder: Path) -> list[Path]:
    """The scenario folders below a folder, in the order of their names."""
    return sorted(path for path in folder.iterdir() if path.is_dir())
