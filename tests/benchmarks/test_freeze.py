"""Records of a redesign: a drop is found, an equal record passes, and shape counts are right."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.freeze import main
from benchmarks.shape import shape

RECORD: dict[str, Any] = {
    "commit": "a",
    "shape": {"shipped_lines": 10},
    "scenarios/known": {
        "mean": {"facet_recall": 0.5, "stale_rate": 0.1},
        "carefeed": {"facet_recall": 0.4},
        "returned": {"carefeed-1": "d1"},
    },
    "evidence/locomo": {"questions": 60, "mean": {"500": 0.6}},
}


def code_of_comparing(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> int:
    (folder / "before.json").write_text(json.dumps(before))
    (folder / "after.json").write_text(json.dumps(after))
    return main(["compare", str(folder / "before.json"), str(folder / "after.json")])


def test_an_equal_record_passes(tmp_path: Path) -> None:
    assert code_of_comparing(tmp_path, RECORD, RECORD) == 0


@pytest.mark.parametrize(
    ("part", "name", "value", "code"),
    [
        ("scenarios/known", "facet_recall", 0.489, 1),
        ("scenarios/known", "facet_recall", 0.49, 0),
        ("scenarios/known", "facet_recall", 0.9, 0),
        ("scenarios/known", "stale_rate", 0.12, 1),
        ("scenarios/known", "stale_rate", 0.0, 0),
        ("evidence/locomo", "500", 0.58, 1),
    ],
)
def test_a_mean_that_is_worse_by_more_than_noise_is_found(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    part: str,
    name: str,
    value: float,
    code: int,
) -> None:
    after = RECORD | {part: RECORD[part] | {"mean": RECORD[part]["mean"] | {name: value}}}
    assert code_of_comparing(tmp_path, RECORD, after) == code
    marked = [line for line in capsys.readouterr().out.splitlines() if line.endswith("WORSE")]
    assert [line.split()[0] for line in marked] == [f"{part}/mean/{name}"] * code


FILES = {
    "src/secondhop/recall.py": """
class Reads:
    def read(self): ...
    def _hidden(self): ...

class Recall(Reads):
    def __init__(self):
        self.memories = 1
        self._store = 2
    @classmethod
    def open(cls, path, *, entity, settings=None): ...
""",
    "nodes/config.py": """
from dataclasses import dataclass

MOST = 60 * 60
NAME = "six"
_LEAST = -1
FLAG = True

@dataclass(frozen=True)
class Group:
    a: int = 1
    b: float = 2.0

@dataclass(frozen=True)
class Config:
    group: Group = Group()
    k: int = 6

class Environment(BaseSettings):
    store: str
""",
    "nodes/deeper/fuse.py": 'import os\nHOME = os.environ.get("SECONDHOP_HOME")\n',
    "tests/test_it.py": "def test_a(): ...\nclass TestB:\n    async def test_b(self): ...\n",
}


def test_shape_of_a_tiny_tree(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert shape(tmp_path) == {
        "shipped_lines": 33,
        "shipped_files": 3,
        "test_lines": 3,
        "test_functions": 2,
        "files_flat_in_nodes": 1,
        "recall_members": 3,  # open, read, memories
        "recall_open_parameters": 3,
        "settings": 3,  # k, a, b
        "settings_classes": 2,
        "environment_variables": 2,
        "numeric_constants": 2,
    }
