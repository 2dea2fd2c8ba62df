"""The page at /: its static files."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Response
from starlette.exceptions import HTTPException

TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
}

page_routes = APIRouter(include_in_schema=False)


@cache
def static_files() -> Mapping[str, bytes]:
    """{name: content} of the page's files; no other file is ever served."""
    folder = files("secondhop.server") / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@page_routes.get("/")
async def index() -> Response:
    """The page."""
    return await static("index.html")


@page_routes.get("/static/{name}")
async def static(name: str) -> Response:
    """A file of the page."""
    content = static_files().get(name)
    if content is None:
        raise HTTPException(404)
    kind = TYPES[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})
