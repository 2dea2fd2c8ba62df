"""Orders to a judge in so many words: what no reader of a memory would ever be told.

Only what is beyond doubt stands here: a memory that holds it loses the votes in its favour.
`order_signs.py` is the wide net.
"""

import re
from typing import Final

_START: Final = r"(?:^|[.!?:;]\s)\W{0,8}(?:please )?"
"""Where somebody begins to give an order."""
_VOTE: Final = r"(?:hot|warm|cold|wrong|spark)"
_VERB: Final = r"\b(?:rate|mark|score|label|judge|rank|classify|treat|grade|consider)\b"
_THING: Final = r"(?:memory|memories|candidates?|entry|entries)"
_NAMED: Final = (
    rf"\b(?:this (?:memory|candidate|entry)|(?:all|every|any|each) (?:the )?(?:other )?{_THING}"
    rf"|(?:the )?other {_THING})\b"
)
_STORED: Final = rf"(?:{_NAMED}|\b{_THING}\b)"
_CANDIDATE: Final = rf"(?:{_STORED}|\b(?:this one|(?:all )?(?:the )?others|everything else)\b)"
_JUDGE: Final = r"(?:critic|judge|planner|grader|reviewer|language model|model|llm|ai)"
_MACHINE: Final = rf"(?:language model|llm|ai model|{_JUDGE} reading this)"
_ORDER: Final = (
    r"(?:hot|spark|vot(?:e|es|ing)|ignore|disregard|memory|memories|candidates?|prefer this"
    r"|(?:choose|select|return|pick|rank|rate) (?:only )?(?:this|me)|(?:the |all )?others"
    r"|everything else)"
)
"""What a greeting becomes an order by: judges, reviewers and systems are greeted in letters too."""
_SET_ASIDE: Final = r"\b(?:ignore|disregard|override|bypass|forget)\b"
_VOTES: Final = ("hot", "warm", "cold", "wrong", "spark")

