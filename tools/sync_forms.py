"""Puts sync forms (`recall = blocking(arecall)`) into the Python reference (see mkdocs.yml)."""

from typing import Any

from griffe import Attribute, Docstring, Extension


class SyncForms(Extension):
    """They get the words that `blocking` and `in_own_loop` give them at run time."""

    def on_attribute_instance(self, *, attr: Attribute, **_: Any) -> None:
        form, _, rest = str(attr.value).partition("(")
        if form in ("blocking", "in_own_loop"):
            words = f"As `{rest.removesuffix(')')}`, for callers without an event loop."
            attr.docstring = Docstring(words, parent=attr)
