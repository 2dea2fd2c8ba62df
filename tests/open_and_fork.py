"""A program for `test_forks.py`: opens a store, forks, and uses stores in the child."""

import os
import sys
from pathlib import Path

from secondhop.errors import SecondhopError
from secondhop.recall import Recall

folder = Path(sys.argv[1])


def told(text: str) -> None:
    print(text, flush=True)


def opened() -> Recall:
    return Recall.open(folder, embedder="hashing")


recall = opened()
recall.memories.remember("The spare key is under the blue pot")
recall.recall("Where is the spare key?")
if os.fork() == 0:
    for use in (lambda: recall.recall("Where is the key?"), opened):
        try:
            use()
            told("it worked")
        except SecondhopError as error:
            told(f"{type(error).__name__}: {error}")
    os._exit(0)
os.wait()
told(str(len(recall.recall("Where is the spare key?").memories)))
os._exit(0)
