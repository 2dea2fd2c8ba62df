"""How an OpenAI server is told the schema of an answer."""

from typing import Any, cast

import pytest
from pydantic import BaseModel

from secondhop.annotate.schema import AnnotateReply
from secondhop.models.openai_llm import response_format, strict_shape
from secondhop.nodes.critics.vote_schema import CritiqueReply
from secondhop.nodes.planning.schema import (
    DecomposeReply,
    ExpandReply,
    ExpandWithKept,
)
from secondhop.observe.schema import ObserveReply

ASKED_FOR = (
    AnnotateReply,
    CritiqueReply,
    DecomposeReply,
    ExpandReply,
    ExpandWithKept,
    ObserveReply,
)


def test_a_schema_is_sent_strict_with_every_field_required() -> None:
    body: Any = response_format("json_schema", ExpandReply)
    described = body["response_format"]["json_schema"]
    assert described["strict"] is True
    facet = described["schema"]["$defs"]["FacetReply"]
    assert set(facet["required"]) == facet["properties"].keys()


@pytest.mark.parametrize("schema", ASKED_FOR, ids=lambda schema: schema.__name__)
def test_every_schema_that_is_asked_for_is_one_that_strict_mode_takes(
    schema: type[BaseModel],
) -> None:
    def check(node: object) -> None:
        if isinstance(node, list):
            for part in cast("list[object]", node):
                check(part)
        elif isinstance(node, dict):
            schema = cast("dict[str, object]", node)
            assert schema.get("additionalProperties", False) is False  # no open map
            assert schema.get("type") != "object" or "properties" in schema
            assert not {"prefixItems", "oneOf", "allOf", "patternProperties"} & schema.keys()
            assert "default" not in schema
            for part in schema.values():
                check(part)

    check(strict_shape(schema))
