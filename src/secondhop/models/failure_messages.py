"""Says why no answer came, without keys or prompts.

The messages of HTTP libraries quote headers, so only the kind of a failure is reported.
"""

import errno
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import cast

from secondhop.models.chat_transport import BrokenReplyError

_KEY_PART = 6
"""A word of a message is removed if it holds this many first or last characters of the key."""
_WHOLE_WORD_ONLY = 8
"""A shorter key ("none", "k") is removed only as a whole word; texts may hold it by chance."""
_STARRED = re.compile(r"[\w.-]*\*{3,}[\w.-]*")
"""A key as OpenAI shows it: "sk-ab****wxyz"."""
_CHAIN = 10
EXCERPT_CHARS = 200
"""How much of a server's message is shown."""
_READ_CHARS = 20 * EXCERPT_CHARS
"""How much of it is searched for keys; searching 10 MB would block the event loop."""
_UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})
_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "the host name is not known"),
    (ssl.SSLCertVerificationError, "the server's certificate is not trusted"),
    (ssl.SSLError, "TLS failed"),
    (ConnectionRefusedError, "connection refused"),
    (ConnectionError, "the connection broke"),
    (TimeoutError, "no answer in time"),
)
_HTTP_KINDS = {
    "LocalProtocolError": "the request is not valid HTTP; check the OPENAI_* variables",
    "RemoteProtocolError": "the server hung up, or does not speak HTTP",
    "UnsupportedProtocol": "no http:// or https:// in front of the address",
    "InvalidURL": "the address is not valid",
    "ProxyError": "the proxy refused",
    "ReadError": "the connection broke",
    "WriteError": "the connection broke",
}
"""By class name, because the library behind the SDK has changed before."""


def kind_of_failure(error: BaseException) -> str:
    """Why no answer came, in words ("connection refused"), or else the error's class name."""
    http_kind = ""
    for cause in causes(error):
        if isinstance(cause, BrokenReplyError):
            return str(cause)  # the message is ours
        for kind, words in _KINDS:
            if isinstance(cause, kind):
                return words
        if isinstance(cause, OSError) and cause.errno in _UNREACHABLE:
            return "the network cannot reach it"
        http_kind = http_kind or _HTTP_KINDS.get(type(cause).__name__, "")
    return http_kind or type(error.__cause__ or error).__name__


def excerpt(text: str, clean: Callable[[str], str]) -> str:
    """The beginning of a server's message, cleaned of secrets, without a final full stop.

    >>> excerpt("no such key: 7 " + "x" * 9_999, lambda text: text.replace("7", "…"))[:16]
    'no such key: … x'
    """
    return clean(text[:_READ_CHARS])[:EXCERPT_CHARS].rstrip(".")


def without_key(text: str, *, key: str | None) -> str:
    """The text, with "…" for words that hold the key, its beginning or its end.

    >>> without_key("no such key: sk-12345678", key="sk-12345678")
    'no such key: …'
    >>> without_key("no such key: ..345678 or sk-a****wxyz", key="sk-12345678")
    'no such key: … or …'
    """
    text = _STARRED.sub("…", text)
    if not key:
        return text
    if len(key) < _WHOLE_WORD_ONLY:
        return re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", "…", text)
    ends = re.escape(key[:_KEY_PART]), re.escape(key[-_KEY_PART:])
    return re.sub(rf"\S*(?:{ends[0]}|{ends[1]})\S*", "…", text)


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and its chain of causes, at most 10; follows the first error of a group."""
    cause: BaseException | None = error
    for _ in range(_CHAIN):
        if cause is None:
            return
        yield cause
        if isinstance(cause, BaseExceptionGroup):
            cause = cast("BaseExceptionGroup[BaseException]", cause).exceptions[0]
        else:
            cause = cause.__cause__ or cause.__context__
