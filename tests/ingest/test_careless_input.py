"""Broken, odd and hostile files: each gives one clear line in the ledger, and nothing hangs."""

import json
import os
import random
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.nobody import folder_for_everyone, without_rights

from secondhop.errors import IngestError
from secondhop.ingest import detect
from secondhop.ingest.json_text import parse_elements
from secondhop.ingest.markdown import read_markdown
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.ingest.sources import read_source
from secondhop.ingest.walk import Walker, source_of
from secondhop.stores.records import Memory


def read(*paths: Path, max_file_bytes: int = 10_000_000) -> tuple[list[Memory], list[Skipped]]:
    walker = Walker(max_file_bytes=max_file_bytes)
    entries = [e for path in paths for e in read_source(source_of(path), walker=walker, given=None)]
    found = [entry.memory for entry in entries if isinstance(entry, Found)]
    return found, [entry for entry in entries if isinstance(entry, Skipped)]


def only_reason(path: Path) -> str:
    found, skipped = read(path)
    assert not found
    (entry,) = skipped
    return entry.reason


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_truncated_export_gives_nothing_and_says_where(tmp_path: Path, samples: Path) -> None:
    whole = (samples / "chatgpt" / "conversations.json").read_bytes()
    path = write(tmp_path / "conversations.json", whole[: len(whole) // 2])
    reason = only_reason(path)
    assert "broken JSON" in reason
    assert "line 1, column" in reason
    assert read(path)[1][0].may_hide_memories


@pytest.mark.parametrize("row", ['{"text": "x", "n": %s}', '[{"text": "x", "n": %s}]'])
def test_a_number_of_too_many_digits_is_broken_json(tmp_path: Path, row: str) -> None:
    reason = only_reason(write(tmp_path / "rows.json", row % ("9" * 9000)))
    assert "a number of too many digits" in reason
    assert "sys." not in reason


def test_a_nesting_bomb_is_broken_json(tmp_path: Path) -> None:
    bomb = "[" * 200_000 + "]" * 200_000
    assert "nested too deeply" in only_reason(write(tmp_path / "bomb.json", bomb))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Grüße aus Köln".encode("utf-8-sig"), "Grüße aus Köln"),
        ("Grüße aus Köln".encode("utf-16"), "Grüße aus Köln"),
        ("Grüße aus Köln".encode("utf-32"), "Grüße aus Köln"),
        ("Grüße aus Köln".encode("cp1252"), "Grüße aus Köln"),
        (b"nul\x00 in a note\r\nline", "nul in a note\nline"),
    ],
)
def test_encodings_are_found_out(tmp_path: Path, raw: bytes, expected: str) -> None:
    (note,), skipped = read(write(tmp_path / "note.md", raw))
    assert (note.messages[0].content, skipped) == (expected, [])


@pytest.mark.parametrize(
    "raw",
    [
        bytes(range(256)) * 20,
        b"\xff\xfe" + random.Random(1).randbytes(4000),
        b"\xff\xfeabc",
        b"\x81\x8d",
        b"\0" * 500,
        b"%PDF-1.7 x",
    ],
)
def test_what_cannot_be_decoded_is_skipped(tmp_path: Path, raw: bytes) -> None:
    reason = only_reason(write(tmp_path / "note.md", raw))
    assert "binary" in reason or "cannot be decoded" in reason


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.json", "a.jsonl"])
def test_empty_files_are_named(tmp_path: Path, name: str) -> None:
    assert only_reason(write(tmp_path / name, "  \n")).startswith("an empty")


def test_surrogates_and_nuls_in_json_are_mended(tmp_path: Path) -> None:
    text = r'[{"id": "a\ud800", "text": "x\ud800y \ud83d\ude00 \u0000z", "title": "\udfff"}]'
    (memory,), _ = read(write(tmp_path / "rows.json", text))
    assert memory.memory_id == "a\ufffd"
    assert memory.messages[0].content == "x\ufffdy 😀 z"
    memory.title.encode()


@pytest.mark.parametrize(
    "date", ['"yesterday"', "-5", "true", "[]", '"0001-01-01T00:00+14:00"', "9" * 400, "NaN"]
)
def test_a_date_that_does_not_parse_becomes_the_time_of_the_file(tmp_path: Path, date: str) -> None:
    path = write(tmp_path / "rows.json", f'[{{"id": "a", "text": "b", "date": {date}}}]')
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (memory,), _ = read(path)
    assert memory.created_at == datetime.fromtimestamp(1_700_000_000, UTC)


def _export(mapping: object, current: object = "a") -> str:
    return json.dumps([{"id": "c", "title": "t", "mapping": mapping, "current_node": current}])


def _node(parent: str | None, text: str = "hello") -> dict[str, object]:
    content = {"content_type": "text", "parts": [text]}
    return {
        "parent": parent,
        "children": [],
        "message": {"author": {"role": "user"}, "content": content},
    }


