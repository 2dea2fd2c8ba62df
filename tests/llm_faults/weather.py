"""A model server whose answers are drawn at random: half of them are good, the rest are faults."""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.models.fault_server import (
    HUGE,
    HUGE_ERROR,
    USAGE,
    Exchange,
    Fault,
    FaultServer,
    body,
    drip,
    half,
    hang,
    raw_status,
    reset,
    slow,
    status,
)

SCHEMAS = {"DecomposeReply": "decompose", "ExpandReply": "expand", "CritiqueReply": "critique"}
"""{schema of a request: the node that asks}."""

FAIR = "(ask 0)"
"""The mark of recalls in good weather, to warm up with."""

MARK = re.compile(r"\(ask \d+\)")
"""The mark in every question, which tells the recall that a request belongs to."""

FAULTS: dict[str, Fault] = {
    "429": status(429),
    "429, wait a moment": status(429, Retry_After="0.05"),
    "429, wait a minute": status(429, Retry_After="60"),
    "no quota": raw_status(429, b'{"error": {"message": "pay", "code": "insufficient_quota"}}'),
    "400": status(400),
    "401": status(401),
    "404": status(404),
    "500": status(500),
    "502": raw_status(502, b"<html>Bad Gateway</html>"),
    "503": status(503, Retry_After="1"),
    "504": status(504),
    "hang": hang,
    "half a response": half,
    "slow drip": drip,
    "reset": reset,
    "late reset": slow(0.1, reset),
    "empty body": body(b""),
    "no UTF-8": body(b"\xff\xfe{"),
    "HTML": body(b"<html><body>Log in</body></html>"),
    "not a completion": body(b'{"choices": "none", "usage": {"prompt_tokens": -4}}'),
    "null": body(b"null"),
    "deep": body(b'{"choices":' + b"[" * 50_000),
    "no choice": body(b'{"choices": []}'),
    "10 MB": HUGE,
    "10 MB of error": HUGE_ERROR,
}
"""Faults without a usable answer."""

SILENT = ("hang", "half a response", "slow drip", "reset", "502", "503")
"""The faults that look like a dead server."""

