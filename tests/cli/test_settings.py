"""The environment is read strictly: a misspelt variable is named, not ignored."""

from pathlib import Path

import pytest

from secondhop.errors import UsageError
from secondhop.settings import load_settings, variable_names


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in variable_names():
        monkeypatch.delenv(name, raising=False)


def test_variables_set_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECONDHOP_STORE", "elsewhere")
    monkeypatch.setenv("SECONDHOP_OFFLINE", "1")
    monkeypatch.setenv("SECONDHOP_ENTITY", "")
    monkeypatch.setenv("SECONDHOP_PRICES", "prices.yaml")

    settings = load_settings()

    assert (settings.store, settings.entity, settings.offline) == (
        Path("elsewhere"),
        "default",
        True,
    )
    assert settings.prices == Path("prices.yaml")


def test_a_misspelt_variable_is_named_with_its_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECONDHOP_STROE", "x")

    with pytest.raises(UsageError, match="SECONDHOP_STROE; did you mean SECONDHOP_STORE"):
        load_settings()


def test_a_value_that_cannot_be_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECONDHOP_OFFLINE", "perhaps")

    with pytest.raises(UsageError, match="SECONDHOP_OFFLINE cannot be 'perhaps'"):
        load_settings()
