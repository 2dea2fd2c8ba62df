"use strict";
// The path of an answer: question → facet → query or cue → memory, by hop.

const COLUMNS = [
  { name: "Question", x: 0, wide: 165 },
  { name: "What it needs", x: 205, wide: 190 },
  { name: "Searched for, or stored for", x: 440, wide: 255 },
  { name: "Found", x: 740, wide: 260 },
];
/** For a question that is its own only facet. */
const WIDE_COLUMNS = [
  { name: "Question", x: 0, wide: 250 },
  null,
  { ...COLUMNS[2], x: 320, wide: 310 },
  { name: "Found", x: 700, wide: 300 },
];
const SEARCHES = { dense: "meaning", lexical: "words" };
const ROW = 46,
  BOX = 38,
  LETTER = 6.9; // height of a row and of a box, width of a letter

/** The searches that a query ran: [[name, hits]]. */
const searchesOf = (query) =>
  Object.entries(query).filter(
    ([, value]) => Array.isArray(value) && value.some((hit) => hit?.memory_id),
  );

/** The hits of a memory in the queries' searches, the best rank first: [{query, search, hit}]. */
function waysTo(trace, memoryId) {
  const ways = [];
  for (const query of trace.queries)
    for (const [search, hits] of searchesOf(query))
      for (const hit of hits) if (hit.memory_id === memoryId) ways.push({ query, search, hit });
  return ways.sort((a, b) => a.hit.rank - b.hit.rank);
}

/** The cue that lifted a candidate: the one that its reason quotes, else its nearest cue. */
const cueOf = (candidate) =>
  [candidate.undertaking, candidate.cue].find((one) => one && candidate.why.includes(`“${one}”`)) ??
  candidate.cue;

/** What found a memory for the question itself. `words`: whether a search for the question's words ranks it within the length of the answer; `place`: its best rank there. */
function foundBy(trace, id) {
  const own = waysTo(trace, id).filter(({ query }) => query.query_id === "q0"),
    candidate = candidateOf(trace, id);
  return {
    words: own.some(({ hit }) => hit.rank <= trace.returned.length),
    cue: candidate && cueOf(candidate),
    place: own[0]?.hit.rank,
  };
}

