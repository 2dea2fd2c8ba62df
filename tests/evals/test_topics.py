"""Topics files: TSV and JSONL, and what is wrong with them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from secondhop.errors import UsageError
from secondhop.evals.topics import read_topics


def written(folder: Path, text: str) -> Path:
    (folder / "topics").write_text(text, encoding="utf-8")
    return folder / "topics"


def test_tsv_with_and_without_a_time(tmp_path: Path) -> None:
    found = read_topics(written(tmp_path, "1\tWho?\r\n\n2\tWhen?\t2026-01-02T03:00Z\n"))

    assert [(topic.id, topic.question) for topic in found] == [("1", "Who?"), ("2", "When?")]
    assert [topic.asked_at for topic in found] == [None, datetime(2026, 1, 2, 3, tzinfo=UTC)]


def test_jsonl_with_the_names_that_others_use(tmp_path: Path) -> None:
    lines = '{"id": "1", "question": "a"}\n{"_id": "2", "text": "b", "x": 1}\n'
    lines += '{"qid": "3", "query": "c"}'

    assert [topic.question for topic in read_topics(written(tmp_path, lines))] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\tWho?\n2 Where?", r"topics:2: a topic is an id, a tab and a question"),
        ("1\t \n", r"topics:1: a topic is"),
        ('{"id": "1"}', r"topics:1: question: Field required"),
        ('{"id": "1", ', r"topics:1: "),
        ("1\tWho?\tyesterday", r"topics:1: asked_at: "),
        ("1\tWho?\n1\tWhere?", r"'1' appears twice"),
        ("", r"is empty"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_topics(written(tmp_path, text))