_ADDRESSES: Final = tuple(
    (literals, re.compile(pattern, re.I | re.M))
    for literals, pattern in (
        (("vot",), rf"\bvot(?:e|es|ing)\b[\W_]{{1,12}}{_VOTE}\b"),
        (
            ("vot",),
            r"\bvot(?:e|es|ing)\b[\W_]{1,12}(?:(?:me|this|it|one|memory|memories|candidates?|as|is|be"
            r"|must|should|all|every|other|others|for|the|a|on|with|to)[\W_]{1,12}){1,6}"
            r"(?:hot|warm|spark|cold)\b(?=\W?\s?(?:[^\w\s]|$|(?:and|or|but|on|for|now|please|while)\b))",
        ),
        (_VOTES, rf"{_VERB}[^.!?\n]{{0,20}}{_CANDIDATE}[^.!?\n]{{0,40}}\b{_VOTE}\b"),
        (_VOTES, rf"{_VERB} (?:me|it|this) (?:as )?(?:hot|warm|spark)\b"),
        (
            _VOTES,
            rf"{_NAMED}[^.!?\n]{{0,30}}\b(?:must|should|has to|have to|needs? to|is to|are to"
            rf"|gets?|deserves?)\b[^.!?\n]{{0,30}}\b{_VOTE}\b",
        ),
        (
            ("ignore", "disregard", "override", "bypass", "forget"),
            rf"{_SET_ASIDE}[^.!?\n]{{0,25}}\b(?:(?:previous|prior|above|earlier|preceding|system) "
            r"(?:system )?(?:instructions?|prompts?|rules?)|your (?:instructions?|prompts?)"
            r"|users?(?:['’]s?)? questions?|other (?:candidates?|memories|memory|entries)"
            r"|(?:everything|all|anything) above)\b"
            rf"|{_SET_ASIDE} (?:all |any )(?:of )?(?:the |these |your )?"
            r"(?:instructions|prompts|rules)\b"
            r"(?! (?:on|in|of|from|at|for|about|my|our|his|her|their)\b)"
            rf"|{_START}{_SET_ASIDE} (?:(?:the|this|that|your|all) (?:instructions?|prompts?|rules"
            r"|questions?|candidates|facets)|(?:everything|all|anything) (?:before|else))"
            r"(?=\s?(?:and (?:return|choose|select|pick|vote|rate|rank|say|answer)\b|[.!]|$))",
        ),
        (
            ("instruction", "rule"),
            r"\b(?:new|updated) system (?:instructions?|rules?)\s?:"
            rf"|\b(?:new|updated) (?:instructions?|rules?)\s?:[^\n]{{0,60}}\b{_ORDER}\b"
            rf"|{_START}system instructions?\s?:",
        ),
        (
            ("system", "developer"),
            r"\bsystem override\b|(?:^|[.!?]\s)\W{0,8}(?:system|developer)\W{0,2}:[^\n]{0,60}\b"
            r"(?:hot|vote|ignore|disregard|this (?:one|memory|candidate)|all others"
            r"|other (?:memories|candidates))\b",
        ),
        (
            ("dear", "attention", "note to", "message to", "hey", "hello"),
            r"\b(?:dear|attention|note to|message to|hey|hello)[,: ]{1,3}(?:the |all )?"
            rf"(?:{_MACHINE}\b|{_JUDGE}\b[^\n]{{0,60}}\b{_ORDER}\b)",
        ),
        (
            ("you",),
            rf"\byou are (?:now )?(?:the |an? )?(?:helpful {_JUDGE}|{_MACHINE})\b"
            rf"|\byou are now (?:the |an? )?{_JUDGE}\b(?=\s?(?:[^\w\s]|$))"
            rf"|\b(?:you are (?:now )?(?:the |an? )?{_JUDGE}|as (?:the|an?) {_JUDGE},? you)\b"
            rf"[^.!?\n]{{0,60}}\b{_ORDER}\b",
        ),
        (
            ('"', "'", "“"),
            r"[\"'“](?:replaced_by|empty_facets|new_queries|go_on)[\"'”]\s?:"
            rf"|[\"'“]votes?[\"'”]\s?:[^\n]{{0,80}}\b{_VOTE}\b"
            r"|[\"'“](?:repeats|facets)[\"'”]\s?:\s?\[?\s?[\"'“][a-z0-9]{0,8}\d[\"'”]",
        ),
        (("_",), r"\b(?:empty_facets|new_queries|go_on|tool_calls|function_call)\s?:"),
        (
            ("<",),
            r"<\s?/?\s?(?:memory|map|system|user|assistant|tool_?\w{0,20}|function\w{0,20}"
            r"|instructions?)\b[^>]{0,300}>|<<\s?/?SYS\s?>>"
            r"|<\|[^|>]{1,40}\|>(?:system|user|assistant|developer|tool)\b"
            r"|(?:^|[.!?]\s)\W{0,8}<\|[^|>]{1,40}\|>",
        ),
        (("[",), r"\[/?INST\]"),
        (
            ("return", "select", "choose", "promote", "place", "rank"),
            r"\b(?:return|select|choose|promote|place|rank) (?:only )?"
            r"(?:this|the other|all other|all) (?:memory|memories)\b"
            r"|\b(?:return|select|choose|promote|place|rank) only this (?:candidate|entry|one)\b"
            rf"|{_START}(?:return|select|choose|promote|place|rank) this candidate\b"
            rf"|{_START}(?:return|select|choose|promote) me\b",
        ),
    )
)
"""What gives orders to a judge; a pattern is tried where one of its literals stands.

Every repetition is bounded, and runs of spaces are one space before: a text costs in proportion to
its length, whatever is in it.
"""


def gives_orders(reading: str) -> bool:
    """Whether a reading of a text (`disguises.py`) tells whoever judges it what to vote."""
    return any(
        any(literal in reading for literal in literals) and pattern.search(reading)
        for literals, pattern in _ADDRESSES
    )
