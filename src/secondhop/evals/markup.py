"""HTML and SVG that cannot be broken by what stands in a memory: text is escaped where it enters.

`element` takes text and markup; only what `element` made is taken as markup.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that HTML forbids or that no UTF-8 file can hold."""

VOID = frozenset({"br", "hr", "meta"})
"""Elements without an end."""


class Markup(str):
    """HTML as it will be written."""

    __slots__ = ()


Child: TypeAlias = "str | Markup | None"


def text(value: str) -> Markup:
    """Text as HTML; unwritable characters become U+FFFD.

    >>> text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return Markup(escape(UNWRITABLE.sub("\ufffd", value)))


def joined(children: Iterable[Child]) -> Markup:
    """One after the other; None is nothing."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else text(child)
            for child in children
            if child is not None
        )
    )


def element(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """An element with its children.

    Args:
        attributes: "_" in a name becomes "-", one at its end goes ("class_"). True: without a
            value; None and False: not there.

    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    opening = "".join([name, *map(attribute, attributes, attributes.values())])
    if name in VOID:
        return Markup(f"<{opening}>")
    return Markup(f"<{opening}>{joined(children)}</{name}>")


def attribute(name: str, value: str | float | bool | None) -> str:
    """One attribute with a space before it; "" for none."""
    written = name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {written}" if value is True else f' {written}="{text(plain(value))}"'


def plain(value: str | float) -> str:
    """A number without needless digits.

    >>> plain(3.0), plain(1 / 3)
    ('3', '0.33')
    """
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def quoted(value: str) -> Markup:
    """Somebody else's words: their direction stays theirs."""
    return element("bdi", value)
