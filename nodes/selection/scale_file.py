"""Reads an embedding model's scale from the file that `secondhop eval calibrate` writes.

The file is YAML or JSON. It holds `embedder` (the id of the model), `calibration`, and `fitted`,
which tells people how it was made. Everything else stays as it ships for that model.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from secondhop.errors import UsageError
from secondhop.nodes.selection.scale import ModelScale, scale_of
from secondhop.ranking.calibration import LogisticCalibration


class _Logistic(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kind: Literal["logistic"]
    slope: float = Field(gt=0)
    intercept: float


class _ScaleFile(BaseModel):
    """Other keys, such as `usual_nearness` of version 0.1, are ignored."""

    model_config = ConfigDict(frozen=True)

    embedder: str = Field(min_length=1)
    calibration: _Logistic


def chosen_scale(given: str | Path | ModelScale | None, *, model_id: str) -> ModelScale:
    """The scale that was given, as an object or a file; None: the one that ships for the model.
    Raises UsageError if the file cannot be read, is not a scale, or was made for another model."""
    if isinstance(given, ModelScale):
        return given
    shipped = scale_of(model_id)
    if given is None:
        return shipped
    return read_scale(Path(given).expanduser(), embedder_id=model_id, shipped=shipped)


def read_scale(path: Path, *, embedder_id: str, shipped: ModelScale) -> ModelScale:
    """The scale in a file, for the model in use; `shipped` gives what the file does not say."""
    found = scale_in(path)
    if found.embedder != embedder_id:
        raise UsageError(
            f"the scale in {path} is for the embedding model {found.embedder}, but {embedder_id} "
            f"is in use: their cosines mean different things; fit a scale for it with "
            f"`secondhop eval calibrate`, or leave the scale out"
        )
    curve = LogisticCalibration(found.calibration.slope, found.calibration.intercept)
    return replace(shipped, calibration=curve)


def scale_in(path: Path) -> _ScaleFile:
    """The parsed file; raises UsageError if it cannot be read or has another form."""
    import yaml

    try:
        told: object = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not isinstance(told, dict):
            raise UsageError(
                f"the file {path} {'is empty' if told is None else 'is not a scale'}; it must "
                f"have `embedder` and `calibration`, as `secondhop eval calibrate` writes them"
            )
        return _ScaleFile.model_validate(told)
    except OSError as error:
        raise UsageError(f"cannot read the scale in {path}: {error.strerror}") from error
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"]) or "the file"
        raise UsageError(f"the scale in {path} is not valid: {where}: {problem['msg']}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"the scale in {path} is neither YAML nor JSON: {error}") from error


def scale_document(
    calibration: LogisticCalibration,
    *,
    embedder_id: str,
    fitted: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """A scale in the form of the file."""
    return {
        "embedder": embedder_id,
        "calibration": {
            "kind": "logistic",
            "slope": round(calibration.slope, 4),
            "intercept": round(calibration.intercept, 4),
        },
        "fitted": dict(fitted or {}),
    }
