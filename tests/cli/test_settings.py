"""The environment is read strictly: a misspelt variable is named, not ignored."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import note

from secondhop.cli.opening import opened
from secondhop.cli.options import Common
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


async def test_a_setting_given_by_name_goes_before_files(
    tmp_path: Path, library_of_tests: None
) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("ranking.recency: always\nlimits.k: 4\n", encoding="utf-8")
    place = Common(store=tmp_path / "store", embedder="hashing", settings=[str(file)])
    named = replace(place, settings=[str(file), "ranking.recency=never", "limits.k=2"])
    async with opened(place) as recall:
        await recall.aadd([note("key", "The key hangs there.")])

    async def settings_in(common: Common) -> tuple[object, object]:
        async with opened(common) as recall:
            found = recall.trace((await recall.arecall("Where is the key?")).trace_id).settings
        return found["limits.k"], found["ranking.recency"]

    assert await settings_in(place) == (4, "always")
    assert await settings_in(named) == (2, "never")
