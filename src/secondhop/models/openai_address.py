"""Where an OpenAI-compatible server is and which key it gets, checked before anything is sent.

No message holds the key, or a password that stands in the address.
"""

import os
import re
from urllib.parse import unquote, urlsplit

from secondhop.errors import ModelError, UsageError

OPENAI = "https://api.openai.com/v1"
"""Spelled out: the SDK would take an empty OPENAI_BASE_URL for an address."""
_PASSWORD = re.compile(r"//[^/?#]*@")
_NO_WORDS = re.compile(r"[^\x20-\x7e]")
"""What an HTTP header cannot hold: line breaks, and letters beyond ASCII."""


def checked_base_url(given: str | None) -> str | None:
    """The address of a server, without spaces around it; None: none is given.

    Raises:
        UsageError: it is not http(s)://HOST[:PORT][/PATH], with a port of 0 to 65535.

    >>> checked_base_url(" http://localhost:11434/v1 ")
    'http://localhost:11434/v1'
    """
    url = (given or "").strip()
    if not url:
        return None
    try:
        if any(sign.isspace() or not sign.isprintable() for sign in url):
            raise ValueError("a space or a control character is in it")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            raise ValueError("it does not begin with http:// or https://")
        if not parts.hostname:
            raise ValueError("it names no host")
        _ = parts.port  # raises when it is no number from 0 to 65535
        parts.hostname.encode("idna")  # as looking it up does
    except ValueError as error:
        shown = _PASSWORD.sub("//…@", url)
        why = "the host is no valid name" if isinstance(error, UnicodeError) else error
        raise UsageError(
            f"{shown!r} is no address of a server: {why}; write it like http://localhost:11434/v1"
        ) from None
    return url


def place_of(base_url: str) -> str:
    """Host, port and path, for names and messages: without a password that the address may hold.

    >>> place_of("https://me:secret@models.acme.com:8000/v1/?key=secret")
    'models.acme.com:8000/v1'
    """
    parts = urlsplit(base_url)
    return parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")


def without_login(base_url: str) -> tuple[str, tuple[str, str] | None]:
    """The address, and the user name and password that stood in it.

    >>> without_login("https://me:pass%20word@models.acme.com:8000/v1")
    ('https://models.acme.com:8000/v1', ('me', 'pass word'))
    """
    parts = urlsplit(base_url)
    login, at, host = parts.netloc.rpartition("@")
    if not at:
        return base_url, None
    user, _, password = login.partition(":")
    return parts._replace(netloc=host).geturl(), (unquote(user), unquote(password))


def base_url_of(given: str | None) -> str | None:
    """The server that is meant; None: none is named, so it is OpenAI itself.

    Args:
        given: goes before OPENAI_BASE_URL.

    Raises:
        UsageError: it is no address.
    """
    return checked_base_url(given) or checked_base_url(os.environ.get("OPENAI_BASE_URL"))


def checked_key(given: str | None) -> str | None:
    """The key without white space around it (a file ends in a line break); None: none is given.

    Raises:
        UsageError: it holds what no HTTP header can.
    """
    key = (given or "").strip()
    if _NO_WORDS.search(key):
        raise UsageError(
            "the API key holds a character that cannot be sent (a line break, or a letter beyond "
            "ASCII); copy it once more"
        )
    return key or None


def api_key_of(given: str | None) -> str | None:
    """The key that is meant: `given`, else OPENAI_API_KEY.

    Raises:
        ModelError: it holds what no HTTP header can.
    """
    try:
        return checked_key(given) or checked_key(os.environ.get("OPENAI_API_KEY"))
    except UsageError as error:
        raise ModelError(str(error)) from None
