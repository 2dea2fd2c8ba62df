"""Runs LangGraph's own tests of its stores with `RecallStore` instead of `InMemoryStore`.

    python -m tools.langgraph_store_tests

The tests are part of the source of langgraph-checkpoint, which is fetched from PyPI in the version
that is installed. `test_embed_with_path` is left out, because it expects a separate vector for each
field of an item, and a memory has only one text.
"""

import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = "langgraph-checkpoint"
LEFT_OUT = "test_embed_with_path"
PLUGIN = """
from tempfile import mkdtemp

import langgraph.store.memory
import pytest

from secondhop import RecallStore
from secondhop.models.langchain_embedder import LangchainEmbedder

opened = []


class InMemoryStore(RecallStore):
    def __init__(self, index=None):
        embed = LangchainEmbedder(index["embed"], model_id="theirs") if index else "hashing"
        super().__init__(mkdtemp(dir="."), embedder=embed)
        self.index_config = index
        opened.append(self)


langgraph.store.memory.InMemoryStore = InMemoryStore


@pytest.fixture(autouse=True)
def closed():
    yield
    while opened:
        opened.pop().close()
"""


def main() -> int:
    """Fetch the tests, and run them in a temporary folder."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source = [f"{PACKAGE}=={version(PACKAGE)}", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*pip, "download", *source], cwd=folder, check=True)
        subprocess.run([*pip, "install", "--target", "own", "pytest-mock"], cwd=folder, check=True)
        (folder / "own" / "recall_store_plugin.py").write_text(PLUGIN)
        (packed,) = folder.glob("*.tar.gz")
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
        root = folder / packed.name.removesuffix(".tar.gz")
        paths = [root, folder / "own", *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        pytest = [sys.executable, "-m", "pytest", "-q", "--tb=short", "tests/test_store.py"]
        pytest += ["--deselect", f"tests/test_store.py::{LEFT_OUT}"]
        pytest += ["-p", "recall_store_plugin", "-p", "no:langsmith_plugin", "--asyncio-mode=auto"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        return subprocess.run(pytest, check=False, cwd=root, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
