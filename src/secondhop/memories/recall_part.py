"""The part of `Recall` that offers the methods of `recall.memories` under their old names."""

from collections.abc import MutableSequence

from secondhop.delegating import offered
from secondhop.memories.service import MemoryService
from secondhop.memories.writing import Forgets

HOME = "memories"


class KeepsMemories:
    """Methods of `Recall`; each has an async form, and `dry_run` writes nothing."""

    memories: MemoryService

    aadd = offered(MemoryService.aadd, by=HOME)
    add = offered(MemoryService.add, by=HOME)
    aremember = offered(MemoryService.aremember, by=HOME)
    remember = offered(MemoryService.remember, by=HOME)
    aupdate = offered(MemoryService.aupdate, by=HOME)
    update = offered(MemoryService.update, by=HOME)
    asupersede = offered(MemoryService.asupersede, by=HOME)
    supersede = offered(MemoryService.supersede, by=HOME)
    adeprecate = offered(MemoryService.adeprecate, by=HOME)
    deprecate = offered(MemoryService.deprecate, by=HOME)
    arestore = offered(MemoryService.arestore, by=HOME)
    restore = offered(MemoryService.restore, by=HOME)
    aforget = offered(MemoryService.aforget, by=HOME)
    forget = offered(MemoryService.forget, by=HOME)
    ahistory = offered(MemoryService.ahistory, by=HOME)
    history = offered(MemoryService.history, by=HOME)
    afacts = offered(MemoryService.afacts, by=HOME)
    facts = offered(MemoryService.facts, by=HOME)
    afind_superseded = offered(MemoryService.afind_superseded, by=HOME)
    find_superseded = offered(MemoryService.find_superseded, by=HOME)
    aaccept = offered(MemoryService.aaccept, by=HOME)
    accept = offered(MemoryService.accept, by=HOME)
    acounters = offered(MemoryService.acounters, by=HOME)
    counters = offered(MemoryService.counters, by=HOME)

    @property
    def forgetting(self) -> MutableSequence[Forgets]:
        """Other places that forget what `forget` forgets; add to the list what you keep."""
        return self.memories.forgetting
