"""The calibration that ships for the default model is what `secondhop eval calibrate` finds."""

import pytest
from tests.command_line import document, ran

from secondhop.evals.shipped import shipped_scenarios
from secondhop.nodes.selection.scale import scale_of
from secondhop.ranking.calibration import LogisticCalibration


@pytest.mark.slow
@pytest.mark.model
def test_what_ships_is_what_calibrate_finds_on_the_shipped_scenarios(
    monkeypatch: pytest.MonkeyPatch, no_variables: None
) -> None:
    monkeypatch.setenv("SECONDHOP_OFFLINE", "1")
    folders, shipped = shipped_scenarios(), scale_of("bge-small-en-v1.5")

    found = document(ran("eval", "calibrate", *folders, "--json"))

    assert isinstance(shipped.calibration, LogisticCalibration)
    # its vectors differ a little between processors with and without AVX-512 VNNI
    assert found["calibration"]["slope"] == pytest.approx(shipped.calibration.slope, rel=0.02)
    assert found["calibration"]["intercept"] == pytest.approx(
        shipped.calibration.intercept, rel=0.02
    )