@pytest.mark.parametrize(
    ("export", "reason"),
    [
        (_export({"a": _node("b"), "b": _node("a")}), "loops at a"),
        (_export({"a": _node("a")}), "loops at a"),
        (_export({"a": _node("gone")}), "lacks gone"),
        (_export({"a": _node(None)}, "gone"), "lacks gone"),
        (_export(None), "no message tree"),
        (_export({"a": None}), "lacks a"),
        (_export({}, None), "an empty conversation"),
    ],
)
def test_a_broken_message_tree_is_skipped(tmp_path: Path, export: str, reason: str) -> None:
    assert reason in only_reason(write(tmp_path / "conversations.json", export))


def test_a_missing_current_node_means_the_newest_leaf(tmp_path: Path) -> None:
    mapping = {"r": {**_node(None, "first"), "children": ["a"]}, "a": _node("r", "last")}
    (memory,), _ = read(write(tmp_path / "conversations.json", _export(mapping, None)))
    assert [message.content for message in memory.messages] == ["first", "last"]


def test_a_zip_is_read_as_it_was_downloaded(tmp_path: Path, samples: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("conversations.json", "user.json"):
            archive.write(samples / "chatgpt" / name, name)
        archive.writestr("dalle/picture.png", b"\x89PNG\r\n")
        archive.writestr("chat.html", "<html>the same chats once more</html>")
    found, skipped = read(tmp_path / "export.zip")
    assert len(found) == 2
    (page,) = [entry for entry in skipped if entry.item.endswith("chat.html")]
    assert "holds no conversation" in page.reason
    read_first, *others = sorted(entry.item.rpartition("export.zip/")[2] for entry in skipped)
    assert read_first == "chat.html"
    assert others[1:] == [
        "dalle/picture.png",
        "user.json",
    ]


def test_shards_are_read_one_after_the_other(tmp_path: Path) -> None:
    for number in range(3):
        export = json.loads(_export({"a": _node(None)}))
        export[0]["id"] = f"c{number}"
        write(tmp_path / f"conversations-00{number}.json", json.dumps(export))
    assert [memory.memory_id for memory in read(tmp_path)[0]] == ["c0", "c1", "c2"]


def test_a_broken_zip_is_named(tmp_path: Path, samples: Path) -> None:
    assert "broken zip" in only_reason(write(tmp_path / "a.zip", b"PK\x03\x04nothing"))
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.write(samples / "chatgpt" / "conversations.json", "conversations.json")
    raw = (tmp_path / "b.zip").read_bytes()
    flipped = write(tmp_path / "b.zip", raw.replace(b"Carefeed sells", b"CAREFEED sells"))
    assert "broken or encrypted" in only_reason(flipped)


def test_links_that_lead_back_end(tmp_path: Path) -> None:
    write(tmp_path / "note.md", "hello")
    (tmp_path / "back").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "loop.md").symlink_to(tmp_path / "loop.md")
    (tmp_path / "same.md").symlink_to(tmp_path / "note.md")
    found, skipped = read(tmp_path)
    assert len(found) == 1
    assert len(skipped) == 3


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert only_reason(tmp_path / "pipe.md") == "not a regular file"


def test_a_file_above_the_limit_is_skipped(tmp_path: Path) -> None:
    _, (entry,) = read(write(tmp_path / "n.md", "x" * 2_000_001), max_file_bytes=2_000_000)
    assert "larger than 2 MB" in entry.reason


def test_a_file_that_may_not_be_read_is_named() -> None:
    with folder_for_everyone() as folder:
        path = write(folder / "note.md", "hello")
        assert len(read(path)[0]) == 1
        path.chmod(0)
        with without_rights():
            assert "permission denied" in only_reason(path)


def test_a_file_that_vanishes_while_it_is_read_is_named(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        write(tmp_path / name, "hello")
    walker = Walker(max_file_bytes=100)
    entries = read_source(source_of(tmp_path), walker=walker, given=None)
    assert isinstance(next(entries), Found)
    (tmp_path / "b.md").unlink()
    (gone,) = entries
    assert isinstance(gone, Skipped)
    assert gone.may_hide_memories


def test_a_path_that_does_not_exist_names_it_and_the_formats(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match=r"nowhere does not exist.*chatgpt, claude, markdown"):
        source_of(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "make",
    [
        lambda: "---\ntitle: [unclosed\n---\nbody",
        lambda: "---\n" + "[" * 50_000 + "\n---\nbody",
        lambda: "---\ntitle: never closed\nbody",
        lambda: "---\n---\nbody",
        lambda: "---\n- a list\n---\nbody",
    ],
)
def test_odd_front_matter_loses_no_text(tmp_path: Path, make: Callable[[], str]) -> None:
    (note,), _ = read(write(tmp_path / "note.md", make()))
    assert "body" in note.messages[0].content


def test_rows_of_a_wrong_kind_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.json", '[1, null, {"id": "a", "text": "b"}, {"id": "c"}]')
    found, skipped = read(path)
    assert [memory.memory_id for memory in found] == ["a"]
    assert [entry.item.rpartition(" ")[2] for entry in skipped] == ["[0]", "[1]", "[3]"]


def test_json_that_is_no_memory_is_named(tmp_path: Path) -> None:
    assert "without memories" in only_reason(write(tmp_path / "a.json", '{"version": 3}'))
    assert "neither a list nor an object" in only_reason(write(tmp_path / "b.json", '"text"'))


def test_an_archive_whose_members_cannot_be_unpacked_is_named_by_member(tmp_path: Path) -> None:
    for kind in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED):
        path = tmp_path / f"{kind}.zip"
        with zipfile.ZipFile(path, "w", kind) as archive:
            archive.writestr("a.md", "spoiled " * 400)
            archive.writestr("b.md", "whole")
        start = path.read_bytes().find(b"a.md") + 4 + 12
        spoiled = bytearray(path.read_bytes())
        spoiled[start : start + 12] = b"\xff" * 12
        path.write_bytes(spoiled)
        (whole,), (broken,) = read(path)
        assert whole.messages[0].content == "whole"
        assert broken.item.endswith("a.md")
        assert "broken or encrypted" in broken.reason


