"""Standard names of attributes and topics, so that the same fact always has the same name."""

import re
from typing import Final

ME: Final = "me"
"""The subject of what people say about themselves."""

ALIASES: Final = {
    "e-mail": "email",
    "mail": "email",
    "email address": "email",
    "e-mail address": "email",
    "phone": "phone number",
    "mobile": "phone number",
    "mobile number": "phone number",
    "telephone number": "phone number",
    "number": "phone number",
    "full name": "name",
    "home address": "address",
    "date of birth": "birthday",
    "place of birth": "birthplace",
    "occupation": "job",
    "profession": "job",
    "company": "employer",
    "home city": "home",
    "wi-fi password": "wifi password",
}
"""{another name of an attribute: its usual name}."""

CONSTANT: Final = frozenset({"birthday", "birthplace", "blood type", "birth name", "maiden name"})
"""Attributes that never change; another value is a correction or a mistake."""

TOPICS: Final = (
    ("form of address", r"\bcall(?:ing)? me\b"),
    (
        "language",
        r"\b(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|turkish"
        r"|arabic|hindi|chinese|japanese|korean)\b",
    ),
    ("units", r"\b(?:metric|imperial|celsius|fahrenheit|miles|units)\b"),
    ("emoji", r"\bemojis?\b"),
    ("currency", r"\b(?:euros?|dollars?|pounds?|francs?|yen)\b"),
    ("tone", r"\b(?:formal|informal|polite\w*|casual|friendly|tone)\b"),
    ("length", r"\b(?:short\w*|brief\w*|concise|long\w*|detail\w*|sentences|words)\b"),
    ("layout", r"\b(?:bullet points?|lists?|tables?|headings?|markdown|plain text)\b"),
    ("links", r"\b(?:links?|sources?|citations?)\b"),
)
"""(topic, pattern) of wishes about answers; the first match counts."""


def attribute_named(words: str) -> str:
    """The usual name of an attribute.

    >>> attribute_named("favorite  Colour"), attribute_named("new e-mail address")
    ('favourite colour', 'email')
    """
    plain = " ".join(words.casefold().replace("favorite", "favourite").split())
    plain = re.sub(r"^(?:new|current|present|own|main|correct|actual|latest)\s+", "", plain)
    return ALIASES.get(plain, plain)


def topic_of(text: str) -> str:
    """The topic of a wish about answers; "" if no pattern of TOPICS matches."""
    found = (topic for topic, words in TOPICS if re.search(words, text, re.I))
    return next(found, "")
