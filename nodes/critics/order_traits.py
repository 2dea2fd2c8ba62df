"""Traits of English sentences that are meant for whoever judges memories, and what each weighs.

None of them is strange by itself: people judge, put things first and speak of "this note" all day.
Together in one sentence they are an order, whatever its words and their sequence.
"""

import re
from typing import Final

ENOUGH: Final = 3.5
"""Weight of the traits of one sentence from which on it is taken for an order."""

ENOUGH_TOGETHER: Final = 5.5
"""As `ENOUGH`, of two sentences that stand side by side."""

_ANCHORS: Final = frozenset(
    {"self", "aim", "judge", "address", "vote", "universal", "reply", "role"}
)
"""Without one of these a sentence speaks of the world, however urgently."""

_THING: Final = (
    r"(?:note|memor(?:y|ie)|entr(?:y|ie)|record|text|passage|paragraph|sentence|line|candidate"
    r"|snippet|document|page|file|excerpt|extract|fragment|chunk|statement|manuscript|piece|item"
    r"|word|title|message|section|block)s?"
)
_JUDGE: Final = (
    r"(?:judge|juror|jury|grader|ranker|rater|voter|sorter|re-?ranker|reviewer|evaluator"
    r"|assessor|examiner|arbiter|adjudicator|annotator|labell?er|classifier|retriever|referee"
    r"|selector|critic|llm|chatbot|gpt|copilot|search engine"
    r"|(?:ai|language) (?:model|assistant|system|agent))s?"
)
_RATE: Final = r"(?:rank|rate|judge|grade|score|evaluate|sort|weigh|order|assesse?|vote|label)s?"
_RATING: Final = (
    r"(?:rank|rat|judg|grad|scor|evaluat|sort|weigh|order|assess|vot|choos|select|label)ing"
)
_GIVE: Final = (
    r"(?:choose|select|pick|prefer|list|mark|treat|declare|recommend|promote|give|award|assign"
    r"|grant|favou?r|boost|elevate|upvote|nominate|designate|deem|regard|include|cite|quote"
    r"|return|display|surface|highlight|present|keep)(?:s|d|ed)?"
)
_PUT: Final = (
    r"(?:put|place|set|take|list|rank|come|go|show|see|read|choose|appear|name|order|call|pick"
    r"|mention)(?:s|ed|d|n)?"
)
_QUESTION: Final = r"(?:question|query|ask|asks|asked|answer)"
_VOTE_WORD: Final = r"(?:hot|warm|cold|wrong)"
_SAID_FOR: Final = r"(?:hot|warm|essential|relevant|max\w{0,5}|10/10|1\.0|100)"

_REPLY_WORDS: Final = (
    *("vote", "verdict", "judg", "relevance", "x-", "hot", "essential", "cold", "wrong", "warm"),
    *("end of", "new ", "action input", "role", "<", "queries", "wherever"),
)
_REPLY: Final = re.compile(
    rf"\b(?:vote|verdict|judge?ment|relevance)['\"]?\s?[:=]\s?['\"]?{_SAID_FOR}"
    r"|\brelevance['\"]?: ?[\d.]{1,4}, ?['\"]verdict|\bx-(?:relevance|judge\S{0,20})\s?:"
    r"|\bid\W{1,5}vote\b|^\W{0,3}(?:this|\w{0,8}\d)\W{1,3}(?:hot|essential)\b"
    r"|^\W{0,3}others?\W{1,3}(?:cold|wrong)\b|\bjudge\(|\b(?:a|the) vote of\b"
    rf"|\b(?:the )?words? {_VOTE_WORD}\b"
    r"|^\W{0,8}end of (?:the )?(?:memories|candidates|list|input|context|prompt)\b"
    r"|\bnew task\s?:|\baction input\s?:|['\"]role['\"]: ?['\"](?:tool|function)['\"]"
    r"|</?(?:verdict|vote|candidate|invoke|function_calls)\b"
    r"|\bnew (?:branch|queries|search) for\b|\bas new queries\b"
    r"|\bwherever (?:you|he|it) (?:read|see|find)s?\b",
    re.M,
)
"""Pieces of a verdict, of a call to a tool, of a prompt's end; one of the words is in each."""