def test_any_error_of_a_reader_is_a_line_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(document: Document) -> Iterator[Found | Skipped]:
        yield from read_markdown(document)
        raise KeyError("nobody thought of this")

    monkeypatch.setattr(detect, "READERS", {**detect.READERS, "markdown": fails})
    write(tmp_path / "a.md", "hello")
    write(tmp_path / "b.txt", "hello again")
    found, (entry,) = read(tmp_path)
    assert len(found) == 2
    assert "KeyError" in entry.reason
    assert entry.may_hide_memories


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    write(outside / "secret.md", "an API key")
    write(outside / "deep" / "other.md", "another")
    notes = tmp_path / "notes"
    notes.mkdir()
    write(notes / "note.md", "hello")
    (notes / "secret.md").symlink_to(outside / "secret.md")
    (notes / "deep").symlink_to(outside / "deep", target_is_directory=True)
    (notes / "again.md").symlink_to(notes / "note.md")
    (notes / "picture.png").symlink_to(outside / "secret.md")
    (notes / "environ").symlink_to("/proc/self/environ")

    found, skipped = read(notes)

    assert len(found) == 1
    reasons = {Path(entry.item).name: entry.reason for entry in skipped}
    for name in ("secret.md", "deep", "environ"):
        assert "to a place outside the folder" in reasons[name]
    hiding = {Path(entry.item).name for entry in skipped if entry.may_hide_memories}
    assert hiding == {"secret.md", "deep", "environ"}  # something may be stored from these
    (link,) = [tmp_path / "link"]
    link.symlink_to(notes, target_is_directory=True)
    assert len(read(link)[0]) == 1  # a link that is given is followed


def test_a_member_that_would_grow_beyond_reason_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.md", b"\0" * 60_000_000)
        archive.writestr("note.md", "hello")
    tracemalloc.start()
    (note,), (bomb,) = read(path, max_file_bytes=1_000_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert note.messages[0].content == "hello"
    assert "60 MB" in bomb.reason
    assert peak < 10_000_000


@pytest.mark.parametrize(
    "raw",
    [
        b"The boiler hums\x81 at night",
        b"\xff\xfeT\0h\0e\0 \0b\0o\0i\0l\0e\0r\0 \0h\0u\0m\0s\0 \0a\0t\0!",
    ],
)
def test_a_stray_byte_is_replaced_and_the_ledger_says_so(tmp_path: Path, raw: bytes) -> None:
    (note,), (entry,) = read(write(tmp_path / "note.md", raw))
    assert note.messages[0].content.startswith("The boiler hums")
    assert "1 character could not be decoded" in entry.reason
    assert not entry.may_hide_memories


@pytest.mark.parametrize("lines", [True, False])
def test_a_large_file_is_read_row_by_row(tmp_path: Path, lines: bool) -> None:
    rows = [json.dumps({"id": str(n), "text": f"row {n} " + "x" * 2_000}) for n in range(3_000)]
    path = tmp_path / ("rows.jsonl" if lines else "rows.json")
    path.write_text("\n".join(rows) if lines else f"[{', '.join(rows)}]")
    walker = Walker(max_file_bytes=1_000_000_000)
    tracemalloc.start()
    count = sum(1 for _ in read_source(source_of(path), walker=walker, given=None))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 3_000
    assert peak < path.stat().st_size


ROWS = st.lists(
    st.recursive(st.floats() | st.text() | st.none(), st.lists, max_leaves=5), max_size=5
)


@given(ROWS, st.data())
def test_an_array_is_the_same_however_its_text_is_cut(
    rows: list[object], data: st.DataObject
) -> None:
    text = json.dumps(rows, ensure_ascii=False, indent=data.draw(st.sampled_from([None, 1])))
    broken = data.draw(st.booleans())
    text = text[: data.draw(st.integers(0, len(text) - 1))] if broken else text
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    parts = [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]

    if broken:
        with pytest.raises(ValueError, match="at line") as one:
            list(parse_elements([text]))
        with pytest.raises(ValueError, match="at line") as other:
            list(parse_elements(parts))
        assert str(one.value) == str(other.value)
    else:
        assert repr(list(parse_elements(parts))) == repr(json.loads(text))
