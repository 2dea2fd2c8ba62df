"""Writes one recall as a single web page: the server's view with the data inside."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

from secondhop.graph.deciding import deciding_scores
from secondhop.graph.explain import explain
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.recall import Recall

EXPLAINED = 300
"""How many candidates the file explains, best first; it also explains every returned memory."""


def recall_page(
    result: RecallResult, trace: RecallTrace, *, graph: Mapping[str, Sequence[Any]]
) -> str:
    """A page that needs no server and no network; memories appear as text, never as HTML.

    Args:
        graph: the graph of the recall: {"nodes": [name], "edges": [[from, to]]}.
    """
    ids = [one.memory_id for one in trace.candidates[:EXPLAINED]]
    ids += [one for one in trace.returned if one not in ids]
    kept = {
        "result": result.model_dump(mode="json"),
        "trace": trace.model_dump(mode="json"),
        "scores": deciding_scores(trace),
        "graph": graph,
        "explanations": {one: explain(trace, one).model_dump(mode="json") for one in ids},
    }
    page = static_text("index.html")
    names = re.findall(r'<script defer src="/static/([a-z]+\.js)"></script>\n', page)
    script = "\n".join(static_text(name) for name in names)
    style = static_text("style.css")
    policy = (
        f"default-src 'none'; script-src '{source_of(script)}'; style-src '{source_of(style)}'; "
        f"img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = page[: page.index('<link rel="stylesheet"')]
    body = page[page.index("<body>") : page.index("</body>")]
    return (
        head.replace(
            '<meta charset="utf-8">',
            f'<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        )
        + f"<style>{style}</style>\n</head>\n{body}"
        + f'<script type="application/json" id="recall">{inert(kept)}</script>\n'
        + f"<script>{script}</script>\n</body>\n</html>\n"
    )


def graph_of(recall: Recall) -> dict[str, list[Any]]:
    """The nodes and edges of the recall graph, for `recall_page`."""
    drawn = recall.graph.get_graph()
    edges = [[edge.source, edge.target] for edge in drawn.edges]
    return {"nodes": list(drawn.nodes), "edges": edges}


def static_text(name: str) -> str:
    """The text of one of the page's files."""
    return (files("secondhop.server") / "static" / name).read_text(encoding="utf-8")


def source_of(text: str) -> str:
    """The text's hash as a source in a Content-Security-Policy."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def inert(value: object) -> str:
    """JSON that is safe inside HTML: it can neither open nor close an element."""
    text = json.dumps(value, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
