"use strict";
// An answer as cards: why each memory came, what came near, and what was not there.

const VOTES = [
  ["hot", "exactly right"], ["warm", "getting closer"], ["cold", "not what I meant"],
  ["wrong", "misleading"], ["spark", "not the answer, but it reminds me of something"],
];

/** What would admit a memory, in words of this page and not of the command line. */
const inWords = (change) => change.replace(/--k (\d+)/g, "asking for $1 memories").replace(/--tokens (\d+)/g, "asking for $1 tokens")
  .replace(/; ask again with `--set[^`]*`/, " (settings of the server)").replace("`--include-stale` shows it, marked", "“include outdated memories” shows it, marked");

/** The story of one memory in one recall. `explain`: tells of the memory that replaces it, too. */
function story(explanation, explain) {
  return el("div", { class: "story", tabindex: "-1" },
    el("h4", {}, explanation.returned ? "Why it came back" : "Why it did not come back"),
    el("ol", {}, explanation.story.map((sentence) => el("li", {}, sentence))),
    explanation.replaced_by && explain && el("section", {}, whyButton(explain, explanation.replaced_by, "Why, or why not, the newer one?")),
    explanation.nearest_change && el("p", {}, el("strong", {}, "What would admit it: "), inWords(explanation.nearest_change)));
}

/** A button that shows the story of a memory below `card`. */
function whyButton(explain, memoryId, label) {
  return button(label, async (pressed) => {
    const card = pressed.closest("article, li, form, section");
    const old = card.querySelector(":scope > .story");
    if (old) { old.remove(); pressed.setAttribute("aria-expanded", "false"); return; }
    const shown = story(await explain(memoryId), explain);
    card.append(shown);
    pressed.setAttribute("aria-expanded", "true");
    shown.focus();
  }, { "aria-expanded": "false", class: "why-button" });
}

/** Passages that speak for a memory, the best first. */
function evidenceOf(memory) {
  return memory.evidence.map((one, index) => el("details", { open: index === 0 },
    el("summary", {}, one.heading || `Evidence ${index + 1}`, el("span", { class: "quiet" }, one.query ? ` for “${short(one.query, 70)}”` : "")),
    el("blockquote", { tabindex: "0" }, one.text)));
}

function facts(memory) {
  return el("dl", { class: "facts" },
    fact("date", day(memory.created_at)), fact("kind", [memory.source, memory.kind].filter(Boolean).join(", ")),
    fact("brought by", memory.facets[0] && `${memory.cue && memory.hop > 1 ? "a cue (hop 2: implied, not named)" : `${memory.facets.join(", ")} (hop ${memory.hop})`}`),
    fact("help", memory.role), memory.why ? null : [fact("stored for", memory.cue && `“${memory.cue}”`), fact("score", memory.score.toFixed(2))]);
}

const fact = (name, value) => value ? el("div", {}, el("dt", {}, name), el("dd", {}, value)) : null;

/** One memory of an answer. `tools`: explain, vote, votes, changed. */
function card(memory, place, tools) {
  const change = tools.changes?.find((one) => one.memory_id === memory.id);
  return el("article", { class: "card", "data-memory": memory.id, "aria-label": nameOf(memory) },
    el("h3", {}, place ? el("span", { class: "place" }, String(place)) : null, nameOf(memory)),
    change && el("p", { class: "came" }, `New this round: ${change.why}`),
    memory.stale && el("p", { class: "warning" }, memory.stale),
    el("p", { class: "why" }, memory.why),
    memory.conflicts_with.length ? el("p", { class: "warning" }, "Also on record: ", memory.conflicts_with.map((one) => one.value).join("; ")) : null,
    facts(memory), evidenceOf(memory),
    el("div", { class: "tools" }, tools.votes && voteButtons(memory, tools), tools.explain && whyButton(tools.explain, memory.id, "Why?"),
      el("code", { class: "quiet" }, memory.id)));
}

function voteButtons(memory, { votes, voted }) {
  const pressed = (name) => votes.get(memory.id) === name;
  const all = VOTES.map(([name, meaning]) => el("button", {
    type: "button", class: `vote ${name}`, title: meaning, "aria-pressed": String(pressed(name)),
    onclick: () => {
      if (pressed(name)) votes.delete(memory.id); else votes.set(memory.id, name);
      all.forEach((one, index) => one.setAttribute("aria-pressed", String(pressed(VOTES[index][0]))));
      voted();
    },
  }, name));
  return el("div", { class: "votes", role: "group", "aria-label": `Vote on ${nameOf(memory)}` }, all);
}

/** The whole answer of a recall. */
function answerView(result, tools) {
  const missing = result.facets.filter((facet) => facet.empty).map((facet) => facet.name);
  return el("section", { class: "answer", "aria-label": "Answer" },
    el("h2", {}, result.memories.length ? plural(result.memories.length, "memory", "memories") : "Nothing stored is near this question"),
    result.degraded.map((one) => el("p", { class: "warning" }, one)),
    result.memories.some((memory, index) => index && memory.score > result.memories[index - 1].score)
      ? el("p", { class: "quiet" }, "The score is the relevance of a memory. Its source, its age, a newer memory or the critic may have moved it up or down; press Why? to see.") : null,
    result.memories.map((memory, index) => card(memory, index + 1, tools)),
    result.preferences.length ? [el("h2", {}, "Preferences"), el("ul", {}, result.preferences.map((one) => el("li", {}, one.text)))] : null,
    missing.length ? el("details", {}, el("summary", {}, result.effort === "high" ? `Searched for, but not stored: ${missing.length}`
      : `Often needed for such questions, but not stored: ${missing.length}`), el("ul", {}, missing.map((name) => el("li", {}, name)))) : null,
    result.maybe.length ? [el("h2", {}, "What came close, and why it was left out"),
      el("ul", { class: "near" }, result.maybe.map((memory) => el("li", { "data-memory": memory.id },
        el("strong", {}, nameOf(memory)), el("span", { class: "quiet" }, ` ${day(memory.created_at)} · `), memory.cut_by.replace(/^\w+: /, ""),
        " ", tools.explain && whyButton(tools.explain, memory.id, "Why not?"))))] : null);
}

/** Ask about any memory, returned or not. `titles`: {id: title} to choose from; `search`: memories with these words. */
function whyNotForm(explain, titles, search) {
  const input = el("input", { list: "known-memories", placeholder: "title, id, or words in it", "aria-label": "Memory id", autocomplete: "off" });
  const told = el("div");
  const tell = async (id, name, text) => {
    const explanation = await explain(id);
    const said = text ?? (search ? await textOf(id) : "");
    replace(told, el("div", { class: "story" }, el("h3", {}, explanation.title || name), said && el("blockquote", { tabindex: "0" }, short(said, 300)), story(explanation, explain)));
  };
  const answer = async (said) => {
    const known = [...titles].find(([id, title]) => id === said || title.toLowerCase() === said.toLowerCase());
    if (known || !search) return tell(known ? known[0] : said, (known && known[1]) || said);
    const found = await search(said);
    const own = found.length === 1 ? found[0] : found.find((one) => one.memory_id === said);
    if (own) return tell(own.memory_id, nameOf(own), own.text);
    return replace(told, el("p", {}, found.length ? `${plural(found.length, "memory", "memories")} with these words; which one?` : "No stored memory has this id, title or words."),
      el("ul", { class: "near" }, found.slice(0, 20).map((one) => el("li", {}, `${day(one.created_at)} `, el("strong", {}, nameOf(one)), ` ${short(one.text, 160)} `, whyButton(explain, one.memory_id, "Why, or why not?")))));
  };
  const form = el("form", { class: "why-not", onsubmit: (event) => { event.preventDefault(); trying(() => answer(input.value.trim())); } }, el("label", {}, "Why, or why not, this memory? ", input), el("button", {}, "Explain"),
  el("datalist", { id: "known-memories" }, [...titles].slice(0, 300).map(([id, title]) => el("option", { value: id }, title))), told);
  return form;
}

/** The drawing, with a switch for what was not returned. */
function pathView(trace, result, onMemory) {
  const returned = result.memories.map((memory) => memory.id);
  const names = new Map([...result.memories, ...result.maybe].map((memory) => [memory.id, nameOf(memory)]));
  const near = trace.candidates.filter((one) => one.slot === null).slice(0, 8).map((one) => one.memory_id);
  const holder = el("div");
  const all = el("input", { type: "checkbox", onchange: () => draw() });
  const draw = () => replace(holder, drawPath(trace, all.checked ? [...returned, ...near] : returned, { onMemory, names }));
  draw();
  return el("section", { class: "path-view", "aria-label": "Path" }, el("h2", {}, "How each memory was found"),
    el("p", { class: "quiet" }, "The number before a need or query is its hop: 1 for what the question names, 2 for what it implies, 3 for what evidence led to. Choose a memory to see why it came back."),
    el("label", {}, all, " include memories that were not returned"), holder);
}
