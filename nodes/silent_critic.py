"""The critic that leaves the judging to others."""

from secondhop.nodes.judging import CriticRequest, Verdict


class SilentCritic:
    """Votes on nothing, asks for nothing."""

    @property
    def critic_id(self) -> str:
        """Its name."""
        return "silent"

    async def judge(self, request: CriticRequest) -> Verdict:
        """No vote."""
        return Verdict(ballots=())
