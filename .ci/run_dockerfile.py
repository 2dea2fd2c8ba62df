"""Runs the steps of the Dockerfile in a folder that stands for /, then serves and asks.

What needs an engine is left out: base images, users, layers. The vectors lie on a Chroma server,
as compose.yaml has it.
"""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import yaml

ROOT, PYTHON = Path(sys.argv[1]), sys.argv[2]
PLACES = ("/src", "/opt", "/memory")
"""Folders of the image."""


def moved(text: str) -> str:
    """With the image's folders below ROOT."""
    return re.sub(rf"(?<![\w.])({'|'.join(PLACES)})\b", rf"{ROOT}\1", text)


def steps(dockerfile: str) -> list[tuple[str, str]]:
    """(instruction, what it says), in order."""
    lines = [line for line in dockerfile.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(word, said) for word, _, said in (one.partition(" ") for one in joined.splitlines())]


def free_port() -> int:
    """One that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def build(told: list[tuple[str, str]], variables: dict[str, str]) -> dict[str, str]:
    """Run what builds; the environment and the words of the commands that serve."""
    words: dict[str, str] = {}
    for instruction, said in told:
        if instruction == "COPY" and "--from" not in said:
            source, target = said.split()
            kept = [one[1:] for one in Path(".dockerignore").read_text().split() if one[0] == "!"]
            Path(moved(target)).mkdir(parents=True)
            subprocess.run(["cp", "-r", "--parents", *kept, moved(target)], check=True, cwd=source)
        elif instruction == "RUN":
            command = re.sub("^python ", f"{PYTHON} ", moved(said))
            print("RUN", said, flush=True)
            subprocess.run(command, shell=True, check=True, env=variables)
        elif instruction == "ENV":
            for one in shlex.split(moved(said)):
                name, _, value = one.partition("=")
                variables[name] = value.replace("$PATH", variables["PATH"])
        elif instruction == "HEALTHCHECK":
            words[instruction] = said[said.index("[") :]
        else:
            words[instruction] = said
    return words


def until_healthy(check: list[str], variables: dict[str, str]) -> None:
    """Until the image's health check passes, a minute at most."""
    for _ in range(60):
        if not subprocess.run(check, env=variables, capture_output=True, check=False).returncode:
            return
        time.sleep(1)
    raise TimeoutError("the server did not become healthy")


def main() -> None:
    """Raises where a step fails, or the answer is not the memory that was stored."""
    variables = {"PATH": os.environ["PATH"], "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    words = build(steps(Path("Dockerfile").read_text()), variables)
    services = yaml.safe_load(Path("compose.yaml").read_text())["services"]
    port, chroma = str(free_port()), str(free_port())
    variables["SECONDHOP_CHROMA"] = services["secondhop"]["environment"][
        "SECONDHOP_CHROMA"
    ].replace("chroma:8000", f"127.0.0.1:{chroma}")
    place = ["--path", str(ROOT / "data"), "--host", "127.0.0.1", "--port", chroma]
    python = str(ROOT / "opt/secondhop/bin/python")
    subprocess.run([python, "-c", "import psycopg, redis"], env=variables, check=True)
    program = json.loads(words["ENTRYPOINT"])
    program[0] = str(ROOT / "opt/secondhop/bin" / program[0])
    health = json.loads(words["HEALTHCHECK"].replace(":8000", f":{port}"))
    vectors = subprocess.Popen(
        [str(ROOT / "opt/secondhop/bin/chroma"), "run", *place],
        env=variables,
        stdout=subprocess.DEVNULL,
    )
    token = subprocess.run(
        [*program, "tokens", "create", "me", "--scope", "write"],
        env=variables,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout.split()[0]
    command = [*program, *json.loads(words["CMD"]), "--port", port]
    server = subprocess.Popen(command, env=variables)
    try:
        until_healthy(health, variables)
        here = f"http://127.0.0.1:{port}/v1/entities/me"
        asked(f"{here}/remember", {"text": "Mia gets a rash from walnuts."}, token)
        found = asked(f"{here}/recall", {"question": "Which nuts may Mia not eat?"}, token)
        assert "walnuts" in found["memories"][0]["title"], found
        print("healthy, and it remembers:", found["memories"][0]["title"])
    finally:
        for one in (server, vectors):
            one.terminate()
            one.wait(timeout=40)


def asked(url: str, body: dict[str, str], token: str) -> dict[str, list[dict[str, str]]]:
    """The answer to a POST."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        read: dict[str, list[dict[str, str]]] = json.load(answer)
        return read


if __name__ == "__main__":
    main()
