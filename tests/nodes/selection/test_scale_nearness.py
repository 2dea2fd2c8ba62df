"""The usual nearness of memories in a scale file."""

from pathlib import Path

import pytest
import yaml

from secondhop.assembly import chosen_scale
from secondhop.nodes.selection.scale_file import scale_document
from secondhop.ranking.calibration import LogisticCalibration

CURVE = LogisticCalibration(slope=7.5, intercept=-3.25)


def read(folder: Path, *, model: str, nearness: float | None) -> float | None:
    """What is read of a file that was written with that nearness."""
    path = folder / "scale.yaml"
    document = scale_document(CURVE, embedder_id=model, usual_nearness=nearness)
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return chosen_scale(path, model_id=model).usual_nearness


def test_what_was_measured_is_written_and_read(tmp_path: Path) -> None:
    assert read(tmp_path, model="some-model", nearness=0.3123) == pytest.approx(0.3123)
    assert read(tmp_path, model="bge-small-en-v1.5-int8", nearness=0.6) == pytest.approx(0.6)


def test_a_file_without_it_leaves_what_ships(tmp_path: Path) -> None:
    assert read(tmp_path, model="some-model", nearness=None) is None
    assert read(tmp_path, model="bge-small-en-v1.5-int8", nearness=None) == pytest.approx(0.648)
