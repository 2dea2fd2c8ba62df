"""Words that the plain reader knows: attributes, persons, jobs, topics of preferences."""

import re
from typing import Final


def words_of(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


ALIASES: Final = {
    "e-mail": "email",
    "mail": "email",
    "email address": "email",
    "e-mail address": "email",
    "mail address": "email",
    "phone": "phone number",
    "mobile": "phone number",
    "mobile number": "phone number",
    "cell": "phone number",
    "cell number": "phone number",
    "telephone number": "phone number",
    "number": "phone number",
    "full name": "name",
    "home address": "address",
    "postal address": "address",
    "date of birth": "birthday",
    "birth date": "birthday",
    "birthdate": "birthday",
    "place of birth": "birthplace",
    "occupation": "job",
    "profession": "job",
    "job title": "job",
    "company": "employer",
    "workplace": "employer",
    "home city": "home",
    "home town": "birthplace",
    "wi-fi password": "wifi password",
}
"""Other names of an attribute."""

CONSTANT: Final = frozenset({"birthday", "birthplace", "blood type", "birth name", "maiden name"})
"""What no life changes: another value is a correction, or a mistake."""

ONE_VALUE: Final = re.compile(
    r"(?:name|nickname|surname|birthday|birthplace|age|employer|job|email|phone number|address|code"
    r"|password|passcode|pin|size|height|weight|budget|rent|salary|deadline|colou?r|hobby|diet"
    r"|language|mother tongue|currency|time ?zone|username|user name|handle|blood type|star sign"
    r"|goal|target|major|degree|school|university|bank|insurance|provider|supplier|plan)$",
    re.I,
)
"""Heads of attributes whose value may be any word."""

NUMBERED: Final = words_of("age birthday budget rent salary height weight")
"""Heads of attributes whose value has a number in it."""

BURDENS: Final = words_of("challenge problem issue concern worry struggle question fear difficulty")
"""In whatever place of an attribute: of the day."""

INSTITUTION: Final = re.compile(
    r"\b(?:hospital|clinic|university|college|school|kindergarten|nursery|library|museum|council"
    r"|government|ministry|embassy|court|police|army|navy|air force|fire brigade|fire department"
    r"|post office|bank|church|theatre|theater|opera|airport|railways?|station|bakery|pharmacy"
    r"|supermarket|restaurant|hotel|brewery|factory|plant|zoo|garage|institute|foundation|charity"
    r"|newspaper|company|firm|town hall|city hall|city|state|county|EU|UN)$",
    re.I,
)
"""Last words of an employer that has no name of its own."""

NO_ATTRIBUTE: Final = words_of(
    """problem question point guess idea day week weekend morning evening night life mood head feet
    foot hand hands back thought thoughts opinion view concern worry fear hope bad fault pleasure
    turn issue understanding impression suggestion advice answer feeling experience assumption
    conclusion argument excuse apology dream nightmare plan wish heart eyes ears mind friend friends
    reason request task role theory understanding expectation intention"""
)
"""What "my … is …" says nothing lasting about."""

PERSONS: Final = words_of(
    """mother father mum mom dad sister brother son daughter wife husband partner girlfriend
    boyfriend aunt uncle cousin niece nephew grandmother grandfather grandma grandpa granny
    grandson granddaughter fiancé fiancée fiance fiancee stepson stepdaughter stepmother
    stepfather baby boy girl kid child flatmate roommate dog cat rabbit horse parrot hamster
    puppy kitten kids children sons daughters parents twins brothers sisters"""
)

EVENTS: Final = words_of(
    """appointment meeting flight train bus ferry exam interview wedding party deadline launch
    release concert surgery operation check-in checkout check-out call conference holiday vacation
    birthday anniversary course class lesson presentation viewing move delivery"""
)
"""What takes place at a time."""

THINGS: Final = words_of(
    """password passcode code pin price cost rent budget fee salary number address version size
    limit capacity owner name date time reference total"""
)
"""What "the … is …" may state, beside events."""

DIETS: Final = words_of(
    """vegan vegetarian pescatarian pescetarian flexitarian gluten-free lactose-free"""
)

CONDITIONS: Final = re.compile(
    r"(?:(?:severely |very |badly )?allergic to .+|lactose[- ]intolerant"
    r"|(?:a )?(?:type \d )?diabetic"
    r"|(?:a )?co?eliac|colou?r[- ]?blind|left[- ]handed|asthmatic|pregnant|deaf|blind|dyslexic"
    r"|epileptic|an? only child|married(?: to .+)?|divorced|widowed|engaged(?: to .+)?|retired)",
    re.I,
)

JOB: Final = re.compile(
    r"""(?:[\w-]+\s+){0,3}?(?:nurse|doctor|teacher|carpenter|plumber|electrician|lawyer|solicitor
    |barrister|accountant|engineer|developer|programmer|designer|architect|journalist|writer|author
    |editor|translator|interpreter|musician|painter|photographer|chef|cook|baker|butcher|waiter
    |waitress|barista|barber|hairdresser|farmer|gardener|florist|vet|veterinarian|dentist|surgeon
    |paramedic|midwife|therapist|psychologist|psychiatrist|pharmacist|scientist|physicist|chemist
    |biologist|researcher|professor|lecturer|librarian|student|pupil|apprentice|trainee|intern
    |consultant|manager|director|lead|head\s+of\s+[\w\s]+|analyst|administrator|secretary|assistant
    |clerk|cashier|salesman|saleswoman|salesperson|seller|agent|broker|banker|pilot|driver|sailor
    |mechanic|technician|welder|mason|bricklayer|roofer|builder|joiner|tailor|cleaner|caretaker
    |janitor|officer|soldier|firefighter|fireman|policeman|policewoman|guard|judge|politician
    |mayor|priest|pastor|vicar|imam|rabbi|nun|monk|actor|actress|dancer|singer|director|producer
    |coach|trainer|referee|athlete|footballer|freelancer|founder|entrepreneur|landlord|landlady
    |tutor|nanny|childminder|postman|courier|fisherman|miner|potter|sculptor|illustrator|optician
    |physiotherapist|radiologist|cardiologist|economist|historian|statistician|mathematician
    |data\s+scientist|social\s+worker|shop\s+assistant|product\s+owner|scrum\s+master|ceo|cto|cfo
    |housewife|househusband|pensioner|beekeeper|bookseller|goldsmith|watchmaker|locksmith)
    (?:\s+(?:for|at|in|with)\s+.+)?""",
    re.I | re.X,
)

TOOLS: Final = re.compile(
    r"""\b(?:postgres\w*|mysql|mariadb|sqlite|mongodb|redis|oracle|kubernetes|docker|aws|azure|gcp
    |github|gitlab|git|jira|slack|teams|zoom|notion|trello|asana|linux|ubuntu|debian|windows|macos
    |python|rust|java|kotlin|swift|go|typescript|javascript|react|vue|angular|django|rails|excel
    |gmail|outlook|android|ios|iphone|version|cloud|scrum|kanban|monday|tuesday|wednesday|thursday
    |friday|saturday|sunday|tomorrow|later|back|marketing|sales|finance|accounting|engineering
    |operations|january|february|march|april|may|june|july|august|september|october
    |november|december)\b|\d""",
    re.I | re.X,
)
"""What "we moved to …" names when it names no place."""

TOPICS: Final = (
    ("form of address", r"\bcall(?:ing)? me\b|\baddress me\b"),
    (
        "language",
        r"\b(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian"
        r"|turkish|arabic|hindi|chinese|mandarin|japanese|korean|swedish|danish|norwegian|finnish"
        r"|greek|hebrew|czech|hungarian|romanian|vietnamese|thai)\b",
    ),
    ("units", r"\b(?:metric|imperial|celsius|fahrenheit|kilomet\w+|miles|grams|units)\b"),
    ("emoji", r"\bemojis?\b|\bsmileys?\b"),
    ("currency", r"\b(?:euros?|dollars?|pounds?|francs?|yen|currency|prices in)\b"),
    ("tone", r"\b(?:formal|informal|polite\w*|casual|friendly|tone|humou?r|jokes?)\b"),
    (
        "length",
        r"\b(?:short|shorter|brief|briefly|concise|terse|long|longer|lengthy|detail(?:ed|s)?"
        r"|sentences|words|paragraphs?)\b",
    ),
    ("layout", r"\b(?:bullet points?|bullets|lists?|tables?|headings?|markdown|plain text)\b"),
    ("links", r"\b(?:links?|urls?|sources?|citations?)\b"),
    ("types", r"\btype hints?\b|\bdocstrings?\b"),
)
"""(topic, words that show it); the first that fits."""

ABOUT_ANSWERS: Final = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|responses?|explanations?|examples?|summar(?:y|ies)|bullet points?"
    r"|bullets|paragraphs?|sentences|lists|tables|links|emojis?|headings|units|metric|imperial|tone"
    r"|celsius|fahrenheit|plain text|plain language|step[- ]by[- ]step|formal|informal)\b",
    re.I,
)
"""Of a preference that holds whatever is asked."""


def attribute_words(words: str) -> str:
    """An attribute in its own words, in one writing.

    >>> attribute_words("new  Phone")
    'phone'
    """
    plain = " ".join(words.casefold().replace("favorite", "favourite").split())
    return re.sub(r"^(?:new|current|present|own|main|correct|actual|latest)\s+", "", plain)


def attribute_named(words: str) -> str:
    """The usual name of an attribute.

    >>> attribute_named("favorite Colour"), attribute_named("e-mail address")
    ('favourite colour', 'email')
    """
    plain = attribute_words(words)
    return ALIASES.get(plain, plain)


def topic_of(text: str) -> str:
    """What a preference is about; "" when none of TOPICS shows."""
    found = (topic for topic, words in TOPICS if re.search(words, text, re.I))
    return next(found, "")
