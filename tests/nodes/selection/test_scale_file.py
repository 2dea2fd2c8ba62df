"""A scale in a file belongs to one embedding model."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from secondhop.errors import UsageError
from secondhop.nodes.selection.scale import scale_of
from secondhop.nodes.selection.scale_file import chosen_scale, scale_document
from secondhop.ranking.calibration import (
    Calibration,
    IsotonicCalibration,
    LogisticCalibration,
)

MODEL = "hashing-v1-256"
CURVE = LogisticCalibration(slope=7.5, intercept=-3.25)
STEPS = IsotonicCalibration(np.array([0.1, 0.4, 0.8]), np.array([0.0, 0.3, 0.9]))


def written(folder: Path, calibration: Calibration = CURVE, *, model: str = MODEL) -> Path:
    path = folder / "scale.yaml"
    path.write_text(yaml.safe_dump(scale_document(calibration, embedder_id=model)))
    return path


@pytest.mark.parametrize("calibration", [CURVE, STEPS])
def test_what_was_written_is_read(tmp_path: Path, calibration: Calibration) -> None:
    read = chosen_scale(written(tmp_path, calibration), model_id=MODEL)

    cosines = [0.0, 0.3, 0.5, 0.9]
    assert read.calibration(cosines).tolist() == calibration(cosines).tolist()
    assert read.repeats == scale_of(MODEL).repeats
    assert read.successor_at == scale_of(MODEL).successor_at


def test_a_scale_of_another_model_is_refused_with_both_names(tmp_path: Path) -> None:
    path = written(tmp_path, model="some-model")

    with pytest.raises(UsageError, match=rf"some-model.*{MODEL}.*secondhop eval calibrate"):
        chosen_scale(path, model_id=MODEL)


def test_no_scale_means_what_ships_and_a_made_one_is_taken_as_it_is() -> None:
    made = scale_of("openai:text-embedding-3-small")

    assert chosen_scale(None, model_id=MODEL) is scale_of(MODEL)
    assert chosen_scale(made, model_id=MODEL) is made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("embedder: e", "calibration: Field required"),
        ("- 1", "must have `embedder`"),
        ("a: [", "neither YAML nor JSON"),
        ("embedder: e\ncalibration: {kind: logistic, slope: -1, intercept: 0}", "slope"),
        ("embedder: e\ncalibration: {kind: logistic, slope: .nan, intercept: 0}", "slope"),
        ("embedder: e\ncalibration: {kind: cubic}", "cubic"),
        ("embedder: e\ncalibration: {kind: isotonic, scores: [1, 0], values: [0, 1]}", "rise"),
        ("embedder: e\ncalibration: {kind: isotonic, scores: [0], values: [0, 1]}", "as many"),
        ("embedder: e\ncalibration: {kind: isotonic, scores: [0], values: [2]}", "values"),
    ],
)
def test_what_is_no_scale_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "scale.yaml"
    path.write_text(text)

    with pytest.raises(UsageError, match=said):
        chosen_scale(path, model_id="e")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the scale in .*gone\.yaml"):
        chosen_scale(tmp_path / "gone.yaml", model_id=MODEL)
