"""Under which id the checkpoints of a recall are kept."""

import hashlib
import json


def own_thread(
    thread_id: str, entity: str, question: str, k: int | None, tokens: int | None
) -> str:
    """The caller's thread id, made the own one of this entity and question.

    Checkpointers are shared, and a thread id is often a chat's: neither another entity nor another
    question may go on with what this one left, and the chat's own checkpoints stay untouched.
    """
    asked = json.dumps([entity, question, k, tokens]).encode()
    return f"{thread_id}|recall|{hashlib.sha256(asked).hexdigest()[:16]}"
