"""The types of an explanation of one memory in one recall."""

from pydantic import Field

from secondhop.graph.result import Frozen


class ScorePart(Frozen):
    """What one part added to a memory's score."""

    name: str
    meaning: str
    added: float
    """In standard deviations over the candidates, weighted."""


class Explanation(Frozen):
    """The story of one memory in one recall."""

    memory_id: str
    title: str
    returned: bool
    story: list[str]
    """Sentences, in the order in which things happened."""
    parts: list[ScorePart] = Field(default_factory=list[ScorePart])
    """The parts of its score, largest first; [] if a plan's facets share the slots."""
    computed: list[str] = Field(default_factory=list[str])
    """How its score was computed."""
    cut_by: str
    """never_found, filter, validity, fuse, shortlist, critique, pick, tokens or forgotten; "" if it
    came back."""
    nearest_change: str
    """The smallest change that would admit it; "" if it was returned or none is known. Settings
    have the names that `--set` takes."""
    replaced_by: str = ""
    """The newer memory whose annotation says that it replaces this one; "" if there is none."""


class Reach(Frozen):
    """How close a memory that no query found came to being found."""

    title: str
    query: str = ""
    """The query that it is most similar to."""
    facet: str = ""
    cosine: float = 0.0
    last_cosine: float = 0.0
    """Cosine of the last memory that this query did find."""
    rank: int = 0
    """Its rank for this query among all memories, from 1; 0: too far down to be counted."""
    depth: int = 0
    """Memories that a query brings."""
    depth_factor: int = 0
    """The smallest `ranking.depth_factor` with which this query finds it; 0 if `rank` is 0, or
    without a plan, where being found is not enough for a slot."""
