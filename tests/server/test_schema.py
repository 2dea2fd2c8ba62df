"""Schemathesis against the OpenAPI description: no request that fits it, or almost fits it, breaks
the server, and every answer is as described."""

import subprocess
import sysconfig
from pathlib import Path

import pytest
from tests.mcp.mcp_world import environment
from tests.server.served_world import new_store, serving

pytestmark = pytest.mark.slow

CHECKS = (
    "not_a_server_error,content_type_conformance,response_schema_conformance,"
    "status_code_conformance,negative_data_rejection,unsupported_method"
)


def test_the_api_is_as_it_is_described(tmp_path: Path) -> None:
    store = tmp_path / "store"
    program = Path(sysconfig.get_path("scripts")) / "schemathesis"
    with serving(store, new_store(store)) as running:
        line = [str(program), "run", f"{running.url}/openapi.json", "--checks", CHECKS]
        line += ["--max-examples", "10", "--seed", "1", "--generation-database", "none"]
        line += ["--header", f"Authorization: Bearer {running.tokens['admin']}"]
        done = subprocess.run(
            line, capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False
        )
    assert done.returncode == 0, done.stdout[-6000:]
