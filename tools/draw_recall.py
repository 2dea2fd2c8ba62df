"""Extract the drawing from a page of `secondhop recall --html`, as a picture for README and docs.

    secondhop demo --llm offline --store demo
    secondhop recall "Help me prepare for my Carefeed interview" --k 6 --at 2025-11-17T13:00Z \\
      --store demo --entity carefeed --html recall.html
    python tools/draw_recall.py recall.html docs/images/recall.svg
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1d2025; }
svg svg text { font-size: 11px; }
.head { fill: #5b616b; font-size: 11px; }
.asked { font-size: 15px; font-weight: 600; }
.edge { fill: none; stroke: #5b616b; stroke-width: 1.4; opacity: 0.55; }
.edge.weak { stroke-dasharray: 3, 4; opacity: 0.4; }
.box rect { fill: #fff; stroke: #d9d6d0; stroke-width: 1.2; }
.box circle { fill: #1d5fa8; }
.box .mark { fill: #fff; font-size: 11px; }
.box.hop1 rect { stroke: #1d5fa8; }
.box.hop2 rect { stroke: #2f6f3e; }
.box.hop2 circle { fill: #2f6f3e; }
.box.cue rect { stroke: #8a4b00; }
.box.cue circle { fill: #8a4b00; }
"""


def main(page: Path, picture: Path) -> None:
    """Write the drawing in the page's light colours, with the question above it."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        shown = browser.new_page()
        shown.goto(page.resolve().as_uri())
        drawing = shown.wait_for_selector("svg.drawing")
        assert drawing is not None
        drawing.eval_on_selector(".question svg text", "text => (text.textContent = 'asked')")
        parts = drawing.inner_html()
        _, _, width, height = (drawing.get_attribute("viewBox") or "").split()
        asked = shown.inner_text("h2")
        browser.close()
    picture.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -40 {int(width) + 24}'
        f' {int(height) + 52}"><style>{STYLE}</style>\n'
        f'<rect x="-12" y="-40" width="{int(width) + 24}" height="{int(height) + 52}"'
        f' fill="#fbfaf8"/>\n<text x="0" y="-16" class="asked">{asked}</text>\n'
        + parts.replace("<g ", "\n<g ").replace("<path ", "\n<path ")
        + "</svg>\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
