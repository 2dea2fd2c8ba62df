"""A store is a folder or a PostgreSQL database; what looks like another address is refused."""

from pathlib import Path

import pytest
from tests.command_line import Cli, in_folder

from secondhop import Recall
from secondhop.errors import UsageError
from secondhop.stores.store_directory import StoreDirectory

ELSEWHERE = ["mysql://ana:secret@db/memories", "postgresql:/typo", "file:///notes", "redis://h/0"]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_variables: None) -> Cli:
    return in_folder(tmp_path, monkeypatch)


@pytest.mark.parametrize("address", ELSEWHERE)
def test_the_address_of_no_store_is_refused_and_makes_no_folder(
    cli: Cli, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_option = cli("remember", "x", "--store", address)
    monkeypatch.setenv("SECONDHOP_STORE", address)
    by_variable = cli("remember", "x")
    copied = cli("copy", address, "--store", "notes")

    for refused in (by_option, by_variable, copied):
        assert refused.exit_code == 2
        told = " ".join(refused.stderr.split())
        assert "cannot be a store: give" in told
        assert "a folder, or postgresql://USER@HOST:PORT/DATABASE" in told
        assert "secret" not in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ELSEWHERE)
def test_the_library_refuses_it_too(address: str) -> None:
    with pytest.raises(UsageError, match="cannot be a store: give"):
        Recall.open(address, embedder="hashing")


@pytest.mark.parametrize("folder", ["C:/notes", "./mysql:/notes", "a:b", "notes"])
def test_names_of_folders_stay_names_of_folders(folder: str) -> None:
    assert StoreDirectory(folder).path == Path(folder)