/** The nodes and links of the drawing. `ids`: the memories to show, in order; `told`: their names and scores. */
function pathOf(trace, ids, told) {
  const facets = new Map(trace.facets.map((facet) => [facet.facet_id, facet]));
  const known = ({ facet_id: id, hop }) =>
    isSpark(facets.get(id)?.name ?? "") ? { hop: 0, mark: "s" } : { hop, mark: String(hop) };
  const memories = [],
    links = [],
    queries = new Map();
  const sought = (key, node, order) => {
    if (!queries.has(key)) queries.set(key, { key, column: 2, sum: 0, count: 0, ...node });
    queries.get(key).sum += order;
    queries.get(key).count += 1;
  };
  ids.forEach((id, order) => {
    const candidate = candidateOf(trace, id);
    if (!candidate) return;
    memories.push({
      key: `m ${id}`,
      id,
      column: 3,
      label: told.names.get(id) || candidate.title || id,
      says: scoreOf(id, told),
      out: candidate.slot === null,
      mark: candidate.slot === null ? "–" : String(candidate.slot),
    });
    const facet = candidate.slot_facet || candidate.facet_scores[0]?.facet_id,
      isOwn = facet === "f0";
    const { words, cue } = foundBy(trace, id);
    const ways = [...new Map(waysTo(trace, id).map((way) => [way.query.query_id, way])).values()]
      .filter(({ query }) => words || !cue || query.query_id !== "q0")
      .sort(
        (a, b) =>
          (b.query.facet_id === facet) - (a.query.facet_id === facet) || a.hit.rank - b.hit.rank,
      );
    if (cue) {
      // the question is near one of its cues
      const key = `c ${cue}`;
      sought(key, { label: cue, isCue: true, mark: "c", facet: "f0" }, order);
      links.push({
        from: key,
        to: `m ${id}`,
        weak: !isOwn,
        says:
          cue === candidate.undertaking
            ? "stored for this, like other top memories"
            : "stored for such requests",
      });
    }
    const suggested =
      !isOwn &&
      ways[0]?.query.facet_id !== facet &&
      trace.queries.find((query) => query.facet_id === facet);
    if (suggested) {
      sought(
        `q ${suggested.query_id}`,
        { label: suggested.text, facet, ...known(suggested) },
        order,
      );
      links.push({
        from: `q ${suggested.query_id}`,
        to: `m ${id}`,
        says: "suggested by a playbook",
      });
    }
    ways.slice(0, suggested || cue ? 1 : 2).forEach((way, index) => {
      const key = `q ${way.query.query_id}`,
        isQuestion = way.query.query_id === "q0";
      const label = isQuestion
        ? "the question"
        : way.query.text === trace.question
          ? "the question, moved by your votes"
          : way.query.text;
      sought(key, { label, facet: way.query.facet_id, ...known(way.query) }, order);
      links.push({
        from: key,
        to: `m ${id}`,
        weak: index > 0 || suggested || (Boolean(cue) && isOwn && !isQuestion),
        says: `found by its ${SEARCHES[way.search] ?? way.search}`,
      });
    });
  });
  const used = new Set([...queries.values()].map((query) => query.facet));
  const needed = [...used]
    .map((id) => facets.get(id))
    .filter(Boolean)
    .sort((a, b) => a.hop - b.hop || b.weight - a.weight);
  const needs = needed.some((facet) => facet.facet_id !== "f0")
    ? needed.map((facet) => ({
        key: `f ${facet.facet_id}`,
        column: 1,
        label: facet.facet_id === "f0" ? "the question" : facet.name,
        says: facet.why,
        ...known(facet),
      }))
    : [];
  const position = new Map(needs.map((need, index) => [need.key, index]));
  const asked = [...queries.values()].sort(
    (a, b) =>
      (position.get(`f ${a.facet}`) ?? 99) - (position.get(`f ${b.facet}`) ?? 99) ||
      a.sum / a.count - b.sum / b.count,
  );
  for (const need of needs) links.push({ from: "question", to: need.key, says: need.says });
  for (const query of asked)
    links.push({
      from: position.has(`f ${query.facet}`) ? `f ${query.facet}` : "question",
      to: query.key,
    });
  const question = { key: "question", column: 0, label: trace.question, mark: "?" };
  return {
    nodes: [question, ...needs, ...asked, ...memories],
    links,
    places: needs.length ? COLUMNS : WIDE_COLUMNS,
  };
}

/** A sample of the drawing's lines, for its legend. */
const lineSample = (kind) =>
  svg(
    "svg",
    { width: 34, height: 10, "aria-hidden": "true" },
    svg("path", { d: "M0,5 L34,5", class: kind }),
  );

/** A label in at most two lines, cut between words. */
function inLines(text, wide) {
  const most = Math.floor(wide / LETTER);
  if (text.length <= most) return [text];
  const space = text.lastIndexOf(" ", most),
    end = space > 0 ? space : most;
  return [text.slice(0, end), short(text.slice(end).trim(), most)];
}

