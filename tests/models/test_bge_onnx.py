"""The real default model; `make test` pulls it."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from secondhop.errors import ModelUnavailableError
from secondhop.models.assets import BGE_SMALL, ensure_assets
from secondhop.models.bge_onnx import BgeOnnxEmbedder

model = pytest.mark.model


@pytest.fixture(scope="module")
def embedder() -> BgeOnnxEmbedder:
    return BgeOnnxEmbedder(threads=2)


@model
async def test_a_query_finds_the_passage_that_answers_it(embedder: BgeOnnxEmbedder) -> None:
    passages = await embedder.embed_passages(
        [
            "My sister gave birth to a girl on Tuesday.",
            "The stock market fell on Tuesday.",
            "I water the tomatoes every morning.",
        ]
    )
    queries = await embedder.embed_queries(["news from the family", "how do I care for my plants?"])
    assert (queries @ passages.T).argmax(axis=1).tolist() == [0, 2]


@model
async def test_a_text_has_the_same_vector_whatever_it_is_embedded_with(
    embedder: BgeOnnxEmbedder,
) -> None:
    texts = ["short", "a text of middling length, with a comma", "long " * 300, ""]
    alone = [(await embedder.embed_passages([text]))[0] for text in texts]
    together = await embedder.embed_passages(texts)
    turned = await embedder.embed_passages(texts[::-1])
    assert np.array_equal(together, np.stack(alone))
    assert np.array_equal(turned[::-1], together)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert together.dtype == np.float32
    assert together.shape == (4, embedder.dimension)


@model
async def test_ten_megabytes_count_up_to_the_512th_token(embedder: BgeOnnxEmbedder) -> None:
    rows = await embedder.embed_passages(["word " * 2_000_000, "word " * 510, "word " * 509])
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[1], rows[2])


@model
async def test_a_query_does_not_wait_for_an_ingest_to_end(embedder: BgeOnnxEmbedder) -> None:
    await embedder.embed_queries(["warm"])
    ingest = asyncio.create_task(embedder.embed_passages(["some words to embed " * 20] * 16))
    await asyncio.sleep(0.05)
    await embedder.embed_queries(["a question"])
    assert not ingest.done()
    await ingest


FORKING = """
import asyncio, os, warnings
from secondhop.models.bge_onnx import BgeOnnxEmbedder
warnings.simplefilter("ignore")
embedder = BgeOnnxEmbedder()
asyncio.run(embedder.embed_queries(["before"]))
if os.fork() == 0:
    print(asyncio.run(embedder.embed_queries(["after"])).shape, flush=True)
    os._exit(0)
os.wait()
"""


@model
@pytest.mark.slow
def test_a_forked_child_can_embed_with_the_parents_model() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "(1, 384)\n"


@model
async def test_a_damaged_model_file_is_refused_and_the_way_out_named(tmp_path: Path) -> None:
    folder = tmp_path / BGE_SMALL.folder
    folder.mkdir()
    sound = ensure_assets(BGE_SMALL)
    (folder / "tokenizer.json").write_bytes((sound / "tokenizer.json").read_bytes())
    content = bytearray((sound / "model_quantized.onnx").read_bytes())
    content[20_000_000] ^= 1
    (folder / "model_quantized.onnx").write_bytes(content)
    with pytest.raises(
        ModelUnavailableError, match=r"model_quantized.onnx is damaged.*models pull"
    ):
        await BgeOnnxEmbedder(cache_dir=tmp_path).embed_queries(["a"])


async def test_the_event_loop_goes_on_while_the_model_is_being_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, loaded = threading.Event(), threading.Event()
    in_time: list[bool] = []

    def slow(*args: object, **kwargs: object) -> Path:
        begun.set()
        in_time.append(loaded.wait(timeout=5))
        raise ModelUnavailableError("not here")

    monkeypatch.setattr("secondhop.models.bge_onnx.ensure_assets", slow)
    embedder = BgeOnnxEmbedder()
    first = asyncio.create_task(embedder.embed_queries(["one"]))
    assert await asyncio.to_thread(begun.wait, 5)
    second = asyncio.create_task(embedder.embed_queries(["two"]))
    await asyncio.sleep(0.01)
    loaded.set()
    await asyncio.gather(first, second, return_exceptions=True)
    assert all(in_time)  # an event loop that waits for the model would be too late here
