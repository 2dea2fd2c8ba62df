"""A scale in a file belongs to one embedding model."""

from pathlib import Path

import pytest
import yaml

from secondhop.errors import UsageError
from secondhop.nodes.selection.scale import scale_of
from secondhop.nodes.selection.scale_file import chosen_scale, scale_document
from secondhop.ranking.calibration import LogisticCalibration

MODEL = "hashing-v1-256"
CURVE = LogisticCalibration(slope=7.5, intercept=-3.25)


def written(folder: Path, *, model: str = MODEL) -> Path:
    path = folder / "scale.yaml"
    path.write_text(yaml.safe_dump(scale_document(CURVE, embedder_id=model)))
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    read = chosen_scale(written(tmp_path), model_id=MODEL)

    cosines = [0.0, 0.3, 0.5, 0.9]
    assert read.calibration(cosines).tolist() == CURVE(cosines).tolist()
    assert read.repeats == scale_of(MODEL).repeats
    assert read.successor_at == scale_of(MODEL).successor_at


def test_a_file_of_version_0_1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scale.yaml"
    curve = "{kind: logistic, slope: 7.5, intercept: -3.25}"
    path.write_text(f"embedder: {MODEL}\nusual_nearness: 0.6\ncalibration: {curve}")

    assert chosen_scale(path, model_id=MODEL).calibration == CURVE


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
        ("embedder: e\ncalibration: {kind: cubic}", "calibration.kind: Input should be 'logistic'"),
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
