import json
from typing import Any

from pydantic import BaseModel

from secondhop.models.answer_modes import MODES, SURE, ModeLadder, mode_body


class Facet(BaseModel):
    name: str
    default: str = "kept: a field, not a keyword"
    weight: float = 1.0


class Planned(BaseModel):
    facets: list[Facet]
    stop: bool | None = None


class OpenMap(BaseModel):
    votes: dict[str, str]


def test_a_closed_schema_is_sent_strict_with_every_field_required_and_no_defaults() -> None:
    sent: dict[str, Any] = json.loads(json.dumps(mode_body("json_schema", Planned)))
    described = sent["response_format"]["json_schema"]
    assert described["strict"] is True
    facet = described["schema"]["$defs"]["Facet"]
    assert facet["required"] == ["name", "default", "weight"]
    assert facet["additionalProperties"] is False
    assert "default" not in facet["properties"]["weight"]
    assert described["schema"]["required"] == ["facets", "stop"]


def test_an_open_map_is_sent_as_it_is_and_not_strict() -> None:
    tool: Any = mode_body("tool", OpenMap)
    function = tool["tools"][0]["function"]
    assert function["strict"] is False
    assert function["parameters"] == OpenMap.model_json_schema()


def test_what_a_server_surely_refuses_is_not_asked_again() -> None:
    ladder = ModeLadder()
    ladder.answered("json_object", refused={"json_schema": SURE})
    assert ladder.usable() == MODES[1:]
    assert ladder.proven("json_object")


def test_one_stumble_does_not_rule_a_mode_out_and_nothing_does_once_it_has_worked() -> None:
    ladder = ModeLadder()
    ladder.answered("json_object", refused={"json_schema": 1})
    assert ladder.usable() == MODES
    ladder.answered("json_schema", refused={})
    ladder.answered("text", refused={"json_schema": SURE})
    assert ladder.usable() == MODES


def test_text_is_always_left() -> None:
    ladder = ModeLadder()
    ladder.answered("text", refused={mode: SURE for mode in MODES if mode != "text"})
    assert ladder.usable() == ("text",)
