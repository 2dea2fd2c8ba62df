"use strict";
// The graph of a recall, laid out from its edges. Its nodes light up as steps end. Beside it: what the recall cost.

/** `column`: {node: its longest distance from the start}, without the edges in `back`, which close a loop. */
function columnsOf(nodes, edges) {
  const next = new Map(nodes.map((node) => [node, []]));
  for (const [from, to] of edges) if (from !== to) next.get(from)?.push(to);
  const order = [],
    seen = new Map();
  const back = new Set();
  const visit = (node) => {
    seen.set(node, "open");
    for (const to of next.get(node)) {
      if (seen.get(to) === "open") back.add(`${node} ${to}`);
      else if (!seen.has(to)) visit(to);
    }
    seen.set(node, "done");
    order.unshift(node);
  };
  for (const node of nodes) if (!seen.has(node)) visit(node);
  const column = new Map(nodes.map((node) => [node, 0]));
  for (const node of order)
    for (const to of next.get(node))
      if (!back.has(`${node} ${to}`))
        column.set(to, Math.max(column.get(to), column.get(node) + 1));
  return { column, back };
}

class Flow {
  constructor({ nodes, edges }) {
    this.boxes = new Map();
    this.list = el("ol", { class: "steps" });
    this.now = el("summary", { class: "quiet" }, "Asking");
    this.steps = el(
      "details",
      { open: true },
      this.now,
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Graph of the recall" },
        this.drawn(nodes, edges),
      ),
      folded("Every step", false, this.list),
    );
    this.boxes.get("__start__")?.box.classList.add("lit");
    this.element = el(
      "section",
      { class: "flow", "aria-label": "Steps of the recall" },
      this.steps,
    );
  }

  drawn(nodes, edges) {
    const { column, back } = columnsOf(nodes, edges);
    const rows = new Map(),
      at = new Map();
    const wide = 92,
      high = 44;
    for (const node of nodes) {
      const x = column.get(node),
        y = rows.get(x) ?? 0;
      rows.set(x, y + 1);
      at.set(node, [x, y]);
    }
    const most = Math.max(...rows.values(), 1),
      columns = Math.max(...rows.keys()) + 1;
    const centre = (node) => {
      const [x, y] = at.get(node);
      return [x * wide + wide / 2, 18 + (y + (most - rows.get(x)) / 2) * high + high / 2];
    };
    const height = 18 + most * high + 26;
    const lines = edges
      .filter(([from, to]) => at.has(from) && at.has(to) && from !== to)
      .map(([from, to]) => {
        const [x1, y1] = centre(from),
          [x2, y2] = centre(to);
        const isBack = back.has(`${from} ${to}`);
        const way = isBack
          ? `M${x1},${y1 + 13} C${x1},${height - 2} ${x2},${height - 2} ${x2},${y2 + 13}`
          : `M${x1 + 38},${y1} C${x1 + 50},${y1} ${x2 - 50},${y2} ${x2 - 38},${y2}`;
        return svg("path", { d: way, class: isBack ? "edge back" : "edge" });
      });
    const boxes = nodes.map((node) => {
      const [x, y] = centre(node);
      const count = svg("text", { x: x + 37, y: y - 15, class: "count", "text-anchor": "end" });
      const box = svg(
        "g",
        { class: "node", "data-node": node },
        svg("rect", { x: x - 38, y: y - 13, width: 76, height: 26, rx: 6 }),
        svg("text", { x, y: y + 4, "text-anchor": "middle" }, node.replaceAll("_", "")),
        count,
      );
      this.boxes.set(node, { box, count, times: 0 });
      return box;
    });
    const width = columns * wide;
    return svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": "The nodes a recall runs through, from left to right",
      },
      lines,
      boxes,
    );
  }

  /** Show that a step has ended. */
  hear(step) {
    const known = this.boxes.get(step.node);
    if (known) {
      known.times += 1;
      known.box.classList.add("lit");
      known.box.classList.remove("now");
      void known.box.getBBox?.(); // restart the animation
      known.box.classList.add("now");
      known.count.textContent = known.times > 1 ? `×${known.times}` : "";
      this.follow(known.box);
    }
    const text = `${step.node}: ${step.note || "done"} (${seconds(step.ms)})`;
    this.now.textContent = text;
    this.list.append(el("li", `Round ${step.round || "–"} · ${text}`));
  }

  /** Scroll the graph sideways to a box: a narrow screen shows only part of it. */
  follow(box) {
    const pane = box.closest(".scroll");
    if (!pane) return;
    const { left, width } = box.getBoundingClientRect(),
      shown = pane.getBoundingClientRect();
    pane.scrollLeft += left + width / 2 - (shown.left + shown.width / 2);
  }

  /** Show that the recall has ended, and why (`stopped`, if that is known), and fold its steps. */
  end(result, stopped) {
    for (const { box } of this.boxes.values()) box.classList.remove("now");
    this.boxes.get("__end__")?.box.classList.add("lit");
    this.now.textContent = costOf(result, stopped);
    this.steps.open = false;
  }
}

/** What a recall does after a step; "" if it goes on with what it did. */
function doneAfter({ node, note }) {
  if (node === "begin" && note.endsWith("effort high")) return "The model plans";
  if (node === "diversify")
    return `The model reads ${plural(parseInt(note, 10), "memory", "memories")}`;
  return ["decompose", "expand"].includes(node) ? "" : "Searching";
}

/** A line that says what a recall is doing, and for how many seconds it has been asked. */
class Waiting {
  constructor() {
    const start = performance.now(),
      elapsed = el("span");
    this.what = el("span", { role: "status" }, "Asking");
    this.element = el("p", { class: "waiting" }, this.what, elapsed);
    this.clock = setInterval(() => {
      elapsed.textContent = ` · ${Math.round((performance.now() - start) / 1000)} s`;
    }, 1000);
  }

  hear(step) {
    this.what.textContent = doneAfter(step) || this.what.textContent;
  }

  end() {
    clearInterval(this.clock);
    this.element.remove();
  }
}

/** The time that a recall took; of a session, its last round. */
const timeOf = ({ spent, stop_reason: stop }) =>
  seconds(spent.ms) + (stop === "votes" ? " for this round" : "");

/** Why a recall stopped; "" if its trace does not know (of a round of a session; after a memory was forgotten), or if there was nothing more to ask. */
const stopOf = ({ stop_reason: stop, stop_detail: detail, effort, forgotten }) =>
  stop === "votes" || forgotten?.length || (effort === "none" && stop === "complete") ? "" : detail;

/** What a recall cost, in one line; of a session, all its rounds so far. */
function costOf(result, stopped) {
  const spent = result.spent;
  const parts = [
    plural(result.rounds, "round"),
    plural(spent.queries, "query", "queries"),
    timeOf(result),
  ];
  if (spent.llm_calls)
    parts.push(
      `${plural(spent.llm_calls, "model call")}, ${spent.prompt_tokens + spent.completion_tokens} tokens`,
    );
  if (spent.cost_usd) parts.push(`$${spent.cost_usd.toFixed(4)}`);
  return parts.join(" · ") + (stopped ? ` · stopped: ${stopped}` : "");
}
