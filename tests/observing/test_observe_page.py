"""The example in docs/observe.md runs and prints what the page says."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "observe.md"


@pytest.mark.usefixtures("library_of_tests")
def test_the_pages_example_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    told = re.findall(r"^ *# ?> (.*)$", block, re.M)
    monkeypatch.chdir(tmp_path)

    exec(compile(block, str(PAGE), "exec"), {})

    assert told
    assert capsys.readouterr().out.splitlines() == told
