"""TREC's files: written and read again, others' files read, faults named with file and line."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.labelled import labelled

from secondhop.errors import UsageError
from secondhop.evals.judgements import judgements_of
from secondhop.evals.trec_files import read_qrels, read_run, read_word, word, write_qrels, write_run


def test_labels_come_back_as_they_were_written(tmp_path: Path) -> None:
    labels = list(judgements_of([labelled({"a note.md": 3, "100%": 1}, {"naïve": 2})]))
    write_qrels(tmp_path / "qrels", labels)

    assert read_qrels(tmp_path / "qrels") == labels
    assert "a%20note.md 3" in (tmp_path / "qrels").read_text(encoding="utf-8")


def test_a_run_comes_back_as_it_was_written(tmp_path: Path) -> None:
    rankings = {"q 1": [f"m {n}" for n in range(2_000)], "q2": ["z", "a"]}
    write_run(tmp_path / "run", rankings, tag="our system")

    found = read_run(tmp_path / "run")

    assert found.rankings == rankings
    assert found.tag == "our system"


@given(st.text(min_size=1))
def test_any_id_is_one_word_and_comes_back(text: str) -> None:
    assert not any(char.isspace() for char in word(text))
    assert read_word(word(text)) == text


def test_scores_order_a_run_whatever_its_ranks_say_and_ties_go_to_the_larger_id(
    tmp_path: Path,
) -> None:
    (tmp_path / "run").write_text(
        "q1 Q0 a 1 0.1 me\nq1 Q0 b 2 -3e1 me\n\nq1 Q0 c 9 0.1 you\n", encoding="utf-8"
    )

    found = read_run(tmp_path / "run")

    assert found.rankings == {"q1": ["c", "a", "b"]}
    assert found.tag == "run"


def test_packed_files_and_negative_grades_are_read(tmp_path: Path) -> None:
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(b"q1 2 spam -2\r\nq1 1 good 1\r\n"))

    assert [one.grade for one in read_qrels(tmp_path / "qrels.gz")] == [-2, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1 0 a 1\nq1 0 b", r"file:2: .*four words"),
        ("q1 0 a yes", r"file:1: .*'yes' is no whole number"),
        ("q1 0 a 1\nq1 0 a 2", r"file:2: .*'a' is judged twice"),
        ("\n \n", r"file is empty"),
    ],
)
def test_faults_of_qrels_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=said):
        read_qrels(tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1 Q0 a 1 0.5", r"file:1: .*six words"),
        ("q1 Q0 a 1 high me", r"file:1: .*'high' is no number"),
        ("q1 Q0 a 1 nan me", r"file:1: .*'nan' is no number"),
        ("q1 Q0 a 1 2 me\nq1 Q0 a 2 1 me", r"file:2: .*'a' stands twice"),
    ],
)
def test_faults_of_runs_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=said):
        read_run(tmp_path / "file")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", None])
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "file").write_bytes(content)

    with pytest.raises(UsageError, match=r"cannot read .*file"):
        read_run(tmp_path / "file")


def test_a_packed_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file.gz").write_bytes(b"q1 0 a 1")

    with pytest.raises(UsageError, match=r"cannot read .*file\.gz"):
        read_qrels(tmp_path / "file.gz")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write_run(tmp_path / "nowhere" / "run", {}, tag="t")
