"""docs/settings.md names every setting with its default."""

import re
from pathlib import Path

from secondhop.nodes.config import Config

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
ROW = re.compile(r"^\| (?:\*\*`(\w+\.)`\*\*|`(\w+)`) \|([^|]*)\|", re.M)


def test_the_page_of_settings_has_all_of_them_with_their_defaults() -> None:
    told: dict[str, str] = {}
    group = ""
    for heading, name, default in ROW.findall(PAGE.read_text(encoding="utf-8")):
        group = heading or group
        if name:
            told[group + name] = default.strip()

    assert told == {name: str(default) for name, default in Config().flat().items()}