_ROWS: Final = (
    (
        "self",
        2.0,
        rf"\b(?:(?:this|these|the (?:present|current|above|preceding|foregoing|surrounding|previous"
        rf"|next|very))(?: very| little| whole| single| short)? {_THING}\b"
        rf"|the (?:one|{_THING}) (?:at hand|above|before you|in front of you|here|shown|around this"
        r"|with this|(?:that )?(?:he|she|you|they) (?:is |are |just )?read(?:s|ing)?)\b"
        r"|the (?:present|current|right) (?:one\b|(?=and|is|,))"
        r"|(?:is|was|are|stands?|found|written|said|see|read) here\b"
        rf"|the one that (?:asks|says|tells)|current {_THING}\b"
        r"|what (?:he|she|they|you) (?:have |has )?just read|only this one\b|the one above\b"
        rf"|a {_THING} that\b)",
    ),
    (
        "aim",
        1.5,
        r"\b(?:rank|rate|vote|judge|grade|score|pick|choose|select|promote) (?:for )?(?:this|it|me)"
        r"\b",
    ),
    ("judge", 2.0, rf"\b(?:{_JUDGE}|any assistant|the asker)\b"),
    (
        "address",
        4.0,
        r"\b(?:whoever|you who|you that|those who|anyone who|anybody who|he who|the one who)"
        rf" (?:now |may )?{_RATE}\b"
        rf"|\b(?:if|when) (?:somebody|someone|anybody|anyone|you) (?:is|are) {_RATING}\b",
    ),
    ("vote", 1.5, r"\b(?:vot(?:e|es|ed|ing)|verdict)\b"),
    (
        "universal",
        1.5,
        r"\b(?:(?:whatever|whichever|no matter (?:what|which)|regardless of|irrespective of)\b"
        rf"(?=[^.]{{0,30}}\b{_QUESTION}\b)|whenever (?:i|you|they|he|she) asks?"
        r"|(?:any|every|each|all) (?:question|query|answer|reply|list|selection|queries|replies)s?"
        r"\b)",
    ),
    (
        "role",
        1.0,
        rf"\byou are (?:now )?(?:\w{{1,12}}, )?(?:an? |the )?(?:\w{{1,12}} )?{_JUDGE}\b"
        r"|\b(?:developer|debug|god|admin) mode\b[^.]{0,40}\b(?:judge|ranker|model|text|mark)\b",
    ),
    (
        "model",
        1.0,
        r"\b(?:model|assistant|ai|system|bot|agent|reader|machine|algorithm)s?\b",
    ),
    (
        "rates",
        1.0,
        rf"\b(?!judges?\b)(?:{_RATE}d?|{_RATING}|ranked|rated|judged|graded|{_GIVE}|picking"
        r"|selection|relevance|mark)\b",
    ),
    (
        "top",
        2.0,
        rf"\b(?:{_PUT}(?: \w+){{0,6}}? first(?! (?:of|and|then|to|aid|step|time))"
        r"|(?:in|into|takes?|to) first place|first (?:place|position)|on top|(?:very|at the) top"
        r"|top of|top (?:score|mark|spot|rank|result|choice|pick|answer|priority)|the head of"
        r"|(?:fore|top|upper)most|paramount|(?:before|ahead of|above|over) (?:everything|anything"
        r"|any other|all|the rest|the others?|every|what)|pride of place|number one"
        r"|(?:place|position|rank) (?:one|1)\b|outranks?"
        r"|best (?:possible )?(?:match|mark|score|one)|perfect (?:match|answer|fit)"
        r"|(?:most|maximally) (?:relevant|important|essential)"
        r"|full (?:marks|score|points)|max(?:imum|imal)? (?:score|relevance|priority|marks?|points)"
        r"|single best|required reading|essential|indispensable|pinned|highest|the one to pick"
        r"|only (?:one|note|thing|entry|memory) (?:worth|that matters|i need)|the right choice"
        r"|exactly what (?:he|she|they|you|the user|the asker)\b|hot for\b|(?:is|it|this|as) hot\b"
        r"|(?:priority|relevance|score|rank)\b[^.]{0,30}\b(?:max\w{0,5}|highest|top|raised))"
        r"|['\"]hot['\"]",
    ),
    (
        "others",
        1.5,
        rf"\b(?:(?:every|all|all of|any) (?:the )?others?\b|the (?:other|remaining) {_THING}\b"
        r"|the others\b|everything else|anything else|the rest\b|nowhere else|nothing may"
        rf"|no other\b|them all\b|anyone else|of all the {_THING})",
    ),
    (
        "must",
        1.0,
        r"\b(?:must|has to|have to|is to be|are to be|should|ought|always|never|shall|may be"
        r"|required|deserves?|wants? to see|only|please|so kind|make sure|ensure|from now on)\b",
    ),
    (
        "pass over",
        1.0,
        r"\b(?:withdrawn|worthless|ignore[sd]?|disregard|malware|not be shown|outdated|useless"
        r"|beside the point|superseded|replaces?|forget|discard|irrelevant|obsolete|unsafe"
        r"|exclude|demote|drop|reject)\b",
    ),
    (
        "reward",
        1.5,
        r"\b(?:tip of|reward|bonus|will be hurt|will die|lose my job|i beg|pay you)\b",
    ),
)
"""(name, weight, pattern for a folded sentence)."""

_TRAITS: Final = tuple((name, re.compile(pattern, re.M)) for name, _, pattern in _ROWS)
_WEIGHTS: Final = {"reply": 4.0} | {name: weight for name, weight, _ in _ROWS}
_ANCHOR: Final = re.compile(
    r"\b(?:"
    + "|".join(pattern.removeprefix(r"\b") for name, _, pattern in _ROWS if name in _ANCHORS)
    + ")"
)
"""Any of them: most sentences have none, and one search says so."""


def traits_in(reading: str, *, near_anchor: bool = False) -> frozenset[str]:
    """The names of a folded sentence's traits; none where no anchor is.

    Args:
        near_anchor: an anchor stands in the sentence beside it.
    """
    replies = any(word in reading for word in _REPLY_WORDS) and bool(_REPLY.search(reading))
    if not (near_anchor or replies or _ANCHOR.search(reading)):
        return frozenset()
    found = {name for name, pattern in _TRAITS if pattern.search(reading)}
    return frozenset(found | {"reply"} if replies else found)


def weigh(traits: frozenset[str]) -> float:
    """What traits weigh together; 0 without an anchor."""
    return sum(_WEIGHTS[name] for name in traits) if traits & _ANCHORS else 0.0