/** The drawing; `onMemory` is called with the id of a memory that the person chooses. */
function drawPath(trace, ids, { onMemory, ...told }) {
  const { nodes, links, places } = pathOf(trace, ids, told);
  const columns = COLUMNS.map((_, column) => nodes.filter((node) => node.column === column));
  const most = Math.max(...columns.map((column) => column.length), 1);
  const height = 30 + most * ROW;
  const groups = new Map();
  for (const column of columns)
    column.forEach((node, row) => {
      node.x = places[node.column].x;
      node.wide = places[node.column].wide;
      node.y = 30 + ((most - column.length) / 2 + row) * ROW;
    });
  const at = new Map(nodes.map((node) => [node.key, node]));
  const drawn = links.map((link) => {
    const from = at.get(link.from),
      to = at.get(link.to);
    const x1 = from.x + from.wide,
      y1 = from.y + BOX / 2,
      x2 = to.x,
      y2 = to.y + BOX / 2;
    const bend = Math.max(24, (x2 - x1) / 2);
    const line = svg(
      "path",
      {
        d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`,
        class: link.weak ? "edge weak" : "edge",
      },
      link.says ? svg("title", link.says) : null,
    );
    return { ...link, line };
  });
  const related = (key) => {
    // all nodes on a path through it
    const found = new Set([key]);
    for (const side of [
      ["from", "to"],
      ["to", "from"],
    ]) {
      const open = [key];
      while (open.length) {
        const one = open.pop();
        for (const link of drawn)
          if (link[side[0]] === one && !found.has(link[side[1]])) {
            found.add(link[side[1]]);
            open.push(link[side[1]]);
          }
      }
    }
    return found;
  };
  const show = (key) => {
    const on = key ? related(key) : null;
    for (const [name, group] of groups) group.classList.toggle("dim", Boolean(on) && !on.has(name));
    for (const link of drawn)
      link.line.classList.toggle("dim", Boolean(on) && !(on.has(link.from) && on.has(link.to)));
  };
  const move = (node, key) => {
    const column = columns[node.column],
      row = column.indexOf(node);
    const along = {
      ArrowUp: column[row - 1],
      ArrowDown: column[row + 1],
      ArrowLeft: at.get(drawn.find((link) => link.to === node.key)?.from),
      ArrowRight: at.get(drawn.find((link) => link.from === node.key)?.to),
    }[key];
    if (along) focusOn(along.key);
    return Boolean(along);
  };
  const focusOn = (key) => {
    for (const [name, group] of groups) group.setAttribute("tabindex", name === key ? "0" : "-1");
    groups.get(key).focus();
  };
  const first = nodes.find((node) => node.id) ?? nodes[0];
  for (const node of nodes)
    groups.set(node.key, box(node, { show, move, onMemory, isFirst: node === first }));
  const heads = places
    .filter(Boolean)
    .map((column) => svg("text", { x: column.x, y: 14, class: "head" }, column.name));
  return el(
    "div",
    { class: "scroll path" },
    svg(
      "svg",
      {
        viewBox: `-2 0 1004 ${height}`,
        role: "group",
        class: "drawing",
        "aria-label": "Question, needs, queries and memories; arrow keys follow the lines",
      },
      heads,
      drawn.map((link) => link.line),
      [...groups.values()],
    ),
  );
}

function box(node, { show, move, onMemory, isFirst }) {
  const { wide } = node;
  const kind = node.isCue ? "cue" : ["question", "need", "query", "memory"][node.column];
  const says =
    node.column === 3
      ? joined(", ", node.out ? "not returned" : `place ${node.mark}`, node.says)
      : node.hop
        ? HOPS[Math.min(node.hop, 3)]
        : "";
  const choose = () => node.id && onMemory(node.id);
  const lines = inLines(inOrder(node.label), wide - 36),
    middle = node.y + BOX / 2 + 4;
  return svg(
    "g",
    {
      class: `box ${kind}${node.out ? " out" : ""} hop${Math.min(node.hop ?? 0, 3)}`,
      tabindex: isFirst ? "0" : "-1",
      role: node.id ? "button" : "img",
      onmouseenter: () => show(node.key),
      onmouseleave: () => show(null),
      onfocus: () => show(node.key),
      onblur: () => show(null),
      onclick: choose,
      onkeydown: (event) => {
        if (node.id && (event.key === "Enter" || event.key === " ")) {
          event.preventDefault();
          choose();
        } else if (move(node, event.key)) event.preventDefault();
      },
    },
    svg("title", `${kind}: ${node.label}${says ? `, ${says}` : ""}`),
    svg("rect", { x: node.x, y: node.y, width: wide, height: BOX, rx: 6 }),
    svg("circle", { cx: node.x + 15, cy: node.y + BOX / 2, r: 9 }),
    svg(
      "text",
      { x: node.x + 15, y: middle, "text-anchor": "middle", class: "mark", "aria-hidden": "true" },
      node.mark,
    ),
    svg(
      "svg",
      { x: node.x + 29, y: node.y, width: wide - 31, height: BOX }, // clips text that is wider than estimated
      lines.map((line, index) =>
        svg("text", { x: 0, y: BOX / 2 + 4 + (index - (lines.length - 1) / 2) * 14 }, line),
      ),
    ),
  );
}
