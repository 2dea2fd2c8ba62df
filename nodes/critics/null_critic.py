"""The critic that leaves the judging to others."""

from dataclasses import replace

from secondhop.nodes.critics.port import CriticRequest, Verdict
from secondhop.nodes.services import Services


class SilentCritic:
    """Votes on nothing, asks for nothing."""

    @property
    def critic_id(self) -> str:
        """Its name."""
        return "silent"

    async def judge(self, request: CriticRequest) -> Verdict:
        """No vote."""
        return Verdict(ballots=())


def voting(services: Services) -> Services:
    """The services with the critic that the session's settings ask for."""
    if services.session.critic:
        return services
    silent = SilentCritic()
    return replace(services, critic=silent, offline_critic=silent)
