"""What the documentation site adds to the pages in docs/ (a hook in mkdocs.yml).

Some pages come from elsewhere in the repository. A link out of docs/ leads to such a page, or
becomes plain text if the site does not have it. The page on the command line gets the options of
every command, read from the commands themselves. A build fails if a public name has no place in the
Python reference.
"""

import posixpath
import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocstrings import Inventory
from typer.main import get_command

import secondhop
from secondhop.cli.app import app
from secondhop.cli.options import shared_parameters

REPO = Path(__file__).resolve().parents[1]
ELSEWHERE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/second_hop/README.md": "second-hop.md",
    "examples/people/README.md": "example-people.md",
    "examples/scenarios/FORMAT.md": "scenario-format.md",
}
"""{file in the repository: its page}."""
LINK = re.compile(r"\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)")
COMMANDS = "<!-- every command -->"
SERVICES = (
    "recall.Recall",
    "memories.service.MemoryService",
    "memories.cues.Cues",
    "sessions.service.Sessions",
    "learning.service.Learning",
    "memories.maintenance.Maintenance",
)
"""`Recall` and what its namespaces are."""


def on_files(files: Files, config: Any) -> Files:
    for source, page in ELSEWHERE.items():
        text = (REPO / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    sources = {uri: source for source, uri in ELSEWHERE.items()}
    source = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    linked = LINK.sub(lambda link: site_link(link, posixpath.dirname(source)), markdown)
    return linked.replace(COMMANDS, every_command()) if COMMANDS in linked else linked


def on_post_build(config: Any) -> None:
    """Raises PluginError if docs/api.md leaves out what `import secondhop` gives."""
    with (Path(config.site_dir) / "objects.inv").open("rb") as file:
        told = Inventory.parse_sphinx(file)
    if missing := [name for name in public_names() if name not in told]:
        raise PluginError(f"not in the Python reference, docs/api.md: {', '.join(missing)}")


def public_names() -> list[str]:
    """The names of `secondhop.__all__`, and the public members of `SERVICES`."""
    names = [f"secondhop.{name}" for name in secondhop.__all__]
    for service in SERVICES:
        whole = f"secondhop.{service}"
        names += [f"{whole}.{name}" for name in dir(resolve_name(whole)) if name[0] != "_"]
    return names


def site_link(link: re.Match[str], folder: str) -> str:
    """The link with its target on the site; only its words if the site has no such page."""
    words, target, anchor = link[1], link[2], link[3] or ""
    source = posixpath.normpath(posixpath.join(folder, target))
    if source in ELSEWHERE:
        return f"[{words}]({ELSEWHERE[source]}{anchor})"
    if posixpath.dirname(source) == "docs" or source.startswith("docs/images/"):
        return f"[{words}]({posixpath.relpath(source, 'docs')}{anchor})"
    return words


def every_command() -> str:
    """Each command with its help, arguments and options, as Markdown."""
    return "\n\n".join(command_pages(get_command(app), "secondhop"))


def command_pages(command: Any, name: str) -> list[str]:
    """A section for each command, in the order of `--help`, including the commands of groups."""
    context = command.make_context(name, [], resilient_parsing=True)
    if hasattr(command, "list_commands"):
        return [
            section
            for child in command.list_commands(context)
            for section in command_pages(command.get_command(context, child), f"{name} {child}")
        ]
    shared = shared_parameters()
    own = [given for given in command.params if given.name not in {*shared, "help"}]
    records = [given.get_help_record(context) for given in own]
    rows = [option_row(*record) for record in records if record]
    return ["\n".join([f"### {name.removeprefix('secondhop ')}", "", command.help, "", *rows])]


def option_row(name: str, about: str) -> str:
    """A list item; brackets in the help text are escaped, because they are not links."""
    told = " ".join(about.split()).replace("[", r"\[")
    return f"- `{name.partition(' <')[0]}` {told}"
