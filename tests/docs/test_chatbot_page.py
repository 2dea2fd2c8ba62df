"""The backends of docs/chatbot.md and of the cookbook answer a browser."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from secondhop import Preference, Recall, RecallPool

REPO = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """The app that the page shows, with the hashing embedder."""
    monkeypatch.chdir(tmp_path)
    page = (REPO / "docs" / "chatbot.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    names: dict[str, Any] = {}
    exec(block.replace('"store"', '"store", embedder="hashing"'), names)
    made: FastAPI = names["app"]
    return made


def example() -> ModuleType:
    path = REPO / "examples" / "cookbook" / "fastapi_chatbot.py"
    found = importlib.util.spec_from_file_location("fastapi_chatbot", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_backend_of_the_page_gives_what_is_known_and_what_is_wished(app: FastAPI) -> None:
    def said(client: TestClient, text: str) -> Any:
        return client.post("/chat/ana", params={"said": text}).json()

    with TestClient(app) as client:
        first = said(client, "I live in Bonn.")
        said(client, "Please always answer in German.")
        answer = said(client, "Where do I live?")
        place = f"/memories/ana/{answer['ids'][0]}"
        forgotten = [client.delete(place).status_code for _ in range(2)]
        left = said(client, "Where do I live?")["known"]

    assert first == {"known": [], "ids": [], "wishes": []}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d: .*Bonn.*", answer["known"][0])
    assert forgotten == [204, 404]
    assert "Bonn" not in " ".join(left)
    assert answer["wishes"] == ["Always answer in German"]


def test_the_backend_of_the_page_refuses_a_blank_message(app: FastAPI) -> None:
    with TestClient(app) as client:
        refused = [client.post("/chat/ana", params={"said": text}) for text in ("", "   ")]

    assert [one.status_code for one in refused] == [422, 422]


def test_the_backend_of_the_page_refuses_who_is_no_user(app: FastAPI) -> None:
    with TestClient(app) as client:
        refused = [client.post(f"/chat/{user}", params={"said": "Hi"}) for user in ("%20", "*")]

    assert [one.status_code for one in refused] == [422, 422]


def test_the_backend_of_the_cookbook_tells_wishes_and_refuses_a_blank_message(
    tmp_path: Path,
) -> None:
    ana = {"X-User": "ana"}
    with Recall.open(tmp_path / "store", entity="ana", embedder="hashing") as recall:
        recall.memories.remember(Preference(text="Always answer in German", scope="always"))
    pool = RecallPool(tmp_path / "store", embedder="hashing")
    with TestClient(example().app_over(pool)) as client:
        blank = client.post("/chat", json={"text": "   "}, headers=ana)
        answer = client.post("/chat", json={"text": "How is my knee?"}, headers=ana)

    assert blank.status_code == 422
    assert '"wishes": ["Always answer in German"]' in answer.text
