"""English words that carry no topic."""

from typing import Final

STOP_WORDS: Final = frozenset(
    """
    a about above after again against ago ain all almost alone along already also although
    always am among an and another any anybody anyone anything anyway are aren around as at away
    based be became because become been before behind being below beside besides best better
    between both but by called can cannot cant come could couldn couldnt d did didn didnt do
    does doesn doesnt doing don done dont down during each either else enough especially etc
    even ever every everyone everything except few first for from further get gets getting go
    goes going gone got great had hadn has hasn have haven having he hello hence her here hers
    herself hey hi him himself his how however i id if ill im in indeed instead into is isn isnt
    it its itself ive just kind last later least less let lets like likely ll lot lots made make
    makes making many may maybe me might mine more most much must my myself near need needs
    neither never next no nobody none nor not nothing now nowhere o of off often oh ok okay on
    once one ones only onto or other others otherwise our ours ourselves out over own per
    perhaps please quite rather re really s said same saw say says see seem seemed seems seen
    several shall she should shouldn shouldnt since so some somebody someone something sometimes
    somewhere soon still such sure t take taken takes than thank thanks that thats the their
    theirs them themselves then there therefore these they theyd theyll theyre theyve thing
    things this those though through thus till to today together tomorrow tonight too toward
    towards under unless until up upon us use used uses using usually ve very via want wanted
    wants was wasn way ways we well went were weren weve what whatever when whenever where
    whereas wherever whether which while who whoever whole whom whose why will with within
    without won wont would wouldn yeah yes yesterday yet you youd youll your youre yours
    yourself yourselves youve
    """.split()  # noqa: SIM905 - a block of words reads better than a list of 300 strings
)

TASK_WORDS: Final = frozenset(
    """
    advise answer ask asked assist bring build check choose compare consider create decide
    describe discuss discussed do draft draw explain explore feel figure find finish fix forget
    fill follow forgot generate give given gives handle happen happened hear help helped helping
    helps improve keep know learn list look looked looking manage mention mentioned organise
    organize pick plan planned planning prepare prepared preparing propose provide put read
    recall recommend remember remembered remind review revise rewrite run send set share shared
    should show sort speak start stop suggest summarise summarize talk talked talking teach tell
    think thinking thought told try trying turn turned understand update walk wondering work
    working worked write writing wrote
    """.split()  # noqa: SIM905 - as above
)
"""Verbs that say what to do with a topic; they are not the topic of a question."""

CALENDAR_WORDS: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec am pm
    """.split()  # noqa: SIM905 - as above
)
"""Capitalised words that are not names."""

TITLES: Final = frozenset({"mr", "mrs", "ms", "dr", "prof", "sir", "madam"})
"""Words before a name that are not part of it."""
