"""`secondhop annotate` is killed again and again: nothing is lost, little is paid twice."""

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.annotate.cue_writer import Row, rows_for, sheet_in
from tests.cli.model_server import ModelServer, model_server

from secondhop.annotate.parts import BATCH_MEMORIES
from secondhop.annotate.settings import AnnotateSettings
from secondhop.recall import Recall
from secondhop.settings import variable_names
from secondhop.testing import note

MEMORIES = 400
KILLS = 6
WORDS = [a + b for a in ("tea", "sun", "car", "dog", "ink", "oak") for b in ("pot", "ray", "tray")]
IN_FLIGHT = AnnotateSettings().concurrency * BATCH_MEMORIES


def annotating(store: Path, model: ModelServer) -> "subprocess.Popen[bytes]":
    """Start `secondhop annotate` in its own process."""
    environment = {key: value for key, value in os.environ.items() if key not in variable_names()}
    if kept := os.environ.get("SECONDHOP_MODEL_DIR"):
        environment["SECONDHOP_MODEL_DIR"] = kept
    server = {"OPENAI_BASE_URL": model.server.base_url, "OPENAI_API_KEY": "none"}
    place = ["--store", str(store), "--embedder", "hashing", "--llm", model.spec]
    return subprocess.Popen(
        [sys.executable, "-m", "secondhop", "annotate", *place],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment | server | {"SECONDHOP_OFFLINE": "1"},
    )


def asked_for(model: ModelServer) -> Counter[str]:
    """{a memory's first word, which only it has: how often the model read the memory}."""
    times: Counter[str] = Counter()
    for body in list(model.server.asked):
        own, _ = sheet_in(body["messages"][1]["content"])
        times.update(re.findall(r"^(word\d+) ", "\n".join(own.values()), re.M))
    return times


def run_and_kill(store: Path, model: ModelServer, *, after: int, wait_s: float) -> int:
    """Exit status of a run that is killed `wait_s` seconds after `after` more requests."""
    before = len(model.server.asked)
    with annotating(store, model) as child:
        while child.poll() is None and len(model.server.asked) < before + after:
            time.sleep(0.002)
        try:
            return child.wait(timeout=wait_s)
        except subprocess.TimeoutExpired:
            child.kill()
            return child.wait()


def words_of(call_id: str, text: str) -> Row:
    """A row with two cues made of the memory's own words."""
    words = text.partition("\n")[2].split()
    specific, broad = " ".join(words[:7]), " ".join(words[-4:])
    return {"id": call_id, "role": "words", "broad": [broad], "specific": [specific]}


async def filled(store: Path) -> None:
    chance = random.Random(7)
    texts = [" ".join(chance.choices(WORDS, k=8)) for _ in range(MEMORIES)]
    memories = [note(f"m{n:03}", f"word{n} {text}") for n, text in enumerate(texts)]
    async with await Recall.aopen(store, embedder="hashing") as recall:
        await recall.aadd(memories)


async def state_of(store: Path) -> tuple[list[str], int]:
    """(ids of memories that wait for cues, number of cues); asserts that every cue is found."""
    async with await Recall.aopen(store, embedder="hashing") as recall:
        ids = list(await recall.admin.store.content_hashes())
        found = await recall.admin.store.cues.of_memories(ids)
        cues = {cue.cue_id for own in found.values() for cue in own}
        question = await recall.admin.services.embedder.embed_passages(["what is there to do?"])
        (hits,) = await recall.admin.store.cues.search(question, k=max(1, len(cues)))
        assert {hit.cue_id for hit in hits} == cues
        return list(await recall.admin.store.cues.unannotated()), len(cues)


@pytest.mark.slow
@pytest.mark.model
def test_kills_lose_nothing_and_pay_no_more_twice_than_was_under_way(tmp_path: Path) -> None:
    store, moments, kills = tmp_path / "store", random.Random(3), 0
    done: list[int] = []
    asyncio.run(filled(store))
    with model_server() as model:
        model.replies["AnnotateReply"] = lambda _system, user: rows_for(user, words_of)
        while kills < KILLS:
            after, wait_s = moments.choice([0, 1, 5, 6, 7, 8]), moments.uniform(0, 0.1)
            assert run_and_kill(store, model, after=after, wait_s=wait_s) == -signal.SIGKILL
            kills += 1
            waiting, _ = asyncio.run(state_of(store))
            done.append(MEMORIES - len(waiting))
        with annotating(store, model) as undisturbed:
            assert undisturbed.wait(120) == 0
        asked = asked_for(model)

    waiting, cues = asyncio.run(state_of(store))
    assert not waiting
    assert cues > MEMORIES
    assert done == sorted(done)
    assert done[-1] > 0
    assert len(asked) == MEMORIES
    assert sum(asked.values()) - MEMORIES <= KILLS * IN_FLIGHT
    assert sum(asked.values()) > MEMORIES  # some kills lost a request under way