WORDS: dict[str, Callable[[str], str]] = {
    "prose": lambda _: "I would rather talk about it.",
    "wrong JSON": lambda _: '{"nothing": [1, 2]}',
    "broken JSON": lambda good: good[: len(good) // 3],
    "wrong types": lambda _: '{"votes": 7, "facets": 8, "kind": 9, "rewordings": []}',
    "not a number": lambda _: '{"votes": NaN}',
    "an echo of the schema": lambda _: '{"type": "object", "properties": {"kind": {}}}',
    "nothing": lambda _: "",
    "many braces": lambda _: "{" * 5_000,
}
"""Whole responses whose text is not a valid answer."""


@dataclass(slots=True)
class Seen:
    """What the server knows of one recall."""

    requests: int = 0
    good: Counter[str] = field(default_factory=Counter[str])
    """{node: number of good answers sent}."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Sum over all responses that give their usage."""
    faults: Counter[str] = field(default_factory=Counter[str])


class Weather:
    """Draws the fate of each request from the seed, the recall and the request's place in it."""

    def __init__(self, seed: int, *, good: float = 0.5) -> None:
        """`good`: share of requests that are answered well, some of them slowly."""
        self._seed, self._good = seed, good
        self.seen: defaultdict[str, Seen] = defaultdict(Seen)

    def server(self, *, silent: float) -> FaultServer:
        """A server in this weather; `silent`: share of its faults that look like a dead server."""

        async def play(exchange: Exchange) -> None:
            await self._answer(exchange, silent=silent)

        return FaultServer(otherwise=play)

    async def _answer(self, exchange: Exchange, *, silent: float) -> None:
        told = json.dumps(exchange.asked["messages"], ensure_ascii=False)
        mark: str = MARK.findall(told)[0]
        seen = self.seen[mark]
        seen.requests += 1
        chance = random.Random(f"{self._seed} {mark} {seen.requests}")
        if mark != FAIR and chance.random() < silent:
            name = chance.choice(SILENT)
            fault = FAULTS[name]
        else:
            name, fault = self._fate(mark, exchange, told, chance=chance)
        seen.faults[name] += 1
        await fault(exchange)

    def _fate(
        self, mark: str, exchange: Exchange, told: str, *, chance: random.Random
    ) -> tuple[str, Fault]:
        seen = self.seen[mark]
        (schema,) = [name for name in SCHEMAS if name in json.dumps(exchange.asked)]
        good = json.dumps(good_reply(schema, told, chance))
        if mark == FAIR or chance.random() < self._good:
            seen.good[SCHEMAS[schema]] += 1
            priced = self._priced(good, exchange, seen)
            name, after_s = chance.choice([("good", 0.0), ("good", 0.03), ("slow", 0.3)])
            return name, slow(after_s, priced)
        name = chance.choice([*FAULTS, *WORDS, "refusal", "filtered", "cut off"])
        if name == "10 MB":
            seen.prompt_tokens += USAGE["prompt_tokens"]
            seen.completion_tokens += USAGE["completion_tokens"]
        if name in FAULTS:
            return name, FAULTS[name]
        if name == "broken JSON":  # the complete rows before the break are an answer
            seen.good[SCHEMAS[schema]] += 1
        if name in WORDS:
            return name, self._priced(WORDS[name](good), exchange, seen)
        if name == "refusal":
            return name, self._priced("", exchange, seen, refusal="I cannot help with that.")
        end = "content_filter" if name == "filtered" else "length"
        return name, self._priced('{"kind": "conc', exchange, seen, end=end)

    @staticmethod
    def _priced(
        text: str, exchange: Exchange, seen: Seen, *, refusal: str | None = None, end: str = "stop"
    ) -> Fault:
        """A whole response with its usage."""
        prompt = sum(len(told["content"].encode()) for told in exchange.asked["messages"]) // 4
        reply = min(max(1, len(text) // 4), reply_bound(exchange.asked))
        seen.prompt_tokens += prompt
        seen.completion_tokens += reply
        message: dict[str, object] = {"role": "assistant", "content": text, "refusal": refusal}
        choices = [{"index": 0, "message": message, "finish_reason": end}]
        usage = {"prompt_tokens": prompt, "completion_tokens": reply}
        return body(json.dumps({"choices": choices, "usage": usage}).encode())


def reply_bound(asked: dict[str, Any]) -> int:
    """The most tokens that a request allows for its reply."""
    return int(asked.get("max_tokens") or asked["max_completion_tokens"])


def good_reply(schema: str, told: str, chance: random.Random) -> object:
    """A valid answer, though not always a clever one."""
    if schema == "DecomposeReply":
        kind = chance.choice(["factual", "conceptual", "procedural", "temporal"])
        return {"kind": kind, "rewordings": ["Carefeed before the interview"], "parts": []}
    if schema == "ExpandReply":
        wanted = ["plan for the first year", "achievements with numbers", "coaching", "tomatoes"]
        names = chance.sample(wanted, k=chance.randint(1, 4)) * chance.choice([1, 1, 9])
        return {
            "intent": "win the job",
            "facets": [{"name": name, "why": "", "queries": [name, "x" * 900]} for name in names],
        }
    ids = re.findall(r"<memory (\w+)>", told)
    drawn = [(one, chance.choice(["hot", "hot", "warm", "cold", "spark"])) for one in ids]
    return {
        "votes": [
            {"id": one, "vote": vote, "facets": ["e1"]} for one, vote in [*drawn, ("z", "hot")]
        ],
        "new_queries": [{"facet": "", "query": f"{chance.choice(['tyres', 'dentist'])}"}],
        "go_on": chance.random() < 0.7,
    }
