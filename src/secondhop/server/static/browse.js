"use strict";
// What is stored: memories with their history, facts, and what a session starts with.

const PAGE = 100;

function memoriesView() {
  const list = el("ul", { class: "rows" }), detail = el("div", { class: "detail" });
  const words = el("input", { type: "search", placeholder: "filter what is loaded", "aria-label": "Filter", oninput: () => refilter() });
  const kind = el("select", { "aria-label": "Kind", onchange: () => refilter() }, ["all kinds", "continuity", "factual", "preferential"].map((one) => el("option", {}, one)));
  const loaded = [];
  let after = "";
  const fits = (memory) => (kind.selectedIndex === 0 || memory.kind === kind.value)
    && `${memory.title} ${memory.text} ${memory.memory_id}`.toLowerCase().includes(words.value.toLowerCase());
  const refilter = () => replace(list, loaded.filter(fits).slice(0, 500).map(row));
  const row = (memory) => el("li", {}, el("button", { type: "button", class: memory.end ? "link ended" : "link", onclick: () => trying(() => open(memory)) },
    el("span", { class: "quiet" }, `${day(memory.created_at)} `), memory.title || memory.memory_id, memory.end ? ` (${memory.end})` : ""));
  const open = async (memory) => {
    const past = await get(ofEntity(`/history/${encodeURIComponent(memory.memory_id)}`));
    replace(detail, memoryView(memory, past));
    detail.firstChild.focus();
  };
  const more = button("Load more", async () => {
    const page = await get(ofEntity(`/memories?limit=${PAGE}&after=${encodeURIComponent(after)}`));
    loaded.push(...page.memories);
    after = page.next;
    more.hidden = !after;
    refilter();
    say(`${plural(loaded.length, "memory", "memories")} loaded`);
  });
  return { element: el("div", { class: "browse" }, el("section", { "aria-label": "Memories" }, el("div", { class: "row" }, words, kind), list, more), detail), focus: () => { more.click(); words.focus(); } };
}

function memoryView(memory, past) {
  return el("article", { class: "card", tabindex: "-1" }, el("h2", {}, memory.title || memory.memory_id),
    el("dl", { class: "facts" }, fact("id", memory.memory_id), fact("kind", memory.kind), fact("written", day(memory.created_at)), fact("ended", memory.end), fact("mark", memory.mark)),
    el("blockquote", { tabindex: "0" }, memory.text),
    lastRecall && el("div", { class: "tools" }, whyButton(lastRecall.explain, memory.memory_id, `Why, or why not, for “${short(lastRecall.question, 50)}”?`)),
    past.versions.length > 1 ? [el("h3", {}, "Versions"), el("ol", {}, past.versions.map((one) => el("li", {}, `${day(one.created_at)} ${one.memory_id}: ${short(one.text, 200)}`, one.end && ` (${one.end})`)))] : null,
    el("h3", {}, "What was done to it"), el("ol", {}, past.events.map((one) => el("li", {}, `${day(one.at)} ${one.act} ${one.other_id} ${one.detail}`.trim()))));
}

function factsView() {
  const holder = el("div");
  const load = async () => {
    const found = await get(ofEntity("/facts"));
    replace(holder, found.length ? table("Facts that hold", ["subject", "attribute", "value", "since"], found.map((one) => [one.subject, one.attribute, one.value, day(one.since)]))
      : el("p", {}, "No facts are stored. Facts have a subject, an attribute and a value: (me, employer, Acme)."));
  };
  return { element: holder, focus: () => trying(load) };
}

function briefingView() {
  const holder = el("div");
  const load = async () => {
    const told = await get(ofEntity("/briefing"));
    replace(holder, el("h2", {}, "What a session starts with"), told.entries.length
      ? table("Briefing", ["part", "memory", "date", "why"], told.entries.map((one) => [one.category, `${one.title}: ${short(one.text, 300)}`, day(one.created_at), one.why]))
      : el("p", {}, "Nothing is stored that a session could start with."));
  };
  return { element: holder, focus: () => trying(load) };
}
