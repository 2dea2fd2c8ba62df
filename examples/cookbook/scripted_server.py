"""A local HTTP server that answers like OpenAI's, from a script: no key, no network.

    python examples/cookbook/scripted_server.py FILE

FILE is a Python file with a function `reply(schema, prompt)`. It takes the name of the requested
schema (DecomposeReply, ExpandReply, CritiqueReply, ObserveReply, AnnotateReply) and the text of the
prompt, and returns the object that the model answers with; prompt_iteration.py has an example.
Then, in another terminal:

    secondhop eval scenarios my/scenario --llm openai:scripted
"""

import argparse
import json
import runpy
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

Reply = Callable[[str, str], dict[str, Any]]
"""(name of the schema, prompt) → the object that the model answers with."""


@contextmanager
def scripted_server(reply: Reply, *, port: int = 0) -> Generator[str]:
    """Run the server; yields its address, for OPENAI_BASE_URL. Port 0: any free port."""

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            schema = asked["response_format"]["json_schema"]["name"]
            prompt = "\n".join(message["content"] for message in asked["messages"])
            body = json.dumps(completion(reply(schema, prompt))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Do not log requests."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def completion(said: dict[str, Any]) -> dict[str, Any]:
    """The server's response with the model's answer."""
    message = {"role": "assistant", "content": json.dumps(said)}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
    }


def main() -> None:
    """Serve the script in a file until Ctrl-C."""
    about = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser(description=__doc__, formatter_class=about)
    options.add_argument(
        "file", metavar="FILE", help="Python with a function reply(schema, prompt)"
    )
    options.add_argument("--port", type=int, default=0, help="[one that is free]")
    given = options.parse_args()
    with scripted_server(runpy.run_path(given.file)["reply"], port=given.port) as address:
        print(f"export OPENAI_BASE_URL={address} OPENAI_API_KEY=none", flush=True)
        with suppress(KeyboardInterrupt):
            Event().wait()


if __name__ == "__main__":
    main()
