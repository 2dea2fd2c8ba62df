"""The cache of parsed playbooks: quick when it fits, ignored when it does not."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from secondhop.prompts.compiled import compiled

TEXTS = {"a.txt": "one two", "b.txt": "drei ü \udc80"}


class Splitter:
    """Parses a text into its words, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, text: str, name: str) -> Any:
        self.asked += 1
        return {"name": name, "words": text.split()}


def parsed(cache: Path, texts: dict[str, str] | None = None) -> int:
    """How many texts had to be parsed; what comes back is right in any case."""
    split, wanted = Splitter(), texts or TEXTS
    documents = compiled(wanted, cache=cache, parse=split)
    assert documents == {name: {"name": name, "words": t.split()} for name, t in wanted.items()}
    assert list(documents) == list(wanted)
    return split.asked


def test_texts_are_parsed_once(tmp_path: Path) -> None:
    cache = tmp_path / "new" / "folder" / "playbooks.json"

    assert [parsed(cache), parsed(cache)] == [2, 0]
    assert os.listdir(cache.parent) == ["playbooks.json"]


def test_other_texts_and_other_names_are_parsed_again(tmp_path: Path) -> None:
    cache = tmp_path / "playbooks.json"
    parsed(cache)

    assert parsed(cache, {**TEXTS, "a.txt": "one three"}) == 2
    assert parsed(cache, {"c.txt": "one three", "b.txt": TEXTS["b.txt"]}) == 2


@pytest.mark.parametrize("damage", ["cut", "empty", "changed", "binary", "forged"])
def test_a_damaged_cache_is_ignored_and_replaced(tmp_path: Path, damage: str) -> None:
    cache = tmp_path / "playbooks.json"
    parsed(cache)
    whole = cache.read_bytes()
    seal = whole.partition(b"\n")[0]
    cache.write_bytes(
        {
            "cut": whole[:-1],
            "empty": b"",
            "changed": whole.replace(b"two", b"too"),
            "binary": b"\xff\x00\n\xfe",
            "forged": seal + b"\n" + json.dumps({"a.txt": 1}).encode(),
        }[damage]
    )

    assert [parsed(cache), parsed(cache)] == [2, 0]


def test_without_a_place_to_write_texts_are_parsed_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    folder = tmp_path / "playbooks.json"
    folder.mkdir()

    for cache in (tmp_path / "file" / "playbooks.json", folder):
        assert [parsed(cache), parsed(cache)] == [2, 2]
    assert sorted(os.listdir(tmp_path)) == ["file", "playbooks.json"]
