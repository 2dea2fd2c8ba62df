"""Ten lines: store a few memories, ask a question, and get back what it needs and never names.

python examples/quickstart.py                       # without a model
python examples/quickstart.py --embedder default    # with the real embedding model

The first recall on a machine fetches a table of tokens (2 MB); from then on no network is needed.
"""

import argparse
import tempfile
from datetime import UTC, datetime

from secondhop import Recall

DAY = datetime(2026, 1, 5, tzinfo=UTC)
NOTES = {
    "Research on Carefeed": "Carefeed interview research: they sell software to nursing homes.",
    "Goals for the first year": "My plan for the first 90 days in the role: onboard in 4 weeks.",
    "What I achieved": "In figures: led a team of six, cut release time from weeks to a day.",
    "Tomatoes": "The tomatoes need water twice a week.",
}


def main(embedder: str) -> None:
    """Store, ask, print."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Recall.open(folder, embedder=embedder) as recall,
    ):
        for title, text in NOTES.items():
            recall.memories.remember(text, title=title, memory_id=title, at=DAY)
        result = recall.recall("Help me prepare for my Carefeed interview", k=3)
        for found in result.memories:
            print(f"hop {found.hop}  {found.title}")
            print(f"       {found.why}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="hashing")
    main(parser.parse_args().embedder)
