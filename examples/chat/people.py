"""Two people to try a chat with, and notes they made before."""

from datetime import UTC, datetime

from secondhop import Memory, Message

PEOPLE = {
    "ana": {
        "Knee": "The physiotherapist says: no jumping until the knee is stable, swimming is fine.",
        "Budget": "I can spend at most 60 a month on sport and training.",
        "Last plan": "My last training plan failed because I ran five times in the first week.",
    },
    "ben": {
        "Marathon": "The plan: train for the marathon in October and finish under four hours.",
        "Shifts": "A training plan has to fit my night shifts every second week: only before noon.",
    },
}


def past_of(person: str) -> list[Memory]:
    """A person's memories before the first talk: notes of one message."""
    return [
        Memory(
            memory_id=title,
            title=title,
            source="note",
            created_at=datetime(2026, 1, 5, tzinfo=UTC),
            messages=(Message("user", text),),
        )
        for title, text in PEOPLE[person].items()
    ]
