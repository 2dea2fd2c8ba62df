"""`calibrate` measures what hubs are corrected by; without it they are not, and `stats` says so."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command_line import Cli, document
from tests.evals.scenario_files import memory_row, write_rows

from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall
from secondhop.testing import ScriptedModel

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests")]

TEXTS = {
    "plan": "My plan for the Carefeed job: cut onboarding from nine weeks to four.",
    "research": "Carefeed sells communication software to nursing homes.",
    "garden": "The tomatoes need water twice a week; the basil is in the shade.",
    "car": "The winter tyres are in the cellar; the brakes of the car squeak.",
}
ASKED = "water for the tomatoes"


def question(name: str, query: str, *, relevant: str) -> dict[str, Any]:
    facet = {"name": query, "why": "w", "hop": 1, "relevant": {relevant: 3}}
    asked = {"id": name, "query": query, "asked_at": "2025-11-17T13:00:00Z", "k": 2}
    return {**asked, "facets": [facet], "redundant": [], "stale": {}}


@pytest.fixture
def small(tmp_path: Path) -> str:
    """The folder of a scenario."""
    folder = write_rows(
        tmp_path / "small",
        conversations=[memory_row(name, text) for name, text in TEXTS.items()],
        queries=[
            question("job", "my plan for the Carefeed job", relevant="plan"),
            question("garden", ASKED, relevant="garden"),
            question("car", "tyres and brakes of the car", relevant="car"),
        ],
    )
    return str(folder)


def written(name: str) -> dict[str, Any]:
    """A scale file as it stands."""
    found: dict[str, Any] = yaml.safe_load(Path(name).read_text(encoding="utf-8"))
    return found


def old_scale() -> str:
    """A scale file as it was before the nearness was measured."""
    curve = {"kind": "logistic", "slope": 12.0, "intercept": -4.2}
    scale = {"embedder": HashingEmbedder().model_id, "calibration": curve, "fitted": {}}
    Path("old.yaml").write_text(yaml.safe_dump(scale), encoding="utf-8")
    return "old.yaml"


def test_calibrate_writes_the_nearness_of_the_memories(cli: Cli, small: str) -> None:
    report = document(cli("eval", "calibrate", small, "--json", "--out", "scale.yaml"))
    file = written("scale.yaml")

    assert 0 < report["usual_nearness"] < 1
    assert report["nearness"] == {"small": pytest.approx(report["usual_nearness"])}
    assert file["usual_nearness"] == pytest.approx(report["usual_nearness"], abs=1e-4)
    assert file["fitted"]["nearness"] == {"small": file["usual_nearness"]}


def test_calibrate_tells_people_what_hubs_are_corrected_by(cli: Cli, small: str) -> None:
    said = " ".join(cli("eval", "calibrate", small).stdout.split())

    assert "usual similarity of memories to the playbooks' questions: 0." in said


def test_a_recall_with_the_written_scale_corrects_hubs(cli: Cli, small: str) -> None:
    """Asked with the same calibration twice: only the nearness makes the difference.

    A plan's queries are corrected, and not the question's own words.
    """
    assert cli("eval", "calibrate", small, "--out", "scale.yaml").exit_code == 0
    assert cli("ingest", "small/conversations.jsonl").exit_code == 0
    scale = written("scale.yaml")
    usual = scale.pop("usual_nearness")
    Path("old.yaml").write_text(yaml.safe_dump(scale), encoding="utf-8")

    def asked(scale: str) -> tuple[object, dict[str, float]]:
        facet = {"name": "the garden", "why": "w", "queries": ["when to water the plants"]}
        nothing: list[str] = []
        model = ScriptedModel(
            {
                "decompose": [{"kind": "conceptual"}],
                "expand": [{"intent": "garden", "facets": [facet]}],
                "critique": [{"votes": nothing}],
            }
        )
        with Recall.open(".secondhop", embedder="hashing", scale=scale, llm=model) as recall:
            trace = recall.trace(recall.recall(ASKED).trace_id)
        found = {
            one.memory_id: max(score.relevance for score in one.facet_scores)
            for one in trace.candidates
            if one.facet_scores
        }
        return trace.settings["scale.usual_nearness"], found

    (before, plain), (after, corrected) = asked("old.yaml"), asked("scale.yaml")

    assert (before, after) == (None, usual)
    assert plain.keys() & corrected.keys() != set()
    assert any(plain[one] != corrected[one] for one in plain.keys() & corrected.keys())


def test_stats_say_whether_hubs_are_corrected(cli: Cli, small: str) -> None:
    assert cli("eval", "calibrate", small, "--out", "scale.yaml").exit_code == 0
    assert cli("ingest", "small/conversations.jsonl").exit_code == 0

    def hubs(*options: str) -> tuple[str, str]:
        said = " ".join(cli("stats", *options).stdout.split())
        return document(cli("stats", "--json", *options))["hubs"], said

    unmeasured, said = hubs()
    assert unmeasured == hubs("--scale", old_scale())[0] == "unmeasured"
    assert "hubs: not corrected: how near" in said
    assert "secondhop eval calibrate" in said
    assert hubs("--scale", "scale.yaml")[0] == "corrected"
