"""Why one memory came back and another did not: the trace of a recall, and `explain`.

python examples/cookbook/why_not.py                       # without a model
python examples/cookbook/why_not.py --embedder default    # with the real embedding model
"""

import argparse
import tempfile
from datetime import UTC, datetime

from secondhop import Recall

DAY = datetime(2026, 1, 5, tzinfo=UTC)
NOTES = {
    "Flight": "Our flight to Lisbon leaves on the 3rd at 7:40 from terminal 2.",
    "Flight, again": "Our flight to Lisbon leaves on the 3rd at 7:40 from terminal 2, gate B.",
    "Passports": "The passports are in the blue folder; Leo's expires in May.",
    "Packing": "Packing list for a flight: help me not forget charger, rain jacket, small towel.",
    "Tomatoes": "The tomatoes need water twice a week.",
}
QUESTION = "Help me pack for the flight to Lisbon"


def main(embedder: str) -> None:
    """Ask for two memories, then explain each one that is stored."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Recall.open(folder, embedder=embedder) as recall,
    ):
        for title, text in NOTES.items():
            recall.memories.remember(text, title=title, memory_id=title, at=DAY)
        result = recall.recall(QUESTION, k=2)
        trace = recall.trace(result.trace_id)
        print(f"{len(trace.queries)} queries for {len(trace.facets)} facets; {result.stop_reason}")
        for title in NOTES:
            told = recall.explain(trace, title)
            print(f"\n{'returned' if told.returned else 'cut by ' + told.cut_by}: {title}")
            print(f"  {told.story[-1]}")
            if told.nearest_change:
                print(f"  What would let it in: {told.nearest_change}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="hashing")
    main(parser.parse_args().embedder)
