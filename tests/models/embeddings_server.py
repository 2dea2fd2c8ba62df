"""A server on a real socket that speaks the OpenAI embeddings protocol."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np


class EmbeddingsServer:
    """Speaks the OpenAI embeddings protocol; it serves the faults in `script` before it works."""

    def __init__(self) -> None:
        self.script: list[tuple[int, dict[str, str], bytes]] = []
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.dimension = 8
        self.drop_rows = 0
        self.honours_base64 = True
        self.keeps_order = False  # the protocol numbers the rows and allows any order
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, asked: dict[str, Any]) -> bytes:
        texts: list[str] = asked["input"]
        length = asked.get("dimensions", self.dimension)
        packed = self.honours_base64 and asked.get("encoding_format") == "base64"
        rows: list[dict[str, Any]] = []
        for index, text in enumerate(texts[: len(texts) - self.drop_rows]):
            vector = np.full(length, 2.0, dtype="<f4")
            vector[0] = float(len(text))
            embedding = base64.b64encode(vector.tobytes()).decode() if packed else vector.tolist()
            rows.append({"object": "embedding", "index": index, "embedding": embedding})
        if not self.keeps_order:
            rows.reverse()
        return json.dumps({"object": "list", "data": rows, "model": "m", "usage": {}}).encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                asked: dict[str, Any] = json.loads(self.rfile.read(length))
                server.requests.append(asked)
                server.times.append(time.time())
                status, headers, body = (
                    server.script.pop(0) if server.script else (200, {}, server.answer(asked))
                )
                if status == 0:  # hang up without an answer
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler
