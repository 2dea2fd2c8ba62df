"""Reading playbook files: what they say is what planning uses."""

from pathlib import Path

import pytest

from secondhop.prompts import library
from secondhop.prompts.library import parse_playbook, parsed_once

INTENT = """
domain: garden
intents:
  - name: planting
    asks: ["What grows here?"]
    facets:
      - name: soil
        why: It decides.
        hop: 2
        queries: ["clay soil, ph 6", "{topic} in our soil", "compost in spring"]
"""


def test_an_intent_is_read_as_it_was_written() -> None:
    (intent,) = parse_playbook(INTENT)

    assert (intent.name, intent.domain, intent.asks) == (
        "planting",
        "garden",
        ("What grows here?",),
    )
    (soil,) = intent.facets
    assert (soil.name, soil.why, soil.hop, soil.weight) == ("soil", "It decides.", 2, 1.0)
    assert soil.queries[1] == "{topic} in our soil"


@pytest.mark.parametrize(("old", "new"), [("queries", "querys"), ("hop: 2", "hop: two")])
def test_a_broken_file_is_an_error(old: str, new: str) -> None:
    with pytest.raises(ValueError, match=new.partition(":")[0]):
        parse_playbook(INTENT.replace(old, new))


def test_files_are_parsed_once_and_a_damaged_copy_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    intents = parsed_once([INTENT], folder=tmp_path)
    (kept,) = tmp_path.iterdir()
    with monkeypatch.context() as patch:
        patch.delattr(library, "parse_playbook")
        assert parsed_once([INTENT], folder=tmp_path) == intents
    kept.write_bytes(kept.read_bytes()[:-1])
    assert parsed_once([INTENT], folder=tmp_path) == intents
    renamed = parsed_once([INTENT.replace("planting", "weeding")], folder=tmp_path)
    assert [intent.name for intent in renamed] == ["weeding"]
    assert len(list(tmp_path.iterdir())) == 1


def test_without_a_place_to_write_files_are_parsed_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")

    assert parsed_once([INTENT], folder=tmp_path / "file") == parse_playbook(INTENT)
